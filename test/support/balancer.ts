// A balancer over replicas as OPERATIONS.md asks for one: requests go to those whose /readyz answers 200, in turns, and
// a GET that gets no answer is asked of another, as nginx does with `proxy_next_upstream error timeout`. Answers are
// taken whole before any of one is passed on. WebSocket connections are tunnels to one replica.
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const CHECK_MS = 100;
/** Checks without any answer, one after the other, that end what a replica gets (HAProxy's `fall`). */
const LOST_MAX = 3;

export type Replica = { readonly port: number; readonly operators: string };

type Answered = { readonly message: IncomingMessage; readonly body: Buffer };

export class Balancer {
  readonly #replicas = new Map<string, Replica>();
  readonly #ready = new Set<string>();
  /** Requests answered, by replica. */
  readonly served = new Map<string, number>();
  readonly #server: Server;
  readonly #tunnels = new Set<Socket>();
  readonly #stop = new AbortController();
  #turn = 0;

  private constructor() {
    this.#server = createServer((asked, response) => void this.#pass(asked, response));
    this.#server.on("upgrade", (asked, socket: Socket, head) => this.#tunnel(asked, socket, head));
  }

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    await new Promise<void>((resolve) => {
      balancer.#server.listen(0, "127.0.0.1", resolve);
    });
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** A replica under a name, or where it is now. */
  put(name: string, replica: Replica): void {
    const isNew = !this.#replicas.has(name);
    this.#replicas.set(name, replica);
    this.#ready.delete(name);
    if (isNew) void this.#check(name);
  }

  /** Resolves once the replica gets requests, or gets none any more. */
  async until(name: string, isReady: boolean): Promise<void> {
    while (this.#ready.has(name) !== isReady) await delay(CHECK_MS / 4);
  }

  close(): void {
    this.#stop.abort();
    for (const socket of this.#tunnels) socket.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Each by itself: one that is slow to answer holds up no other's. */
  async #check(name: string): Promise<void> {
    const { signal } = this.#stop;
    let lost = 0;
    while (!signal.aborted) {
      const operators = this.#replicas.get(name)?.operators;
      const status = await fetch(`${operators}/readyz`, { signal }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        () => 0,
      );
      lost = status === 0 ? lost + 1 : 0;
      // It may have moved meanwhile.
      if (this.#replicas.get(name)?.operators === operators) {
        if (status === 200) this.#ready.add(name);
        else if (status !== 0 || lost >= LOST_MAX) this.#ready.delete(name);
      }
      await delay(CHECK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** The one in turn of those that are ready now, without those `tried`. */
  #next(tried: ReadonlySet<string> = new Set()): readonly [string, Replica] | undefined {
    const ready = [...this.#replicas].filter(([name]) => this.#ready.has(name) && !tried.has(name));
    this.#turn += 1;
    return ready[this.#turn % Math.max(1, ready.length)];
  }

  async #pass(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const errors = new Map<string, unknown>();
    // Chosen anew after each failure: another one may have become ready meanwhile.
    for (let next = this.#next(); next !== undefined; next = this.#next(new Set(errors.keys()))) {
      const [name, { port }] = next;
      try {
        const { message, body } = await ask(port, asked);
        this.served.set(name, (this.served.get(name) ?? 0) + 1);
        response.writeHead(message.statusCode ?? 502, message.headers).end(body);
        return;
      } catch (error) {
        errors.set(name, error);
      }
    }
    const why = [...errors].map(([name, error]) => `${name}: ${error}`).join(", ");
    response.writeHead(502).end(`no replica answered: ${why || "none is ready"}`);
  }

  #tunnel(asked: IncomingMessage, client: Socket, head: Buffer): void {
    const replica = this.#next()?.[1];
    if (replica === undefined) {
      client.end("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n");
      return;
    }
    const server = connect(replica.port, "127.0.0.1", () => {
      const fields: string[] = [];
      for (let at = 0; at < asked.rawHeaders.length; at += 2) {
        fields.push(`${asked.rawHeaders[at]}: ${asked.rawHeaders[at + 1]}`);
      }
      server.write(`GET ${asked.url} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`);
      server.write(head);
      server.pipe(client).pipe(server);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#tunnels.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#tunnels.delete(socket);
        other.destroy();
      });
    }
  }
}

/** A kept connection that the replica closed at that moment says nothing of it: a new one is asked, as by nginx. */
function ask(port: number, from: IncomingMessage): Promise<Answered> {
  const { url, method, headers } = from;
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path: url, method, headers }, (message) => {
      const parts: Buffer[] = [];
      message.on("data", (part: Buffer) => parts.push(part));
      message.on("end", () => resolve({ message, body: Buffer.concat(parts) }));
      // Cut off in the middle.
      message.on("error", reject);
    });
    asked.on("error", (error) => {
      if (asked.reusedSocket) ask(port, from).then(resolve, reject);
      else reject(error);
    });
    asked.end();
  });
}
