// Lake layout (SEP-54): which object of a data lake holds which ledgers.
import { isRecord } from "../json-rpc.ts";

export type LakeLayout = {
  readonly ledgersPerBatch: number;
  readonly batchesPerPartition: number;
};

/** What lakes had before there was a configuration in them (Galexie's defaults). */
export const DEFAULT_LAYOUT: LakeLayout = { ledgersPerBatch: 1, batchesPerPartition: 64_000 };

export const CONFIG_KEY = ".config.json";

/** How objects end; lakes of before 2025 use the second. */
export const LAKE_EXTENSIONS = [".xdr.zst", ".xdr.zstd"] as const;

export type LakeConfig = {
  readonly layout: LakeLayout;
  /** Absent where the lake does not say. */
  readonly passphrase?: string;
};

/** Throws an Error fit for an operator. */
export function parseLakeConfig(text: string): LakeConfig {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (cause) {
    throw new Error(`the lake's ${CONFIG_KEY} is not JSON`, { cause });
  }
  if (!isRecord(config)) throw new Error(`the lake's ${CONFIG_KEY} is not an object`);
  const { networkPassphrase, compression } = config;
  if (compression !== undefined && compression !== "zstd") {
    throw new Error(`the lake is compressed with ${String(compression)}, not with zstd`);
  }
  const layout = {
    ledgersPerBatch: count(config, "ledgersPerBatch"),
    batchesPerPartition: count(config, "batchesPerPartition"),
  };
  return typeof networkPassphrase === "string"
    ? { layout, passphrase: networkPassphrase }
    : { layout };
}

/** The first ledger of the batch that holds `ledger`, as its name has it. */
export function batchStart(layout: LakeLayout, ledger: number): number {
  return ledger - (ledger % layout.ledgersPerBatch);
}

/** The key of the batch that holds `ledger`, without its extension. */
export function batchKey(layout: LakeLayout, ledger: number): string {
  const { ledgersPerBatch, batchesPerPartition } = layout;
  const start = batchStart(layout, ledger);
  const batch = `${reversed(start)}--${start}${ledgersPerBatch > 1 ? `-${start + ledgersPerBatch - 1}` : ""}`;
  if (batchesPerPartition <= 1) return batch;
  const size = ledgersPerBatch * batchesPerPartition;
  const from = ledger - (ledger % size);
  return `${reversed(from)}--${from}-${from + size - 1}/${batch}`;
}

/** Newest first in a plain list. */
function reversed(ledger: number): string {
  return (0xffff_ffff - ledger).toString(16).toUpperCase().padStart(8, "0");
}

function count(config: Readonly<Record<string, unknown>>, name: string): number {
  const value = config[name];
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > 0xffff_ffff) {
    throw new Error(`the lake's ${CONFIG_KEY} has no valid ${name}`);
  }
  return value;
}
