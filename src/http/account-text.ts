// An account's orders and backing as JSON members, all of one state. Many orders are put into text in
// slices between which the main thread serves others. Main thread.
import type { ReadModel } from "../book/read-model.ts";
import type { Step } from "../book/step.ts";
import type { Address } from "../model/address.ts";
import { type Order, OrderStatus } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import { lesser } from "../model/settlement.ts";
import { nextSlice } from "../model/slice-turns.ts";
import { backingJson, embeddedBackingJson } from "./json/backing-json.ts";
import { backingPiece, type OrderPieces, orderPieces } from "./json/order-json.ts";
import { jsonArray } from "./route.ts";
import { liveOrderJson } from "./routes/order.ts";

/** Orders of a slice: a few milliseconds of work (measured 2026-11, two cores: 1 to 3 ms). */
const SLICE_ORDERS = 100;

/** So many that their text is made in slices. */
export function hasManyOrders(readModel: ReadModel, owner: Address): boolean {
  return ordersOf(readModel, owner, undefined, SLICE_ORDERS).length === SLICE_ORDERS;
}

/** Of the state shown now, within one turn: for few orders. */
export function accountMembers(readModel: ReadModel, owner: Address): string {
  const orders = ordersOf(readModel, owner, undefined, Math.max(1, readModel.markets.orderCount));
  return membersText(
    readModel,
    owner,
    jsonArray(orders.map((order) => liveOrderJson(readModel, order))),
  );
}

/**
 * Reads the account in slices and follows the steps shown meanwhile. Undefined once nobody wants it any more;
 * otherwise `pin` is to be called, or the first step after which nobody wants it ends it.
 */
export async function accountText(
  readModel: ReadModel,
  owner: Address,
  isWanted: () => boolean,
): Promise<AccountText | undefined> {
  const text = new AccountText(readModel, owner, isWanted);
  let isWhole = false;
  try {
    isWhole = await text.filled();
    return isWhole ? text : undefined;
  } finally {
    if (!isWhole) text.end();
  }
}

export class AccountText {
  readonly #readModel: ReadModel;
  readonly #owner: Address;
  readonly #isWanted: () => boolean;
  /** Oldest first, unless a revived order made it otherwise. */
  readonly #rows = new Map<Position, Row>();
  #isSorted = true;
  /** What its rows sell or sold. */
  readonly #selling = new Set<Address>();
  /** The latest cursor of its rows. */
  #last: Position | undefined;
  /** How far orders are read. */
  #readTo: Position | undefined;
  #isWhole = false;
  /** Stops following steps. */
  readonly end: () => void;

  constructor(readModel: ReadModel, owner: Address, isWanted: () => boolean) {
    this.#readModel = readModel;
    this.#owner = owner;
    this.#isWanted = isWanted;
    this.end = readModel.onStep((step) => {
      if (isWanted()) this.#stepped(step);
      else this.end();
    });
  }

  /** False where nobody wants it any more. */
  async filled(): Promise<boolean> {
    for (;;) {
      if (!this.#isWanted()) return false;
      const orders = ordersOf(this.#readModel, this.#owner, this.#readTo, SLICE_ORDERS);
      for (const order of orders) this.#put(order);
      this.#readTo = orders.at(-1)?.cursor ?? this.#readTo;
      this.#isWhole = orders.length < SLICE_ORDERS;
      if (this.#isWhole) return true;
      await nextSlice();
    }
  }

  /** As it is in the state shown now. Nothing is followed any more. */
  pin(): PinnedAccount {
    this.end();
    const [readModel, owner] = [this.#readModel, this.#owner];
    const budgets = new Map<Address, Budget>();
    for (const asset of this.#selling) budgets.set(asset, budgetOf(readModel, owner, asset));
    return new PinnedAccount(this.#sortedRows(), budgets, membersAround(readModel, owner));
  }

  #stepped({ events }: Step): void {
    for (const event of events) {
      if (event.kind !== "order" || event.order.owner !== this.#owner) continue;
      const { order } = event;
      if (order.status !== OrderStatus.active) this.#rows.delete(order.cursor);
      // What is not read yet is read as it is then.
      else if (this.#isRead(order.cursor)) this.#put(order);
    }
  }

  #isRead(cursor: Position): boolean {
    return this.#isWhole || (this.#readTo !== undefined && cursor <= this.#readTo);
  }

  #put(order: Order): void {
    const { cursor } = order;
    if (this.#last === undefined || cursor > this.#last) this.#last = cursor;
    else if (!this.#rows.has(cursor)) this.#isSorted = false;
    this.#rows.set(cursor, { order, ...orderPieces(order) });
    this.#selling.add(order.selling);
  }

  #sortedRows(): readonly Row[] {
    const rows = [...this.#rows.values()];
    if (this.#isSorted) return rows;
    return rows.sort((a, b) => (a.order.cursor < b.order.cursor ? -1 : 1));
  }
}

/** All of one state, whatever is shown since; its text is made in portions. */
export class PinnedAccount {
  readonly #rows: readonly Row[];
  readonly #budgets: ReadonlyMap<Address, Budget>;
  readonly #around: readonly [string, string];
  readonly #made: string[] = [];
  #at = 0;

  constructor(
    rows: readonly Row[],
    budgets: ReadonlyMap<Address, Budget>,
    around: readonly [string, string],
  ) {
    this.#rows = rows;
    this.#budgets = budgets;
    this.#around = around;
  }

  /** Puts some orders more into text, less than a millisecond of work. False once there are no others. */
  make(): boolean {
    const end = Math.min(this.#at + SLICE_ORDERS, this.#rows.length);
    const pieces: string[] = [];
    for (; this.#at < end; this.#at += 1) {
      const row = this.#rows[this.#at];
      if (row !== undefined) this.#addRow(row, pieces);
    }
    this.#made.push(pieces.join(""));
    return end < this.#rows.length;
  }

  /** The members between two texts, once all are made. A few milliseconds for ten thousands of orders. */
  text(before: string, after: string): string {
    const [head, tail] = this.#around;
    return [before, head, "[", ...this.#made, "]", tail, after].join("");
  }

  #addRow({ order, head, tail }: Row, pieces: string[]): void {
    const budget = this.#budgets.get(order.selling);
    // These are all of the owner's live orders, oldest first: the split is that of `backed`.
    const share = budget === undefined ? 0n : lesser(order.amount, budget.left);
    if (budget !== undefined) budget.left -= share;
    pieces.push(this.#at === 0 ? "" : ",", head, backingPiece(share, budget?.text), tail);
  }
}

type Row = OrderPieces & { readonly order: Order };

/** What stands behind the orders that sell an asset; `text`: undefined where that is not tracked. */
type Budget = { readonly text: string | undefined; left: bigint };

function budgetOf(readModel: ReadModel, owner: Address, asset: Address): Budget {
  const backing = readModel.backings.backing(owner, asset);
  const text = backing === undefined ? undefined : embeddedBackingJson(backing);
  return { text, left: backing?.budget ?? 0n };
}

function ordersOf(
  readModel: ReadModel,
  owner: Address,
  after: Position | undefined,
  limit: number,
): readonly Order[] {
  return readModel.history.liveOrders({ owner, assets: [] }, { after, limit });
}

function membersText(readModel: ReadModel, owner: Address, orders: string): string {
  const [head, tail] = membersAround(readModel, owner);
  return head + orders + tail;
}

/** What stands before and behind the orders. */
function membersAround(readModel: ReadModel, owner: Address): readonly [string, string] {
  const { ledger } = readModel;
  const backing = readModel.backings
    .accountBacking(owner)
    .map((record) => `"${record.asset}":${backingJson(record)}`);
  return [
    `"address":"${owner}"${ledger === undefined ? "" : `,"ledger":${ledger}`},"orders":`,
    `,"backing":{${backing.join(",")}}`,
  ];
}
