import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Order, Quote, QuotePath } from "../../../src/api/types.ts";
import { callCommand, contractCalls } from "./contract-call.ts";
import { settleRoute } from "./settle-route.ts";

const P = 10n ** 18n;

function order(id: string, amount: bigint, price: bigint): Order {
  const assets = { selling: "CB", buying: "CA", owner: "GM" };
  const created = "2026-01-01 00:00:00";
  const times = { rprice: Number(price) / 1e18, created, updated: created, cursor: id };
  return {
    id,
    status: "ACTIVE",
    ...assets,
    price: String(price),
    quote: String(amount),
    amount: String(amount),
    ...times,
  };
}

function hop(selling: string, buying: string, orders: string[], worstPrice = P) {
  return { selling, buying, orders, worstPrice: String(worstPrice) };
}

const ORDERS = new Map(
  [order("1", 100n, 2n * P), order("2", 50n, 3n * P), order("3", 1000n, P / 3n)].map((one) => [
    one.id,
    one,
  ]),
);

describe("a route hop by hop", () => {
  it("buys backwards from its output, paying each order rounded up", () => {
    const path: QuotePath = {
      sold: "230",
      bought: "330",
      path: [hop("CA", "CB", ["1", "2"]), hop("CB", "CC", ["3"])],
    };
    const hops = settleRoute(path, ORDERS);
    assert.deepEqual(
      hops?.map(({ paid, got, fills }) => ({
        paid,
        got,
        fills: fills.map((fill) => [fill.order.id, fill.paid, fill.got]),
      })),
      [
        {
          paid: 230n,
          got: 110n,
          fills: [
            ["1", 200n, 100n],
            ["2", 30n, 10n],
          ],
        },
        { paid: 110n, got: 330n, fills: [["3", 110n, 330n]] },
      ],
    );
  });

  it("is not told where an order is gone or changed", () => {
    const path: QuotePath = { sold: "20", bought: "10", path: [hop("CA", "CB", ["1"])] };
    assert.notEqual(settleRoute(path, ORDERS), undefined);
    assert.equal(settleRoute(path, new Map()), undefined);
    assert.equal(settleRoute({ ...path, sold: "21" }, ORDERS), undefined);
    assert.equal(settleRoute({ ...path, bought: "101" }, ORDERS), undefined);
  });
});

const OPTIONS = { trader: "GTRADER", toleranceBps: 50, nonce: 7n };

function quoteOf(direction: "strict_send" | "strict_receive", path: QuotePath): Quote {
  const assets = { sellingAsset: "CA", buyingAsset: "CB" };
  return { id: "q", status: "success", direction, ...assets, ledger: 1, paths: [path] };
}

describe("the contract call of a route", () => {
  const two: QuotePath = {
    sold: "1000",
    bought: "999",
    path: [hop("CA", "CC", ["1"]), hop("CC", "CB", ["2"])],
  };
  const direct: QuotePath = {
    sold: "1000",
    bought: "999",
    path: [hop("CA", "CB", ["1", "2"], 3n * P)],
  };

  it("is a swap with the chosen tolerance, and in a direct market a trade before it", () => {
    const [swap, ...more] = contractCalls(quoteOf("strict_send", two), two, OPTIONS);
    assert.equal(more.length, 0);
    assert.ok(swap?.call.fn === "swap");
    assert.equal(swap.call.args.buying_amount, 994n);
    const names = (quote: Quote) =>
      contractCalls(quote, direct, OPTIONS).map(({ call }) => call.fn);
    assert.deepEqual(names(quoteOf("strict_send", direct)), ["trade", "swap"]);
    assert.deepEqual(names(quoteOf("strict_receive", direct)), ["trade", "swap"]);
  });

  it("is a limit order with the whole amount and its own price", () => {
    const limit = { ...OPTIONS, limitPrice: P / 4n, requestedAmount: "5000" };
    const [first, ...more] = contractCalls(quoteOf("strict_send", direct), direct, limit);
    assert.equal(more.length, 0);
    assert.ok(first?.call.fn === "trade");
    const { kind, amount, price, nonce, orders } = first.call.args;
    assert.deepEqual([kind, amount, price, nonce, orders], [1, 5000n, P / 4n, 7n, [1n, 2n]]);
  });

  it("can be copied as a command", () => {
    const [shown] = contractCalls(quoteOf("strict_send", two), two, OPTIONS);
    assert.ok(shown !== undefined);
    const command = callCommand(shown.call, "CX");
    assert.match(command, /--id CX \\\n/);
    assert.match(command, /-- swap \\\n {2}--direction 1 \\\n/);
    assert.match(command, /--path '\[\{"asset":"CC","orders":\["1"\]\},/);
    assert.ok(!command.includes("approve"));
  });
});
