import assert from "node:assert/strict";
import { test } from "node:test";
import { I128_MAX, PRICE_UNIT } from "../../model/settlement.ts";
import { type ListedOrder, settle } from "./settle.ts";

const sell = (hops: readonly ListedOrder[][], amount: bigint) => settle(hops, amount, true);
const buy = (hops: readonly ListedOrder[][], amount: bigint) => settle(hops, amount, false);

const ONE = 1;
const OTHER = 2;

/** An order at a price in tenths, of a maker with plenty unless said otherwise. */
function order(tenths: bigint, amount: bigint, more: Partial<ListedOrder> = {}): ListedOrder {
  const price = (tenths * PRICE_UNIT) / 10n;
  return { price, amount, maker: ONE, budget: I128_MAX, headroom: undefined, ...more };
}

test("buying fills the orders as listed, the last in part, and needs no more of them", () => {
  const orders = [order(10n, 5n), order(20n, 5n), order(30n, 5n)];
  assert.deepEqual(buy([orders], 8n), { sold: 11n, bought: 8n, filled: [2], flows: [8n] });
  assert.deepEqual(buy([orders], 10n), {
    sold: 15n,
    bought: 10n,
    filled: [2],
    flows: [10n],
  });
  assert.deepEqual(buy([orders], 15n), {
    sold: 30n,
    bought: 15n,
    filled: [3],
    flows: [15n],
  });
  assert.equal(buy([orders], 16n), undefined);
});

test("selling uses up the amount but for less than a unit's worth at the highest price", () => {
  const orders = [order(10n, 5n), order(20n, 5n)];
  assert.deepEqual(sell([orders], 11n), {
    sold: 11n,
    bought: 8n,
    filled: [2],
    flows: [11n],
  });
  // The odd one buys nothing at 2.
  assert.deepEqual(sell([orders], 12n), {
    sold: 11n,
    bought: 8n,
    filled: [2],
    flows: [12n],
  });
  // All orders whole: one may stay unsold, two buy one more.
  assert.deepEqual(sell([orders], 16n), {
    sold: 15n,
    bought: 10n,
    filled: [2],
    flows: [16n],
  });
  assert.equal(sell([orders], 17n), undefined);
  // One alone buys nothing anywhere.
  assert.equal(sell([[order(20n, 5n)]], 1n), undefined);
});

test("a list whose way back would cost more than what is sold does not settle", () => {
  // Forward, 4 buy nothing of the dear order and 2 of the next; back, it is filled first.
  assert.equal(sell([[order(50n, 1n), order(20n, 5n)]], 4n), undefined);
  assert.deepEqual(sell([[order(20n, 5n), order(50n, 1n)]], 4n)?.bought, 2n);
});

test("a maker delivers what it has, all its orders together, and not a unit more", () => {
  const twice = (budget: bigint) => [order(10n, 5n, { budget }), order(10n, 5n, { budget })];
  assert.deepEqual(buy([twice(8n)], 8n), {
    sold: 8n,
    bought: 8n,
    filled: [2],
    flows: [8n],
  });
  assert.equal(buy([twice(7n)], 8n), undefined);
  assert.deepEqual(sell([twice(8n)], 8n), {
    sold: 8n,
    bought: 8n,
    filled: [2],
    flows: [8n],
  });
  assert.equal(sell([twice(7n)], 8n), undefined);
});

test("a maker is paid what it has headroom for, all its orders together, and not a unit more", () => {
  const paid = (headroom: bigint) => [order(10n, 5n, { headroom }), order(20n, 5n, { headroom })];
  assert.deepEqual(buy([paid(11n)], 8n), {
    sold: 11n,
    bought: 8n,
    filled: [2],
    flows: [8n],
  });
  assert.equal(buy([paid(10n)], 8n), undefined);
  // An order that is listed and not filled is not paid: no headroom is no matter.
  const unfilled = order(20n, 5n, { maker: OTHER, headroom: 0n });
  const free = [order(10n, 5n, { headroom: 5n }), unfilled];
  assert.deepEqual(buy([free], 5n), { sold: 5n, bought: 5n, filled: [1], flows: [5n] });
});

test("what a maker delivers at the hop before is headroom at the next, for that maker alone", () => {
  const first = [order(10n, 10n, { maker: ONE })];
  const next = (maker: number, headroom: bigint) => [order(20n, 5n, { maker, headroom })];
  // The next hop pays 10, of which the maker delivered 10.
  assert.deepEqual(buy([first, next(ONE, 0n)], 5n)?.sold, 10n);
  assert.equal(buy([first, next(OTHER, 9n)], 5n), undefined);
  assert.deepEqual(buy([first, next(OTHER, 10n)], 5n)?.sold, 10n);
});

test("selling along hops pays no more than the way back needs, and never more than given", () => {
  const hops = [[order(10n, 100n)], [order(30n, 100n, { maker: OTHER })]];
  // 11 buy 11, of which 9 buy 3.
  assert.deepEqual(sell(hops, 11n), {
    sold: 9n,
    bought: 3n,
    filled: [1, 1],
    flows: [11n, 11n],
  });
  // 0.5 a piece: 7 buy 14, of which 12 buy 4 and are paid with 6.
  const half = [[order(5n, 100n)], [order(30n, 100n, { maker: OTHER })]];
  assert.deepEqual(sell(half, 7n), {
    sold: 6n,
    bought: 4n,
    filled: [1, 1],
    flows: [7n, 14n],
  });
});

test("sums beyond the contract's integers do not settle", () => {
  const huge = order(10n, I128_MAX);
  assert.equal(buy([[huge]], I128_MAX)?.sold, I128_MAX);
  assert.equal(buy([[order(11n, I128_MAX)]], I128_MAX), undefined);
  assert.equal(sell([[order(5n, I128_MAX), order(5n, I128_MAX)]], I128_MAX), undefined);
});

test("the way there asks no more of a maker than it has, wherever its orders stand", () => {
  // The way back would do: it wants less of the maker than the plan forward fills.
  const first = (budget: bigint) => [order(10n, 5n, { budget }), order(10n, 6n, { budget })];
  const next = [order(30n, 100n, { maker: OTHER })];
  assert.deepEqual(sell([first(11n), next], 11n)?.bought, 3n);
  assert.equal(sell([first(10n), next], 11n), undefined);
  assert.equal(buy([first(10n), next], 3n)?.sold, 9n);
});

test("an order that nothing is left for does not end the list", () => {
  // One alone buys nothing at 2; the way back then fills the dear order first, for more.
  assert.equal(sell([[order(20n, 5n), order(5n, 2n)]], 1n), undefined);
  const route = [[order(10n, 4n), order(30n, 5n), order(10n, 2n)], [order(40n, 9n)]];
  // 6 buy 4, nothing at 3 and 2 more at 1; of those 6 the next hop wants 4.
  assert.deepEqual(sell(route, 6n), {
    sold: 4n,
    bought: 1n,
    filled: [1, 1],
    flows: [6n, 6n],
  });
});
