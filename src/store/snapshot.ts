// Read snapshot: one state of the store. lmdb renews its own read transaction at every commit; this one moves
// only by `renew`. Every range is read to its end before it is returned, so no
// cursor stays open.
import type { Transaction } from "lmdb";
import { POSITION_MAX, type Position } from "../model/position.ts";
import { indexKey, positionKey, readPosition } from "./keys.ts";
import { sweepTable, type TakeEntry } from "./table-sweep.ts";
import type { Root, Table, TableName } from "./tables.ts";

export type Range = {
  /** Both exclusive; the ends of the chain where absent. */
  readonly after?: Position | undefined;
  readonly before?: Position | undefined;
  readonly newestFirst?: boolean;
  readonly limit: number;
};

const NO_POSITION = 0n as Position;
const EVERY_ROW = Buffer.alloc(0);

export class Snapshot {
  readonly #root: Root;
  #transaction: Transaction | undefined;

  constructor(root: Root) {
    this.#root = root;
    this.renew();
  }

  /** Moves to the newest commit. */
  renew(): void {
    const old = this.#transaction;
    this.#root.resetReadTxn();
    this.#transaction = this.#root.useReadTransaction();
    old?.done();
  }

  release(): void {
    this.#transaction?.done();
    this.#transaction = undefined;
  }

  get(table: Table, key: Buffer): Buffer | undefined {
    return table.get(key, { transaction: this.#current() });
  }

  /** The positions of the entries under an index prefix. */
  positions(index: Table, prefix: Buffer, range: Range): readonly Position[] {
    const keys = index.getKeys({ ...bounds(prefix, range), transaction: this.#current() });
    return Array.from(keys, (key) => readPosition(key, prefix.length));
  }

  rows(table: Table, range: Range): readonly { readonly key: Buffer; readonly value: Buffer }[] {
    return Array.from(
      table.getRange({ ...bounds(EVERY_ROW, range), transaction: this.#current() }),
    );
  }

  /** The entries from `start` (inclusive) to `end` (exclusive), backwards where start is above. */
  entries(
    table: Table,
    range: { readonly start: Buffer; readonly end: Buffer; readonly limit?: number },
  ): readonly { readonly key: Buffer; readonly value: Buffer }[] {
    const reverse = Buffer.compare(range.start, range.end) > 0;
    return Array.from(table.getRange({ ...range, reverse, transaction: this.#current() }));
  }

  /** Gives every entry of a table to `take`, in the order of keys. */
  sweep(table: TableName, take: TakeEntry): void {
    sweepTable(this.#root, table, this.#current(), take);
  }

  #current(): Transaction {
    if (this.#transaction === undefined) throw new Error("the store is closed");
    return this.#transaction;
  }
}

// No event has the position 0 or the highest one, so exclusive ends lose nothing.
function bounds(prefix: Buffer, { after, before, newestFirst = false, limit }: Range) {
  const low = after === undefined ? NO_POSITION : after;
  const high = before === undefined ? POSITION_MAX : before;
  const key = (at: Position) => (prefix === EVERY_ROW ? positionKey(at) : indexKey(prefix, at));
  if (low >= high) return { start: key(high), end: key(high), reverse: false, limit: 0 };
  return newestFirst
    ? { start: key((high - 1n) as Position), end: key(low), reverse: true, limit }
    : { start: key((low + 1n) as Position), end: key(high), reverse: false, limit };
}
