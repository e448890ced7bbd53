// From the moment the RPC serves a ledger until its push arrives, at steady and at fast ledgers,
// and what the engine asks the RPC meanwhile; then of two engines on the same ledgers, one of which keeps order events.
// The devnet runs in this process, the engines in others.
import assert from "node:assert/strict";
import { join } from "node:path";
import { WebSocket } from "ws";
import { type Devnet, startDevnet } from "../src/devnet/devnet.ts";
import { ApiClient } from "../test/e2e/api-client.ts";
import { EngineProcess } from "../test/e2e/engine-process.ts";
import { RpcRelay } from "../test/support/rpc-relay.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { DEVNET_PASSPHRASE, PRELUDE_LEDGERS } from "./ingest-ledgers.ts";
import { cpuMs } from "./process-figures.ts";
import { quantile } from "./quantile.ts";

type Rhythm = { readonly name: string; readonly ledgerTime: number; readonly ledgers: number };

/** Ledgers in which the engine learns the rhythm. */
const LEARNING = 10;

export const bench: Bench = async ({ tiny }) => {
  const rhythms: readonly Rhythm[] = tiny
    ? [{ name: "500 ms ledgers", ledgerTime: 500, ledgers: 2 }]
    : [
        { name: "500 ms ledgers", ledgerTime: 500, ledgers: 300 },
        { name: "5 s ledgers", ledgerTime: 5_000, ledgers: 50 },
      ];
  const figures: Figure[] = [];
  for (const rhythm of rhythms) figures.push(...(await measure(rhythm, tiny ? 1 : LEARNING)));
  const both = tiny
    ? { name: "", ledgerTime: 500, ledgers: 2 }
    : { name: "", ledgerTime: 1000, ledgers: 120 };
  return [...figures, ...(await compareOrderEvents(both, tiny ? 1 : LEARNING))];
};

/** Both see the same ledgers and share the machine alike. */
async function compareOrderEvents(rhythm: Rhythm, learning: number): Promise<readonly Figure[]> {
  return following(rhythm, [{}, { KEEP_ORDER_EVENTS: "0" }], async (devnet, ports, pids) => {
    const first = devnet.tip.ledger + 1 + learning;
    const servedAt = new Map<number, number>();
    let cpuBefore: readonly number[] = [];
    devnet.onClosed(({ tip }) => {
      servedAt.set(tip.ledger, performance.now());
      if (tip.ledger === first) cpuBefore = pids.map(cpuMs);
    });
    const followed = ports.map((port) => pushed(port, servedAt, [first, first + rhythm.ledgers]));
    devnet.resume();
    const [kept = [], without = []] = await Promise.all(followed);
    const cpu = pids.map((pid, at) => (cpuMs(pid) - (cpuBefore[at] ?? 0)) / rhythm.ledgers);
    devnet.pause();
    const medians = [kept, without].map((delaysMs) => quantile(delaysMs, 0.5));
    const [keptMs = 0, withoutMs = 0] = medians;
    return [
      figure("two engines, order events kept: median", keptMs, "ms"),
      figure("two engines, order events off: median", withoutMs, "ms"),
      figure(
        "freshness with order events to that without",
        keptMs / withoutMs,
        "ratio",
        "1.1 or less",
      ),
      figure("CPU of a ledger, order events kept", cpu[0] ?? 0, "ms"),
      figure("CPU of a ledger, order events off", cpu[1] ?? 0, "ms"),
    ];
  });
}

async function measure(rhythm: Rhythm, learning: number): Promise<readonly Figure[]> {
  return following(rhythm, [{}], (devnet, [port], _, relay) => {
    assert.ok(port !== undefined);
    return follow({ devnet, port, relay }, rhythm, learning);
  });
}

/** One engine with each of the environments follows the devnet, which stands still. */
async function following(
  rhythm: Rhythm,
  environments: readonly Readonly<Record<string, string>>[],
  run: (
    devnet: Devnet,
    ports: readonly number[],
    pids: readonly number[],
    relay: RpcRelay,
  ) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  return inFolder(async (directory) => {
    const devnet = await startDevnet({
      seed: "benches",
      passphrase: DEVNET_PASSPHRASE,
      port: 0,
      ledgerTime: rhythm.ledgerTime,
      manual: true,
    });
    const relay = await RpcRelay.start(devnet.url);
    const engines: EngineProcess[] = [];
    try {
      for (let ledger = 0; ledger < PRELUDE_LEDGERS; ledger += 1) devnet.closeLedger();
      for (const [at, environment] of environments.entries()) {
        engines.push(
          new EngineProcess({
            asPackaged: true,
            rpcUrl: relay.url,
            passphrase: DEVNET_PASSPHRASE,
            contract: devnet.network.exchange,
            dataDir: join(directory, String(at)),
            environment,
          }),
        );
      }
      const ports = await Promise.all(engines.map(({ listening }) => listening));
      for (const port of ports) await new ApiClient(port).reached(devnet.tip.ledger);
      const pids = engines.map(({ child }) => child.pid ?? 0);
      return await run(devnet, ports, pids, relay);
    } finally {
      for (const { child } of engines) child.kill("SIGTERM");
      await Promise.all(engines.map(({ exited }) => exited));
      await relay.stop();
      await devnet.stop();
    }
  });
}

async function follow(
  { devnet, port, relay }: { devnet: Devnet; port: number; relay: RpcRelay },
  { name, ledgers }: Rhythm,
  learning: number,
): Promise<readonly Figure[]> {
  const servedAt = new Map<number, number>();
  const first = devnet.tip.ledger + 1 + learning;
  let asked: ReadonlyMap<string, number> = new Map();
  let measuredFrom = 0;
  devnet.onClosed(({ tip }) => {
    servedAt.set(tip.ledger, performance.now());
    if (tip.ledger === first) {
      measuredFrom = performance.now();
      asked = new Map(relay.requests);
    }
  });
  const arrived = pushed(port, servedAt, [first, first + ledgers]);
  devnet.resume();
  const delaysMs = await arrived;
  devnet.pause();
  const seconds = (performance.now() - measuredFrom) / 1000;
  const since = (method: string): number =>
    ((relay.requests.get(method) ?? 0) - (asked.get(method) ?? 0)) / seconds;
  assert.ok(delaysMs.length > 0);
  return [
    // Those that came late together are pushed as one.
    figure(`${name}: ledgers pushed, of ${ledgers + 1}`, delaysMs.length, ""),
    figure(`${name}: served to pushed, median`, quantile(delaysMs, 0.5), "ms"),
    figure(`${name}: served to pushed, p99`, quantile(delaysMs, 0.99), "ms", "100 or less"),
    figure(
      `${name}: requests for ledgers`,
      since("getLedgers") + since("getHealth"),
      "a second",
      "4 or less",
    ),
    figure(
      `${name}: requests for entries and simulations`,
      since("getLedgerEntries") + since("simulateTransaction"),
      "a second",
    ),
  ];
}

/** Milliseconds from when each of the ledgers was served until its push came. */
async function pushed(
  port: number,
  servedAt: ReadonlyMap<number, number>,
  [first, last]: readonly [number, number],
): Promise<readonly number[]> {
  const delaysMs: number[] = [];
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("open", () => socket.send('{"op":"subscribe","channel":"contract"}'));
    socket.on("message", (data) => {
      const now = performance.now();
      const { type, ledger } = JSON.parse(String(data)) as { type: string; ledger?: number };
      const served = ledger === undefined ? undefined : servedAt.get(ledger);
      if (type !== "ledger" || ledger === undefined || served === undefined) return;
      if (ledger >= first) delaysMs.push(now - served);
      if (ledger >= last) resolve();
    });
  });
  socket.close();
  return delaysMs;
}
