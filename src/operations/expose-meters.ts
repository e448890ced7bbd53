// Metrics that are counted as events happen.
import type { Buckets } from "./buckets.ts";
import type { Exposer, Labels } from "./exposed.ts";
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

export function exposeMeters(metrics: Exposer, meters: Meters, loopDelay: LoopDelay): void {
  exposeIngest(metrics, meters);
  exposeQuotes(metrics, meters.quotes);
  exposeHttp(metrics, meters.http);
  metrics.gauges(
    "loop_delay_seconds",
    "Event-loop lag of the main thread over the last half to whole minute.",
    ["rank"],
    () => LOOP_RANKS.map(([rank, quantile]) => [{ rank }, loopDelay.seconds(quantile)] as const),
  );
}

function exposeIngest(metrics: Exposer, meters: Meters): void {
  const { ingest, steps } = meters;
  metrics.gauges("ingest_state", "1 for what reading ledgers is at.", ["state"], () => {
    const { state: shown } = meters.readiness();
    return INGEST_STATES.map((state) => [{ state }, state === shown ? 1 : 0]);
  });
  metrics.gauges("source_state", "1 for where it stands with a source.", ["source", "state"], () =>
    ingest
      .sources()
      .flatMap(({ name, state }) =>
        SOURCE_STATES.map(
          (each) => [{ source: name, state: each }, state === each ? 1 : 0] as const,
        ),
      ),
  );
  metrics.gauges("source_ledger", "Newest ledger a source was seen to have.", ["source"], () =>
    ingest.sources().map(({ name, tip }) => [{ source: name }, tip] as const),
  );
  metrics.counters(
    "unknown_events_total",
    "Events of the exchange, or followed entries, that are not as known.",
    ["kind"],
    () => Array.from(ingest.oddities, ([kind, count]) => [{ kind }, count] as const),
  );
  metrics.counters(
    "unknown_orders_total",
    "Events about orders that are not known.",
    ["event"],
    () => Object.entries(steps.unknownOrders).map(([event, count]) => [{ event }, count] as const),
  );
  metrics.counter("ledgers_total", "Ledgers processed.", () => steps.ledgers);
  metrics.counter("reader_starts_total", "Starts of the reader thread.", () => ingest.readerStarts);
  metrics.counter("rpc_failures_total", "Calls of an RPC that failed.", () => ingest.rpcFailures);
  metrics.counter("commit_failures_total", "Commits that failed and were tried again.", () => {
    return steps.commitFailures;
  });
  const histogram = (name: string, help: string, buckets: Buckets): void =>
    metrics.histogram(name, help, [], () => [[{}, buckets]]);
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

function exposeQuotes(metrics: Exposer, quotes: QuoteMeter): void {
  metrics.histogram(
    "quote_seconds",
    "From a quote's request to its answer, the wait for a worker included.",
    ["outcome", "kind"],
    function* (): Generator<readonly [Labels, Buckets]> {
      for (const outcome of QUOTE_OUTCOMES) {
        yield [{ outcome, kind: "direct" }, quotes.direct[outcome]];
        yield [{ outcome, kind: "routed" }, quotes.routed[outcome]];
      }
    },
  );
  metrics.counters(
    "quotes_unproven_total",
    "Quotes that may have a better answer: the work for a path was cut short, or orders were left out.",
    ["kind"],
    function* (): Generator<readonly [Labels, number]> {
      for (const kind of ["direct", "routed"] as const) yield [{ kind }, quotes.unproven[kind]];
    },
  );
}

function exposeHttp(metrics: Exposer, http: HttpMeter): void {
  metrics.counters(
    "http_requests_total",
    "Requests answered.",
    ["route", "status"],
    function* (): Generator<readonly [Labels, number]> {
      for (const [route, { statuses }] of http.routes) {
        for (const [status, count] of statuses) yield [{ route, status: String(status) }, count];
      }
    },
  );
  metrics.histogram(
    "http_request_seconds",
    "From a request's arrival to its answer.",
    ["route"],
    () => Array.from(http.routes, ([route, { buckets }]) => [{ route }, buckets] as const),
  );
  metrics.counters(
    "http_refused_total",
    "Requests and connections that a limit of the listener refused.",
    ["limit"],
    () => Array.from(http.refusals, ([limit, count]) => [{ limit }, count] as const),
  );
  metrics.counters(
    "ws_disconnects_total",
    "Push connections that the server ended.",
    ["reason"],
    () => Array.from(http.disconnects, ([reason, count]) => [{ reason }, count] as const),
  );
  metrics.counters("ws_messages_total", "Push messages.", ["direction"], () => [
    [{ direction: "in" }, http.messagesIn],
    [{ direction: "out" }, http.messagesOut],
  ]);
  metrics.counters("ws_bytes_total", "Bytes of push messages.", ["direction"], () => [
    [{ direction: "in" }, http.bytesIn],
    [{ direction: "out" }, http.bytesOut],
  ]);
}
