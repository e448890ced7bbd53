// The public listener: REST on every path, push on /ws. Main thread.
import { setImmediate as nextTurn } from "node:timers/promises";
import { ApiError } from "./api-error.ts";
import type { PushEndpoint } from "./push/endpoint.ts";
import { parseQuery } from "./query.ts";
import {
  type Answer,
  errorAnswer,
  INTERNAL_ERROR,
  jsonAnswer,
  UNKNOWN_PATH,
  writeAnswer,
  writeOptions,
} from "./response.ts";
import type { ApiContext, ApiRequest, Route } from "./route.ts";
import { createRouter, type Router } from "./router.ts";
import type { Site } from "./site/site.ts";
import type { HttpRequest, HttpResponse, ListenSocket, Uws } from "./uws.ts";

/**
 * Bytes of path and query (choice): clients are promised 3 KiB, and the rest of the head's 8 KiB is for
 * what proxies and browsers add.
 */
const URL_BYTES_MAX = 3200;

/** How long a close waits for answers (choice): clients are promised them within a second. */
const CLOSE_WAIT_MS = 1000;

export type HttpLog = {
  error(fields: object, message: string): void;
};

export type HttpServer = {
  /** The port listened on, also where 0 was asked for. */
  readonly port: number;
  /**
   * Stops listening and closes the push connections at once, and every other one when the requests
   * under way have their answer, or some time has passed.
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
  readonly log: HttpLog;
};

/** Rejects with an Error naming host and port where it cannot listen. */
export function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { uws, host, port, context, push, site, log } = options;
  const router = createRouter(context);
  const underWay = new UnderWay();
  const served = { router, site, log, underWay };
  const app = uws.App();
  push.attach(app);
  app.get("/*", (res, req) => serve(served, res, req, false));
  app.any("/*", (res, req) => {
    switch (req.getMethod()) {
      case "head":
        return serve(served, res, req, true);
      case "options":
        return writeOptions(res);
      default:
        return writeAnswer(res, UNKNOWN_PATH, false);
    }
  });
  return new Promise((resolve, reject) => {
    app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket: ListenSocket | false) => {
      if (socket === false) {
        reject(new Error(`cannot listen on ${host}:${port}: the address is in use or not ours`));
        return;
      }
      resolve({
        port: uws.us_socket_local_port(socket),
        close: async () => {
          uws.us_listen_socket_close(socket);
          push.close();
          await underWay.finished(CLOSE_WAIT_MS);
          // The last answer may still be in the binding's buffer for this turn.
          await nextTurn();
          app.close();
        },
      });
    });
  });
}

type Served = {
  readonly router: Router;
  readonly site: Site | undefined;
  readonly log: HttpLog;
  readonly underWay: UnderWay;
};

/** Counts the requests whose answer takes more than a turn of the loop. */
class UnderWay {
  #count = 0;
  #finished: () => void = () => undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#finished();
  }

  /** Resolves when none is left, or after the time. */
  finished(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs);
      this.#finished = () => {
        clearTimeout(timeout);
        resolve();
      };
    });
  }
}

function serve(
  { router, site, log, underWay }: Served,
  res: HttpResponse,
  req: HttpRequest,
  head: boolean,
): void {
  const path = req.getUrl();
  const queryText = req.getQuery() ?? "";
  if (path.length + queryText.length >= URL_BYTES_MAX) {
    const error = new ApiError(
      414,
      "uri_too_long",
      `Bad request. The URL is longer than ${URL_BYTES_MAX} bytes.`,
    );
    writeAnswer(res, errorAnswer(error, false), head);
    return;
  }
  const query = parseQuery(queryText);
  const pretty = query.has("pretty_print");
  const found = router.find(path);
  if (found === undefined) {
    if (site?.serve(path, res, req, head)) return;
    writeAnswer(res, path === "/ws" ? upgradeExpected(pretty) : UNKNOWN_PATH, head);
    return;
  }
  const request = { query, pathValue: found.pathValue };
  if (found.route.kind === "sync") {
    writeAnswer(res, answerSync(found.route.handle, request, pretty, log), head);
  } else {
    serveAsync(found.route, request, { res, head, pretty, log, underWay });
  }
}

function answerSync(
  handle: (request: ApiRequest) => string,
  request: ApiRequest,
  pretty: boolean,
  log: HttpLog,
): Answer {
  try {
    return jsonAnswer(handle(request), pretty);
  } catch (error) {
    return answerOf(error, pretty, log);
  }
}

type Exchange = {
  readonly res: HttpResponse;
  readonly head: boolean;
  readonly pretty: boolean;
  readonly log: HttpLog;
  readonly underWay: UnderWay;
};

function serveAsync(
  route: Extract<Route, { readonly kind: "async" }>,
  request: ApiRequest,
  { res, head, pretty, log, underWay }: Exchange,
): void {
  underWay.begin();
  const client = new AbortController();
  res.onAborted(() => client.abort());
  const write = (answer: Answer): void => {
    // The response is freed with its client: not even a look at it is allowed then.
    if (!client.signal.aborted) res.cork(() => writeAnswer(res, answer, head));
  };
  void route
    .handle(request, client.signal)
    .then((json) => jsonAnswer(json, pretty))
    .catch((error: unknown) => answerOf(error, pretty, log))
    .then(write)
    .finally(() => underWay.end());
}

function answerOf(error: unknown, pretty: boolean, log: HttpLog): Answer {
  if (error instanceof ApiError) return errorAnswer(error, pretty);
  log.error({ err: error }, "a request failed");
  return errorAnswer(INTERNAL_ERROR, pretty);
}

function upgradeExpected(pretty: boolean): Answer {
  const error = new ApiError(
    426,
    "upgrade_expected",
    "Bad request. This path takes WebSocket connections only.",
  );
  return errorAnswer(error, pretty);
}
