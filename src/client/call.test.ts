import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Quote, QuotePath } from "../api/types.ts";
import {
  callJson,
  cancelCall,
  costMax,
  Direction,
  limitCall,
  limitMaxPrice,
  quoteCall,
  swapCall,
  TradeKind,
  tradeCall,
  withApproval,
} from "./call.ts";

const P = 10n ** 18n;
const I128_MAX = 2n ** 127n - 1n;
const trader = "GTRADER";

function hop(selling: string, buying: string, orders: string[], worstPrice = P) {
  return { selling, buying, orders, worstPrice: String(worstPrice) };
}

function quoteOf(direction: "strict_send" | "strict_receive", path: QuotePath): Quote {
  const assets = { sellingAsset: "CA", buyingAsset: "CB" };
  return { id: "q", status: "success", direction, ...assets, ledger: 100, paths: [path] };
}

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

describe("the call that takes a quote", () => {
  it("is a swap with one step a hop", () => {
    assert.deepEqual(quoteCall(quoteOf("strict_send", two), { trader, slippageBps: 50 }), {
      fn: "swap",
      args: {
        direction: Direction.sell,
        trader,
        selling: "CA",
        selling_amount: 1000n,
        buying_amount: 994n,
        path: [
          { asset: "CC", orders: [1n] },
          { asset: "CB", orders: [2n] },
        ],
        approve: null,
      },
    });
  });

  it("takes the exact output and a maximum input to receive", () => {
    const { args } = swapCall(quoteOf("strict_receive", two), two, { trader, slippageBps: 50 });
    assert.deepEqual([args.direction, args.selling_amount, args.buying_amount], [2, 1005n, 999n]);
    const exact = swapCall(quoteOf("strict_receive", two), two, { trader });
    assert.equal(exact.args.selling_amount, 1000n);
  });

  it("asks for at least one unit, however much slippage there may be", () => {
    const { args } = swapCall(quoteOf("strict_send", two), two, { trader, slippageBps: 10_000 });
    assert.equal(args.buying_amount, 1n);
    for (const slippageBps of [-1, 10_001, 0.5, Number.NaN]) {
      const call = () => swapCall(quoteOf("strict_send", two), two, { trader, slippageBps });
      assert.throws(call, /slippageBps/);
    }
  });

  it("is a trade in one market, limited by the worst price in the call's terms", () => {
    const sell = quoteCall(quoteOf("strict_send", direct), { trader });
    assert.ok(sell?.fn === "trade");
    const { kind, amount, price, orders } = sell.args;
    assert.deepEqual(
      [kind, amount, price, orders],
      [TradeKind.fill, 1000n, 333333333333333333n, [1n, 2n]],
    );
    const kind3 = TradeKind.fillOrKill;
    const buy = tradeCall(quoteOf("strict_receive", direct), direct, { trader, kind: kind3 });
    assert.deepEqual(
      [buy.args.direction, buy.args.kind, buy.args.amount, buy.args.price],
      [2, 3, 999n, 3n * P],
    );
    assert.throws(() => tradeCall(quoteOf("strict_send", two), two, { trader }), /one hop/);
  });

  it("does not exclude the order with the worst price, whatever that price", () => {
    for (const worst of [1n, 2n, 3n, 7n * P + 1n, P * P - 1n, P * P]) {
      const path = { ...direct, path: [hop("CA", "CB", ["1"], worst)] };
      const { args } = tradeCall(quoteOf("strict_send", path), path, { trader });
      assert.ok((P * P) / args.price >= worst, String(worst));
    }
  });

  it("is none where there is no path", () => {
    const rejected: Quote = {
      ...quoteOf("strict_send", direct),
      status: "rejected",
      paths: [],
      error: "frozen",
    };
    assert.equal(quoteCall(rejected, { trader }), undefined);
  });
});

describe("a limit order", () => {
  const order = { trader, amount: 5n, selling: "CA", buying: "CB", price: P / 4n, nonce: 7n };

  it("is a trade of kind Limit that only rests unless orders are named", () => {
    const { args } = limitCall({ ...order, direction: Direction.sell });
    assert.deepEqual(
      [args.kind, args.orders, args.expires, args.nonce],
      [TradeKind.limit, [], 0n, 7n],
    );
  });

  it("crosses makers up to the quote's maxPrice", () => {
    assert.equal(limitMaxPrice(Direction.buy, 3n * P), 3n * P);
    assert.equal(limitMaxPrice(Direction.sell, 3n), (P * P) / 3n);
  });

  it("is removed with its id alone", () => {
    assert.deepEqual(cancelCall(trader, [2n ** 128n - 1n]).args, {
      trader,
      updates: [{ amount: 0n, expires: 0n, id: 2n ** 128n - 1n, price: 1n }],
      approvals: [],
    });
  });
});

describe("what a call can cost", () => {
  it("is what it sells, a purchase each order rounded up", () => {
    const order = { trader, selling: "CA", buying: "CB", nonce: 0n, orders: [1n, 2n] };
    const buy = limitCall({ ...order, direction: Direction.buy, amount: 10n, price: P / 3n });
    assert.equal(costMax(buy), 4n + 2n);
    const sell = limitCall({ ...order, direction: Direction.sell, amount: I128_MAX, price: 1n });
    assert.equal(costMax(sell), I128_MAX);
    assert.equal(costMax(swapCall(quoteOf("strict_receive", two), two, { trader })), 1000n);
  });

  it("is approved where the allowance is short, ends soon or is not known", () => {
    const call = swapCall(quoteOf("strict_send", two), two, { trader });
    const approved = (held?: { allowance: string; liveUntil: number }) =>
      withApproval(call, { ledger: 100, held }).args.approve;
    const approve = { amount: 1000n, asset: "CA", live_until: 220 };
    assert.deepEqual(approved(), approve);
    assert.deepEqual(approved({ allowance: "999", liveUntil: 5000 }), approve);
    assert.deepEqual(approved({ allowance: "9999", liveUntil: 99 }), approve);
    assert.equal(approved({ allowance: "1000", liveUntil: 112 }), null);
    // What stands behind the trader's resting orders is not lowered.
    assert.deepEqual(approved({ allowance: "9999", liveUntil: 111 }), {
      ...approve,
      amount: 9999n,
    });
  });
});

it("prints as JSON that holds 128 bits, in the contract's order", () => {
  const text = callJson(quoteCall(quoteOf("strict_send", two), { trader }) ?? assert.fail());
  assert.equal(
    text,
    '{"direction":1,"trader":"GTRADER","selling":"CA","selling_amount":"1000","buying_amount":"999",' +
      '"path":[{"asset":"CC","orders":["1"]},{"asset":"CB","orders":["2"]}],"approve":null}',
  );
});
