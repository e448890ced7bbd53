// The history sink's backfill of a long history into a PostgreSQL on the same machine, and what GET / takes beside it.
// Nothing serves ledgers meanwhile. Left out where there is no PostgreSQL.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { storeFolder } from "../src/store/data-folder.ts";
import { EngineProcess } from "../test/e2e/engine-process.ts";
import { findPostgres, NO_POSTGRES, Postgres } from "../test/support/postgres.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { type Done, HttpPool, requestBytes, TIMEOUT_MS } from "./load/http-pool.ts";
import { quantile } from "./quantile.ts";
import { fillHistory, HISTORY_EXCHANGE, HISTORY_PASSPHRASE } from "./store-history.ts";

/** Requests begin so often, whatever the ones before take. */
const EVERY_MS = 25;
/** More than requests that are due before the slowest answer. */
const CONNECTIONS = 100;
const ALONE_MS = 15_000;
/** The metrics take some milliseconds themselves. */
const LOOK_MS = 2000;
/** As a server is set up that such a history is for. */
const SERVER = { fsync: "on", shared_buffers: "256MB", max_wal_size: "4GB" };

export const bench: Bench = ({ tiny }) => inFolder((dataDir) => run(dataDir, tiny));

async function run(dataDir: string, tiny: boolean): Promise<readonly Figure[]> {
  const bin = findPostgres();
  if (bin === undefined) {
    process.stderr.write(`${NO_POSTGRES}\n`);
    return [];
  }
  const orders = tiny ? 200 : 10_000;
  const trades = tiny ? 2000 : Number(process.env.TRADES ?? 1_000_000);
  const postgres = Postgres.make(bin);
  try {
    await postgres.start(SERVER);
    await fillHistory(storeFolder(dataDir), { orders, trades });
    const alone = await withEngine(dataDir, {}, (url) =>
      latencies(url, delay(tiny ? 100 : ALONE_MS)),
    );
    const environment = { HISTORY_SINK: postgres.url() };
    const { beside, seconds, rows, resident, lagMs } = await withEngine(
      dataDir,
      environment,
      async (url, engine) => {
        const start = performance.now();
        const done = backfilled(engine);
        const beside = await latencies(url, done);
        const end = await done;
        const shown = await metrics(engine);
        return {
          beside,
          seconds: (end - start) / 1000,
          rows: rowsOf(shown),
          resident: sample(shown, "process_resident_memory_bytes"),
          lagMs: 1000 * sample(shown, 'hopbook_loop_delay_seconds\\{rank="p99"\\}'),
        };
      },
    );
    const again = await withEngine(dataDir, {}, (url) =>
      latencies(url, delay(tiny ? 100 : ALONE_MS)),
    );
    const client = await postgres.connect();
    const count = await client.query<{ count: string }>(
      "SELECT count(*) AS count FROM hopbook.trades",
    );
    await client.end();
    assert.equal(count.rows[0]?.count, String(trades));
    const p99 = (of: readonly number[]) => quantile(of, 0.99);
    const base = (p99(alone) + p99(again)) / 2;
    const figures: Figure[] = [
      figure("rows backfilled", rows, "rows"),
      figure("backfill", seconds, "s"),
      figure("backfill", rows / seconds, "rows/s"),
      figure("GET / alone: p99, before and after", base, "ms"),
      figure("GET / beside the backfill: p50", quantile(beside, 0.5), "ms"),
      figure("GET / beside the backfill: p99", p99(beside), "ms"),
      figure("GET / p99, beside to alone", p99(beside) / base, "ratio", "1.5 or less"),
      figure("event-loop lag: p99 of its last minute", lagMs, "ms"),
      figure("resident after the backfill", resident / 1e6, "MB"),
    ];
    return figures;
  } finally {
    await postgres.stop("now");
  }
}

async function withEngine<T>(
  dataDir: string,
  environment: Readonly<Record<string, string>>,
  measure: (url: string, engine: EngineProcess) => Promise<T>,
): Promise<T> {
  const engine = new EngineProcess({
    asPackaged: true,
    rpcUrl: "http://127.0.0.1:1",
    passphrase: HISTORY_PASSPHRASE,
    contract: HISTORY_EXCHANGE,
    dataDir,
    environment,
  });
  try {
    return await measure(`http://127.0.0.1:${await engine.listening}`, engine);
  } finally {
    engine.child.kill("SIGTERM");
    await engine.exited;
  }
}

/** Milliseconds from when each request was due to its answer, until `end`. */
async function latencies(url: string, end: Promise<unknown>): Promise<readonly number[]> {
  const { hostname: host, port } = new URL(url);
  const taken: number[] = [];
  const failures: Done["status"][] = [];
  const pool = new HttpPool({
    ...{ host, port: Number(port), connections: CONNECTIONS },
    onDone: ({ request, status, nowMs }) => {
      // Nobody catches what is thrown here.
      if (status === 200) taken.push(nowMs - request.dueMs);
      else failures.push(status);
    },
  });
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  void end.then(over, over);
  for (let dueMs = performance.now(); !isOver; dueMs += EVERY_MS) {
    await delay(Math.max(0, dueMs - performance.now()));
    pool.submit({ bytes: requestBytes("/"), endpoint: 0, dueMs });
  }
  // Where the engine is gone, those that wait for a connection get none, and are told as it closes.
  const untilMs = performance.now() + TIMEOUT_MS;
  while (pool.open > 0 && performance.now() < untilMs) await delay(1);
  pool.close();
  assert.deepEqual(failures, []);
  return taken;
}

/** Resolves to the moment at which the sink had all there is. */
async function backfilled(engine: EngineProcess): Promise<number> {
  while (!(await metrics(engine)).includes('hopbook_sink_state{state="following"} 1')) {
    await delay(LOOK_MS);
  }
  return performance.now();
}

async function metrics({ log }: EngineProcess): Promise<string> {
  const url = log.find(({ operators }) => operators !== undefined)?.operators;
  return (await fetch(`${url}/metrics`)).text();
}

function sample(text: string, name: string): number {
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
}

function rowsOf(text: string): number {
  const samples = text.matchAll(/^hopbook_sink_rows_total\{.*\} ([0-9]+)$/gm);
  return Array.from(samples, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
}
