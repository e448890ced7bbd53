import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Backing, Order } from "../../../src/api/types.ts";
import { AccountState } from "./account-state.ts";

function order(id: string, more: Partial<Order> = {}): Order {
  const fields = { selling: "CA", buying: "CB", price: "1", quote: "9", amount: "9", owner: "GM" };
  const created = "2026-01-01 00:00:00";
  const times = { rprice: 1e-18, created, updated: created, cursor: id };
  return { id, status: "ACTIVE", ...fields, ...times, ...more };
}

function backing(asset: string, budget: string): Backing {
  const amounts = { balance: budget, allowance: budget, budget };
  return { owner: "GM", asset, ...amounts, liveUntil: 9, authorized: true };
}

function started(): AccountState {
  const state = new AccountState();
  const body = { ...ACCOUNT, ledger: 5, orders: [order("1"), order("2")] };
  state.received({ type: "account", ...body, backing: { CA: backing("CA", "12") } });
  return state;
}

const ACCOUNT = { address: "GM", topic: "account:GM" } as const;
const FILL = { sold: "4", bought: "2", taker: "GT", trade: "700", ts: 1_767_225_600 };

describe("an account's state", () => {
  it("follows its orders from a snapshot to the next", () => {
    const state = started();
    const gone = order("1", { status: "FILLED" });
    state.received({ type: "order", ...ACCOUNT, action: "filled", order: gone, fill: FILL });
    state.received({ type: "order", ...ACCOUNT, action: "new", order: order("3") });
    assert.deepEqual([...state.orders.keys()], ["2", "3"]);
    const orders = [order("4")];
    state.received({ type: "account", ...ACCOUNT, ledger: 9, orders, backing: {} });
    assert.deepEqual([...state.orders.keys()], ["4"]);
    assert.equal(state.backing.size, 0);
  });

  it("gives each order its part of a backing that changed", () => {
    const state = started();
    const record = backing("CA", "10");
    const backed = { "1": "9", "2": "1" };
    state.received({ type: "backing", ...ACCOUNT, asset: "CA", backing: record, backed });
    assert.deepEqual(
      [...state.orders.values()].map(({ backed }) => backed),
      ["9", "1"],
    );
    assert.equal(state.backing.get("CA")?.budget, "10");
    state.received({ type: "backing", ...ACCOUNT, asset: "CA", backing: null, backed: {} });
    assert.equal(state.backing.has("CA"), false);
  });
});
