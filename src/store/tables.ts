// The tables of a store and the options they are opened with. Keys and values are bytes.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Database, RootDatabase } from "lmdb";

/** The build's copies of its binaries (scripts/lmdb-error-text.js), unless whoever starts the process names others. */
const binaries = fileURLToPath(new URL("../../native/lmdb", import.meta.url));
if (existsSync(binaries)) process.env.LMDB_PREBUILD ??= binaries;
/** The package's form of one file: that of many takes several times as long to load. */
const { open } = createRequire(import.meta.url)("lmdb") as typeof import("lmdb");

export type Table = Database<Buffer, Buffer>;

export const TABLE_NAMES = [
  /** identity, cursor, horizon, contract. */
  "meta",
  /** Number -> address and back (address-ids.ts). */
  "addresses",
  "addressIds",
  /** Order id -> position of the order whose entry is on-chain under it. */
  "chain",
  /** Position -> order, for live and for archived orders, each with its index. */
  "live",
  "liveIndex",
  "archive",
  "archiveIndex",
  /** Expiration and position of every order on-chain that has an expiration -> order id. */
  "expiries",
  "trades",
  "tradeIndex",
  "failures",
  "failureIndex",
  /** Market, resolution and start -> candle; market -> what is not complete (candle-table.ts). */
  "candles",
  "newestCandles",
  "candleParts",
  /** Number in the order first seen -> market opened on-chain. */
  "markets",
  /** Owner and token -> time of the last skip. */
  "skips",
  /** Ledger and number -> what became of an order or a budget (order-events.ts). */
  "orderEvents",
  "orderEventIndex",
  /** What the backing records keep, in their own words. */
  "backing",
] as const;
export type TableName = (typeof TABLE_NAMES)[number];
export type Tables = Readonly<Record<TableName, Table>>;

export type Root = RootDatabase<Buffer, Buffer>;
export type Environment = {
  readonly root: Root;
  readonly tables: Tables;
};

export const META_IDENTITY = Buffer.from("identity");
export const META_CURSOR = Buffer.from("cursor");
export const META_HORIZON = Buffer.from("horizon");
/** The first ledger from which the order events are complete; none while none are kept. */
export const META_ORDER_EVENTS = Buffer.from("orderEvents");
/** The first order event that lists may not have in their index; none: all are in it (order-event-index.ts). */
export const META_ORDER_EVENTS_PENDING = Buffer.from("orderEventsPending");
export const META_CONTRACT = Buffer.from("contract");

/** Address space at start; lmdb enlarges the map by itself when the data outgrows it. */
const MAP_BYTES = 1024 ** 3;
const TABLES_MAX = 32;
const BYTES = { keyEncoding: "binary", encoding: "binary" } as const;

/** Told of the meta table of a store that exists, or of none where the file is another program's. */
export type MetaCheck = (meta: Table | undefined) => void;

/**
 * Opens or makes the environment in a folder whose file has been checked (file-check.ts): lmdb
 * crashes on files that are none of its own. Nothing is made before `check` agreed; a store that
 * has another name then, or none, is named with `identity`.
 */
export function openEnvironment(
  path: string,
  check: MetaCheck,
  identity: Buffer,
  mapBytes = MAP_BYTES,
): Environment {
  const root = openRoot(path, { readOnly: false, mapBytes });
  try {
    const names = tableNames(root);
    const named = names.includes("meta") ? openTable(root, "meta") : undefined;
    // A start that ended before the store got its name leaves an empty meta table alone.
    const unnamed = names.length === 1 && named !== undefined && named.getKeysCount() === 0;
    if (names.length > 0 && !unnamed) check(named);
    const meta = named ?? openTable(root, "meta");
    const isNamed = meta.getBinary(META_IDENTITY)?.equals(identity) === true;
    if (!isNamed) meta.putSync(META_IDENTITY, identity);
    return { root, tables: openTables(root) };
  } catch (error) {
    void root.close();
    throw error;
  }
}

export function openRoot(
  path: string,
  options: {
    readonly readOnly: boolean;
    readonly mapBytes?: number;
    /** Commits are not flushed: for a file that counts once it is whole, or may be lost with the system. */
    readonly noSync?: boolean;
  },
): Root {
  return open<Buffer, Buffer>({
    path,
    noSubdir: false,
    readOnly: options.readOnly,
    noSync: options.noSync === true,
    // A commit is then on disk before its promise resolves, and a failing flush fails it.
    overlappingSync: false,
    // Batches are made by hand: automatic ones reject a promise that no caller holds.
    eventTurnBatching: false,
    mapSize: options.mapBytes ?? MAP_BYTES,
    maxDbs: TABLES_MAX,
    ...BYTES,
  });
}

export function openTable(root: Root, name: string): Table {
  return root.openDB<Buffer, Buffer>({ name, ...BYTES });
}

export function openTables(root: Root): Tables {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, openTable(root, name)])) as Tables;
}

/** The root table holds the names of the others. */
export function tableNames(root: Root): readonly string[] {
  const range = root.getKeys({ start: Buffer.from([0]), limit: TABLES_MAX });
  return Array.from(range, (key) => Buffer.from(key).toString("utf8").replaceAll("\0", ""));
}

/** Entries of a table; of the root, tables. */
export function entryCount(table: Table | Root): number {
  const stats: { readonly entryCount?: number } = table.getStats();
  return stats.entryCount ?? 0;
}

export type StoreSize = {
  /** Up to the last page in use; free pages before it included. */
  readonly fileBytes: number;
  /** Address space of the map, which lmdb enlarges by itself. */
  readonly mapBytes: number;
  /** Places taken in the file's table of readers, and all of them. */
  readonly readers: number;
  readonly readersMax: number;
};

/** Reads a few numbers of the file's head: under a millisecond. */
export function storeSize(root: Root): StoreSize {
  const stats: Partial<Record<string, unknown>> = root.getStats();
  const number = (name: string): number => Number(stats[name] ?? 0);
  return {
    fileBytes: (number("lastPageNumber") + 1) * number("pageSize"),
    mapBytes: number("mapSize"),
    readers: number("numReaders"),
    readersMax: number("maxReaders"),
  };
}
