// Hot path: raw keep-alive connections with one request in flight each, so that the client's own
// work is small beside the server's. A request that finds no free connection waits in a queue.
import { connect, type Socket } from "node:net";

/** Requests that wait for a connection; later ones are given up at once. */
const WAITING_MAX = 200_000;
/** No answer within this counts as none, where nothing else is said. */
export const TIMEOUT_MS = 10_000;
const SWEEP_MS = 500;
const RECONNECT_MS = 50;
const HEAD_END = "\r\n\r\n";

export type PooledRequest = {
  readonly bytes: Buffer;
  /** Passed on to `onDone`. */
  readonly endpoint: number;
  /** Milliseconds of `performance.now` at which it should have been sent. */
  readonly dueMs: number;
};

/** Why there was no answer. */
export type Lost = "closed" | "timeout" | "overrun" | "unanswered";

export type Done = {
  readonly request: PooledRequest;
  /** HTTP status, or why there is none. */
  readonly status: number | Lost;
  /** When it was written, if it was. */
  readonly sentMs: number;
  readonly nowMs: number;
  /** Of the whole answer, and of its body. */
  readonly bytes: number;
  readonly bodyBytes: number;
};

export type PoolOptions = {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  readonly timeoutMs?: number;
  readonly onDone: (done: Done) => void;
  /** The body of every answer, where someone wants to look at it. */
  readonly onBody?: (request: PooledRequest, status: number, body: Buffer) => void;
};

export class HttpPool {
  readonly #options: PoolOptions;
  readonly #connections: Connection[];
  readonly #free: Connection[] = [];
  readonly #sweep: NodeJS.Timeout;
  #waiting: PooledRequest[] = [];
  /** The waiting ones before it were taken already. */
  #next = 0;
  #closed = false;
  /** Longest delay of this process itself between a request's time and its being written, ms. */
  lagMs = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#connections = Array.from({ length: options.connections }, () => new Connection(this));
    for (const connection of this.#connections) connection.open();
    this.#sweep = setInterval(() => {
      const oldest = performance.now() - (options.timeoutMs ?? TIMEOUT_MS);
      for (const connection of this.#connections) connection.checkTimeout(oldest);
    }, SWEEP_MS);
  }

  get options(): PoolOptions {
    return this.#options;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Requests without an answer so far. */
  get open(): number {
    const busy = this.#connections.filter(({ isBusy }) => isBusy).length;
    return busy + this.#waiting.length - this.#next;
  }

  submit(request: PooledRequest): void {
    const connection = this.#free.pop();
    if (connection !== undefined) {
      const nowMs = performance.now();
      this.lagMs = Math.max(this.lagMs, nowMs - request.dueMs);
      connection.send(request);
      return;
    }
    if (this.#waiting.length - this.#next >= WAITING_MAX) {
      this.done(request, "overrun");
      return;
    }
    this.#waiting.push(request);
  }

  /** A connection has nothing to do. */
  freed(connection: Connection): void {
    const request = this.#waiting[this.#next];
    if (request === undefined) {
      this.#free.push(connection);
      return;
    }
    this.#next += 1;
    if (this.#next > 1024 && 2 * this.#next > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    connection.send(request);
  }

  /** A connection is gone and takes no request. */
  lost(connection: Connection): void {
    const at = this.#free.indexOf(connection);
    if (at >= 0) this.#free.splice(at, 1);
  }

  done(
    request: PooledRequest,
    status: number | Lost,
    { sentMs = request.dueMs, bytes = 0, bodyBytes = 0 } = {},
  ): void {
    this.#options.onDone({ request, status, sentMs, nowMs: performance.now(), bytes, bodyBytes });
  }

  /** Requests without an answer are told as `unanswered`: left out, they would make a slow server look fast. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#sweep);
    const waiting = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    const busy = this.#connections.map((connection) => connection.close());
    for (const request of [...busy, ...waiting]) {
      if (request !== undefined) this.done(request, "unanswered");
    }
  }
}

class Connection {
  readonly #pool: HttpPool;
  readonly #keepsBody: boolean;
  #socket: Socket | undefined;
  #request: PooledRequest | undefined;
  #sentMs = 0;
  #timedOut = false;
  /** What came of the answer in flight. */
  #parts: Buffer[] = [];
  #received = 0;
  /** Bytes of the whole answer; 0 until its head is read. */
  #expected = 0;
  #headBytes = 0;
  #status = 0;

  constructor(pool: HttpPool) {
    this.#pool = pool;
    this.#keepsBody = pool.options.onBody !== undefined;
  }

  get isBusy(): boolean {
    return this.#request !== undefined;
  }

  open(): void {
    if (this.#pool.closed) return;
    const { host, port } = this.#pool.options;
    const socket = connect(port, host);
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("connect", () => this.#pool.freed(this));
    socket.on("data", (data) => this.#take(data));
    // What is wrong with it shows in `close`, which follows.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#gone());
  }

  send(request: PooledRequest): void {
    this.#request = request;
    this.#sentMs = performance.now();
    this.#socket?.write(request.bytes);
  }

  checkTimeout(oldestMs: number): void {
    if (this.#request === undefined || this.#sentMs > oldestMs) return;
    this.#timedOut = true;
    this.#socket?.destroy();
  }

  /** Returns the request in flight. */
  close(): PooledRequest | undefined {
    const request = this.#request;
    this.#request = undefined;
    this.#socket?.destroy();
    return request;
  }

  #take(data: Buffer): void {
    if (this.#request === undefined) {
      // An answer nobody asked for.
      this.#socket?.destroy();
      return;
    }
    this.#received += data.length;
    if (this.#expected === 0 || this.#keepsBody) this.#parts.push(data);
    if (this.#expected === 0 && !this.#readHead()) return;
    if (this.#received < this.#expected) return;
    this.#answered();
  }

  #readHead(): boolean {
    const data = joined(this.#parts);
    const end = data.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = data.toString("latin1", 0, end);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: ?([0-9]+)/i.exec(head)?.[1] ?? "0";
    this.#headBytes = end + HEAD_END.length;
    this.#expected = this.#headBytes + Number(length);
    return true;
  }

  #answered(): void {
    const request = this.#request;
    const status = this.#status;
    const bytes = this.#expected;
    const bodyBytes = bytes - this.#headBytes;
    const { onBody } = this.#pool.options;
    const body = onBody === undefined ? undefined : joined(this.#parts).subarray(this.#headBytes);
    this.#reset();
    if (request === undefined) return;
    if (onBody !== undefined && body !== undefined) onBody(request, status, body);
    this.#pool.done(request, status, { sentMs: this.#sentMs, bytes, bodyBytes });
    this.#pool.freed(this);
  }

  #gone(): void {
    const request = this.#request;
    const status = this.#timedOut ? "timeout" : "closed";
    this.#reset();
    this.#timedOut = false;
    this.#pool.lost(this);
    if (request !== undefined) this.#pool.done(request, status);
    if (!this.#pool.closed) setTimeout(() => this.open(), RECONNECT_MS).unref();
  }

  #reset(): void {
    this.#request = undefined;
    this.#parts = [];
    this.#received = 0;
    this.#expected = 0;
  }
}

/** Most answers come in one part: a copy of it would cost the client more than the rest of an answer. */
function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
}

export function requestBytes(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: load\r\n\r\n`);
}
