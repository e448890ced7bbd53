// JSON-RPC 2.0 over HTTP POST, as Stellar RPC answers it.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { faultsOf, type RpcFaults } from "./faults.ts";
import { runMethod } from "./methods.ts";
import type { Params } from "./params.ts";
import { RpcCode, RpcError } from "./rpc-error.ts";
import type { RpcSource } from "./source.ts";

/** As Stellar RPC limits it. */
const BODY_BYTES_MAX = 512 * 1024;

type Request = { readonly id: unknown; readonly method: string; readonly params: Params };

export class RpcServer {
  /** Faults that a test sets while the server runs. */
  faults: RpcFaults = {};
  /** Requests so far, by method. */
  readonly requests = new Map<string, number>();
  readonly #server: Server;
  /** Asked anew for each request: a reset network is another source. */
  readonly #source: () => RpcSource;

  constructor(source: () => RpcSource) {
    this.#source = source;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(toError(error)));
    });
  }

  /** Gives the port, which is a free one where `port` is 0. Rejects where it cannot listen. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port to listen on");
    return address.port;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return endPlain(response, 405, "method not allowed");
    const body = await readBody(request);
    if (body === undefined) return endPlain(response, 413, "request body too large");
    const parsed = parseRequest(body);
    const method = "method" in parsed ? parsed.method : "";
    this.requests.set(method, (this.requests.get(method) ?? 0) + 1);
    const faults = faultsOf(this.faults, method);
    if (faults.delayMs !== undefined) await setTimeout(faults.delayMs);
    if (faults.down === true) {
      request.socket.destroy();
      return undefined;
    }
    if (faults.status !== undefined) return endPlain(response, faults.status, "upstream fault");
    if (faults.garbage === true) return endPlain(response, 200, "\u0000<html>\ufffd{");
    const parts = this.#answer(parsed, faults);
    response.setHeader("Content-Type", "application/json");
    if (faults.truncated === true) return endTruncated(response, parts);
    for await (const part of parts) {
      if (!response.write(part)) await drained(response);
      if (response.destroyed) return undefined;
    }
    response.end();
    return undefined;
  }

  /** The answer's JSON text; an error is known before the first part of a result. */
  async *#answer(parsed: Request | Refused, faults: RpcFaults): AsyncGenerator<string> {
    const id = JSON.stringify(parsed.id ?? null);
    const fail = (error: RpcError): string =>
      `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({
        code: error.code,
        message: error.message,
      })}}`;
    if ("refused" in parsed) {
      yield fail(parsed.refused);
      return;
    }
    const result = runMethod(this.#source(), parsed.method, parsed.params, faults);
    try {
      const first = await result.next();
      yield `{"jsonrpc":"2.0","id":${id},"result":${first.value ?? ""}`;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      yield fail(error);
      return;
    }
    yield* result;
    yield "}";
  }
}

type Refused = { readonly id: unknown; readonly refused: RpcError };

function parseRequest(body: string): Request | Refused {
  const refuse = (id: unknown, code: RpcCode, message: string): Refused => ({
    id,
    refused: new RpcError(code, message),
  });
  const json = parseJson(body);
  if (json === undefined) return refuse(null, RpcCode.parse, "invalid JSON request message");
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return refuse(null, RpcCode.invalidRequest, "invalid request");
  }
  const { id, jsonrpc, method, params } = Object.assign({}, json) as Record<string, unknown>;
  if (jsonrpc !== "2.0" || typeof method !== "string") {
    return refuse(id, RpcCode.invalidRequest, "invalid request");
  }
  if (params === undefined || params === null) return { id, method, params: {} };
  if (typeof params !== "object" || Array.isArray(params)) {
    return refuse(id, RpcCode.invalidParams, "invalid parameters");
  }
  return { id, method, params: { ...params } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JSON has no undefined: it stands for a text that is none.
    return undefined;
  }
}

/** Undefined where the body is larger than allowed. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Resolves once more can be written, or nobody reads any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

function endPlain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain" });
  response.end(text);
}

async function endTruncated(
  response: ServerResponse,
  parts: AsyncGenerator<string>,
): Promise<void> {
  let text = "";
  for await (const part of parts) text += part;
  response.end(text.slice(0, text.length / 2));
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
