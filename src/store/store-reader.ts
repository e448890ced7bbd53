// Reads of a store: one state of it at a time. By themselves they never write, and another thread or process may.
import type { Order } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import { storedIds } from "./address-ids.ts";
import { CandleTable } from "./candle-table.ts";
import { History } from "./history.ts";
import { OrderEvents } from "./order-events.ts";
import { Snapshot } from "./snapshot.ts";
import type { LedgerCursor } from "./step-record.ts";
import { StoreError } from "./store-error.ts";
import { type StoreParts, storedCursor } from "./store-parts.ts";
import {
  type Environment,
  openRoot,
  openTables,
  type Root,
  TABLE_NAMES,
  tableNames,
} from "./tables.ts";

/**
 * What is read of a store through one snapshot, by its writer too. `kept`: of what order-events.ts keeps. `rowsKept`:
 * of each kind, by history.ts.
 */
export function storeReads(
  { root, tables }: Environment,
  kept: ConstructorParameters<typeof OrderEvents>[1],
  rowsKept?: number,
) {
  const snapshot = new Snapshot(root);
  const parts: StoreParts = { tables, snapshot, ids: storedIds(tables, snapshot) };
  return {
    parts,
    history: new History(parts, rowsKept),
    candles: new CandleTable(parts),
    orderEvents: new OrderEvents(parts, kept),
  };
}

/** Of a store that another thread or process may be writing to. */
export class StoreReader {
  readonly history: History;
  readonly candles: CandleTable;
  readonly orderEvents: OrderEvents;
  readonly #root: Root;
  readonly #parts: StoreParts;

  /** `path`: folder of the store, which has been checked. Rejects with a StoreError where it has not all tables. */
  static async open(path: string): Promise<StoreReader> {
    const root = openRoot(path, { readOnly: true });
    const names = tableNames(root);
    if (TABLE_NAMES.some((name) => !names.includes(name))) {
      await root.close();
      throw new StoreError(
        "unavailable",
        `the store in ${path} holds no order events: no engine of this version ran on it`,
      );
    }
    return new StoreReader(root);
  }

  private constructor(root: Root) {
    const kept = { keepSeconds: Number.POSITIVE_INFINITY };
    const reads = storeReads({ root, tables: openTables(root) }, kept);
    this.#root = root;
    this.#parts = reads.parts;
    this.history = reads.history;
    this.candles = reads.candles;
    this.orderEvents = reads.orderEvents;
  }

  /** The last ledger stored; undefined before the first. */
  cursor(): LedgerCursor | undefined {
    return storedCursor(this.#parts);
  }

  /** The order created there, live or archived, as it is now. Throws a StoreError where there is none. */
  orderAt(position: Position): Order {
    this.history.forget([position]);
    return this.history.orderAt(position);
  }

  /** The rows of the backing records whose keys begin so, by key. */
  backingRows(prefix: string): readonly { readonly key: string; readonly value: Uint8Array }[] {
    // 0xff is no byte of a key.
    const [start, end] = [Buffer.from(prefix), Buffer.from(`${prefix}\xff`, "latin1")];
    const rows = this.#parts.snapshot.entries(this.#parts.tables.backing, { start, end });
    return rows.map(({ key, value }) => ({ key: key.toString(), value }));
  }

  /** Moves to the newest commit. */
  renew(): void {
    this.#parts.snapshot.renew();
    this.orderEvents.forget();
  }

  /** Lets go of the state, whose pages the writer then uses again. `renew` comes before the next read. */
  release(): void {
    this.#parts.snapshot.release();
  }

  async close(): Promise<void> {
    this.#parts.snapshot.release();
    await this.#root.close();
  }
}
