// The one place that picks the binding of uWebSockets.js, which is not on npm under its own name.
// Two packages carry its native binaries and differ in age:
//   @btc-vision/uwebsockets.js        20.57: Node 20, 22, 24; glibc 2.38 or later
//   @trufflesuite/uws-js-unofficial   20.30: Node 20 alone;   glibc 2.27 or later
// The second package's own entry silently becomes a slow JavaScript server where its binary does not
// load, so its binary is loaded here directly. Only what both versions do alike is in the types.
import { createRequire } from "node:module";

export type HttpRequest = {
  /** The path as sent, without decoding, up to the first `?`. Bytes above 127 read as Latin-1. */
  getUrl(): string;
  /** Lower case. */
  getMethod(): string;
  /** The raw text after `?`. Empty or undefined without one. */
  getQuery(): string | undefined;
  /** Empty without the header. */
  getHeader(lowerCaseName: string): string;
};

/** Valid until it was ended or aborted; touching it later ends the process. */
export type HttpResponse = {
  writeStatus(status: string): HttpResponse;
  writeHeader(name: string, value: string): HttpResponse;
  end(body?: string | Uint8Array, closeConnection?: boolean): HttpResponse;
  /**
   * Ends without Content-Length. 20.30 leaves the request pending where it is given a length, so
   * the argument is not offered: write the header instead.
   */
  endWithoutBody(): HttpResponse;
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
  readonly pong: (ws: WebSocket<UserData>, message: ArrayBuffer) => void;
  readonly close: (ws: WebSocket<UserData>, code: number, message: ArrayBuffer) => void;
};

export type App = {
  get(pattern: string, handler: (res: HttpResponse, req: HttpRequest) => void): App;
  any(pattern: string, handler: (res: HttpResponse, req: HttpRequest) => void): App;
  ws<UserData>(pattern: string, behavior: WebSocketBehavior<UserData>): App;
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

export type UwsBinding = { readonly uws: Uws; readonly version: "20.57" | "20.30" };

/**
 * Bytes of request line and headers that 20.57 takes; read from the environment when its binary
 * loads. 20.30 has 4 KiB built in.
 */
const HEAD_BYTES_MAX = 8192;

/**
 * Throws an Error that says what to do where neither binary loads. Main thread. `load`: how a
 * package's file is loaded; throws where it cannot be.
 */
export function loadUws(
  load: (name: string) => unknown = createRequire(import.meta.url),
): UwsBinding {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(HEAD_BYTES_MAX);
  let modernError: unknown;
  try {
    return { uws: load("@btc-vision/uwebsockets.js") as Uws, version: "20.57" };
  } catch (error) {
    modernError = error;
  }
  const { platform, arch, versions } = process;
  try {
    const file = `uws_${platform}_${arch}_${versions.modules}.node`;
    const uws = load(`@trufflesuite/uws-js-unofficial/binaries/${file}`) as Uws;
    return { uws, version: "20.30" };
  } catch (olderError) {
    throw new Error(
      `uWebSockets.js has no binary for Node ${versions.node} on ${platform}-${arch} with this C library: ` +
        "use Node 20, 22 or 24 with glibc 2.38 or later (Debian 13, Ubuntu 24.04), or Node 20 with glibc 2.27 or later. " +
        `(${firstLine(olderError)})`,
      { cause: modernError },
    );
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n", 1)[0] ?? "";
}
