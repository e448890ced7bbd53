// Serves requests: from the route to the answer, within the limits of the listener. Main thread.
import { nextSlice } from "../model/slice-turns.ts";
import type { ErrorLog } from "../model/thrown.ts";
import type { AccessLog, AccessRecord } from "./access-log.ts";
import { UnreadAnswers } from "./answer-body.ts";
import { ApiError } from "./api-error.ts";
import type { HttpMeter } from "./http-meter.ts";
import { InFlight } from "./in-flight.ts";
import { KeptAnswers } from "./kept-answers.ts";
import type { Clients } from "./limits/clients.ts";
import type { ListenerLimits } from "./limits/listener-limits.ts";
import { tooManyRequests } from "./limits/refusals.ts";
import { prettyPortions } from "./pretty-json.ts";
import { parseQuery } from "./query.ts";
import {
  type Answer,
  errorAnswer,
  INTERNAL_ERROR,
  jsonAnswer,
  UNKNOWN_PATH,
  writeAnswer,
  writeJson,
  writeNotModified,
  writeOptions,
} from "./response.ts";
import type { ApiRequest, Later, Route } from "./route.ts";
import type { FoundRoute, Router } from "./router.ts";
import type { Site } from "./site/site.ts";
import { TurnBudget } from "./turn-budget.ts";
import type { HttpRequest, HttpResponse } from "./uws.ts";

/**
 * Bytes of path and query (choice): clients are promised 3 KiB, and the rest of the head's 8 KiB is for
 * what proxies and browsers add.
 */
const URL_BYTES_MAX = 3200;

/** The route name in metrics of everything that is no endpoint. */
const OTHER_ROUTE = "other";

export type RequestsOptions = {
  readonly router: Router;
  readonly site: Site | undefined;
  readonly log: ErrorLog;
  readonly accessLog: AccessLog | undefined;
  readonly meter: HttpMeter;
  readonly limits: ListenerLimits;
  readonly clients: Clients;
  readonly turn: TurnBudget;
};

type Asked = {
  readonly res: HttpResponse;
  readonly head: boolean;
  readonly startMs: number;
  /** Absent: the request has no line in the access log. */
  readonly record: AccessRecord | undefined;
};

/** A request that its handler answers. */
type Accepted = Asked & {
  /** Undefined where the answer is not kept. */
  readonly url: string | undefined;
  readonly found: FoundRoute;
  readonly request: ApiRequest;
  readonly pretty: boolean;
  /** Of the state in which the request came: an answer made later is as new or newer. */
  readonly tag: string | undefined;
};

export class Requests {
  readonly #options: RequestsOptions;
  readonly #inFlight = new InFlight();
  readonly #turn: TurnBudget;
  readonly #unread: UnreadAnswers;
  readonly #kept = new KeptAnswers();

  constructor(options: RequestsOptions) {
    this.#options = options;
    const { limits, meter, turn } = options;
    this.#turn = turn;
    this.#unread = new UnreadAnswers(limits.unreadAnswerBytes, () => {
      meter.refused("unread_answers");
    });
  }

  /** Resolves when every answer in flight is written, or after the time. */
  finished(timeoutMs: number): Promise<void> {
    return this.#inFlight.finished(timeoutMs);
  }

  /** Bytes of answers that clients have not taken yet. */
  get unreadBytes(): number {
    return this.#unread.bytes;
  }

  serve(res: HttpResponse, req: HttpRequest, head: boolean): void {
    const { router, site, meter, limits, clients, accessLog } = this.#options;
    const startMs = performance.now();
    const path = req.getUrl();
    const queryText = req.getQuery() ?? "";
    let known: string | undefined;
    const client = () => {
      known ??= clients.of(res, req);
      return known;
    };
    const record = accessLog?.begin(head ? "HEAD" : "GET", {
      path: () => path,
      query: () => queryText,
      client,
    });
    const asked = { res, head, startMs, record };
    const waitSeconds = clients.areLimited ? clients.wait(client()) : 0;
    if (waitSeconds > 0) {
      meter.refused("requests_per_second");
      this.#writeOther(asked, tooManyRequests(limits.requestsPerSecond, waitSeconds));
      return;
    }
    const queryBytes = queryText === "" ? 0 : 1 + queryText.length;
    if (path.length + queryBytes > URL_BYTES_MAX) {
      meter.refused("url_bytes");
      this.#writeOther(asked, TOO_LONG);
      return;
    }
    const found = router.find(path);
    // Hashing a text that was just put together costs a microsecond: only where an answer may be kept.
    const isKept = found?.route.state !== undefined;
    const url = !isKept ? undefined : queryText === "" ? path : `${path}?${queryText}`;
    const kept = url === undefined ? undefined : this.#kept.find(url);
    if (kept !== undefined && !this.#turn.isSpent(startMs)) {
      writeJson(res, kept.body, head, this.#unread.end);
      this.#turn.wrote(kept.body.length);
      this.#answered(asked, kept.found.name, 200);
      return;
    }
    const query = parseQuery(queryText);
    const pretty = query.has("pretty_print");
    if (found === undefined) {
      if (site?.serve(path, res, req, head)) {
        this.#answered(asked, "/console", 200);
        return;
      }
      this.#writeOther(asked, path === "/ws" ? upgradeExpected(pretty) : UNKNOWN_PATH);
      return;
    }
    const { name, pathValue, route } = found;
    const request = { query, pathValue, client };
    const tag = this.#tagOf(route, request);
    if (tag !== undefined && holdsTag(req.getHeader("if-none-match"), tag)) {
      writeNotModified(res, tag);
      this.#answered(asked, name, 304);
      return;
    }
    // Member by member: a spread in front of others took twice as long as all the rest of the request.
    this.#accept({ res, head, startMs, record, url, found, request, pretty, tag });
  }

  /** A request of another method, answered with `answer` or, where that is absent, as OPTIONS. */
  serveOther(res: HttpResponse, req: HttpRequest, answer: Answer | undefined): void {
    const { accessLog, clients } = this.#options;
    const startMs = performance.now();
    const record = accessLog?.begin(req.getMethod().toUpperCase(), {
      path: () => req.getUrl(),
      query: () => req.getQuery() ?? "",
      client: () => clients.of(res, req),
    });
    if (answer === undefined) writeOptions(res);
    else writeAnswer(res, answer, false);
    const asked = { res, head: false, startMs, record };
    this.#answered(asked, OTHER_ROUTE, answer?.status ?? OPTIONS_STATUS);
  }

  /** Undefined where the answer has no tag; an invalid request is refused by its handler. */
  #tagOf(route: Route, request: ApiRequest): string | undefined {
    try {
      return route.kind === "async" ? route.tag?.(request) : undefined;
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  #accept(accepted: Accepted): void {
    if (this.#turn.isSpent(accepted.startMs)) {
      this.#defer(accepted);
      return;
    }
    const answer = this.#answer(accepted);
    if (typeof answer === "function") {
      const client = new AbortController();
      accepted.res.onAborted(() => client.abort());
      this.#answerLater(answer, accepted, client.signal);
    } else this.#write(accepted, answer);
  }

  /** What is no endpoint's answer. */
  #writeOther(asked: Asked, answer: Answer): void {
    writeAnswer(asked.res, answer, asked.head);
    this.#answered(asked, OTHER_ROUTE, answer.status);
  }

  #answered({ startMs, record }: Asked, route: string, status: number): void {
    const { meter, accessLog } = this.#options;
    const milliseconds = performance.now() - startMs;
    meter.answered(route, status, milliseconds);
    if (record !== undefined) accessLog?.end(record, route, status, milliseconds);
  }

  /** To be called corked. */
  #write(accepted: Accepted, answer: Answer): void {
    const { res, head, found, tag } = accepted;
    const tagged = tag === undefined || answer.status !== 200 ? answer : { ...answer, tag };
    writeAnswer(res, tagged, head, this.#unread.end);
    this.#turn.wrote(answer.body.length);
    this.#answered(accepted, found.name, answer.status);
  }

  #answer({ url, found, request, pretty }: Accepted): Answer | Later {
    try {
      const json = found.route.handle(request);
      if (typeof json !== "string") return json;
      const answer = jsonAnswer(json, pretty);
      if (url !== undefined) this.#kept.made(url, found, answer.body);
      return answer;
    } catch (error) {
      return this.#answerOf(error, pretty);
    }
  }

  /** Answers in a later turn. A connection that sends its next request meanwhile is closed. */
  #defer(accepted: Accepted): void {
    const { res, pretty } = accepted;
    const { route } = accepted.found;
    // The request's head can be read in this turn alone.
    accepted.request.client();
    const client = new AbortController();
    const done = (): void => this.#inFlight.end();
    const cancel = this.#turn.defer(() => {
      done();
      if (client.signal.aborted) return;
      const answer = this.#answer(accepted);
      if (typeof answer === "function") this.#answerLater(answer, accepted, client.signal);
      else res.cork(() => this.#write(accepted, answer));
    });
    if (cancel === undefined) {
      this.#options.meter.refused("requests_waiting");
      const overloaded = route.kind === "async" ? route.overloaded : undefined;
      this.#write(accepted, errorAnswer(overloaded ?? TOO_MANY_WAITING, pretty));
      return;
    }
    this.#inFlight.begin();
    res.onAborted(() => {
      client.abort();
      if (cancel()) done();
    });
  }

  #answerLater(later: Later, accepted: Accepted, gone: AbortSignal): void {
    const { res, pretty, found } = accepted;
    this.#inFlight.begin();
    const write = (answer: Answer): void => {
      // The response is freed with its client: not even a look at it is allowed then.
      if (gone.aborted) {
        this.#answered(accepted, found.name, CLIENT_GONE);
      } else {
        res.cork(() => this.#write(accepted, answer));
      }
    };
    void later(gone)
      .then((json) => (pretty ? inSlices(prettyPortions(json), gone) : json))
      .then((json) => jsonAnswer(json, false))
      // The client is gone: no answer, and no failure to report.
      .catch((error: unknown) => (gone.aborted ? UNKNOWN_PATH : this.#answerOf(error, pretty)))
      .then(write)
      .finally(() => this.#inFlight.end());
  }

  #answerOf(error: unknown, pretty: boolean): Answer {
    if (error instanceof ApiError) return errorAnswer(error, pretty);
    this.#options.log.error({ err: error }, "a request failed");
    return errorAnswer(INTERNAL_ERROR, pretty);
  }
}

/** Rejects once nobody wants it any more. */
async function inSlices<T>(portions: Generator<void, T>, gone: AbortSignal): Promise<T> {
  for (;;) {
    const { done, value } = portions.next();
    if (done === true) return value;
    await nextSlice();
    gone.throwIfAborted();
  }
}

/** Whether the field If-None-Match (RFC 9110 13.1.2) names the tag, or any. */
function holdsTag(field: string, tag: string): boolean {
  return (
    field === "*" || field.split(",").some((part) => part.trim().replace(/^W\//, "") === `"${tag}"`)
  );
}

const OPTIONS_STATUS = 204;

/** What metrics count for a client that left before its answer, as nginx does. */
const CLIENT_GONE = 499;

const TOO_LONG = errorAnswer(
  new ApiError(414, "uri_too_long", `Bad request. The URL is longer than ${URL_BYTES_MAX} bytes.`),
  false,
);

const TOO_MANY_WAITING = new ApiError(
  503,
  "too_many_requests_waiting",
  `Service overloaded. Too many requests are waiting (max ${TurnBudget.DEFERRED_MAX}).`,
);

function upgradeExpected(pretty: boolean): Answer {
  const error = new ApiError(
    426,
    "upgrade_expected",
    "Bad request. This path takes WebSocket connections only.",
  );
  return errorAnswer(error, pretty);
}
