// JSON-RPC 2.0 over HTTP to one untrusted URL, with limits on time and size.
import type { BufferPool } from "./buffer-pool.ts";
import { errorText } from "./ingest-error.ts";
import {
  type RequestTimes,
  RequestWatch,
  readIntoPooled,
  readLimited,
  retryAfterMs,
  splitCredentials,
} from "./source-http.ts";

export type RpcFailure =
  /** No connection, or another network: no use of the source can succeed. */
  | "disconnected"
  /** A broken connection, or an HTTP status of a server-side fault. */
  | "unreachable"
  /** Rate-limited: HTTP 429, or 503 with Retry-After. */
  | "overloaded"
  | "timeout"
  /** Not JSON, or not an answer to what was asked. */
  | "garbage"
  /** More bytes than allowed. */
  | "too_large"
  /** As of a ledger before those that are known. */
  | "stale"
  /** The server understood and refused; `rpcCode` says why. */
  | "refused";

export type RpcErrorDetail = {
  readonly rpcCode?: number | undefined;
  /** Of HTTP. */
  readonly status?: number | undefined;
  /** Retry-After of the server. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

export class RpcError extends Error {
  readonly failure: RpcFailure;
  readonly rpcCode: number | undefined;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(failure: RpcFailure, message: string, detail: RpcErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "RpcError";
    this.failure = failure;
    this.rpcCode = detail.rpcCode;
    this.status = detail.status;
    this.retryAfterMs = detail.retryAfterMs;
  }
}

export type RpcLimits = RequestTimes & {
  /** Of the HTTP body. */
  readonly bytesMax: number;
  /** Instead of JSON.parse. Throws where the body is no JSON. */
  readonly parse?: (body: Buffer) => unknown;
  /** Where the body is to lie: with a `parse` whose result is a part of it. */
  readonly buffers?: BufferPool;
};

export type RpcAnswer = { readonly result: unknown; readonly bytes: number };

/** The body of an answer that is no answer: enough to find a JSON-RPC error in it. */
const ERROR_BYTES_MAX = 64 << 10;

export class JsonRpc {
  /** Host and port alone: paths and credentials of an RPC URL may be secrets. */
  readonly name: string;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  #lastId = 0;

  constructor(url: string, name = new URL(url).host) {
    const { url: address, headers } = splitCredentials(url);
    this.#url = address;
    this.#headers = {
      ...headers,
      "content-type": "application/json",
      accept: "application/json",
    };
    this.name = name;
  }

  /** Throws RpcError for everything that can go wrong, the abort of `signal` included. */
  async call(
    method: string,
    params: unknown,
    limits: RpcLimits,
    signal: AbortSignal,
  ): Promise<RpcAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    const body = await this.#post({ jsonrpc: "2.0", id, method, params }, limits, signal);
    let answer: unknown;
    try {
      answer = limits.parse ? limits.parse(body) : JSON.parse(body.toString("utf8"));
    } catch (cause) {
      throw new RpcError("garbage", `${this.name}: the answer to ${method} is not JSON`, { cause });
    }
    return { result: this.#resultOf(answer, method, id), bytes: body.length };
  }

  #resultOf(answer: unknown, method: string, id: number): unknown {
    if (!isRecord(answer)) {
      throw new RpcError("garbage", `${this.name}: the answer to ${method} is no JSON-RPC`);
    }
    const refusal = refusalOf(answer);
    if (refusal !== undefined) throw this.#refused(method, refusal);
    if (answer.id !== id || answer.result === undefined) {
      throw new RpcError("garbage", `${this.name}: the answer to ${method} is to another request`);
    }
    return answer.result;
  }

  #refused(method: string, { message, code }: Refusal, detail: RpcErrorDetail = {}) {
    const text = `${this.name}: ${method}: ${message.slice(0, 500)}`;
    const isOverloaded = code === 429 || /too many requests|rate limit/i.test(message);
    const failure = isOverloaded ? "overloaded" : "refused";
    return new RpcError(failure, text, { ...detail, rpcCode: code });
  }

  async #post(
    request: { readonly method: string; readonly [key: string]: unknown },
    limits: RpcLimits,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const watch = new RequestWatch(limits, signal);
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: this.#headers,
        body: JSON.stringify(request),
        signal: watch.signal,
      });
      watch.heard();
      if (!response.ok) throw await this.#statusError(request.method, response);
      const { bytesMax, buffers } = limits;
      const heard = (): void => watch.heard();
      const body = await (buffers === undefined
        ? readLimited(response, bytesMax, heard)
        : readIntoPooled(response, bytesMax, buffers, heard));
      if (body !== undefined) return body;
      throw new RpcError(
        "too_large",
        `${this.name}: the answer is longer than ${limits.bytesMax} bytes`,
      );
    } catch (cause) {
      if (cause instanceof RpcError) throw cause;
      if (watch.expired && !signal.aborted) {
        const message = `${this.name}: no answer within ${Math.round(watch.limitMs)} ms`;
        throw new RpcError("timeout", message, { cause });
      }
      const failure = isConnectFailure(cause) ? "disconnected" : "unreachable";
      throw new RpcError(failure, `${this.name}: ${errorText(cause)}`, { cause });
    } finally {
      watch.done();
    }
  }

  /** A JSON-RPC error counts by what it says, whatever the status around it. */
  async #statusError(method: string, response: Response): Promise<RpcError> {
    const { status } = response;
    const retry = retryAfterMs(response.headers.get("retry-after"));
    const detail = { status, ...(retry === undefined ? {} : { retryAfterMs: retry }) };
    const body = await readLimited(response, ERROR_BYTES_MAX).catch(() => undefined);
    const refusal = body === undefined ? undefined : refusalIn(body);
    if (status !== 429 && refusal !== undefined) return this.#refused(method, refusal, detail);
    const failure = status === 429 || retry !== undefined ? "overloaded" : "unreachable";
    return new RpcError(failure, `${this.name}: HTTP ${status}`, detail);
  }
}

type Refusal = { readonly message: string; readonly code: number | undefined };

function refusalOf({ error }: Readonly<Record<string, unknown>>): Refusal | undefined {
  if (!isRecord(error) || typeof error.message !== "string") return undefined;
  return { message: error.message, code: typeof error.code === "number" ? error.code : undefined };
}

function refusalIn(body: Buffer): Refusal | undefined {
  try {
    const answer: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(answer) ? refusalOf(answer) : undefined;
  } catch {
    // No JSON: the status alone counts.
    return undefined;
  }
}

/** Nothing was sent: there is no server, or none by that name. */
function isConnectFailure(thrown: unknown): boolean {
  for (let at = thrown, step = 0; at instanceof Error && step < 4; at = at.cause, step += 1) {
    const code = "code" in at ? at.code : undefined;
    if (code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EHOSTUNREACH") return true;
    if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "EAI_AGAIN") return true;
  }
  return false;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
