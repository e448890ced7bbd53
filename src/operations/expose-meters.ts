// Metrics that are counted as events happen.
import type { Registry } from "prom-client";
import type { Buckets } from "./buckets.ts";
import {
  exposeCounter,
  exposeCounters,
  exposeGauges,
  exposeHistogram,
  type Labels,
} from "./exposed.ts";
import type { HttpMeter } from "./http-meter.ts";
import {
  INGEST_STATES,
  type IngestMeter,
  type IngestState,
  SOURCE_STATES,
} from "./ingest-meter.ts";
import type { LoopDelay } from "./loop-delay.ts";
import { QUOTE_OUTCOMES, type QuoteMeter } from "./quote-meter.ts";
import type { StepMeter } from "./step-meter.ts";

export type Meters = {
  readonly http: HttpMeter;
  readonly quotes: QuoteMeter;
  readonly steps: StepMeter;
  readonly ingest: IngestMeter;
  /** What /readyz shows. */
  readiness(): { readonly state: IngestState };
};

const LOOP_RANKS = [
  ["p50", 0.5],
  ["p99", 0.99],
  ["max", 1],
] as const;

export function exposeMeters(registry: Registry, meters: Meters, loopDelay: LoopDelay): void {
  exposeIngest(registry, meters);
  exposeQuotes(registry, meters.quotes);
  exposeHttp(registry, meters.http);
  exposeGauges(
    {
      name: "hopbook_loop_delay_seconds",
      help: "Event-loop lag of the main thread over the last half to whole minute.",
      registry,
    },
    ["rank"],
    () => LOOP_RANKS.map(([rank, quantile]) => [{ rank }, loopDelay.seconds(quantile)] as const),
  );
}

function exposeIngest(registry: Registry, meters: Meters): void {
  const { ingest, steps } = meters;
  exposeGauges(
    { name: "hopbook_ingest_state", help: "1 for what reading ledgers is at.", registry },
    ["state"],
    () => {
      const { state: shown } = meters.readiness();
      return INGEST_STATES.map((state) => [{ state }, state === shown ? 1 : 0]);
    },
  );
  exposeGauges(
    { name: "hopbook_source_state", help: "1 for where it stands with a source.", registry },
    ["source", "state"],
    () =>
      ingest
        .sources()
        .flatMap(({ name, state }) =>
          SOURCE_STATES.map(
            (each) => [{ source: name, state: each }, state === each ? 1 : 0] as const,
          ),
        ),
  );
  exposeGauges(
    { name: "hopbook_source_ledger", help: "Newest ledger a source was seen to have.", registry },
    ["source"],
    () => ingest.sources().map(({ name, tip }) => [{ source: name }, tip] as const),
  );
  exposeCounters(
    {
      name: "hopbook_unknown_events_total",
      help: "Events of the exchange, or followed entries, that are not as known.",
      registry,
    },
    ["kind"],
    () => Array.from(ingest.oddities, ([kind, count]) => [{ kind }, count] as const),
  );
  const counter = (name: string, help: string, total: () => number): void =>
    exposeCounter({ name: `hopbook_${name}`, help, registry }, total);
  counter("ledgers_total", "Ledgers processed.", () => steps.ledgers);
  counter("reader_starts_total", "Starts of the reader thread.", () => ingest.readerStarts);
  counter("rpc_failures_total", "Calls of an RPC that failed.", () => ingest.rpcFailures);
  counter("commit_failures_total", "Commits that failed and were tried again.", () => {
    return steps.commitFailures;
  });
  const histogram = (name: string, help: string, buckets: Buckets): void =>
    exposeHistogram({ name: `hopbook_${name}`, help, registry }, [], () => [[{}, buckets]]);
  histogram(
    "ledger_apply_seconds",
    "From a ledger's arrival on the main thread until it can be seen.",
    ingest.ledger,
  );
  histogram("step_prepare_seconds", "Computing what follows from a step's events.", steps.prepare);
  histogram("commit_seconds", "Writing and flushing a step, retries included.", steps.commit);
  histogram(
    "book_fill_seconds",
    "Writing a step to the idle copy of the book, and waiting until the one before is told.",
    steps.fill,
  );
  histogram("book_flip_seconds", "Showing a step, one synchronous piece.", steps.flip);
}

function exposeQuotes(registry: Registry, quotes: QuoteMeter): void {
  exposeHistogram(
    {
      name: "hopbook_quote_seconds",
      help: "From a quote's request to its answer, the wait for a worker included.",
      registry,
    },
    ["outcome", "kind"],
    function* (): Generator<readonly [Labels, Buckets]> {
      for (const outcome of QUOTE_OUTCOMES) {
        yield [{ outcome, kind: "direct" }, quotes.direct[outcome]];
        yield [{ outcome, kind: "routed" }, quotes.routed[outcome]];
      }
    },
  );
  exposeCounters(
    {
      name: "hopbook_quotes_unproven_total",
      help: "Quotes that may have a better answer: the work for a path was cut short, or orders were left out.",
      registry,
    },
    ["kind"],
    function* (): Generator<readonly [Labels, number]> {
      for (const kind of ["direct", "routed"] as const) yield [{ kind }, quotes.unproven[kind]];
    },
  );
}

function exposeHttp(registry: Registry, http: HttpMeter): void {
  exposeCounters(
    { name: "hopbook_http_requests_total", help: "Requests answered.", registry },
    ["route", "status"],
    function* (): Generator<readonly [Labels, number]> {
      for (const [route, { statuses }] of http.routes) {
        for (const [status, count] of statuses) yield [{ route, status: String(status) }, count];
      }
    },
  );
  exposeHistogram(
    {
      name: "hopbook_http_request_seconds",
      help: "From a request's arrival to its answer.",
      registry,
    },
    ["route"],
    () => Array.from(http.routes, ([route, { buckets }]) => [{ route }, buckets] as const),
  );
  exposeCounters(
    {
      name: "hopbook_http_refused_total",
      help: "Requests and connections that a limit of the listener refused.",
      registry,
    },
    ["limit"],
    () => Array.from(http.refusals, ([limit, count]) => [{ limit }, count] as const),
  );
  exposeCounters(
    {
      name: "hopbook_ws_disconnects_total",
      help: "Push connections that the server ended.",
      registry,
    },
    ["reason"],
    () => Array.from(http.disconnects, ([reason, count]) => [{ reason }, count] as const),
  );
  exposeCounters(
    { name: "hopbook_ws_messages_total", help: "Push messages.", registry },
    ["direction"],
    () => [
      [{ direction: "in" }, http.messagesIn],
      [{ direction: "out" }, http.messagesOut],
    ],
  );
  exposeCounters(
    { name: "hopbook_ws_bytes_total", help: "Bytes of push messages.", registry },
    ["direction"],
    () => [
      [{ direction: "in" }, http.bytesIn],
      [{ direction: "out" }, http.bytesOut],
    ],
  );
}
