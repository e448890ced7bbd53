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

export async function writeLake(plan: LakePlan, ledgers: readonly BuiltLedger[]): Promise<void> {
  await loadWasmZstd();
  mkdirSync(plan.directory, { recursive: true });
  const config = {
    networkPassphrase: plan.passphrase,
    version: "1.0",
    compression: "zstd",
    ...plan.layout,
  };
  writeFileSync(join(plan.directory, CONFIG_KEY), JSON.stringify(config));
  for (const batch of wholeBatches(plan.layout, ledgers)) writeBatch(plan, batch);
}

/** Batches appear when they are full; the first one of a chain begins at its first ledger. */
function wholeBatches(layout: LakeLayout, ledgers: readonly BuiltLedger[]): BuiltLedger[][] {
  const batches: BuiltLedger[][] = [];
  let batch: BuiltLedger[] = [];
  for (const ledger of ledgers) {
    batch.push(ledger);
    if (batchStart(layout, ledger.sequence + 1) !== ledger.sequence + 1) continue;
    batches.push(batch);
    batch = [];
  }
  return batches;
}

function writeBatch(plan: LakePlan, batch: readonly BuiltLedger[]): void {
  const start = batch[0]?.sequence ?? 0;
  const path = join(plan.directory, batchKey(plan.layout, start) + (plan.extension ?? ".xdr.zst"));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, wasm.compress(batchOf(start, batch), 3));
}

/** LedgerCloseMetaBatch: its first and last ledger, and all of them after their count. */
export function batchOf(start: number, ledgers: readonly Pick<BuiltLedger, "bytes">[]): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(start, 0);
  head.writeUInt32BE(start + ledgers.length - 1, 4);
  head.writeUInt32BE(ledgers.length, 8);
  return Buffer.concat([head, ...ledgers.map(({ bytes }) => bytes)]);
}
