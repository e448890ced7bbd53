// The port of the network: JSON-RPC 2.0 as Stellar RPC answers it, and friendbot and the faucet.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answer, isSilent, parseBody } from "./json-rpc.ts";
import { MoneyPort } from "./money-port.ts";
import type { RpcSource } from "./source.ts";

/** As Stellar RPC limits it. */
const BODY_BYTES_MAX = 512 * 1024;
/** The RPC under the paths of the usual local networks too. */
const RPC_PATHS: readonly string[] = ["/", "/rpc", "/soroban/rpc"];

export class RpcServer {
  readonly #server: Server;
  readonly #source: RpcSource;
  readonly #money: MoneyPort;

  constructor(source: RpcSource) {
    this.#source = source;
    this.#money = new MoneyPort(source.treasury);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(toError(error)));
    });
    // Idle connections are the clients' to close: a close by the server can cross a client's next request.
    this.#server.keepAliveTimeout = 0;
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
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    allowOrigins(request, response);
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    const url = readUrl(request);
    if (url === undefined) return endPlain(response, 400, "bad request");
    const isMoney = MoneyPort.serves(url.pathname);
    if (!isMoney && !RPC_PATHS.includes(url.pathname)) return endPlain(response, 404, "not found");
    const verbs = isMoney ? ["GET", "POST"] : ["POST"];
    if (!verbs.includes(request.method ?? "")) {
      response.setHeader("Allow", [...verbs, "OPTIONS"].join(", "));
      return endPlain(response, 405, "method not allowed");
    }
    const body = await readBody(request);
    if (body === undefined) return endPlain(response, 413, "request body too large");
    if (!isMoney) return this.#answer(request, response, body);
    const { status, body: json } = await this.#money.answer(url, body);
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(json));
    return undefined;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const parsed = parseBody(body);
    if (isSilent(parsed)) response.statusCode = 204;
    else response.setHeader("Content-Type", "application/json");
    for await (const part of answer({ source: this.#source, host: request.headers.host }, parsed)) {
      if (!response.write(part)) await drained(response);
      if (response.destroyed) return;
    }
    response.end();
  }
}

/** Allows every origin: the network holds nothing of value, and listens on loopback. */
function allowOrigins(request: IncomingMessage, response: ServerResponse): void {
  const { headers } = request;
  response.setHeader("Access-Control-Allow-Origin", headers.origin ?? "*");
  response.setHeader("Vary", "Origin");
  if (request.method !== "OPTIONS") return;
  response.setHeader("Access-Control-Allow-Methods", "GET, POST");
  const asked = headers["access-control-request-headers"];
  if (asked !== undefined) response.setHeader("Access-Control-Allow-Headers", asked);
  if (headers["access-control-request-private-network"] === "true") {
    response.setHeader("Access-Control-Allow-Private-Network", "true");
  }
}

/** Undefined where the request's target is no path. */
function readUrl(request: IncomingMessage): URL | undefined {
  try {
    return new URL(request.url ?? "/", "http://localhost");
  } catch {
    // What is no URL has no path that is served.
    return undefined;
  }
}

/** Undefined where the body is larger than allowed. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // To its end in any case: what is left of a body would hold up the connection's next request.
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return bytes <= BODY_BYTES_MAX ? Buffer.concat(chunks).toString("utf8") : undefined;
}

/** Resolves once more can be written, or the client is gone. */
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

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
