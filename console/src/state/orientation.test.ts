import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Trade } from "../../../src/api/types.ts";
import { canonicalPair, contractAddress } from "../../../src/model/address.ts";
import { fillsOf } from "../account/account-fills.ts";
import { exactPrice, orientedFill, orientedOrder } from "./orientation.ts";

const P = 10n ** 18n;
const [ONE, OTHER] = [3, 200].map((byte) => contractAddress(new Uint8Array(32).fill(byte)));
const { base, quote } = canonicalPair(ONE as never, OTHER as never);

describe("orders and fills as their market sees them", () => {
  it("are sales where base is given, at the price as it stands", () => {
    const order = { selling: base, buying: quote, price: String(P / 4n) };
    const { side, price, baseUnits, quoteUnits } = orientedOrder(order, "1001");
    assert.deepEqual([side, price, baseUnits, quoteUnits], ["sell", "0.25", 1001n, 251n]);
    assert.equal(exactPrice(order), "0.25");
  });

  it("are purchases where quote is given, at the inverted price", () => {
    const order = { selling: quote, buying: base, price: String(3n * P) };
    const { side, price, baseUnits, quoteUnits } = orientedOrder(order, "100");
    assert.deepEqual([side, price, baseUnits, quoteUnits], ["buy", "0.33333333", 300n, 100n]);
    assert.equal(exactPrice(order), "0.333333333333333333");
  });

  it("take the ends of what prices and amounts can be", () => {
    const most = String((1n << 127n) - 1n);
    for (const price of ["1", String(P * P)]) {
      for (const [selling, buying] of [
        [base, quote],
        [quote, base],
      ] as const) {
        const seen = orientedOrder({ selling, buying, price }, most);
        assert.ok(seen.baseUnits >= 0n && seen.quoteUnits >= 0n);
      }
    }
    assert.equal(orientedFill(base, "0", quote, "5").price, "0");
  });

  it("have two sides where an account trades with itself, and none of a taker order's own fill", () => {
    const trade: Trade = {
      type: "trade",
      id: "700",
      order: "1",
      taker: "GM",
      maker: "GM",
      soldAsset: quote,
      boughtAsset: base,
      sold: "2",
      bought: "4",
      left: "5",
      price: 2,
      cursor: "700",
      timestamp: "2026-01-01 00:00:00",
    };
    const sides = (record: Trade, account: string) =>
      fillsOf(record, account).map(({ role, seen, other }) => [role, seen.side, seen.price, other]);
    assert.deepEqual(sides(trade, "GM"), [
      ["maker", "sell", "0.5", "GM"],
      ["taker", "buy", "0.5", "GM"],
    ]);
    assert.deepEqual(sides({ ...trade, taker: "GT" }, "GT"), [["taker", "buy", "0.5", "GM"]]);
    assert.deepEqual(sides({ ...trade, taker: "GT", crossfill: true }, "GT"), []);
  });
});
