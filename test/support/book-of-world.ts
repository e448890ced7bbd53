// A vector's world as a copy of the shared book: what the engine knows of it.
import { backingChange } from "../../src/book/backing/backing-step.ts";
import type { BookChange } from "../../src/book/book-change.ts";
import type { BookCopy } from "../../src/book/shared-copy.ts";
import { type BookView, bookBytes, bookView } from "../../src/book/shared-layout.ts";
import { applyChange, initCopy, writeState } from "../../src/book/shared-writer.ts";
import type { BookState } from "../../src/book/step.ts";
import type { Address } from "../../src/model/address.ts";
import type { Backing } from "../../src/model/backing.ts";
import type { Order } from "../../src/model/order.ts";
import { position } from "../../src/model/position.ts";
import type { HolderState, OrderState, WorldState } from "../vectors/settlement-case.ts";
import type { TokenWorld } from "./call-bytes.ts";

/** What a book made of a world may say on top of it. */
export type BookOptions = {
  /** UNIX seconds of the last skip, by owner and asset written one after the other. */
  readonly skipped?: ReadonlyMap<string, number>;
  /** Records that await confirmation, likewise. */
  readonly pending?: ReadonlySet<string>;
};

/** Live orders, every holder's backing record, and the header. */
export function bookOfWorld(state: TokenWorld, options: BookOptions = {}): BookView {
  const changes = changesOfWorld(state, options);
  const copy = emptyCopy(state.contract, changes.length);
  writeState(copy.view, 1, bookStateOf(state));
  for (const change of changes) applyChange(copy, change);
  const { callBytesMax } = state;
  if (callBytesMax !== undefined) applyChange(copy, { kind: "eventsMax", bytes: callBytesMax });
  return copy.view;
}

/** A copy without orders, with room for so many changes. */
export function emptyCopy(contract: Address, changes: number): BookCopy {
  const capacity = {
    orders: changes + 1,
    owners: 2 * changes + 2,
    assets: 2 * changes + 1,
    sides: changes + 1,
    backings: 2 * changes + 1,
  };
  const view = bookView(new SharedArrayBuffer(bookBytes(capacity)), capacity);
  return initCopy(view, contract, "nothing");
}

export function bookStateOf({ ledger, now, frozen }: WorldState): BookState {
  return { ledger, closeTime: now, frozen };
}

/** What makes an empty book the world's. */
export function changesOfWorld(
  state: TokenWorld,
  options: BookOptions = {},
): readonly BookChange[] {
  const granted = new Map(
    state.allowances
      .filter(({ liveUntil }) => liveUntil >= state.ledger)
      .map((allowance) => [`${allowance.owner}${allowance.asset}`, allowance]),
  );
  const orders = state.orders.filter(({ expires }) => expires === 0n || expires > state.now);
  return [
    ...orders.map((order, at): BookChange => ({ kind: "put", order: liveOrder(order, at) })),
    ...state.holders.map((holder): BookChange => {
      const allowance = granted.get(`${holder.holder}${holder.asset}`);
      const none = { amount: 0n, liveUntil: 0 };
      const backing = backingOf(holder, allowance ?? none, state.now, options);
      return backingChange(backing, state.tokens?.get(holder.asset));
    }),
  ];
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
