// A book whose every field is a function of its sequence: a read that mixes two steps cannot look
// valid.
import assert from "node:assert/strict";
import type { BookChange } from "../../src/book/book-change.ts";
import {
  BACKING_SKIPPED,
  BACKING_STRIDE_U32,
  type BookView,
  LIST_COUNT,
  LIST_START,
  ORDER_EXPIRES_F64,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
  SIDE_LIST,
  SIDE_STRIDE_U32,
} from "../../src/book/shared-layout.ts";
import { findAsset, findSide } from "../../src/book/shared-lookup.ts";
import {
  backingBudget,
  bookCloseTime,
  bookLedger,
  bookSequence,
  isFrozen,
  orderAmount,
  orderId,
  orderPrice,
} from "../../src/book/shared-reader.ts";
import type { BookState } from "../../src/book/step.ts";
import { accountAddress, contractAddress } from "../../src/model/address.ts";
import type { OrderId } from "../../src/model/order.ts";
import type { Position } from "../../src/model/position.ts";
import { orderCount } from "../support/shared-usage.ts";

export const CONTRACT = contractAddress(new Uint8Array(32).fill(9));
const SELLING = contractAddress(new Uint8Array(32).fill(1));
const BUYING = contractAddress(new Uint8Array(32).fill(2));
const OWNER = accountAddress(new Uint8Array(32).fill(3));
/** Order ids from 0; enough that a step takes a reader's time several times over. */
const IDS = 60;

export type Derived = { reads: number; sequences: number; last: number };

function isLive(id: number, sequence: number): boolean {
  return sequence > 0 && (id + sequence) % 3 !== 0;
}

/** Every order moves to another place of its side with every step, and one in three comes or goes. */
function priceOf(id: number, sequence: number): bigint {
  return (1n << 70n) + BigInt((id * 37 + sequence * 11) % IDS);
}

function amountOf(id: number, sequence: number): bigint {
  return (BigInt(sequence) << 66n) + BigInt(id) + 1n;
}

export function stateOf(sequence: number): BookState {
  return { ledger: sequence + 5, closeTime: sequence * 2, frozen: sequence % 2 === 1 };
}

export function changesOf(sequence: number): BookChange[] {
  const changes: BookChange[] = [];
  for (let id = 0; id < IDS; id += 1) {
    if (isLive(id, sequence)) {
      const amount = amountOf(id, sequence);
      const order = {
        id: BigInt(id) as OrderId,
        status: "ACTIVE" as const,
        owner: OWNER,
        selling: SELLING,
        buying: BUYING,
        price: priceOf(id, sequence),
        quote: amount,
        amount,
        expires: sequence,
        created: 0,
        updated: 0,
        cursor: BigInt(id + 1) as Position,
      };
      changes.push({ kind: "put", order });
    } else if (isLive(id, sequence - 1)) {
      changes.push({ kind: "remove", id: BigInt(id) as OrderId });
    }
  }
  const budget = BigInt(sequence) << 65n;
  changes.push({
    kind: "backing",
    backing: {
      owner: OWNER,
      asset: SELLING,
      balance: budget,
      allowance: budget,
      liveUntil: 0,
      authorized: true,
      budget,
      updated: sequence,
      skipped: sequence,
      pending: false,
    },
  });
  return changes;
}

/** Throws unless the whole view is of one step, not older than the last one seen. */
export function assertDerived(view: BookView, seen: Derived): void {
  const sequence = bookSequence(view);
  assert(sequence >= seen.last, "went back to an older step");
  if (sequence > seen.last) seen.sequences += 1;
  seen.last = sequence;
  seen.reads += 1;
  if (sequence === 0) return;
  const state = stateOf(sequence);
  assert.equal(bookLedger(view), state.ledger);
  assert.equal(bookCloseTime(view), state.closeTime);
  assert.equal(isFrozen(view), state.frozen);
  const side = findSide(view, findAsset(view, BUYING), findAsset(view, SELLING));
  const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
  const start = view.sideU32[at + LIST_START]!;
  const count = view.sideU32[at + LIST_COUNT]!;
  let live = 0;
  for (let id = 0; id < IDS; id += 1) live += isLive(id, sequence) ? 1 : 0;
  assert.equal(count, live);
  assert.equal(orderCount(view), live);
  let best = 0n;
  for (let place = start; place < start + count; place += 1) {
    const slot = view.arena[place]!;
    const id = Number(orderId(view, slot));
    assert(isLive(id, sequence), "an order that is not of this step");
    const price = orderPrice(view, slot);
    assert.equal(price, priceOf(id, sequence));
    assert(price > best, "side not sorted");
    best = price;
    assert.equal(orderAmount(view, slot), amountOf(id, sequence));
    assert.equal(view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_EXPIRES_F64], sequence);
    const backing = view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_SOLD_BACKING]!;
    assert.equal(backingBudget(view, backing), BigInt(sequence) << 65n);
    assert.equal(view.backingU32[backing * BACKING_STRIDE_U32 + BACKING_SKIPPED], sequence);
  }
}
