// The public listener: REST on every path, push on /ws. Main thread.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ErrorLog } from "../model/thrown.ts";
import type { AccessLog } from "./access-log.ts";
import type { HttpMeter } from "./http-meter.ts";
import { Clients } from "./limits/clients.ts";
import { ConnectionCount } from "./limits/connection-count.ts";
import type { ListenerLimits } from "./limits/listener-limits.ts";
import { tooManyConnections, tooManyFromAddress } from "./limits/refusals.ts";
import { connectionsTo } from "./limits/system-sockets.ts";
import type { PushEndpoint } from "./push/endpoint.ts";
import { RequestBodies } from "./request-bodies.ts";
import { Requests } from "./requests.ts";
import { refuseConnection, UNKNOWN_PATH } from "./response.ts";
import type { ApiContext } from "./route.ts";
import { createRouter } from "./router.ts";
import type { Site } from "./site/site.ts";
import { TurnBudget } from "./turn-budget.ts";
import type { HttpRequest, HttpResponse, ListenSocket, Uws } from "./uws.ts";

/** How long a close waits for answers (choice): clients are promised them within a second. */
const CLOSE_WAIT_MS = 1000;

export type HttpServer = {
  /** The port listened on, also where 0 was asked for. */
  readonly port: number;
  /** Open connections, those of push included. */
  readonly connections: () => number;
  /** Bytes of answers that clients have not taken yet. */
  readonly unreadBytes: () => number;
  /**
   * Stops listening and closes the push connections at once, and every other one when the requests
   * in flight have their answer, or some time has passed.
   */
  close(): Promise<void>;
};

export type HttpServerOptions = {
  readonly uws: Uws;
  readonly host: string;
  readonly port: number;
  readonly context: ApiContext;
  readonly push: PushEndpoint;
  /** The console; absent: its paths are unknown ones. */
  readonly site?: Site;
  readonly log: ErrorLog;
  /** Absent: none is kept. */
  readonly accessLog?: AccessLog;
  readonly limits: ListenerLimits;
  readonly meter: HttpMeter;
};

/** Rejects with an Error naming host and port where it cannot listen. */
export function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { uws, host, port, context, push, site, log, accessLog, limits, meter } = options;
  const clients = new Clients(limits);
  const router = createRouter(context);
  const turn = new TurnBudget();
  const requests = new Requests({ router, site, log, accessLog, meter, limits, clients, turn });
  let localPort = port;
  const connections = new ConnectionCount({
    max: limits.connections,
    perAddressMax: limits.connectionsPerAddress,
    look: () => connectionsTo(localPort),
    clock: () => performance.now(),
  });
  const admit = (res: HttpResponse): void => {
    const refusal = connections.opened(() => clients.peer(res));
    if (refusal === undefined) return;
    meter.refused(refusal);
    refuseConnection(
      res,
      refusal === "connections"
        ? tooManyConnections(limits.connections)
        : tooManyFromAddress(limits.connectionsPerAddress),
    );
  };
  const app = uws.App();
  const bodies = new RequestBodies();
  const closed = (): void => {
    connections.closed();
    bodies.closed();
  };
  const count = (res: HttpResponse, change: number): void => {
    if (change < 0) closed();
    else admit(res);
  };
  const refuses = (res: HttpResponse, req: HttpRequest): boolean => {
    if (!bodies.refuses(res, req)) return false;
    meter.refused("request_body");
    return true;
  };
  app.filter(count);
  push.attach(app, { limits, clients, turn, refuses, gone: closed });
  serveRequests(app, requests, refuses);
  return new Promise((resolve, reject) => {
    app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket: ListenSocket | false) => {
      if (socket === false) {
        reject(new Error(`cannot listen on ${host}:${port}: the address is in use or not ours`));
        return;
      }
      localPort = uws.us_socket_local_port(socket);
      resolve({
        port: localPort,
        connections: () => connections.open,
        unreadBytes: () => requests.unreadBytes,
        close: async () => {
          uws.us_listen_socket_close(socket);
          push.close();
          await requests.finished(CLOSE_WAIT_MS);
          // The last answer may still be in the binding's buffer for this turn.
          await nextTurn();
          app.close();
        },
      });
    });
  });
}

/** Every path and method that is not the push channel's. `refuses`: answers a request with a body. */
function serveRequests(
  app: ReturnType<Uws["App"]>,
  requests: Requests,
  refuses: (res: HttpResponse, req: HttpRequest) => boolean,
): void {
  app.get("/*", (res, req) => {
    if (!refuses(res, req)) requests.serve(res, req, false);
  });
  app.any("/*", (res, req) => {
    if (refuses(res, req)) return;
    switch (req.getMethod()) {
      case "head":
        return requests.serve(res, req, true);
      case "options":
        return requests.serveOther(res, req, undefined);
      default:
        return requests.serveOther(res, req, UNKNOWN_PATH);
    }
  });
}
