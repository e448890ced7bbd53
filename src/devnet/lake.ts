// Closed ledgers as a data lake (SEP-54): the history that an RPC no longer keeps.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ChainStore } from "./ledger/chain-store.ts";
import { zstdFrame } from "./zstd.ts";

export type LakeOptions = {
  readonly directory: string;
  readonly passphrase: string;
  readonly ledgersPerBatch: number;
  /** Batches of one folder; 1: no folders. */
  readonly batchesPerPartition: number;
};

/** The chain's first ledger that has a meta. */
const FIRST_LEDGER = 2;
const UINT32_MAX = 0xffff_ffff;

export class Lake {
  readonly #options: LakeOptions;
  readonly #ledgers: ChainStore;
  /** The first ledger that no batch holds yet. */
  #next: number;

  /**
   * Goes on with a lake that is there. Throws an Error where ledgers are gone from `ledgers` that
   * the lake still lacks.
   */
  constructor(options: LakeOptions, ledgers: ChainStore) {
    this.#options = options;
    this.#ledgers = ledgers;
    mkdirSync(options.directory, { recursive: true });
    this.#writeConfig();
    this.#next = (this.#latest() ?? FIRST_LEDGER - 1) + 1;
    const oldest = ledgers.oldest?.ledger ?? FIRST_LEDGER;
    if (oldest > this.#next) {
      throw new Error(
        `${options.directory} ends at ledger ${this.#next - 1}, the kept ledgers begin at ${oldest}`,
      );
    }
  }

  /** Writes the batches that the ledgers up to `latest` make full. */
  write(latest: number): void {
    const { ledgersPerBatch } = this.#options;
    for (;;) {
      const end = this.#next + ledgersPerBatch - 1 - (this.#next % ledgersPerBatch);
      if (end > latest) return;
      this.#writeBatch(this.#next, end);
      this.#next = end + 1;
    }
  }

  #writeBatch(start: number, end: number): void {
    const metas = Array.from({ length: end - start + 1 }, (_, at) =>
      this.#ledgers.readMeta(start + at),
    );
    // As a LedgerCloseMetaBatch begins.
    const head = Buffer.alloc(12);
    head.writeUInt32BE(start, 0);
    head.writeUInt32BE(end, 4);
    head.writeUInt32BE(metas.length, 8);
    const batch = Buffer.concat([head, ...metas]);
    const path = join(this.#options.directory, batchKey(start, this.#options));
    mkdirSync(dirname(path), { recursive: true });
    // Under its name an object is whole.
    writeFileSync(`${path}.tmp`, zstdFrame(batch));
    renameSync(`${path}.tmp`, path);
  }

  #writeConfig(): void {
    const { directory, passphrase, ledgersPerBatch, batchesPerPartition } = this.#options;
    const path = join(directory, ".config.json");
    if (existsSync(path)) return;
    const config = {
      networkPassphrase: passphrase,
      version: "1.0",
      compression: "zstd",
      ledgersPerBatch,
      batchesPerPartition,
    };
    writeFileSync(path, `${JSON.stringify(config)}\n`);
  }

  /** The last ledger of the newest batch: the one whose reversed number sorts first. */
  #latest(): number | undefined {
    const { directory, ledgersPerBatch } = this.#options;
    const newest = readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".xdr.zst"))
      .map((name) => Number.parseInt(/([0-9A-F]{8})--[^/]*$/.exec(name)?.[1] ?? "", 16))
      .filter(Number.isSafeInteger)
      .sort((one, other) => one - other)[0];
    if (newest === undefined) return undefined;
    return UINT32_MAX - newest + ledgersPerBatch - 1;
  }
}

/** The key of the batch that holds `ledger`, with its partition. */
export function batchKey(
  ledger: number,
  of: Pick<LakeOptions, "ledgersPerBatch" | "batchesPerPartition">,
): string {
  const { ledgersPerBatch, batchesPerPartition } = of;
  const partitionLedgers = ledgersPerBatch * batchesPerPartition;
  const partition = Math.floor(ledger / partitionLedgers) * partitionLedgers;
  const batch = Math.floor(ledger / ledgersPerBatch) * ledgersPerBatch;
  const folder =
    batchesPerPartition <= 1
      ? ""
      : `${reversed(partition)}--${partition}-${partition + partitionLedgers - 1}/`;
  const range = ledgersPerBatch === 1 ? `${batch}` : `${batch}-${batch + ledgersPerBatch - 1}`;
  return `${folder}${reversed(batch)}--${range}.xdr.zst`;
}

function reversed(ledger: number): string {
  return (UINT32_MAX - ledger).toString(16).toUpperCase().padStart(8, "0");
}
