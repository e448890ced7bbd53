// From the moment the RPC serves a ledger until its push arrives, at steady and at fast ledgers,
// and what the engine asks the RPC meanwhile. The devnet runs in this process, the engine in another.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { type Devnet, startDevnet } from "../src/devnet/devnet.ts";
import { ApiClient } from "../test/e2e/api-client.ts";
import { EngineProcess } from "../test/e2e/engine-process.ts";
import type { Bench, Figure } from "./bench.ts";
import { DEVNET_PASSPHRASE, PRELUDE_LEDGERS } from "./ingest-ledgers.ts";
import { quantile } from "./quantile.ts";

type Rhythm = { readonly name: string; readonly ledgerTime: number; readonly ledgers: number };

/** Ledgers in which the engine learns the rhythm. */
const LEARNING = 10;

export const bench: Bench = async ({ tiny }) => {
  const rhythms: readonly Rhythm[] = tiny
    ? [{ name: "500 ms ledgers", ledgerTime: 500, ledgers: 4 }]
    : [
        { name: "500 ms ledgers", ledgerTime: 500, ledgers: 300 },
        { name: "5 s ledgers", ledgerTime: 5_000, ledgers: 50 },
      ];
  const figures: Figure[] = [];
  for (const rhythm of rhythms) figures.push(...(await measure(rhythm, tiny ? 2 : LEARNING)));
  return figures;
};

async function measure(rhythm: Rhythm, learning: number): Promise<readonly Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), "hopbook-bench-"));
  const devnet = await startDevnet({
    seed: "benches",
    passphrase: DEVNET_PASSPHRASE,
    port: 0,
    ledgerTime: rhythm.ledgerTime,
    record: false,
    manual: true,
  });
  let engine: EngineProcess | undefined;
  try {
    for (let ledger = 0; ledger < PRELUDE_LEDGERS; ledger += 1) devnet.closeLedger();
    engine = new EngineProcess({
      rpcUrl: devnet.url,
      passphrase: DEVNET_PASSPHRASE,
      contract: devnet.network.exchange,
      dataDir: directory,
    });
    const port = await engine.listening;
    await new ApiClient(port).reached(devnet.tip.ledger);
    return await follow(devnet, port, rhythm, learning);
  } finally {
    engine?.child.kill("SIGTERM");
    await engine?.exited;
    await devnet.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function follow(
  devnet: Devnet,
  port: number,
  { name, ledgers }: Rhythm,
  learning: number,
): Promise<readonly Figure[]> {
  const servedAt = new Map<number, number>();
  const delaysMs: number[] = [];
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  const first = devnet.tip.ledger + 1 + learning;
  let asked: ReadonlyMap<string, number> = new Map();
  let measuredFrom = 0;
  devnet.onClosed(({ tip }) => {
    servedAt.set(tip.ledger, performance.now());
    if (tip.ledger === first) {
      measuredFrom = performance.now();
      asked = new Map(devnet.requests);
    }
  });
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send('{"op":"subscribe","channel":"contract"}');
  devnet.resume();
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.on("message", (data) => {
      const now = performance.now();
      const { type, ledger } = JSON.parse(String(data)) as { type: string; ledger?: number };
      const served = ledger === undefined ? undefined : servedAt.get(ledger);
      if (type !== "ledger" || ledger === undefined || served === undefined) return;
      if (ledger >= first) delaysMs.push(now - served);
      if (ledger >= first + ledgers) resolve();
    });
  });
  devnet.pause();
  const seconds = (performance.now() - measuredFrom) / 1000;
  const since = (method: string): number =>
    ((devnet.requests.get(method) ?? 0) - (asked.get(method) ?? 0)) / seconds;
  socket.close();
  assert.ok(delaysMs.length > 0);
  return [
    // Those that came late together are pushed as one.
    { name: `${name}: ledgers pushed, of ${ledgers + 1}`, value: delaysMs.length, unit: "" },
    { name: `${name}: served to pushed, median`, value: quantile(delaysMs, 0.5), unit: "ms" },
    {
      name: `${name}: served to pushed, p99`,
      value: quantile(delaysMs, 0.99),
      unit: "ms",
      goal: "100 or less",
    },
    {
      name: `${name}: requests for ledgers`,
      value: since("getLedgers") + since("getHealth"),
      unit: "a second",
      goal: "4 or less",
    },
    {
      name: `${name}: requests for entries and simulations`,
      value: since("getLedgerEntries") + since("simulateTransaction"),
      unit: "a second",
    },
  ];
}
