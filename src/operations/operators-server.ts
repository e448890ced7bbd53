// The operators' listener: /metrics, /healthz and /readyz for operators, apart from the
// public one and by default on the loopback address alone. Main thread: an answer to /healthz says
// that the main loop turns.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ErrorLog } from "../model/thrown.ts";
import type { Operations } from "./operations.ts";

/** Scrapers and probes are few. */
const CONNECTIONS_MAX = 64;
const HEAD_BYTES_MAX = 8192;
const HEAD_MS_MAX = 5000;
const REQUEST_MS_MAX = 10_000;
const IDLE_MS_MAX = 5000;
/** How often Node looks whether a request runs out of its time. */
const CHECK_MS = 1000;

export type OperatorsServer = {
  /** The port listened on, also where 0 was asked for. */
  readonly port: number;
  /** Requests in flight are answered; every connection is gone once this resolves. */
  close(): Promise<void>;
};

export type OperatorsOptions = {
  readonly host: string;
  readonly port: number;
  readonly operations: Operations;
  readonly log: ErrorLog;
};

/** Rejects with an Error that has a `code` where it cannot listen. */
export async function startOperatorsServer(options: OperatorsOptions): Promise<OperatorsServer> {
  const { host, port, operations, log } = options;
  const server = createServer(
    {
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: HEAD_MS_MAX,
      requestTimeout: REQUEST_MS_MAX,
      keepAliveTimeout: IDLE_MS_MAX,
      connectionsCheckingInterval: CHECK_MS,
    },
    (request, response) => {
      answer(operations, request)
        .catch((error: unknown): Answer => {
          log.error({ err: error }, "the operators' listener could not answer");
          return text(500, "internal error\n");
        })
        .then((made) => write(response, request, made))
        .catch((error: unknown) => {
          log.error({ err: error }, "the operators' listener could not write an answer");
        });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.setTimeout(REQUEST_MS_MAX);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

type Answer = { readonly status: number; readonly contentType: string; readonly body: string };

async function answer(operations: Operations, { method, url = "" }: IncomingMessage) {
  if (method !== "GET" && method !== "HEAD") return text(405, "only GET and HEAD\n");
  const path = url.split("?", 1)[0] ?? "";
  switch (path) {
    case "/metrics":
      return { status: 200, ...(await operations.metrics()) };
    case "/healthz":
      return json(200, { status: "ok", uptimeSeconds: Math.floor(process.uptime()) });
    case "/readyz": {
      const readiness = operations.readiness();
      return json(readiness.ready ? 200 : 503, readiness);
    }
    default:
      return text(404, "not found: /metrics, /healthz and /readyz are served here\n");
  }
}

function text(status: number, body: string): Answer {
  return { status, contentType: "text/plain; charset=utf-8", body };
}

function json(status: number, body: object): Answer {
  return { status, contentType: "application/json", body: `${JSON.stringify(body)}\n` };
}

function write(response: ServerResponse, { method }: IncomingMessage, made: Answer): void {
  response.writeHead(made.status, {
    "Content-Type": made.contentType,
    "Content-Length": Buffer.byteLength(made.body),
    "Cache-Control": "no-store",
    ...(made.status === 405 ? { Allow: "GET, HEAD" } : {}),
  });
  response.end(method === "HEAD" ? undefined : made.body);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    // What is in flight takes a turn of the loop; a connection still open then is only slow.
    setImmediate(() => setImmediate(() => server.closeAllConnections()));
  });
}
