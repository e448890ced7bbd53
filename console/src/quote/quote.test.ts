import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Order, Quote, QuotePath } from "../../../src/api/types.ts";
import { callCommand, callJson, contractCalls } from "./contract-call.ts";
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

const OPTIONS = { trader: "GTRADER", toleranceBps: 50, nonce: "7" };

function quoteOf(direction: "strict_send" | "strict_receive", path: QuotePath): Quote {
  const assets = { sellingAsset: "CA", buyingAsset: "CB" };
  return { id: "q", status: "success", direction, ...assets, ledger: 1, paths: [path] };
}

function args(call: { readonly args: readonly (readonly [string, unknown])[] } | undefined) {
  return Object.fromEntries(call?.args ?? []);
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

  it("is a swap with one step a hop", () => {
    const calls = contractCalls(quoteOf("strict_send", two), two, OPTIONS);
    assert.deepEqual(
      calls.map(({ fn }) => fn),
      ["swap"],
    );
    assert.deepEqual(args(calls[0]), {
      direction: 1,
      trader: "GTRADER",
      selling: "CA",
      selling_amount: "1000",
      buying_amount: "994",
      path: [
        { asset: "CC", orders: ["1"] },
        { asset: "CB", orders: ["2"] },
      ],
      approve: null,
    });
  });

  it("takes the exact output and a maximum input to receive", () => {
    const swap = args(contractCalls(quoteOf("strict_receive", two), two, OPTIONS)[0]);
    assert.deepEqual([swap.direction, swap.selling_amount, swap.buying_amount], [2, "1005", "999"]);
    const exact = args(
      contractCalls(quoteOf("strict_receive", two), two, { ...OPTIONS, toleranceBps: 0 })[0],
    );
    assert.equal(exact.selling_amount, "1000");
  });

  it("is a trade in a direct market, limited by the worst price in the call's terms", () => {
    const [sell, swap] = contractCalls(quoteOf("strict_send", direct), direct, OPTIONS);
    assert.equal(swap?.fn, "swap");
    assert.deepEqual(
      [args(sell).kind, args(sell).amount, args(sell).price, args(sell).orders],
      [2, "1000", "333333333333333333", ["1", "2"]],
    );
    const [buy] = contractCalls(quoteOf("strict_receive", direct), direct, OPTIONS);
    assert.deepEqual(
      [args(buy).direction, args(buy).amount, args(buy).price],
      [2, "999", String(3n * P)],
    );
  });

  it("is a limit order with the whole amount and its own price", () => {
    const limit = { ...OPTIONS, limitPrice: P / 4n, requestedAmount: "5000" };
    const calls = contractCalls(quoteOf("strict_send", direct), direct, limit);
    assert.equal(calls.length, 1);
    assert.deepEqual(
      [args(calls[0]).kind, args(calls[0]).amount, args(calls[0]).price, args(calls[0]).nonce],
      [1, "5000", String(P / 4n), "7"],
    );
  });

  it("can be copied as JSON and as a command", () => {
    const [call] = contractCalls(quoteOf("strict_send", two), two, OPTIONS);
    assert.ok(call !== undefined);
    assert.deepEqual(JSON.parse(callJson(call)), args(call));
    const command = callCommand(call, "CX");
    assert.match(command, /--id CX \\\n/);
    assert.match(command, /-- swap \\\n {2}--direction 1 \\\n/);
    assert.match(command, /--path '\[\{"asset":"CC","orders":\["1"\]\},/);
    assert.ok(!command.includes("approve"));
  });
});
