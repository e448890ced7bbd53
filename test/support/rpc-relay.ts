// A port in front of a network's RPC: it counts the requests that pass, can leave ledgers out of pages, and can be
// turned to another network, as where a test network begins anew under its address.
import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Ledgers = { readonly result?: { readonly ledgers: readonly { readonly sequence: number }[] } };

export class RpcRelay {
  /** URL of the RPC behind it. Undefined: there is none, and requests are cut off. */
  target: string | undefined;
  /** Ledgers that pages leave out, both ends inclusive. */
  missing: { readonly from: number; readonly to: number } | undefined;
  /** Requests so far, by method. */
  readonly requests = new Map<string, number>();
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((request, response) => {
    this.#pass(request, response).catch(() => response.destroy());
  });

  private constructor(target: string) {
    this.target = target;
    // As the devnet's own port: a close by the server can cross a client's next request.
    this.#server.keepAliveTimeout = 0;
  }

  static async start(target: string): Promise<RpcRelay> {
    const relay = new RpcRelay(target);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method }: { readonly method: string } = JSON.parse(body);
    this.requests.set(method, (this.requests.get(method) ?? 0) + 1);
    if (this.target === undefined) {
      response.destroy();
      return;
    }
    const passed = send(this.target, { method: "POST", agent: this.#agent });
    // Before its answer, and while that is read.
    passed.on("error", () => response.destroy());
    passed.end(body);
    const [answer] = (await once(passed, "response")) as [IncomingMessage];
    const { statusCode = 500, headers } = answer;
    response.writeHead(statusCode, { "Content-Type": headers["content-type"] ?? "" });
    const { missing } = this;
    if (missing === undefined || method !== "getLedgers") {
      answer.on("error", () => response.destroy());
      answer.pipe(response);
      return;
    }
    const page: Ledgers = JSON.parse(await text(answer));
    const ledgers = page.result?.ledgers.filter(
      ({ sequence }) => sequence < missing.from || sequence > missing.to,
    );
    response.end(
      JSON.stringify({ ...page, ...(ledgers && { result: { ...page.result, ledgers } }) }),
    );
  }
}
