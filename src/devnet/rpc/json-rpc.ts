// JSON-RPC 2.0: requests out of a body, answers to them, one or a batch.

import { messageOf } from "../../model/thrown.ts";
import { type MethodContext, runMethod } from "./methods.ts";
import type { Params } from "./params.ts";
import { RpcCode, RpcError } from "./rpc-error.ts";

/** Guess: more than a client puts into one request. */
const BATCH_MAX = 100;

/** Absent, or null as Stellar RPC takes it: a notification, which has no answer. */
type Id = string | number | null | undefined;
type Request = { readonly id: Id; readonly method: string; readonly params: Params };
type Refused = { readonly id: Id; readonly refused: RpcError };
type Parsed = { readonly isBatch: boolean; readonly requests: readonly (Request | Refused)[] };

export function parseBody(body: string): Parsed {
  const json = parseJson(body);
  if (json === undefined)
    return single(refuse(null, RpcCode.parse, "invalid JSON request message"));
  if (!Array.isArray(json)) return single(parseRequest(json));
  if (json.length === 0) return single(refuse(null, RpcCode.invalidRequest, "empty request batch"));
  if (json.length > BATCH_MAX) {
    const text = `a batch must not hold more than ${BATCH_MAX} requests`;
    return single(refuse(null, RpcCode.invalidRequest, text));
  }
  return { isBatch: true, requests: json.map(parseRequest) };
}

function single(request: Request | Refused): Parsed {
  return { isBatch: false, requests: [request] };
}

function refuse(id: Id, code: RpcCode, message: string): Refused {
  return { id, refused: new RpcError(code, message) };
}

function parseRequest(json: unknown): Request | Refused {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return refuse(null, RpcCode.invalidRequest, "invalid request");
  }
  const { id, jsonrpc, method, params } = Object.assign({}, json) as Record<string, unknown>;
  if (!isId(id)) return refuse(null, RpcCode.invalidRequest, "invalid request");
  if (jsonrpc !== "2.0" || typeof method !== "string") {
    return refuse(id, RpcCode.invalidRequest, "invalid request");
  }
  if (params === undefined || params === null) return { id, method, params: {} };
  if (typeof params !== "object" || Array.isArray(params)) {
    return refuse(id, RpcCode.invalidParams, "invalid parameters");
  }
  return { id, method, params: { ...params } };
}

function isId(id: unknown): id is Id {
  return id === undefined || id === null || typeof id === "string" || typeof id === "number";
}

/** Whether nothing of it is answered. */
export function isSilent({ requests }: Parsed): boolean {
  return requests.every(isNotification);
}

/** What is no request is refused whatever its id: only a request can go without an answer. */
function isNotification(request: Request | Refused): boolean {
  return "method" in request && (request.id === undefined || request.id === null);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Undefined stands for a body that is not JSON, since JSON has no undefined.
    return undefined;
  }
}

/** The answer's JSON text in parts; empty where nothing is answered. */
export async function* answer(context: MethodContext, parsed: Parsed): AsyncGenerator<string> {
  const isArray = parsed.isBatch && !isSilent(parsed);
  let separator = isArray ? "[" : "";
  for (const request of parsed.requests) {
    if (isNotification(request)) {
      // Executed without an answer: a transaction that is sent so is in the next ledger.
      for await (const _ of answerOne(context, request));
      continue;
    }
    yield separator;
    separator = ",";
    yield* answerOne(context, request);
  }
  if (isArray) yield "]";
}

/** An error is known before the first part of a result. */
async function* answerOne(
  context: MethodContext,
  request: Request | Refused,
): AsyncGenerator<string> {
  const id = JSON.stringify(request.id ?? null);
  const fail = ({ code, message }: Pick<RpcError, "code" | "message">): string =>
    `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;
  if ("refused" in request) {
    yield fail(request.refused);
    return;
  }
  const result = runMethod(context, request.method, request.params);
  try {
    const first = await result.next();
    yield `{"jsonrpc":"2.0","id":${id},"result":${first.value ?? ""}`;
  } catch (error) {
    const code = error instanceof RpcError ? error.code : RpcCode.internal;
    yield fail({ code, message: messageOf(error) });
    return;
  }
  yield* result;
  yield "}";
}
