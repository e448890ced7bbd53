// Writes answers: status, the headers that every answer has, body.
// Hot path: each call into the binding costs about as much as building a small body, so an answer
// with status 200 is three calls.
import { endWithBody } from "./answer-body.ts";
import { ApiError } from "./api-error.ts";
import { prettyJson } from "./pretty-json.ts";
import type { HttpResponse } from "./uws.ts";

export type Answer = {
  readonly status: number;
  readonly contentType: "application/json" | "text/plain";
  readonly body: string;
  /** Seconds, for the header Retry-After. */
  readonly retryAfter?: number;
  /** For the header ETag, as a weak one. */
  readonly tag?: string;
};

const STATUS_LINES: Readonly<Record<number, string>> = {
  400: "400 Bad Request",
  404: "404 Not Found",
  409: "409 Conflict",
  414: "414 URI Too Long",
  426: "426 Upgrade Required",
  429: "429 Too Many Requests",
  500: "500 Internal Server Error",
  503: "503 Service Unavailable",
};

/** Retry-After of an overload refusal (choice). */
const OVERLOAD_SECONDS = 1;

export const UNKNOWN_PATH: Answer = {
  status: 404,
  contentType: "text/plain",
  body: "API endpoint was not found",
};

export function jsonAnswer(compactJson: string, pretty: boolean): Answer {
  return {
    status: 200,
    contentType: "application/json",
    body: pretty ? prettyJson(compactJson) : compactJson,
  };
}

export function errorAnswer(error: ApiError, pretty: boolean): Answer {
  const { message, status } = error;
  const json = JSON.stringify({ error: message, status });
  const answer = { ...jsonAnswer(json, pretty), status };
  // Overload is temporary: a refused client may come back, but not at once.
  return status === 503 || status === 429 ? { ...answer, retryAfter: OVERLOAD_SECONDS } : answer;
}

export const INTERNAL_ERROR = new ApiError(500, "internal_error", "Internal server error");

/**
 * To be called corked: in the synchronous part of the handler or inside `cork`. `end` sends the body;
 * a large one goes through `UnreadAnswers`.
 */
export function writeAnswer(
  res: HttpResponse,
  answer: Answer,
  head: boolean,
  end: (res: HttpResponse, body: string) => void = endWithBody,
): void {
  writeStart(res, answer);
  if (head) {
    endHead(res, Buffer.byteLength(answer.body));
  } else {
    end(res, answer.body);
  }
}

/** A good answer whose body is bytes already. The same otherwise. */
export function writeJson(
  res: HttpResponse,
  body: Uint8Array,
  head: boolean,
  end: (res: HttpResponse, body: Uint8Array) => void,
): void {
  res.writeHeader("Content-Type", "application/json");
  res.writeHeader("Access-Control-Allow-Origin", "*");
  if (head) endHead(res, body.length);
  else end(res, body);
}

/** The answer to OPTIONS, whatever the path. A 204 has no body and no Content-Length. */
export function writeOptions(res: HttpResponse): void {
  const stays = mayStayOpen();
  res.writeStatus(stays ? "204 No Content" : "200 OK");
  res.writeHeader("Access-Control-Allow-Origin", "*");
  res.writeHeader("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
  res.writeHeader("Access-Control-Allow-Headers", "*");
  res.writeHeader("Access-Control-Max-Age", "86400");
  if (stays) res.endWithoutBody();
  else res.endWithoutBody(0, true);
}

/** `bytes`: Content-Length of a body that is not sent. */
export function endHead(res: HttpResponse, bytes: number): void {
  res.endWithoutBody(bytes, !mayStayOpen());
}

/** Every so many answers without a body, of all clients together, one closes its connection (choice). */
const BODILESS_MAX = 256;
let bodiless = 0;

/**
 * To be asked before every answer without a body: of these the binding does not tell whether they
 * were taken, and a client that asks for thousands and reads none would fill its buffer without end.
 */
export function mayStayOpen(): boolean {
  bodiless = (bodiless + 1) % BODILESS_MAX;
  return bodiless !== 0;
}

/** Answers a connection before it asked anything and closes it. */
export function refuseConnection(res: HttpResponse, answer: Answer): void {
  res.cork(() => writeLastAnswer(res, answer, false));
}

/** Answers and closes the connection once the answer, a small one, is taken. To be called corked. */
export function writeLastAnswer(res: HttpResponse, answer: Answer, head: boolean): void {
  writeStart(res, answer);
  if (head) res.endWithoutBody(Buffer.byteLength(answer.body), true);
  else res.end(answer.body, true);
}

/** The client has the answer of this tag already. */
export function writeNotModified(res: HttpResponse, tag: string): void {
  res.writeStatus("304 Not Modified");
  writeTag(res, tag);
  res.writeHeader("Access-Control-Allow-Origin", "*");
  if (mayStayOpen()) res.endWithoutBody();
  else res.endWithoutBody(undefined, true);
}

function writeTag(res: HttpResponse, tag: string): void {
  res.writeHeader("ETag", `W/"${tag}"`);
  // A page of another origin may read it.
  res.writeHeader("Access-Control-Expose-Headers", "ETag");
}

/** Status line and headers. */
function writeStart(res: HttpResponse, { contentType, status, retryAfter, tag }: Answer): void {
  if (status !== 200) res.writeStatus(STATUS_LINES[status] ?? String(status));
  res.writeHeader("Content-Type", contentType);
  res.writeHeader("Access-Control-Allow-Origin", "*");
  if (status === 426) res.writeHeader("Upgrade", "websocket");
  if (tag !== undefined) writeTag(res, tag);
  if (retryAfter !== undefined) res.writeHeader("Retry-After", String(retryAfter));
}
