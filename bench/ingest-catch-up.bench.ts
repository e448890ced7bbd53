// Catching up end to end: ledgers of 1 MB from a lake on disk, with order events and without, then the same from an
// RPC, through the whole engine into its store, while a client asks for GET /. The engine runs in this process,
// the devnet's RPC and the client in others.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pino } from "pino";
import { startDevnet } from "../src/devnet/devnet.ts";
import type { DevnetInput } from "../src/devnet/options.ts";
import { spawnDevnet } from "../src/devnet/spawn.ts";
import { startEngine } from "../src/engine.ts";
import { parseLedgersJson } from "../src/ingest/ledgers-json.ts";
import type { Address } from "../src/model/address.ts";
import { Operations } from "../src/operations/operations.ts";
import { openLake, writeBatch } from "../test/ingest/build-lake.ts";
import { NO_LIMITS } from "../test/support/http/unlimited.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import {
  DEVNET_PASSPHRASE,
  LEDGER_BYTES,
  PRELUDE_LEDGERS,
  TRANSACTIONS,
} from "./ingest-ledgers.ts";
import { DriverProcess } from "./load/driver-process.ts";
import { ledgerOf } from "./load/status.ts";
import { quantile } from "./quantile.ts";

const LAYOUT = { ledgersPerBatch: 1, batchesPerPartition: 64_000 };
const FIRST_LEDGER = 2;
/** Of the pages that are measured alone. */
const PAGE_LEDGERS = 8;
const ROUNDS = 9;
const SERVED_LEDGERS = 400;
/** Catch-ups with order events and as many without, in turn. */
const EVENT_ROUNDS = 3;
/** The devnet stands still while the engine catches up. */
const STILL_MS = 600_000;

type World = {
  readonly directory: string;
  readonly lake: string;
  readonly last: number;
  readonly bytes: number;
  readonly exchange: Address;
};

export const bench: Bench = ({ tiny }) =>
  inFolder(async (root) => {
    const world = await createWorld(
      root,
      tiny ? { count: 60, bytes: 0 } : { count: 900, bytes: LEDGER_BYTES },
    );
    const devnet = await spawnDevnet({ ...optionsOf(world.directory, 0), ledgerTime: STILL_MS });
    try {
      const lake = { lake: world.lake };
      const fromLake = await catchUp(join(root, "from-lake"), devnet.url, world, lake);
      const rounds = tiny ? 1 : EVENT_ROUNDS;
      const events = await withAndWithoutEvents(rounds, (keepOrderEventsSeconds) =>
        catchUp(join(root, "order-events"), devnet.url, world, { ...lake, keepOrderEventsSeconds }),
      );
      const fromRpc = await catchUp(join(root, "from-rpc"), devnet.url, world);
      const served = await servedAlone(devnet.url, world);
      const { plain, own } = await pageTimes(devnet.url, world);
      return [
        figure("ledgers", world.last - FIRST_LEDGER + 1, "ledgers"),
        figure("size of a ledger", world.bytes / (world.last - 1) / 1e6, "MB"),
        ...figures("from a lake", fromLake, "100 ledgers of 1 MB a second"),
        ...events,
        ...figures("from an RPC", fromRpc),
        figure("the RPC alone, read by two clients", served, "ledgers/s"),
        figure("JSON.parse and base64 alone", 1000 / plain, "ledgers/s"),
        figure("JSON and base64 as the reader does it", 1000 / own, "ledgers/s"),
        figure(
          "JSON and base64, of the time from an RPC",
          own * (fromRpc.ledgersPerSecond / 1000) * 100,
          "%",
        ),
      ];
    } finally {
      await devnet.stop();
    }
  });

function optionsOf(directory: string, ledgerBytes: number): DevnetInput {
  return {
    seed: "benches",
    passphrase: DEVNET_PASSPHRASE,
    directory,
    port: 0,
    startTime: 1_800_000_000,
    ledgerBytes,
    transactionsPerLedger: TRANSACTIONS,
  };
}

async function createWorld(
  root: string,
  { count, bytes: ledgerBytes }: { readonly count: number; readonly bytes: number },
): Promise<World> {
  const directory = join(root, "devnet");
  const lake = join(root, "lake");
  const plan = { directory: lake, layout: LAYOUT, passphrase: DEVNET_PASSPHRASE };
  await openLake(plan);
  const devnet = await startDevnet({ ...optionsOf(directory, ledgerBytes), manual: true });
  let bytes = 0;
  const write = (sequence: number): void => {
    const meta = devnet.ledgerMeta(sequence);
    writeBatch(plan, [{ sequence, bytes: meta }]);
    bytes += meta.length;
  };
  try {
    write(FIRST_LEDGER);
    while (devnet.tip.ledger < FIRST_LEDGER + PRELUDE_LEDGERS + count) {
      devnet.closeLedger();
      write(devnet.tip.ledger);
    }
    return { directory, lake, last: devnet.tip.ledger, bytes, exchange: devnet.network.exchange };
  } finally {
    await devnet.stop();
  }
}

/** Of catch-ups from the lake in turn, after one that warmed the process up. */
async function withAndWithoutEvents(
  rounds: number,
  again: (keepOrderEventsSeconds: number) => Promise<Run>,
): Promise<readonly Figure[]> {
  const [kept, without]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    without.push(await again(0));
    kept.push(await again(Number.POSITIVE_INFINITY));
  }
  const median = (runs: readonly Run[], of: (run: Run) => number) => quantile(runs.map(of), 0.5);
  const pace = ({ ledgersPerSecond }: Run) => ledgersPerSecond;
  const cpu = ({ cpuMs }: Run) => cpuMs;
  return [
    figure("order events kept: applied, median", median(kept, pace), "ledgers/s"),
    figure("order events off: applied, median", median(without, pace), "ledgers/s"),
    figure(
      "pace with order events to that without",
      median(kept, pace) / median(without, pace),
      "ratio",
      "0.9 or more",
    ),
    figure("order events kept: CPU a ledger", median(kept, cpu), "ms"),
    figure("order events off: CPU a ledger", median(without, cpu), "ms"),
  ];
}

type Run = {
  /** Of all threads of the process, a ledger. */
  readonly cpuMs: number;
  readonly ledgersPerSecond: number;
  readonly sinceStart: number;
  readonly pauseMs: number;
  readonly latenciesMs: readonly number[];
};

async function catchUp(
  path: string,
  rpcUrl: string,
  world: World,
  {
    lake,
    keepOrderEventsSeconds = Number.POSITIVE_INFINITY,
  }: { readonly lake?: string; readonly keepOrderEventsSeconds?: number } = {},
): Promise<Run> {
  const driver = new DriverProcess();
  const cpu = process.cpuUsage();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const startedAt = Date.now();
  const engine = await startEngine({
    engine: {
      host: "127.0.0.1",
      port: 0,
      dataDir: path,
      workers: 1,
      catchUpThreads: 2,
      resetProofSeconds: 30,
      watchedAccounts: 100,
      quoteStream: false,
      console: false,
      consoleRpc: "off",
      referencePrices: new Map(),
      keepHistorySeconds: Number.POSITIVE_INFINITY,
      accessLog: { share: 0, fields: new Set() },
      keepOrderEventsSeconds,
      maxOrders: 1 << 16,
      limits: NO_LIMITS,
    },
    path: join(path, "store"),
    network: {
      rpcUrls: [rpcUrl],
      networkPassphrase: DEVNET_PASSPHRASE,
      contract: world.exchange,
      fromLedger: FIRST_LEDGER,
      ...(lake === undefined ? {} : { lake }),
    },
    operations: new Operations({ clock: Date.now, readyLagSeconds: 30, isAsked: false }),
    log: pino({ level: "warn" }),
  });
  delay.enable();
  try {
    const url = `http://127.0.0.1:${engine.port}`;
    const asked = { url, untilLedger: world.last };
    const { firstLedger, firstLedgerAt, ...result } = await driver.run("statusUntil", asked);
    delay.disable();
    const { reachedAt, latenciesMs } = result;
    assert.equal(await ledgerOf(url), world.last);
    const { user, system } = process.cpuUsage(cpu);
    return {
      cpuMs: (user + system) / 1000 / (world.last - FIRST_LEDGER + 1),
      ledgersPerSecond:
        ((world.last - firstLedger) / Math.max(1, reachedAt - firstLedgerAt)) * 1000,
      sinceStart: ((world.last - FIRST_LEDGER + 1) / (reachedAt - startedAt)) * 1000,
      pauseMs: delay.max / 1e6,
      latenciesMs,
    };
  } finally {
    await driver.stop();
    await engine.close();
    rmSync(path, { recursive: true });
  }
}

type Page = { readonly ledgers: readonly { readonly metadataXdr: string }[] };

/** Milliseconds a ledger that a page takes to become bytes, on one thread. */
type PageTimes = {
  /** By JSON.parse and Buffer.from. */
  readonly plain: number;
  /** As the engine does it. */
  readonly own: number;
};

async function pageTimes(rpcUrl: string, world: World): Promise<PageTimes> {
  const body = await pageOf(rpcUrl, world.last - PAGE_LEDGERS + 1);
  const plain = medianTime(() => {
    const { result } = JSON.parse(body.toString("utf8")) as { readonly result: Page };
    for (const { metadataXdr } of result.ledgers) Buffer.from(metadataXdr, "base64");
  });
  // It decodes where the text lies: each run has its own copy.
  const copies = Array.from({ length: ROUNDS }, () => Buffer.from(body));
  const own = medianTime((round) => parseLedgersJson(copies[round] ?? body));
  return { plain, own };
}

/** Of some rounds, a ledger. */
function medianTime(run: (round: number) => void): number {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    run(round);
    times.push((performance.now() - began) / PAGE_LEDGERS);
  }
  return quantile(times, 0.5);
}

/** Ledgers a second that the RPC serves to two clients who throw them away. */
async function servedAlone(rpcUrl: string, world: World): Promise<number> {
  const began = performance.now();
  let next = Math.max(FIRST_LEDGER, world.last - SERVED_LEDGERS + 1);
  const first = next;
  const client = async (): Promise<void> => {
    while (next + PAGE_LEDGERS - 1 <= world.last) {
      const from = next;
      next += PAGE_LEDGERS;
      await pageOf(rpcUrl, from);
    }
  };
  await Promise.all([client(), client()]);
  return ((next - first) / (performance.now() - began)) * 1000;
}

async function pageOf(rpcUrl: string, startLedger: number): Promise<Buffer> {
  const params = { startLedger, pagination: { limit: PAGE_LEDGERS } };
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getLedgers", params }),
  });
  return Buffer.from(await response.arrayBuffer());
}

function figures(name: string, run: Run, goal?: string): readonly Figure[] {
  const p99 = quantile(run.latenciesMs, 0.99);
  return [
    figure(`${name}: applied`, run.ledgersPerSecond, "ledgers/s", goal),
    figure(`${name}: applied, starting included`, run.sinceStart, "ledgers/s"),
    figure(`${name}: worst pause of the main thread`, run.pauseMs, "ms"),
    figure(`${name}: GET / meanwhile, median`, quantile(run.latenciesMs, 0.5), "ms"),
    figure(`${name}: GET / meanwhile, p99`, p99, "ms"),
  ];
}
