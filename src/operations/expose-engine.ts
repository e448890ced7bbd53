// Metrics of the running engine; absent while none runs.
import type { PoolLoad } from "../router-worker/pool.ts";
import { SINK_STATES, type SinkStatus } from "../sink/messages.ts";
import type { StoreSize } from "../store/tables.ts";
import type { EngineView, PushView } from "./engine-view.ts";
import type { Exposer } from "./exposed.ts";
import { lagLedgersOf, lagOf } from "./readiness.ts";

export type ExposedEngine = {
  readonly engine: () => EngineView | undefined;
  /** Newest ledger of the source. */
  readonly tip: () => number | undefined;
  /** UNIX milliseconds. */
  readonly clock: () => number;
};

type Read = (engine: EngineView) => number | undefined;
type ShowGauge = (name: string, help: string, read: Read) => void;

export function exposeEngine(metrics: Exposer, exposed: ExposedEngine): void {
  const { engine } = exposed;
  const gauge: ShowGauge = (name, help, read) => {
    metrics.gauge(name, help, () => {
      const running = engine();
      return running === undefined ? undefined : read(running);
    });
  };
  exposeProgress(gauge, exposed);
  gauge("live_orders", "Live orders.", ({ book }) => book().orders);
  gauge("live_orders_max", "Live orders the book has room for.", ({ book }) => book().ordersMax);
  gauge("live_markets", "Pairs with live orders.", ({ book }) => book().markets);
  gauge(
    "backings_unloaded",
    "Backing records of the book that are not loaded: quotes leave their orders out.",
    ({ book }) => book().backingsUnloaded,
  );
  exposePool(gauge);
  // It begins anew with an engine that does.
  metrics.counter(
    "router_worker_replacements_total",
    "Router workers started in place of ended ones.",
    () => engine()?.pool().replaced ?? 0,
  );
  exposeConnections(gauge);
  exposeStore(gauge);
  exposeSink(metrics, engine, gauge);
}

function exposeProgress(gauge: ShowGauge, { tip, clock }: ExposedEngine): void {
  gauge("ledger", "Last ledger processed.", ({ progress }) => progress().ledger);
  gauge("ingest_lag_ledgers", "Ledgers the source has beyond the last one processed.", (engine) =>
    lagLedgersOf(engine.progress().ledger, tip()),
  );
  gauge("ingest_lag_seconds", "Time since the close of the last ledger processed.", (engine) => {
    const { ledger, closeTime } = engine.progress();
    return ledger === undefined ? undefined : lagOf(closeTime, clock());
  });
}

function exposePool(gauge: ShowGauge): void {
  const show = (name: string, help: string, read: (pool: PoolLoad) => number): void =>
    gauge(name, help, ({ pool }) => read(pool()));
  show("quote_queue_length", "Quotes that wait for a worker.", ({ queued }) => queued);
  show("quote_queue_max", "Quotes that may wait for a worker.", ({ queueMax }) => queueMax);
  show("router_workers", "Router workers.", ({ workers }) => workers);
  show("router_workers_busy", "Router workers with a batch at hand.", ({ busy }) => busy);
}

function exposeConnections(gauge: ShowGauge): void {
  gauge("http_connections", "Connections of the public listener, push included.", (engine) =>
    engine.connections(),
  );
  gauge("http_unread_bytes", "Bytes of answers clients have not taken yet.", (engine) =>
    engine.unreadBytes(),
  );
  const show = (name: string, help: string, read: (push: PushView) => number): void =>
    gauge(name, help, ({ push }) => read(push()));
  show("ws_connections", "Push connections.", ({ connections }) => connections);
  show("ws_topics", "Topics with subscribers.", ({ topics }) => topics);
  show("ws_subscriptions", "Topics held, summed over connections.", (push) => push.subscriptions);
  show("ws_waiting_bytes", "Bytes push clients have not taken yet.", (push) => push.waitingBytes);
  show("ws_waiting_bytes_max", "The same of the slowest client.", (push) => push.waitingBytesMax);
}

function exposeStore(gauge: ShowGauge): void {
  const show = (name: string, help: string, read: (store: StoreSize) => number): void =>
    gauge(name, help, ({ store }) => read(store()));
  show("store_file_bytes", "The store's file, free pages included.", ({ fileBytes }) => fileBytes);
  show("store_map_bytes", "The store's memory map; it grows by itself.", (store) => store.mapBytes);
  show("store_readers", "Places taken in the store's table of readers.", ({ readers }) => readers);
  show("store_readers_max", "Places in the store's table of readers.", (store) => store.readersMax);
  gauge("store_disk_free_bytes", "Free bytes of the disk the store lies on.", (engine) =>
    engine.diskFreeBytes(),
  );
}

/** Without a sink none of it is shown. */
function exposeSink(metrics: Exposer, engine: ExposedEngine["engine"], gauge: ShowGauge): void {
  const sinkOf = (): SinkStatus | undefined => engine()?.sink();
  metrics.gauges("sink_state", "1 for what the history sink is at.", ["state"], () => {
    const sink = sinkOf();
    return sink === undefined
      ? []
      : SINK_STATES.map((state) => [{ state }, state === sink.state ? 1 : 0] as const);
  });
  const show = (
    name: string,
    help: string,
    read: (sink: SinkStatus, engine: EngineView) => number | undefined,
  ) =>
    gauge(name, help, (running) => {
      const sink = running.sink();
      return sink === undefined ? undefined : read(sink, running);
    });
  show("sink_ledger", "Last ledger in the history sink.", ({ ledger }) => ledger);
  show(
    "sink_lag_ledgers",
    "Ledgers processed that the history sink lacks.",
    (sink, { progress }) =>
      sink.ledger === 0 ? undefined : Math.max(0, (progress().ledger ?? 0) - sink.ledger),
  );
  show(
    "sink_lag_seconds",
    "From the close of the last ledger in the history sink to that of the last one processed.",
    (sink, { progress }) =>
      sink.ledger === 0 ? undefined : Math.max(0, progress().closeTime - sink.closeTime),
  );
  metrics.counters("sink_rows_total", "Rows written to the history sink.", ["table"], () =>
    Object.entries(sinkOf()?.rows ?? {}).map(([table, count]) => [{ table }, count] as const),
  );
  metrics.counters(
    "sink_failures_total",
    "Attempts to write to the history sink that failed.",
    [],
    () => {
      const sink = sinkOf();
      return sink === undefined ? [] : [[{}, sink.failures] as const];
    },
  );
}
