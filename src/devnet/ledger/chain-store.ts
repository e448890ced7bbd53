// Where a chain is kept: its identity, its ledgers, snapshots of its entries. A chain opened again
// goes on where it was, also after a kill.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join as joinPath } from "node:path";
import { LedgerHeaderHistoryEntry } from "@stellar/stellar-sdk/xdr";
import type { ClosedRecord } from "./chain.ts";
import { lockDirectory, unlockDirectory } from "./directory-lock.ts";
import { GENESIS_LEDGER, type Genesis, genesisTip, writeGenesis } from "./genesis.ts";
import { LedgerFile } from "./ledger-file.ts";
import type { ChainTip } from "./ledger-meta.ts";
import { latestSnapshot, readSnapshot, writeSnapshot } from "./snapshot.ts";
import { LedgerState } from "./state.ts";

export type ChainStoreOptions = {
  readonly directory: string;
  /** Ledgers that stay readable. */
  readonly retention: number;
  /** What the chain follows from: kept with it, and compared when it is opened again. */
  readonly identity: Readonly<Record<string, string | number>>;
  /** Seconds that a new chain begins before now, to be filled with ledgers at once. */
  readonly historySeconds?: number;
  /** Ledgers between snapshots, which is what a start replays at most. */
  readonly snapshotLedgers?: number;
  /** A new file of ledgers starts past so many bytes. */
  readonly segmentBytes?: number;
};

/** Of the files; a chain of another format is not read. */
const FORMAT = 2;
/** Guess: some seconds of replay. */
const SNAPSHOT_LEDGERS = 2_000;

export type OpenedChain = {
  readonly store: ChainStore;
  readonly tip: ChainTip;
  readonly state: LedgerState;
  /** UNIX seconds: of the genesis ledger, and when a chain with a made-up past was begun. */
  readonly genesisCloseTime: number;
  readonly historyEnd?: number;
};

export class ChainStore {
  readonly ledgers: LedgerFile;
  readonly #options: ChainStoreOptions;
  #snapshot: number;
  #writing: Promise<void> | undefined;
  #failure: Error | undefined;

  private constructor(options: ChainStoreOptions, ledgers: LedgerFile, snapshot: number) {
    this.#options = options;
    this.ledgers = ledgers;
    this.#snapshot = snapshot;
  }

  /**
   * Opens or begins the chain. Throws an Error where the directory holds another chain, or one
   * whose files are damaged before their end, or where another process has it open.
   */
  static async open(
    options: ChainStoreOptions,
    genesisAt: (closeTime: number) => Genesis,
    now: number,
  ): Promise<OpenedChain> {
    mkdirSync(options.directory, { recursive: true });
    lockDirectory(options.directory);
    try {
      return await ChainStore.#openLocked(options, genesisAt, now);
    } catch (error) {
      unlockDirectory(options.directory);
      throw error;
    }
  }

  static async #openLocked(
    options: ChainStoreOptions,
    genesisAt: (closeTime: number) => Genesis,
    now: number,
  ): Promise<OpenedChain> {
    const times = identify(options, now);
    const { genesisCloseTime } = times;
    const genesis = genesisAt(genesisCloseTime);
    const ledgers = new LedgerFile(options.directory, options.segmentBytes);
    const state = new LedgerState();
    const snapshot = await latestSnapshot(options.directory);
    if (snapshot === undefined) writeGenesis(state, genesis);
    else state.write(await readSnapshot(options.directory, snapshot));
    const latest = ledgers.latest?.ledger ?? GENESIS_LEDGER;
    for (let next = (snapshot ?? GENESIS_LEDGER) + 1; next <= latest; next += 1) {
      state.write(ledgers.readDelta(next));
    }
    state.takeWritten();
    const tip = ledgers.latest === undefined ? genesisTip(genesis) : tipOf(ledgers, latest);
    const store = new ChainStore(options, ledgers, snapshot ?? GENESIS_LEDGER);
    return { store, tip, state, ...times };
  }

  /** Throws where the ledger cannot be written, or an earlier snapshot could not. */
  append(closed: ClosedRecord, state: LedgerState): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.ledgers.append(closed, closed.written);
    const { ledger } = closed.tip;
    const { retention, snapshotLedgers = SNAPSHOT_LEDGERS } = this.#options;
    if (this.#writing === undefined && ledger - this.#snapshot >= snapshotLedgers) {
      this.#writing = this.#writeSnapshot(ledger, state)
        .catch((cause: unknown) => {
          this.#failure = new Error(`cannot write a snapshot of ledger ${ledger}`, { cause });
        })
        .finally(() => {
          this.#writing = undefined;
        });
    }
    // What a start must replay stays, whatever the retention.
    this.ledgers.trim(Math.min(ledger - retention, this.#snapshot));
  }

  async #writeSnapshot(ledger: number, state: LedgerState): Promise<void> {
    // Entries are immutable: a list of them is the state as of this ledger, whatever follows.
    await writeSnapshot(this.#options.directory, ledger, [...state.entries()]);
    this.#snapshot = ledger;
  }

  /** Waits for a snapshot that is being written. */
  async close(): Promise<void> {
    await this.#writing;
    this.ledgers.close();
    unlockDirectory(this.#options.directory);
  }
}

type ChainTimes = Pick<OpenedChain, "genesisCloseTime" | "historyEnd">;

/** A new chain's genesis ledger closes `now`, or as long before as its history is. */
function identify(options: ChainStoreOptions, now: number): ChainTimes {
  const path = joinPath(options.directory, "chain.json");
  if (!existsSync(path)) {
    const { historySeconds = 0 } = options;
    const times =
      historySeconds === 0
        ? { genesisCloseTime: now }
        : { genesisCloseTime: now - historySeconds, historyEnd: now };
    const begun = { format: FORMAT, ...options.identity, ...times };
    writeFileSync(path, `${JSON.stringify(begun, undefined, 2)}\n`);
    return times;
  }
  const kept: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(path, "utf8"));
  const { genesisCloseTime, historyEnd } = kept;
  for (const [name, value] of Object.entries({ format: FORMAT, ...options.identity })) {
    if (kept[name] !== value) {
      throw new Error(
        `${options.directory} holds a chain with ${name} ${JSON.stringify(kept[name])}, not ` +
          `${JSON.stringify(value)}: give it its own directory, or remove this one`,
      );
    }
  }
  if (typeof genesisCloseTime === "number") {
    return { genesisCloseTime, ...(typeof historyEnd === "number" ? { historyEnd } : {}) };
  }
  throw new Error(`${path} names no genesisCloseTime`);
}

function tipOf(ledgers: LedgerFile, ledger: number): ChainTip {
  const { hash, header } = LedgerHeaderHistoryEntry.schema.decode(ledgers.readHeader(ledger));
  return {
    ledger,
    hash,
    closeTime: Number(header.scpValue.closeTime),
    protocol: header.ledgerVersion,
    baseFee: header.baseFee,
    baseReserve: header.baseReserve,
    totalCoins: header.totalCoins,
    feePool: header.feePool,
    idPool: header.idPool,
    stateHash: header.bucketListHash,
  };
}
