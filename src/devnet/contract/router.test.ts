import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DAN,
  EXCHANGE,
  failure,
  GOLD,
  IRON,
  ROUTER,
  SampleExchange,
} from "../../../test/support/devnet/sample-exchange.ts";
import { orderId } from "../../model/order.ts";
import { PRICE_UNIT } from "../../model/settlement.ts";
import { Direction, TradeKind, tradeParameters, updateParameters } from "./call.ts";
import type { CallOutcome } from "./host.ts";
import { deriveOrderId } from "./order-id.ts";
import { type RoutedCall, routerArguments } from "./router.ts";
import { addressValue, bool, i128, u32, vec } from "./value.ts";

function route(
  sample: SampleExchange,
  calls: readonly RoutedCall[],
  fn: "run" | "run_then_fail" = "run",
): CallOutcome {
  return sample.world.invoke([DAN], ROUTER, fn, routerArguments(calls));
}

/** DAN sells 10 iron for gold into order 1. */
function sale(caught: boolean, orders = [orderId(1n)]): RoutedCall {
  const terms = { direction: Direction.sell, kind: TradeKind.fillOrKill, trader: DAN, amount: 10n };
  const pair = { selling: IRON, buying: GOLD, price: 1n };
  const args = tradeParameters.write({ ...terms, ...pair, orders, nonce: 0n, expires: 0n });
  return { contract: EXCHANGE, fn: "trade", args, caught };
}

test("a caught failure leaves nothing of itself and lets the other calls stand", () => {
  const sample = new SampleExchange();
  sample.place(1);
  const outcome = route(sample, [sale(true), sale(true, []), sale(false)]);
  assert.deepEqual(outcome, { ok: true, value: vec([bool(true), bool(false), bool(true)]) });
  assert.deepEqual(
    sample.events.map(({ kind }) => kind),
    ["trade", "trade"],
  );
  assert.equal(sample.order(orderId(1n))?.amount, 80n);
});

test("a failure that is not caught takes the calls before it along", () => {
  const sample = new SampleExchange();
  sample.place(1);
  assert.equal(failure(route(sample, [sale(true), sale(false, [])])), "notFilled");
  assert.equal(sample.order(orderId(1n))?.amount, 100n);
});

test("the router can fail by itself after calls that succeeded", () => {
  const sample = new SampleExchange();
  sample.place(1);
  assert.equal(failure(route(sample, [sale(false)], "run_then_fail")), 1);
  assert.deepEqual(sample.events, []);
});

test("the router can own orders: its call is its authorization", () => {
  const sample = new SampleExchange();
  sample.setHolding(GOLD, ROUTER, 50n);
  sample.setHolding(IRON, ROUTER, 0n);
  const grant = [addressValue(ROUTER), addressValue(EXCHANGE), i128(50n), u32(2_000)];
  const terms = { direction: Direction.sell, kind: TradeKind.limit, trader: ROUTER, amount: 50n };
  const pair = { selling: GOLD, buying: IRON, price: PRICE_UNIT };
  const place = tradeParameters.write({ ...terms, ...pair, orders: [], nonce: 3n, expires: 0n });
  const placed = route(sample, [
    { contract: GOLD, fn: "approve", args: grant, caught: false },
    { contract: EXCHANGE, fn: "trade", args: place, caught: false },
  ]);
  assert.equal(failure(placed), undefined);
  const id = deriveOrderId(ROUTER, 3n);
  assert.equal(sample.order(id)?.owner, ROUTER);
  sample.trade([id], { amount: 20n });
  assert.equal(sample.balance(IRON, ROUTER), 20n);
  // Nobody else can speak for it.
  const updates = [{ id, amount: 0n, price: 1n, expires: 0n }];
  const removal = updateParameters.write({ trader: ROUTER, updates, approvals: [] });
  assert.equal(failure(sample.call(DAN, "update", removal)), "auth");
});
