// From the start of the engine's process to its first answers, on a store of many live orders with
// their makers' backing and a long history, with its order events and without. Nothing serves ledgers meanwhile.
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { storeFolder } from "../src/store/data-folder.ts";
import { EngineProcess } from "../test/e2e/engine-process.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { residentBytes } from "./process-figures.ts";
import { quantile } from "./quantile.ts";
import { fillHistory, HISTORY_EXCHANGE, HISTORY_PASSPHRASE } from "./store-history.ts";

const STARTS = 5;
const QUOTE_ATTEMPTS = 10;
const SETTLE_MS = 5000;

export const bench: Bench = ({ tiny }) =>
  inFolder(async (root) => {
    const sizes = tiny
      ? { orders: 500, trades: 2000 }
      : { orders: 100_000, trades: Number(process.env.TRADES ?? 1_000_000) };
    const [kept, without] = [join(root, "kept"), join(root, "without")];
    const market = await fillHistory(storeFolder(kept), sizes);
    await fillHistory(storeFolder(without), { ...sizes, keepOrderEvents: 0 });
    const starts: Start[] = [];
    const startsWithout: Start[] = [];
    for (let start = 0; start < (tiny ? 1 : STARTS); start += 1) {
      const settleMs = tiny ? 0 : SETTLE_MS;
      starts.push(await measureStart(kept, market, settleMs));
      startsWithout.push(await measureStart(without, market, 0, { KEEP_ORDER_EVENTS: "0" }));
    }
    const medianOf = (all: readonly Start[], of: (start: Start) => number) =>
      quantile(all.map(of), 0.5);
    const median = (of: (start: Start) => number) => medianOf(starts, of);
    const [onMs, offMs] = [starts, startsWithout].map((all) => medianOf(all, ({ quote }) => quote));
    const goal = "below 1,000 ms";
    const figures: Figure[] = [
      figure(
        "process start to GET /: median",
        median(({ status }) => status),
        "ms",
        goal,
      ),
      figure(
        "process start to /quote: median",
        median(({ quote }) => quote),
        "ms",
        goal,
      ),
      figure("to /quote, order events off: median", offMs ?? 0, "ms"),
      figure(
        "to /quote with order events to that without",
        (onMs ?? 0) / (offMs ?? 0),
        "ratio",
        "1.1 or less",
      ),
      figure(
        "resident once settled: median",
        median(({ resident }) => resident),
        "MB",
      ),
    ];
    return figures;
  });

/** Milliseconds from the start of the process, and MB. */
type Start = { readonly status: number; readonly quote: number; readonly resident: number };

async function measureStart(
  dataDir: string,
  [selling, buying]: readonly string[],
  settleMs: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Start> {
  const begin = performance.now();
  const engine = new EngineProcess({
    asPackaged: true,
    rpcUrl: "http://127.0.0.1:1",
    passphrase: HISTORY_PASSPHRASE,
    contract: HISTORY_EXCHANGE,
    dataDir,
    environment: { OPERATORS_PORT: "off", ...environment },
  });
  try {
    const url = `http://127.0.0.1:${await engine.listening}`;
    const { status: word, ledger } = await json(`${url}/`);
    const status = performance.now() - begin;
    assert.ok(
      word === "active" && typeof ledger === "number",
      `${String(word)} at ${String(ledger)}`,
    );
    const asked = `sellingAsset=${selling}&buyingAsset=${buying}&amount=1000000`;
    const quoted = await json(`${url}/quote?${asked}`);
    const quote = performance.now() - begin;
    assert.equal(quoted.status, "success");
    // By then the rest is restored and the reader thread is up.
    await delay(settleMs);
    const resident = residentBytes(engine.child.pid) / 1e6;
    return { status, quote, resident };
  } finally {
    engine.child.kill("SIGTERM");
    await engine.exited;
  }
}

/** A busy machine may leave a quote no time: then it is asked for again, as a client does. */
async function json(url: string): Promise<Record<string, unknown>> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url);
    const body: unknown = await response.json();
    if (response.status === 409 && attempt < QUOTE_ATTEMPTS) continue;
    assert.ok(response.status === 200 && typeof body === "object" && body !== null, url);
    return { ...body };
  }
}
