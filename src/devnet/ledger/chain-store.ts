// The durable chain: entries, ledgers and the places of transactions, in one lmdb file.
// A ledger is one commit, so that a kill leaves all of it or nothing, and a chain opened again goes
// on exactly where it was. Commits are not flushed, which a network of tests at full speed would
// wait for: after a crash of the system the file may be refused as damaged.
import { existsSync } from "node:fs";
import { join as joinPath } from "node:path";
import { LedgerHeaderHistoryEntry } from "@stellar/stellar-sdk/xdr";
import { checkFile, forgetStarts, noteClosed } from "../../store/file-check.ts";
import { type FolderLock, lockFolder } from "../../store/folder-lock.ts";
import { openRoot, openTable, type Root, type Table, tableNames } from "../../store/tables.ts";
import type { ClosedRecord } from "./chain.ts";
import { type Genesis, genesisTip, writeGenesis } from "./genesis.ts";
import { type EntryKey, keyFromXdr } from "./key.ts";
import type { ChainTip } from "./ledger-meta.ts";
import { LedgerState } from "./state.ts";
import { StoredEntry } from "./stored-entry.ts";
import { decodePlaces, forEachHash, type TransactionPlace } from "./transaction-place.ts";
import { xdrBytes, xdrText } from "./xdr-writer.ts";

export type ChainStoreOptions = {
  readonly directory: string;
  /** Ledgers that stay readable. */
  readonly retention: number;
  /** The settings that the chain follows from: stored with it, and compared when it is opened again. */
  readonly identity: Readonly<Record<string, string | number>>;
  /** Seconds that a new chain begins before now, to be filled with ledgers at once. */
  readonly historySeconds?: number;
  /** Address space at first; lmdb enlarges it. */
  readonly mapBytes?: number;
};

/** UNIX seconds: of the genesis ledger, and when a chain with a made-up past was begun. */
type ChainTimes = { readonly genesisCloseTime: number; readonly historyEnd?: number };

export type OpenedChain = ChainTimes & {
  readonly store: ChainStore;
  readonly tip: ChainTip;
  readonly state: LedgerState;
};

export type LedgerInfo = {
  readonly ledger: number;
  /** UNIX seconds. */
  readonly closeTime: number;
  readonly hash: Uint8Array;
};

export type StoredTransaction = {
  readonly ledger: number;
  /** Application order, from 1. */
  readonly order: number;
  readonly place: TransactionPlace;
};

type Written = ClosedRecord["written"];

/** Of what is stored; a chain of another format is not read. */
const FORMAT = 3;
/** The format before kept a chain in files, and its identity in this one. */
const EARLIER_IDENTITY = "chain.json";
const EARLIER_FORMAT = 2;
const IDENTITY = Buffer.from("identity");
const TABLE_NAMES = [
  "chain",
  /** Ledger -> close time (u64, UNIX seconds) and XDR of the LedgerHeaderHistoryEntry. */
  "ledgers",
  /** Ledger -> XDR of the LedgerCloseMeta. */
  "metas",
  /** Ledger -> where its transactions lie in it (transaction-place.ts). */
  "places",
  /** Hash, also of a transaction inside a fee bump -> ledger and application order. */
  "transactions",
  /** XDR of the LedgerKey -> number of the write in its ledger, and XDR of the LedgerEntry. */
  "entries",
] as const;
type Tables = Readonly<Record<(typeof TABLE_NAMES)[number], Table>>;

const HEADER_AT = 8;
const HASH_BYTES = 32;
const FIRST_KEY = Buffer.from([0]);
/** Ledgers trimmed with each new one, at most: more than one where the retention was lowered. */
const TRIM_MAX = 16;
/** Above the writes of any ledger. */
const WRITES_MAX = 2 ** 32;

/** As Stellar RPC says it before it has ledgers. */
export const NOT_OPEN = "data stores are not initialized";

/** Reads see the ledgers appended so far, and throw an Error of NOT_OPEN once it is closed. One thread. */
export class ChainStore {
  readonly #options: ChainStoreOptions;
  readonly #lock: FolderLock;
  readonly #root: Root;
  readonly #openTables: Tables;
  #isClosed = false;
  #oldest: number | undefined;
  #latest: number | undefined;

  /**
   * Opens or begins the chain. Rejects where the directory holds another chain or something else, a
   * damaged file, or where another process has it open.
   */
  static async open(
    options: ChainStoreOptions,
    genesisAt: (closeTime: number) => Genesis,
    now: number,
  ): Promise<OpenedChain> {
    const { directory, mapBytes } = options;
    const lock = await lockFolder(directory, "devnet");
    let root: Root | undefined;
    try {
      if (existsSync(joinPath(directory, EARLIER_IDENTITY))) {
        throw otherChain(directory, "format", EARLIER_FORMAT, FORMAT);
      }
      await checkFile(directory);
      root = openRoot(directory, {
        readOnly: false,
        noSync: true,
        ...(mapBytes === undefined ? {} : { mapBytes }),
      });
      const kept = keptIdentity(directory, root);
      if (kept !== undefined) checkIdentity(options, kept);
      const store = new ChainStore(options, lock, root);
      const opened =
        kept === undefined ? store.#begin(genesisAt, now) : store.#load(genesisAt, kept);
      await forgetStarts(directory);
      return opened;
    } catch (error) {
      await root?.close();
      lock.release();
      throw error;
    }
  }

  private constructor(options: ChainStoreOptions, lock: FolderLock, root: Root) {
    this.#options = options;
    this.#lock = lock;
    this.#root = root;
    const tables = TABLE_NAMES.map((name) => [name, openTable(root, name)]);
    this.#openTables = Object.fromEntries(tables) as Tables;
    this.#oldest = this.#ledgerAtEnd(false);
    this.#latest = this.#ledgerAtEnd(true);
  }

  get #tables(): Tables {
    if (this.#isClosed) throw new Error(NOT_OPEN);
    return this.#openTables;
  }

  /** A new chain's genesis ledger closes `now`, or as long before as its history is. */
  #begin(genesisAt: (closeTime: number) => Genesis, now: number): OpenedChain {
    const { identity, historySeconds = 0 } = this.#options;
    const genesisCloseTime = now - historySeconds;
    const times = { genesisCloseTime, ...(historySeconds === 0 ? {} : { historyEnd: now }) };
    const genesis = genesisAt(genesisCloseTime);
    const state = new LedgerState();
    writeGenesis(state, genesis);
    this.#root.transactionSync(() => {
      const kept = { format: FORMAT, ...identity, ...times };
      this.#tables.chain.putSync(IDENTITY, Buffer.from(JSON.stringify(kept)));
      this.#putEntries(state.takeWritten());
    });
    return { store: this, tip: genesisTip(genesis), state, ...times };
  }

  #load(genesisAt: (closeTime: number) => Genesis, kept: KeptIdentity): OpenedChain {
    const { genesisCloseTime, historyEnd } = kept;
    const state = new LedgerState();
    state.write(this.#entries());
    state.takeWritten();
    const header = this.#latest === undefined ? undefined : this.#header(this.#latest)?.header;
    const tip = header === undefined ? genesisTip(genesisAt(genesisCloseTime)) : tipOf(header);
    const times = { genesisCloseTime, ...(historyEnd === undefined ? {} : { historyEnd }) };
    return { store: this, tip, state, ...times };
  }

  get oldest(): LedgerInfo | undefined {
    return this.#oldest === undefined ? undefined : this.info(this.#oldest);
  }

  get latest(): LedgerInfo | undefined {
    return this.#latest === undefined ? undefined : this.info(this.#latest);
  }

  /** Undefined where the ledger is not kept; so do the others. */
  info(ledger: number): LedgerInfo | undefined {
    const row = this.#header(ledger);
    return row && { ledger, closeTime: row.closeTime, hash: row.header.subarray(0, HASH_BYTES) };
  }

  /** XDR of the LedgerHeaderHistoryEntry and of the LedgerCloseMeta. */
  read(ledger: number): { readonly header: Buffer; readonly meta: Buffer } | undefined {
    const row = this.#header(ledger);
    const meta = this.#tables.metas.getBinary(ledgerKey(ledger));
    return row === undefined || meta === undefined ? undefined : { header: row.header, meta };
  }

  /** XDR of the LedgerCloseMeta. Throws where it is not kept. */
  readMeta(ledger: number): Buffer {
    const meta = this.#tables.metas.getBinary(ledgerKey(ledger));
    if (meta === undefined) throw new Error(`ledger ${ledger} is not kept`);
    return meta;
  }

  /** Of the ledger's transactions in apply order; none where it is not kept. */
  places(ledger: number): readonly TransactionPlace[] {
    const bytes = this.#tables.places.getBinary(ledgerKey(ledger));
    return bytes === undefined ? [] : decodePlaces(bytes);
  }

  /** By its own hash, or by that of the transaction that it is a fee bump of. */
  find(hash: Uint8Array): StoredTransaction | undefined {
    const found = this.#tables.transactions.getBinary(Buffer.from(hash));
    if (found === undefined) return undefined;
    const [ledger, order] = [found.readUInt32BE(0), found.readUInt32BE(4)];
    if (ledger <= (this.#latest ?? 0) - this.#options.retention) return undefined;
    const place = this.places(ledger)[order - 1];
    return place && { ledger, order, place };
  }

  /**
   * All of it is with the system, whatever becomes of this process. Throws where it cannot be, and
   * from then on: what follows a ledger that is not kept must not be kept either.
   */
  append(closed: ClosedRecord): void {
    const { ledger, closeTime } = closed.tip;
    if (this.#latest !== undefined && ledger !== this.#latest + 1) {
      throw new Error(`ledger ${ledger} does not follow ${this.#latest}, the latest that is kept`);
    }
    const { ledgers, metas, places, transactions } = this.#tables;
    const key = ledgerKey(ledger);
    const row = Buffer.concat([Buffer.alloc(HEADER_AT), closed.header]);
    row.writeBigUInt64BE(BigInt(closeTime));
    this.#root.transactionSync(() => {
      ledgers.putSync(key, row);
      metas.putSync(key, closed.meta);
      places.putSync(key, closed.places);
      forEachHash(closed.places, (hash, order) => {
        transactions.putSync(hash, Buffer.concat([key, ledgerKey(order)]));
      });
      this.#putEntries(closed.written);
      this.#trim(ledger - this.#options.retention);
    });
    this.#oldest ??= ledger;
    this.#latest = ledger;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#root.close();
    await noteClosed(this.#options.directory).catch(() => undefined);
    this.#lock.release();
  }

  /** In the order of the keys: neighbours are on one page of lmdb's tree. */
  #putEntries(written: Written): void {
    const { entries } = this.#tables;
    const rows = written.map(([key, stored], at) => ({ key, stored, at }));
    for (const { key, stored, at } of rows.sort((one, other) => (one.key < other.key ? -1 : 1))) {
      const keyBytes = xdrBytes(key);
      if (stored === undefined) {
        entries.removeSync(keyBytes);
        continue;
      }
      const row = Buffer.allocUnsafe(4 + stored.xdr.length);
      row.writeUInt32BE(at);
      row.write(stored.xdr, 4, "latin1");
      entries.putSync(keyBytes, row);
    }
  }

  /** In the order in which they were last written, which the traffic sees orders in. */
  #entries(): Written {
    const rows: { readonly at: number; readonly pair: readonly [EntryKey, StoredEntry] }[] = [];
    for (const { key, value } of this.#tables.entries.getRange({ start: FIRST_KEY })) {
      const stored = StoredEntry.fromXdr(xdrText(value.subarray(4)));
      const at = value.readUInt32BE(4) * WRITES_MAX + value.readUInt32BE(0);
      rows.push({ at, pair: [keyFromXdr(xdrText(key)), stored] });
    }
    return rows.sort((one, other) => one.at - other.at).map(({ pair }) => pair);
  }

  /** Removes ledgers up to `last`, entries as of the latest one stay. */
  #trim(last: number): void {
    const { ledgers, metas, places, transactions } = this.#tables;
    for (let left = TRIM_MAX; left > 0 && (this.#oldest ?? last + 1) <= last; left -= 1) {
      const ledger = this.#oldest ?? last;
      const key = ledgerKey(ledger);
      forEachHash(places.getBinary(key) ?? NO_PLACES, (hash) => transactions.removeSync(hash));
      for (const table of [ledgers, metas, places]) table.removeSync(key);
      this.#oldest = ledger + 1;
    }
  }

  #header(ledger: number): { readonly closeTime: number; readonly header: Buffer } | undefined {
    const row = this.#tables.ledgers.getBinary(ledgerKey(ledger));
    if (row === undefined) return undefined;
    return { closeTime: Number(row.readBigUInt64BE(0)), header: row.subarray(HEADER_AT) };
  }

  #ledgerAtEnd(reverse: boolean): number | undefined {
    const [start, end] = [FIRST_KEY, Buffer.alloc(5, 0xff)];
    const range = reverse ? { start: end, end: start, reverse } : { start, end };
    const [key] = this.#tables.ledgers.getKeys({ ...range, limit: 1 });
    return key?.readUInt32BE(0);
  }
}

const NO_PLACES = Buffer.alloc(4);

function ledgerKey(ledger: number): Buffer {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(ledger);
  return key;
}

type KeptIdentity = Readonly<Record<string, unknown>> & ChainTimes;

/** Undefined for a new chain. Throws where the directory holds something else than a chain. */
function keptIdentity(directory: string, root: Root): KeptIdentity | undefined {
  const names = tableNames(root);
  if (names.length === 0) return undefined;
  const bytes = names.includes("chain") && openTable(root, "chain").getBinary(IDENTITY);
  if (bytes) return JSON.parse(bytes.toString("utf8"));
  // A start that ended before its first commit leaves empty tables.
  if (names.every((name) => TABLE_NAMES.some((known) => known === name))) return undefined;
  throw new Error(`${directory} holds a database that is no devnet's: give it its own directory`);
}

function checkIdentity({ directory, identity }: ChainStoreOptions, kept: KeptIdentity): void {
  for (const [name, value] of Object.entries({ format: FORMAT, ...identity })) {
    if (kept[name] !== value) throw otherChain(directory, name, kept[name], value);
  }
}

function otherChain(directory: string, name: string, kept: unknown, wanted: unknown): Error {
  return new Error(
    `${directory} holds a chain with ${name} ${JSON.stringify(kept)}, not ` +
      `${JSON.stringify(wanted)}: give it its own directory, or remove this one`,
  );
}

function tipOf(xdr: Uint8Array): ChainTip {
  const { hash, header } = LedgerHeaderHistoryEntry.schema.decode(xdr);
  return {
    ledger: header.ledgerSeq,
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
