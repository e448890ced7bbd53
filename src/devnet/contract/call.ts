// The exchange's functions with their arguments (contract.md, Functions and arguments): typed here,
// Values on the wire. Amounts in base units, prices times 10^18, times in UNIX seconds.
import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import {
  argument,
  asAddress,
  asI128,
  asId,
  asU32,
  asU64,
  asVec,
  expectCount,
  field,
  invalid,
} from "./arguments.ts";
import { addressValue, i128, map, u32, u64, u128, type Value, VOID, vec } from "./value.ts";

export const Direction = { sell: 1, buy: 2 } as const;
export type Direction = (typeof Direction)[keyof typeof Direction];

export const TradeKind = { limit: 1, fill: 2, fillOrKill: 3 } as const;
export type TradeKind = (typeof TradeKind)[keyof typeof TradeKind];

/** An allowance the trader grants the exchange in the same call; `liveUntil` is a ledger. */
export type Approval = {
  readonly asset: Address;
  readonly amount: bigint;
  readonly liveUntil: number;
};

export type TradeCall = {
  readonly direction: Direction;
  readonly kind: TradeKind;
  readonly trader: Address;
  /** Sell: of `selling`. Buy: of `buying`. */
  readonly amount: bigint;
  readonly selling: Address;
  readonly buying: Address;
  /** Sell: least `buying` per `selling`. Buy: most `selling` per `buying`. */
  readonly price: bigint;
  readonly orders: readonly OrderId[];
  readonly nonce: bigint;
  readonly expires: bigint;
  readonly approve?: Approval;
};

/** `amount` 0 removes the order. */
export type OrderUpdate = {
  readonly id: OrderId;
  readonly amount: bigint;
  readonly price: bigint;
  readonly expires: bigint;
};

export type UpdateCall = {
  readonly trader: Address;
  readonly updates: readonly OrderUpdate[];
  readonly approvals: readonly Approval[];
};

export type CrossfillCall = {
  readonly trader: Address;
  readonly takerOrder: OrderId;
  readonly orders: readonly OrderId[];
};

/** One hop: the asset bought and the orders listed. */
export type SwapHop = { readonly asset: Address; readonly orders: readonly OrderId[] };

export type SwapCall = {
  readonly direction: Direction;
  readonly trader: Address;
  readonly selling: Address;
  /** Sell: exact input. Buy: most input. */
  readonly sellingAmount: bigint;
  /** Sell: least output. Buy: exact output. */
  readonly buyingAmount: bigint;
  readonly path: readonly SwapHop[];
  readonly approve?: Approval;
};

export function tradeArguments(call: TradeCall): readonly Value[] {
  return [
    u32(call.direction),
    u32(call.kind),
    addressValue(call.trader),
    i128(call.amount),
    addressValue(call.selling),
    addressValue(call.buying),
    i128(call.price),
    idsValue(call.orders),
    u64(call.nonce),
    u64(call.expires),
    call.approve === undefined ? VOID : approvalValue(call.approve),
  ];
}

export function updateArguments(call: UpdateCall): readonly Value[] {
  const updates = call.updates.map((update) =>
    map([
      ["amount", i128(update.amount)],
      ["expires", u64(update.expires)],
      ["id", u128(update.id)],
      ["price", i128(update.price)],
    ]),
  );
  return [addressValue(call.trader), vec(updates), vec(call.approvals.map(approvalValue))];
}

export function crossfillArguments(call: CrossfillCall): readonly Value[] {
  return [addressValue(call.trader), u128(call.takerOrder), idsValue(call.orders)];
}

export function swapArguments(call: SwapCall): readonly Value[] {
  const path = call.path.map((hop) =>
    map([
      ["asset", addressValue(hop.asset)],
      ["orders", idsValue(hop.orders)],
    ]),
  );
  return [
    u32(call.direction),
    addressValue(call.trader),
    addressValue(call.selling),
    i128(call.sellingAmount),
    i128(call.buyingAmount),
    vec(path),
    call.approve === undefined ? VOID : approvalValue(call.approve),
  ];
}

function approvalValue(approval: Approval): Value {
  return map([
    ["amount", i128(approval.amount)],
    ["asset", addressValue(approval.asset)],
    ["live_until", u32(approval.liveUntil)],
  ]);
}

function idsValue(ids: readonly OrderId[]): Value {
  return vec(ids.map(u128));
}

/** Throws a CallFailure of kind `invalid` where arguments do not fit; so do the readers below. */
export function readTrade(args: readonly Value[]): TradeCall {
  expectCount(args, 11);
  return {
    direction: readDirection(argument(args, 0)),
    kind: readKind(argument(args, 1)),
    trader: asAddress(argument(args, 2)),
    amount: asI128(argument(args, 3)),
    selling: asAddress(argument(args, 4)),
    buying: asAddress(argument(args, 5)),
    price: asI128(argument(args, 6)),
    orders: readIds(argument(args, 7)),
    nonce: asU64(argument(args, 8)),
    expires: asU64(argument(args, 9)),
    ...readApproveOption(argument(args, 10)),
  };
}

export function readUpdate(args: readonly Value[]): UpdateCall {
  expectCount(args, 3);
  return {
    trader: asAddress(argument(args, 0)),
    updates: asVec(argument(args, 1)).map((update) => ({
      id: asId(field(update, "id")),
      amount: asI128(field(update, "amount")),
      price: asI128(field(update, "price")),
      expires: asU64(field(update, "expires")),
    })),
    approvals: asVec(argument(args, 2)).map(readApproval),
  };
}

export function readCrossfill(args: readonly Value[]): CrossfillCall {
  expectCount(args, 3);
  return {
    trader: asAddress(argument(args, 0)),
    takerOrder: asId(argument(args, 1)),
    orders: readIds(argument(args, 2)),
  };
}

export function readSwap(args: readonly Value[]): SwapCall {
  expectCount(args, 7);
  return {
    direction: readDirection(argument(args, 0)),
    trader: asAddress(argument(args, 1)),
    selling: asAddress(argument(args, 2)),
    sellingAmount: asI128(argument(args, 3)),
    buyingAmount: asI128(argument(args, 4)),
    path: asVec(argument(args, 5)).map((hop) => ({
      asset: asAddress(field(hop, "asset")),
      orders: readIds(field(hop, "orders")),
    })),
    ...readApproveOption(argument(args, 6)),
  };
}

function readDirection(value: Value): Direction {
  const number = asU32(value);
  if (number === Direction.sell || number === Direction.buy) return number;
  return invalid(`no direction ${number}`);
}

function readKind(value: Value): TradeKind {
  const number = asU32(value);
  if (number === TradeKind.limit || number === TradeKind.fill || number === TradeKind.fillOrKill) {
    return number;
  }
  return invalid(`no kind ${number}`);
}

function readApproval(value: Value): Approval {
  return {
    amount: asI128(field(value, "amount")),
    asset: asAddress(field(value, "asset")),
    liveUntil: asU32(field(value, "live_until")),
  };
}

function readApproveOption(value: Value): { readonly approve?: Approval } {
  return value.type === "void" ? {} : { approve: readApproval(value) };
}

function readIds(value: Value): readonly OrderId[] {
  return asVec(value).map(asId);
}
