// Amounts close to the capacity of a route, the sum of the largest orders that it may list: few selections can
// fill them at all, and cheap small orders are in none of these.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "../../src/model/order.ts";
import type { QuoteDirection } from "../../src/router-worker/quote.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { account, token } from "../support/addresses.ts";
import { bookOfWorld } from "../support/book-of-world.ts";
import { type Random, randomFrom } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";
import type { WorldState } from "../vectors/settlement-case.ts";

/** Amounts are counted in so many base units: what is rounded makes no difference. */
const UNIT = 1_000_000;
/** Prices in thousandths. */
const PRICE_PARTS = 1000;
const PRECISION = 1e-6;
const NOW = 1_700_000_000;

type Offer = { readonly amount: number; readonly maker: number; readonly price: number };
type Market = { readonly offers: readonly Offer[]; readonly budgets: readonly number[] };

/** `makers` 0: each order has its own. */
function randomMarket(random: Random, orders: number, makers: number): Market {
  let price = 2200;
  const offers = Array.from({ length: orders }, (_, at) => {
    price += random(60);
    const amount = 3 + random(random(2) === 0 ? 120 : 400);
    return { amount, maker: makers === 0 ? at : random(makers), price };
  });
  const budgets = Array.from({ length: makers === 0 ? orders : makers }, (_, maker) => {
    const wanted = offers.reduce((sum, one) => sum + (one.maker === maker ? one.amount : 0), 0);
    const isShort = random(makers === 0 ? 6 : 2) === 0;
    return isShort ? Math.max(1, Math.floor((wanted * (30 + random(70))) / 100)) : wanted;
  });
  return { offers, budgets };
}

function worldOf({ offers, budgets }: Market): WorldState {
  const [sold, bought] = [token(0), token(1)];
  return {
    ...{ contract: token(999), now: NOW, ledger: 1000, frozen: false },
    orders: offers.map(({ amount, maker, price }, at) => ({
      ...{ id: orderId(BigInt(at + 1)), owner: account(maker), selling: bought, buying: sold },
      amount: BigInt(amount * UNIT),
      price: BigInt(price) * 10n ** 15n,
      expires: 0n,
    })),
    holders: budgets.flatMap((budget, maker) => {
      const holder = { holder: account(maker), authorized: true, exists: true, limit: null };
      const asset = { ...holder, sellingLiabilities: 0n };
      return [
        { ...asset, asset: bought, balance: BigInt(budget * UNIT) },
        { ...asset, asset: sold, balance: 0n },
      ];
    }),
    allowances: budgets.map((_, maker) => ({
      ...{ asset: bought, owner: account(maker), amount: 10n ** 18n, liveUntil: 5000 },
    })),
  };
}

function costOf({ amount, price }: Offer): number {
  return amount * price;
}

/** The best of all sets of whole orders with one more for the rest; undefined: there is none. */
function bestOfAll(
  { offers, budgets }: Market,
  { wanted, sells, ordersMax }: { wanted: number; sells: boolean; ordersMax: number },
): number | undefined {
  const left = [...budgets];
  const isWhole = offers.map(() => false);
  let best: number | undefined;
  const keep = (value: number): void => {
    if (best === undefined || (sells ? value > best : value < best)) best = value;
  };
  const complete = (rest: number, value: number): void => {
    for (const [at, { amount, maker, price }] of offers.entries()) {
      const most = Math.min(amount, left[maker] ?? 0);
      if (isWhole[at] === true || (sells ? most * price : most) < rest) continue;
      keep(value + (sells ? rest / price : rest * price));
      // The others are dearer.
      return;
    }
  };
  const choose = (from: number, count: number, used: number, value: number): void => {
    if (used === wanted) {
      keep(value);
      return;
    }
    complete(wanted - used, value);
    for (let at = from; at < offers.length && count < ordersMax - 1; at += 1) {
      const offer = offers[at] as Offer;
      const budget = left[offer.maker] ?? 0;
      const uses = sells ? costOf(offer) : offer.amount;
      const gives = sells ? offer.amount : costOf(offer);
      if (budget < offer.amount || used + uses > wanted) continue;
      left[offer.maker] = budget - offer.amount;
      isWhole[at] = true;
      choose(at + 1, count + 1, used + uses, value + gives);
      isWhole[at] = false;
      left[offer.maker] = budget;
    }
  };
  choose(0, 0, 0, 0);
  return best;
}

type Shape = { readonly orders: number; readonly ordersMax: number; readonly makers: number };

/** How many amounts could be filled; each that could be was. */
function checkMarkets(direction: QuoteDirection, { orders, ordersMax, makers }: Shape): number {
  const sells = direction === "strict_send";
  let filled = 0;
  for (let seed = 1; seed <= runs(12); seed += 1) {
    const random = randomFrom(seed);
    const market = randomMarket(random, orders, makers);
    const sizes = market.offers.map((offer) => (sells ? costOf(offer) : offer.amount));
    const largest = sizes.sort((one, other) => other - one).slice(0, ordersMax);
    const most = largest.reduce((sum, size) => sum + size, 0);
    const wanted = Math.floor((most * (70 + random(30))) / 100);
    const best = bestOfAll(market, { wanted, sells, ordersMax });
    const state = worldOf(market);
    const view = bookOfWorld(state);
    const request = {
      ...{ direction, sellingAsset: token(0), buyingAsset: token(1), direct: true },
      amount: BigInt(sells ? (wanted * UNIT) / PRICE_PARTS : wanted * UNIT),
    };
    const context = { now: NOW, skipWindow: 600, shouldStop: () => false };
    const result = new QuoteSearch(view, ordersMax).quote(view, request, context);
    const what = `seed ${seed}, ${wanted}`;
    if (best === undefined) {
      assert.equal(result.status, "unfeasible", what);
      continue;
    }
    assert(result.status === "success", `${what}: ${result.status}`);
    const [route] = result.routes;
    assert(route !== undefined);
    const got = sells ? Number(route.bought) : Number(route.sold) * PRICE_PARTS;
    const lost = sells ? best * UNIT - got : got - best * UNIT;
    assert(lost <= best * UNIT * PRECISION, `${what}: ${got / UNIT}, not ${best}`);
    filled += 1;
  }
  return filled;
}

for (const direction of ["strict_send", "strict_receive"] as const) {
  test(`${direction}: what the largest orders can just fill is filled at best`, () => {
    assert(checkMarkets(direction, { orders: 20, ordersMax: 7, makers: 0 }) > runs(4));
    assert(checkMarkets(direction, { orders: 16, ordersMax: 8, makers: 4 }) > runs(4));
    assert(checkMarkets(direction, { orders: 18, ordersMax: 6, makers: 5 }) > runs(4));
  });
}
