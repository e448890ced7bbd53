// A vector's world as a copy of the shared book: what the engine knows of it.
import type { BookChange } from "../../src/book/book-change.ts";
import { type BookView, bookBytes, bookView } from "../../src/book/shared-layout.ts";
import { applyChange, initCopy, writeState } from "../../src/book/shared-writer.ts";
import type { Backing } from "../../src/model/backing.ts";
import type { Order } from "../../src/model/order.ts";
import { position } from "../../src/model/position.ts";
import type { HolderState, OrderState, WorldState } from "../vectors/settlement-case.ts";

/** What a book made of a world may say on top of it. */
export type BookOptions = {
  /** UNIX seconds of the last skip, by owner and asset written one after the other. */
  readonly skipped?: ReadonlyMap<string, number>;
  /** Records that await confirmation, likewise. */
  readonly pending?: ReadonlySet<string>;
};

/** Live orders, every holder's backing record, and the header. */
export function bookOfWorld(state: WorldState, options: BookOptions = {}): BookView {
  const orders = state.orders.filter(({ expires }) => expires === 0n || expires > state.now);
  const granted = new Map(
    state.allowances
      .filter(({ liveUntil }) => liveUntil >= state.ledger)
      .map((allowance) => [`${allowance.owner}${allowance.asset}`, allowance]),
  );
  const backings = state.holders.map((holder) => {
    const allowance = granted.get(`${holder.holder}${holder.asset}`);
    return backingOf(holder, allowance ?? { amount: 0n, liveUntil: 0 }, state.now, options);
  });
  const capacity = {
    orders: orders.length + 1,
    owners: 2 * (orders.length + backings.length) + 2,
    assets: 2 * orders.length + backings.length + 1,
    sides: orders.length + 1,
    backings: 2 * orders.length + backings.length + 1,
  };
  const view = bookView(new SharedArrayBuffer(bookBytes(capacity)), capacity);
  const copy = initCopy(view, state.contract, "nothing");
  writeState(view, 1, { ledger: state.ledger, closeTime: state.now, frozen: state.frozen });
  const changes: readonly BookChange[] = [
    ...orders.map((order, at): BookChange => ({ kind: "put", order: liveOrder(order, at) })),
    ...backings.map((backing): BookChange => ({ kind: "backing", backing })),
  ];
  for (const change of changes) applyChange(copy, change);
  return view;
}

function liveOrder(state: OrderState, at: number): Order {
  const { id, owner, selling, buying, price, amount } = state;
  return {
    ...{ id, owner, selling, buying, price, amount },
    status: "ACTIVE",
    quote: amount,
    expires: Number(state.expires),
    created: 0,
    updated: 0,
    cursor: position({ ledger: 1 + at, transaction: 1, operation: 1, index: 0 }),
  };
}

function backingOf(
  holder: HolderState,
  allowance: { readonly amount: bigint; readonly liveUntil: number },
  updated: number,
  options: BookOptions,
): Backing {
  const { asset, holder: owner } = holder;
  const balance = holder.exists ? holder.balance - holder.sellingLiabilities : 0n;
  const authorized = holder.exists && holder.authorized;
  const budget = balance < allowance.amount ? balance : allowance.amount;
  const skipped = options.skipped?.get(`${owner}${asset}`);
  return {
    owner,
    asset,
    balance,
    allowance: allowance.amount,
    liveUntil: allowance.liveUntil,
    authorized,
    budget: authorized && budget > 0n ? budget : 0n,
    updated,
    pending: options.pending?.has(`${owner}${asset}`) ?? false,
    ...(holder.limit === null ? {} : { headroom: holder.limit - holder.balance }),
    ...(skipped === undefined ? {} : { skipped }),
  };
}
