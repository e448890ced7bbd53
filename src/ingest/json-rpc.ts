// JSON-RPC 2.0 over HTTP to one URL, with a limit on time and on size: the other side is a stranger.
import type { BodyRooms } from "./body-rooms.ts";
import { errorText } from "./ingest-error.ts";
import { readIntoRoom, readLimited } from "./limited-body.ts";

export type RpcFailure =
  /** No connection, a broken one, or an HTTP status that says to try elsewhere. */
  | "unreachable"
  | "timeout"
  /** Not JSON, or not an answer to what was asked. */
  | "garbage"
  /** More bytes than allowed. */
  | "too_large"
  /** The server understood and refused; `rpcCode` says why. */
  | "refused";

export class RpcError extends Error {
  readonly failure: RpcFailure;
  readonly rpcCode: number | undefined;

  constructor(failure: RpcFailure, message: string, rpcCode?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "RpcError";
    this.failure = failure;
    this.rpcCode = rpcCode;
  }
}

export type RpcLimits = {
  readonly timeoutMs: number;
  /** Of the HTTP body. */
  readonly bytesMax: number;
  /** Instead of JSON.parse. Throws where the body is no JSON. */
  readonly parse?: (body: Buffer) => unknown;
  /** Where the body is to lie: with a `parse` whose result is a part of it. */
  readonly rooms?: BodyRooms;
};

export type RpcAnswer = { readonly result: unknown; readonly bytes: number };

export class JsonRpc {
  /** Host and port alone: paths and credentials of an RPC URL may be secrets. */
  readonly name: string;
  private readonly url: string;
  private lastId = 0;

  constructor(url: string) {
    this.url = url;
    this.name = new URL(url).host;
  }

  /** Throws RpcError for everything that can go wrong, the abort of `signal` included. */
  async call(
    method: string,
    params: unknown,
    limits: RpcLimits,
    signal: AbortSignal,
  ): Promise<RpcAnswer> {
    this.lastId += 1;
    const id = this.lastId;
    const body = await this.post({ jsonrpc: "2.0", id, method, params }, limits, signal);
    let answer: unknown;
    try {
      answer = limits.parse ? limits.parse(body) : JSON.parse(body.toString("utf8"));
    } catch (cause) {
      throw new RpcError(
        "garbage",
        `${this.name}: the answer to ${method} is not JSON`,
        undefined,
        cause,
      );
    }
    return { result: this.resultOf(answer, method, id), bytes: body.length };
  }

  private resultOf(answer: unknown, method: string, id: number): unknown {
    if (!isRecord(answer)) {
      throw new RpcError("garbage", `${this.name}: the answer to ${method} is no JSON-RPC`);
    }
    const { error } = answer;
    if (isRecord(error) && typeof error.message === "string") {
      const code = typeof error.code === "number" ? error.code : undefined;
      throw new RpcError(
        "refused",
        `${this.name}: ${method}: ${error.message.slice(0, 500)}`,
        code,
      );
    }
    if (answer.id !== id || answer.result === undefined) {
      throw new RpcError("garbage", `${this.name}: the answer to ${method} is to another request`);
    }
    return answer.result;
  }

  private async post(request: unknown, limits: RpcLimits, signal: AbortSignal): Promise<Buffer> {
    const timeout = AbortSignal.timeout(limits.timeoutMs);
    try {
      const response = await fetch(this.url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(request),
        signal: AbortSignal.any([signal, timeout]),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new RpcError("unreachable", `${this.name}: HTTP ${response.status}`);
      }
      const { bytesMax, rooms } = limits;
      const body = await (rooms === undefined
        ? readLimited(response, bytesMax)
        : readIntoRoom(response, bytesMax, rooms));
      if (body !== undefined) return body;
      throw new RpcError(
        "too_large",
        `${this.name}: the answer is longer than ${limits.bytesMax} bytes`,
      );
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      if (timeout.aborted && !signal.aborted) {
        throw new RpcError(
          "timeout",
          `${this.name}: no answer within ${limits.timeoutMs} ms`,
          undefined,
          thrown,
        );
      }
      throw new RpcError("unreachable", `${this.name}: ${errorText(thrown)}`, undefined, thrown);
    }
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
