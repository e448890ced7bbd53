// Data lakes for tests, written as SEP-54 has them.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as wasm from "@bokuweb/zstd-wasm";
import {
  batchKey,
  batchStart,
  CONFIG_KEY,
  type LakeLayout,
} from "../../src/ingest/lake/lake-layout.ts";
import { loadWasmZstd } from "../../src/ingest/lake/zstd.ts";
import type { BuiltLedger } from "./build-ledger.ts";

export type LakePlan = {
  readonly directory: string;
  readonly layout: LakeLayout;
  readonly passphrase: string;
  readonly extension?: string;
};

export type LakeLedger = Pick<BuiltLedger, "sequence" | "bytes">;

export async function writeLake(plan: LakePlan, ledgers: readonly LakeLedger[]): Promise<void> {
  await openLake(plan);
  for (const batch of wholeBatches(plan.layout, ledgers)) writeBatch(plan, batch);
}

/** An empty lake, to which `writeBatch` adds. */
export async function openLake(plan: LakePlan): Promise<void> {
  await loadWasmZstd();
  mkdirSync(plan.directory, { recursive: true });
  const config = {
    networkPassphrase: plan.passphrase,
    version: "1.0",
    compression: "zstd",
    ...plan.layout,
  };
  writeFileSync(join(plan.directory, CONFIG_KEY), JSON.stringify(config));
}

/** Batches appear when they are full; the first one of a chain begins at its first ledger. */
function wholeBatches(layout: LakeLayout, ledgers: readonly LakeLedger[]): LakeLedger[][] {
  const batches: LakeLedger[][] = [];
  let batch: LakeLedger[] = [];
  for (const ledger of ledgers) {
    batch.push(ledger);
    if (batchStart(layout, ledger.sequence + 1) !== ledger.sequence + 1) continue;
    batches.push(batch);
    batch = [];
  }
  return batches;
}

/** An object of these ledgers, which are a batch of the layout. */
export function writeBatch(plan: LakePlan, batch: readonly LakeLedger[]): void {
  const start = batch[0]?.sequence ?? 0;
  const path = join(plan.directory, batchKey(plan.layout, start) + (plan.extension ?? ".xdr.zst"));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, wasm.compress(batchOf(start, batch), 3));
}

/** LedgerCloseMetaBatch: its first and last ledger, and all of them after their count. */
export function batchOf(start: number, ledgers: readonly Pick<LakeLedger, "bytes">[]): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(start, 0);
  head.writeUInt32BE(start + ledgers.length - 1, 4);
  head.writeUInt32BE(ledgers.length, 8);
  return Buffer.concat([head, ...ledgers.map(({ bytes }) => bytes)]);
}
