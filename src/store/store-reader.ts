// Reads of a store that another thread or process may be writing to: one state at a time, never written.
import type { Order } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import { storedIds } from "./address-ids.ts";
import { CandleTable } from "./candle-table.ts";
import { readCursor } from "./cursor-record.ts";
import { History } from "./history.ts";
import { OrderEvents } from "./order-events.ts";
import { Snapshot } from "./snapshot.ts";
import type { LedgerCursor } from "./step-record.ts";
import { StoreError } from "./store-error.ts";
import {
  META_CURSOR,
  openRoot,
  openTable,
  type Root,
  TABLE_NAMES,
  type Tables,
  tableNames,
} from "./tables.ts";

export class StoreReader {
  readonly #root: Root;
  readonly #tables: Tables;
  readonly #snapshot: Snapshot;
  readonly history: History;
  readonly candles: CandleTable;
  readonly orderEvents: OrderEvents;

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
    const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, openTable(root, name)]));
    this.#root = root;
    this.#tables = tables as Tables;
    const snapshot = new Snapshot(root);
    this.#snapshot = snapshot;
    const ids = storedIds(this.#tables, snapshot);
    this.history = new History(this.#tables, snapshot, ids);
    this.candles = new CandleTable(this.#tables, snapshot, ids);
    this.orderEvents = new OrderEvents(this.#tables, snapshot, ids, {
      keepSeconds: Number.POSITIVE_INFINITY,
    });
  }

  /** The last ledger stored; undefined before the first. */
  cursor(): LedgerCursor | undefined {
    const bytes = this.#snapshot.get(this.#tables.meta, META_CURSOR);
    return bytes && readCursor(bytes);
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
    const rows = this.#snapshot.entries(this.#tables.backing, { start, end });
    return rows.map(({ key, value }) => ({ key: key.toString(), value }));
  }

  /** Moves to the newest commit. */
  renew(): void {
    this.#snapshot.renew();
    this.orderEvents.forget();
  }

  /** Lets go of the state, whose pages the writer then uses again. `renew` comes before the next read. */
  release(): void {
    this.#snapshot.release();
  }

  async close(): Promise<void> {
    this.#snapshot.release();
    await this.#root.close();
  }
}
