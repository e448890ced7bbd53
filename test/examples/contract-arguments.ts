// Printed arguments as the contract takes them, strictly: every one there, in its order, none more.
import assert from "node:assert/strict";
import {
  swapParameters,
  tradeParameters,
  updateParameters,
} from "../../src/devnet/contract/call.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import { address } from "../../src/model/address.ts";
import { type OrderId, parseOrderId } from "../../src/model/order.ts";
import type { Row } from "../e2e/api-client.ts";

const NAMES: Readonly<Record<string, readonly string[]>> = {
  trade: [
    "direction",
    "kind",
    "trader",
    "amount",
    "selling",
    "buying",
    "price",
    "orders",
    "nonce",
    "expires",
    "approve",
  ],
  swap: ["direction", "trader", "selling", "selling_amount", "buying_amount", "path", "approve"],
  update: ["trader", "updates", "approvals"],
};

export function contractArguments({ fn, args }: Row): readonly Value[] {
  assert.deepEqual(Object.keys(args), NAMES[fn], fn);
  if (fn === "swap") {
    return swapParameters.write({
      direction: args.direction,
      trader: address(args.trader),
      selling: address(args.selling),
      sellingAmount: integer(args.selling_amount),
      buyingAmount: integer(args.buying_amount),
      path: args.path.map(({ asset, orders }: Row) => ({
        asset: address(asset),
        orders: ids(orders),
      })),
      ...approvalOf(args),
    });
  }
  if (fn === "trade") {
    return tradeParameters.write({
      direction: args.direction,
      kind: args.kind,
      trader: address(args.trader),
      amount: integer(args.amount),
      selling: address(args.selling),
      buying: address(args.buying),
      price: integer(args.price),
      orders: ids(args.orders),
      nonce: integer(args.nonce),
      expires: integer(args.expires),
      ...approvalOf(args),
    });
  }
  return updateParameters.write({
    trader: address(args.trader),
    updates: args.updates.map((update: Row) => {
      assert.deepEqual(Object.keys(update), ["amount", "expires", "id", "price"]);
      return {
        id: id(update.id),
        amount: integer(update.amount),
        price: integer(update.price),
        expires: integer(update.expires),
      };
    }),
    approvals: args.approvals.map(approval),
  });
}

function approvalOf({ approve }: Row) {
  return approve === null ? {} : { approve: approval(approve) };
}

function approval({ asset, amount, live_until: liveUntil }: Row) {
  assert.equal(typeof liveUntil, "number");
  return { asset: address(asset), amount: integer(amount), liveUntil };
}

function integer(text: unknown): bigint {
  assert.match(String(text), /^[0-9]+$/);
  assert.equal(typeof text, "string");
  return BigInt(text as string);
}

function ids(texts: readonly string[]): readonly OrderId[] {
  return texts.map(id);
}

function id(text: string): OrderId {
  const parsed = parseOrderId(text);
  assert.ok(parsed !== undefined, text);
  return parsed;
}
