// The durable record of the exchange, in one lmdb file. Main thread only.
//
// Invariant: every read goes through one snapshot, that of the last `renew`. What a commit wrote is
// seen only after it, when the rest of the process shows the same step.
import { setTimeout as delay } from "node:timers/promises";
import type { Address } from "../model/address.ts";
import type { ContractState } from "../model/contract-state.ts";
import type { OrderId } from "../model/order.ts";
import { POSITION_MAX, type Position } from "../model/position.ts";
import { inStepSlices, stepTurn } from "../model/slice-turns.ts";
import { messageOf } from "../model/thrown.ts";
import type { CandleTable } from "./candle-table.ts";
import { readContract, readMarket } from "./contract-record.ts";
import { makeFolder } from "./data-folder.ts";
import { checkFile, forgetStarts, noteClosed } from "./file-check.ts";
import type { History } from "./history.ts";
import { checkIdentity, identityBytes, type StoreIdentity } from "./identity.ts";
import { indexKey, indexPrefix, orderKey, readPosition, timeBytes } from "./keys.ts";
import { type LiveRow, newLiveRow, readLiveRow } from "./live-rows.ts";
import type { OrderEvents } from "./order-events.ts";
import { type OrderRecord, readOrder } from "./order-record.ts";
import { RecordReader } from "./record-bytes.ts";
import { Retention } from "./retention.ts";
import { RowCopy } from "./row-copy.ts";
import type { Horizon, LedgerCursor, StepRecord } from "./step-record.ts";
import { addressWrites, stepWrites, type Write, writeAll } from "./step-writes.ts";
import { StoreError, unavailable } from "./store-error.ts";
import { type StoreParts, storedCursor } from "./store-parts.ts";
import { storeReads } from "./store-reader.ts";
import {
  type Environment,
  META_CONTRACT,
  META_HORIZON,
  openEnvironment,
  type Root,
  type StoreSize,
  storeSize,
} from "./tables.ts";

export type ExpiryEntry = {
  readonly expires: number;
  readonly cursor: Position;
  readonly id: OrderId;
};

/** lmdb's code of an environment that can only be closed and opened anew. */
const MDB_PANIC = -30_795;
const COMMIT_REASON_MS = 200;
/** Open for that long, a store is not the cause of its process's end (a guess). */
const LONG_OPEN_MS = 60_000;
const NO_HORIZON: Horizon = { time: 0, cursor: 0n as Position };

/** Overridden by tests and benches, but for the periods kept. */
export type StoreOptions = {
  /** Address space at first. */
  readonly mapBytes?: number;
  /** Rows of each kind that history keeps as they were read. */
  readonly rowsKept?: number;
  /** Order events that wait for their index (order-event-index.ts). */
  readonly pendingOrderEvents?: number;
  /** Seconds for which order events are kept, at most as long as the history; 0 keeps none; absent: for ever. */
  readonly keepOrderEvents?: number;
  /** Seconds for which trades, failures and archived orders are kept; absent: for ever. */
  readonly keepHistory?: number;
};

export class Store {
  readonly history: History;
  readonly candles: CandleTable;
  readonly orderEvents: OrderEvents;
  readonly #root: Root;
  readonly #parts: StoreParts;
  readonly #path: string;
  readonly #retention: Retention;
  readonly #longOpen: NodeJS.Timeout;
  #committing: Promise<void> | undefined;
  /** By commits that are not shown yet. */
  #changedOrders: Position[] = [];
  #closed = false;

  /** Throws a StoreError where the folder holds no store of this network and contract. */
  static async open(
    path: string,
    identity: StoreIdentity,
    options: StoreOptions = {},
  ): Promise<Store> {
    await makeFolder(path).catch((cause) => {
      throw unavailable(`${path} cannot be made`, cause);
    });
    await checkFile(path);
    try {
      const check = checkIdentity.bind(undefined, path, identity);
      const named = identityBytes(identity);
      return new Store(path, openEnvironment(path, check, named, options.mapBytes), options);
    } catch (cause) {
      throw unavailable(`the store in ${path} cannot be opened`, cause);
    }
  }

  private constructor(path: string, environment: Environment, options: StoreOptions) {
    const keepHistory = options.keepHistory ?? Number.POSITIVE_INFINITY;
    // Order events refer to orders and trades.
    const keepSeconds = Math.min(options.keepOrderEvents ?? Number.POSITIVE_INFINITY, keepHistory);
    const { pendingOrderEvents: pendingEvents, rowsKept } = options;
    const reads = storeReads(environment, { keepSeconds, pendingEvents }, rowsKept);
    this.#path = path;
    this.#root = environment.root;
    this.#parts = reads.parts;
    this.history = reads.history;
    this.candles = reads.candles;
    this.orderEvents = reads.orderEvents;
    this.#retention = new Retention(reads.parts, reads.orderEvents, keepHistory);
    this.#longOpen = setTimeout(() => {
      forgetStarts(path).catch(() => undefined);
    }, LONG_OPEN_MS).unref();
    this.cursor();
  }

  /** The last ledger stored, or undefined. Throws a StoreError where it is none a chain can have. */
  cursor(): LedgerCursor | undefined {
    return storedCursor(this.#parts);
  }

  get size(): StoreSize {
    return storeSize(this.#root);
  }

  horizon(): Horizon {
    const bytes = this.#meta(META_HORIZON);
    if (bytes === undefined) return NO_HORIZON;
    return { time: bytes.readDoubleBE(0), cursor: readPosition(bytes, 8) };
  }

  contract(): ContractState {
    const bytes = this.#meta(META_CONTRACT);
    const flags = bytes && readContract(new RecordReader(bytes), this.#parts.ids);
    const { markets } = this.#parts.tables;
    const [start, end] = [Buffer.from([0]), Buffer.alloc(5, 0xff)];
    const rows = this.#parts.snapshot.entries(markets, { start, end });
    return {
      ...(flags ?? { frozen: false }),
      markets: rows.map(({ value }) => readMarket(new RecordReader(value), this.#parts.ids)),
    };
  }

  /** Gives every live order to `take`, oldest first, in a row that is good until it returns. */
  eachLiveRow(take: (row: LiveRow) => void): void {
    const row = newLiveRow();
    this.#parts.snapshot.sweep("live", (key, value) => {
      readLiveRow(row, key, value);
      take(row);
    });
  }

  /** What a number in a row stands for. Throws a StoreError where that is nothing. */
  addressOf(number: number): Address {
    return this.#parts.ids.addressOf(number);
  }

  /** The order whose entry is on-chain under the id, live or lapsed. */
  onChain(id: OrderId): OrderRecord | undefined {
    const { chain, live, archive } = this.#parts.tables;
    const key = this.#parts.snapshot.get(chain, orderKey(id));
    if (key === undefined) return undefined;
    const row = this.#parts.snapshot.get(live, key) ?? this.#parts.snapshot.get(archive, key);
    if (row === undefined)
      throw new StoreError("damaged", `the store is damaged: order ${id} lost`);
    return readOrder(new RecordReader(row), this.#parts.ids, readPosition(key, 0));
  }

  /** Orders on-chain with an expiration above `above` and up to `upTo`, soonest first. */
  expiring(above: Horizon, upTo: Horizon, limit: number): readonly ExpiryEntry[] {
    const [start, end] = [pastKey(above), pastKey(upTo)];
    if (Buffer.compare(start, end) >= 0) return [];
    return this.#expiries({ start, end, limit });
  }

  /** The same orders, latest first. */
  expired(above: Horizon, upTo: Horizon, limit: number): readonly ExpiryEntry[] {
    const [start, end] = [horizonKey(upTo), horizonKey(above)];
    if (Buffer.compare(start, end) <= 0) return [];
    return this.#expiries({ start, end, limit });
  }

  /** When a maker was last skipped selling a token, UNIX seconds. */
  skipped(owner: Address, asset: Address): number | undefined {
    const [one, other] = [this.#parts.ids.find(owner), this.#parts.ids.find(asset)];
    if (one === undefined || other === undefined) return undefined;
    const bytes = this.#parts.snapshot.get(this.#parts.tables.skips, indexPrefix(0, one, other));
    return bytes && new RecordReader(bytes).count();
  }

  /** All rows of the backing records, by key. */
  backingRows(): RowCopy {
    const rows = new RowCopy();
    this.#parts.snapshot.sweep("backing", (key, value) => rows.add(key, value));
    return rows;
  }

  /**
   * Resolves once all of the step is on disk; rejects with a StoreError when none of it is. Reads
   * stay as they are until `renew`. One commit at a time; it is put together in slices that leave the loop its turns.
   */
  async commit(step: StepRecord): Promise<void> {
    if (this.#closed) throw new StoreError("closed", "the store is closed");
    if (this.#committing !== undefined) throw new Error("a commit is in progress");
    this.#committing = this.#commit(step);
    try {
      await this.#committing;
    } finally {
      this.#committing = undefined;
    }
  }

  /** Shows what has been committed. */
  renew(): void {
    this.#parts.snapshot.renew();
    this.orderEvents.shown();
    this.history.forget(this.#changedOrders);
    this.#changedOrders = [];
  }

  /** Ends after the commit in progress. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#committing?.catch(() => undefined);
    this.#parts.snapshot.release();
    await this.#root.close();
    clearTimeout(this.#longOpen);
    await forgetStarts(this.#path).catch(() => undefined);
    // Without the note the next start looks at the whole file; nothing else depends on it.
    await noteClosed(this.#path).catch(() => undefined);
  }

  async #commit(step: StepRecord): Promise<void> {
    let stored = false;
    this.#parts.ids.startCommit();
    try {
      const writes = await inStepSlices(this.#writesOf(step));
      await stepTurn();
      await this.#write(writes);
      stored = true;
      this.orderEvents.stepped();
      this.#retention.stepped();
      for (const { after } of step.orders) this.#changedOrders.push(after.cursor);
    } finally {
      this.#parts.ids.endCommit(stored);
    }
  }

  /** All that goes into one transaction. */
  *#writesOf(step: StepRecord): Generator<void, readonly Write[]> {
    const { tables, ids } = this.#parts;
    const writes: Write[] = [];
    yield* stepWrites(writes, tables, ids, step);
    yield* this.orderEvents.writes(writes, step);
    yield;
    yield* this.#retention.writes(writes, step);
    yield;
    return writes.concat(addressWrites(tables, ids));
  }

  async #write(writes: readonly Write[]): Promise<void> {
    try {
      await writeAll(this.#root, writes);
    } catch (error) {
      const cause = await commitReason(error);
      const reason = messageOf(cause);
      const isLost = cause instanceof Error && "code" in cause && cause.code === MDB_PANIC;
      const code = isLost ? "unavailable" : "commit_failed";
      throw new StoreError(code, `a commit to the store failed: ${reason}`, cause);
    }
  }

  #meta(key: Buffer): Buffer | undefined {
    return this.#parts.snapshot.get(this.#parts.tables.meta, key);
  }

  #expiries(range: { start: Buffer; end: Buffer; limit: number }): readonly ExpiryEntry[] {
    const rows = this.#parts.snapshot.entries(this.#parts.tables.expiries, range);
    return rows.map(({ key, value }) => ({
      expires: key.readDoubleBE(0),
      cursor: readPosition(key, 8),
      id: ((value.readBigUInt64BE(0) << 64n) | value.readBigUInt64BE(8)) as OrderId,
    }));
  }
}

function horizonKey({ time, cursor }: Horizon): Buffer {
  return indexKey(timeBytes(time), cursor);
}

/** The first key above a horizon: no event has the highest position. */
function pastKey({ time, cursor }: Horizon): Buffer {
  return horizonKey({
    time,
    cursor: cursor === POSITION_MAX ? cursor : ((cursor + 1n) as Position),
  });
}

/** lmdb gives the reason of a failed commit in a promise of its own, which may never settle. */
async function commitReason(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !("commitError" in error)) return error;
  const reason = Promise.resolve(error.commitError).catch((cause: unknown) => cause);
  return Promise.race([reason, delay(COMMIT_REASON_MS, error)]);
}
