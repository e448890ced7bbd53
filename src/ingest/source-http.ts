// What every source over HTTP needs: credentials beside the URL, Retry-After, and answers of a bounded time and size.
import type { BufferPool } from "./buffer-pool.ts";

/** Milliseconds that a Retry-After header asks for (RFC 9110, 10.2.3), or undefined where it is none. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** A URL whose user name and password go into a header: fetch refuses them in the URL, and names it. */
export function splitCredentials(of: string): {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  const url = new URL(of);
  const { username, password } = url;
  if (username === "" && password === "") return { url, headers: {} };
  url.username = "";
  url.password = "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}

export type RequestTimes = {
  readonly timeoutMs: number;
  /** Without a byte of the answer; absent: as long as `timeoutMs`. */
  readonly idleMs?: number;
};

/** Aborts a request that takes too long, or in which nothing moves. */
export class RequestWatch {
  readonly signal: AbortSignal;
  readonly limitMs: number;
  expired = false;
  readonly #abort = new AbortController();
  readonly #total: NodeJS.Timeout;
  readonly #idle: NodeJS.Timeout | undefined;

  constructor({ timeoutMs, idleMs }: RequestTimes, signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#abort.signal]);
    this.limitMs = Math.min(timeoutMs, idleMs ?? timeoutMs);
    const expire = (): void => {
      this.expired = true;
      this.#abort.abort(new Error("no answer in time"));
    };
    this.#total = setTimeout(expire, timeoutMs);
    this.#idle = idleMs === undefined ? undefined : setTimeout(expire, idleMs);
  }

  heard(): void {
    this.#idle?.refresh();
  }

  done(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
  }
}

/**
 * The body of a response, or undefined where it is longer than `bytesMax` (the rest is not read). `heard`: bytes came.
 */
export async function readLimited(
  response: Response,
  bytesMax: number,
  heard: () => void = () => undefined,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  const bytes = await readPieces(response, bytesMax, (piece) => {
    pieces.push(piece);
    heard();
  });
  return bytes === undefined ? undefined : Buffer.concat(pieces, bytes);
}

/** The same in a buffer: the caller's until it gives it back. */
export async function readIntoPooled(
  response: Response,
  bytesMax: number,
  buffers: BufferPool,
  heard: () => void = () => undefined,
): Promise<Buffer | undefined> {
  let buffer = buffers.take();
  const bytes = await readPieces(response, bytesMax, (piece, at) => {
    if (at + piece.length > buffer.length) buffer = buffers.grown(buffer, at, at + piece.length);
    buffer.set(piece, at);
    heard();
  });
  return bytes === undefined ? undefined : buffer.subarray(0, bytes);
}

/** Returns how many bytes there are. */
async function readPieces(
  response: Response,
  bytesMax: number,
  take: (piece: Uint8Array, at: number) => void,
): Promise<number | undefined> {
  const reader = response.body?.getReader();
  let bytes = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    if (bytes + value.length > bytesMax) {
      await reader.cancel();
      return undefined;
    }
    take(value, bytes);
    bytes += value.length;
  }
  return bytes;
}
