// What a book of one order gives, to the unit, on both sides of the amount that fills it whole.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "../../src/model/order.ts";
import type { RouteQuote } from "../../src/router-worker/quote.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { account, token } from "../support/addresses.ts";
import { bookOfWorld } from "../support/book-of-world.ts";
import type { TokenWorld } from "../support/call-bytes.ts";
import { SKIP_WINDOW } from "../support/random-quote-world.ts";
import { routeFaults } from "../support/route-check.ts";

type OneOrder = { readonly amount: bigint; readonly price: bigint };

function worldOf({ amount, price }: OneOrder): TokenWorld {
  const one = { id: orderId(1n), owner: account(0), selling: token(1), buying: token(0) };
  const able = { holder: account(0), authorized: true, exists: true, sellingLiabilities: 0n };
  return {
    ...{ contract: token(999), now: 1_700_000_000, ledger: 1000, frozen: false },
    orders: [{ ...one, amount, price, expires: 0n }],
    holders: [
      { ...able, asset: token(1), balance: amount, limit: null },
      { ...able, asset: token(0), balance: 0n, limit: null },
    ],
    allowances: [{ asset: token(1), owner: account(0), amount, liveUntil: 2000 }],
  };
}

function sell(state: TokenWorld, amount: bigint): RouteQuote | undefined {
  const view = bookOfWorld(state);
  const context = { now: state.now, skipWindow: SKIP_WINDOW, shouldStop: () => false };
  const assets = { sellingAsset: token(0), buyingAsset: token(1) };
  const request = { direction: "strict_send", ...assets, direct: false, amount } as const;
  const result = new QuoteSearch(view, 20).quote(view, request, context);
  return result.status === "success" ? result.routes[0] : undefined;
}

const FINE = { amount: 821531235709772243n, price: 64939296n };
const DEAR = 10n ** 18n;

/** What is sold, and what the contract takes and gives for it. */
const SALES: readonly (OneOrder & { readonly [field in "asked" | "sold" | "bought"]: bigint })[] = [
  // Whole it costs 53349660.089, rounded up: a unit less fills it in part.
  { ...FINE, asked: 53349660n, sold: 53349660n, bought: 821531234339220431n },
  { ...FINE, asked: 53349661n, sold: 53349661n, bought: FINE.amount },
  { amount: 1000000n, price: DEAR + 1n, asked: 1000002n, sold: 1000001n, bought: 1000000n },
  { amount: 1n, price: DEAR + 1n, asked: 3n, sold: 2n, bought: 1n },
  { amount: 10000000n, price: DEAR + 3n, asked: 10000002n, sold: 10000001n, bought: 10000000n },
];

test("a single order is quoted to the unit, though a rest is worth next to nothing", () => {
  for (const { amount, price, asked, sold, bought } of SALES) {
    const state = worldOf({ amount, price });
    const route = sell(state, asked);
    assert(route !== undefined, `${asked} of ${amount} at ${price}`);
    assert.deepEqual([route.sold, route.bought], [sold, bought]);
    assert.deepEqual(routeFaults(state, route, "strict_send", 20), [], `${amount} at ${price}`);
  }
});
