// The one place that loads uWebSockets.js, which is not on npm under its own name. The package taken
// carries version 20.57 for Node 20, 22 and 24, linked on glibc 2.38; the build writes copies that
// glibc 2.36 loads as well (scripts/uws-for-older-glibc.js). The types hold what is used of it.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

export type HttpRequest = {
  /** The path as sent, without decoding, up to the first `?`. Bytes above 127 read as Latin-1. */
  getUrl(): string;
  /** Lower case. */
  getMethod(): string;
  /** The raw text after `?`. Empty or undefined without one. */
  getQuery(): string | undefined;
  /** Empty without the header; the first line where there are several. */
  getHeader(lowerCaseName: string): string;
  /** Every header line in order, names in lower case. */
  forEach(line: (name: string, value: string) => void): void;
};

/** Valid until it was ended or aborted; touching it later ends the process. */
export type HttpResponse = {
  writeStatus(status: string): HttpResponse;
  writeHeader(name: string, value: string): HttpResponse;
  end(body?: string | Uint8Array, closeConnection?: boolean): HttpResponse;
  /**
   * As `end` where the socket takes all; else what it took is sent and the response stays open:
   * `[everything was taken, the response is over]`. `totalBytes`: of the whole body.
   */
  tryEnd(bodyOrRest: string | Uint8Array, totalBytes: number): readonly [boolean, boolean];
  /** `handler` gets the bytes of the body sent so far and says whether all it gave was taken. */
  onWritable(handler: (sent: number) => boolean): HttpResponse;
  /** Without a length there is no Content-Length. */
  endWithoutBody(contentLength?: number, closeConnection?: boolean): HttpResponse;
  /** A handler that returns without answering must have set one, or the process is ended. */
  onAborted(handler: () => void): HttpResponse;
  /** Packs the writes of `write` into one; needed outside the handler's synchronous part. */
  cork(write: () => void): HttpResponse;
  close(): HttpResponse;
  getRemoteAddressAsText(): ArrayBuffer;
  upgrade<UserData>(
    userData: UserData,
    key: string,
    protocol: string,
    extensions: string,
    context: SocketContext,
  ): void;
};

declare const contextBrand: unique symbol;
export type SocketContext = { readonly [contextBrand]: true };
declare const listenBrand: unique symbol;
export type ListenSocket = { readonly [listenBrand]: true };

/** What `send` says: done, queued in the socket's buffer, or not sent since the buffer is full. */
export const SendStatus = { backpressure: 0, sent: 1, dropped: 2 } as const;

/** Valid from `open` to `close`; touching it later throws. */
export type WebSocket<UserData> = {
  send(message: string | Uint8Array, isBinary?: boolean): number;
  getBufferedAmount(): number;
  /** Sends a close frame. Calls the close handler at once. */
  end(code?: number, reason?: string): void;
  /** Without a close frame. Calls the close handler at once. */
  close(): void;
  ping(message?: string): number;
  subscribe(topic: string): boolean;
  unsubscribe(topic: string): boolean;
  cork(write: () => void): WebSocket<UserData>;
  getUserData(): UserData;
};

export type WebSocketBehavior<UserData> = {
  /** Bytes. Past it the connection is dropped without a close frame. */
  readonly maxPayloadLength: number;
  /** Bytes. Past it a message is dropped, and the connection where `closeOnBackpressureLimit`. */
  readonly maxBackpressure: number;
  readonly closeOnBackpressureLimit: boolean;
  /** Seconds without a byte from the client; 0: none. */
  readonly idleTimeout: number;
  readonly sendPingsAutomatically: boolean;
  readonly upgrade: (res: HttpResponse, req: HttpRequest, context: SocketContext) => void;
  readonly open: (ws: WebSocket<UserData>) => void;
  /** `message` is gone once the handler returns. */
  readonly message: (ws: WebSocket<UserData>, message: ArrayBuffer, isBinary: boolean) => void;
  /** A message was not sent since `maxBackpressure` is reached. */
  /** What waited for the client was taken, or a part of it. */
  readonly drain: (ws: WebSocket<UserData>) => void;
  readonly dropped: (ws: WebSocket<UserData>) => void;
  /** It was answered already. */
  readonly ping: (ws: WebSocket<UserData>, message: ArrayBuffer) => void;
  readonly pong: (ws: WebSocket<UserData>, message: ArrayBuffer) => void;
  readonly close: (ws: WebSocket<UserData>, code: number, message: ArrayBuffer) => void;
};

export type App = {
  get(pattern: string, handler: (res: HttpResponse, req: HttpRequest) => void): App;
  any(pattern: string, handler: (res: HttpResponse, req: HttpRequest) => void): App;
  ws<UserData>(pattern: string, behavior: WebSocketBehavior<UserData>): App;
  /**
   * Called with 1 for a connection that was accepted, and with -1 for one that is gone; not for the
   * end of one that became a WebSocket. The address is known at the first alone.
   */
  filter(handler: (res: HttpResponse, count: number) => void): App;
  publish(topic: string, message: string | Uint8Array, isBinary?: boolean): boolean;
  /** Closes every socket at once. */
  close(): App;
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: ListenSocket | false) => void,
  ): App;
};

export type Uws = {
  App(): App;
  us_listen_socket_close(socket: ListenSocket): void;
  us_socket_local_port(socket: ListenSocket): number;
  /** `listen` option: fail where the port is taken instead of sharing it (SO_REUSEPORT). */
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
};

/** Bytes of request line and headers; the binary reads it from the environment when it loads. */
const HEAD_BYTES_MAX = 8192;

/**
 * Throws an Error that says what to do where no binary loads. Main thread. `load`: how a package or a
 * file is loaded; throws where it cannot be.
 */
export function loadUws(load: (name: string) => unknown = createRequire(import.meta.url)): Uws {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(HEAD_BYTES_MAX);
  const { platform, arch, versions } = process;
  let originalError: unknown;
  try {
    return load("@btc-vision/uwebsockets.js") as Uws;
  } catch (error) {
    originalError = error;
  }
  const file = `../../native/uws_${platform}_${arch}_${versions.modules}.node`;
  try {
    return load(fileURLToPath(new URL(file, import.meta.url))) as Uws;
  } catch (error) {
    throw new Error(
      `uWebSockets.js has no binary for Node ${versions.node} on ${platform}-${arch} with this C library: ` +
        "use Node 20, 22 or 24 with glibc 2.36 or later (Debian 12, Ubuntu 24.04). " +
        `(${firstLine(error)})`,
      { cause: originalError },
    );
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n", 1)[0] ?? "";
}
