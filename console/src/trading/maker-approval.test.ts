import assert from "node:assert/strict";
import { it } from "node:test";
import type { Backing, Order } from "../../../src/api/types.ts";
import { makerApproval } from "./maker-approval.ts";

function state(orders: readonly [string, string][], allowance: string, liveUntil: number) {
  const created = "2026-01-01 00:00:00";
  const made = orders.map(([id, amount]): [string, Order] => [
    id,
    {
      id,
      status: "ACTIVE",
      selling: id.startsWith("x") ? "CB" : "CA",
      buying: "CC",
      price: "1",
      rprice: 1e-18,
      quote: amount,
      amount,
      owner: "GA",
      created,
      updated: created,
      cursor: id,
    },
  ]);
  const amounts = { balance: "9", allowance, budget: "9" };
  const backing: Backing = { owner: "GA", asset: "CA", ...amounts, liveUntil, authorized: true };
  return { orders: new Map(made), backing: new Map([["CA", backing]]) };
}

it("approves for all orders that sell the token, and not where enough is approved for long", () => {
  const wanted = { selling: "CA", more: 10n, ledger: 1000 };
  const orders: [string, string][] = [
    ["1", "5"],
    ["2", "7"],
    ["x", "1000"],
  ];
  const fresh = { asset: "CA", live_until: 519_400 };
  assert.deepEqual(makerApproval(state([], "0", 0), wanted), { amount: 10n, ...fresh });
  assert.deepEqual(makerApproval(state(orders, "21", 900_000), wanted)?.amount, 22n);
  assert.equal(makerApproval(state(orders, "22", 900_000), wanted), undefined);
  assert.equal(makerApproval(state(orders, "17", 900_000), { ...wanted, except: "1" }), undefined);
  const ending = makerApproval(state(orders, "500", 1001), wanted);
  assert.deepEqual(ending, { amount: 500n, ...fresh }, "never lowers what lives");
  const ended = makerApproval(state(orders, "500", 999), wanted);
  assert.deepEqual(ended, { amount: 22n, ...fresh });
  const late = makerApproval(state(orders, "21", 900_000), wanted);
  assert.equal(late?.live_until, 900_000, "never shortens what lives");
});
