import assert from "node:assert/strict";
import { test } from "node:test";
import { hopOfOffers } from "../../../test/support/hop-of-offers.ts";
import { HopCapacity } from "./hop-capacity.ts";
import { BUY, type HopOrders, SELL } from "./hop-task.ts";
import { RouteSearch } from "./route-search.ts";

const WORK = { firstWork: 1 << 16, workMax: 1 << 20, shouldStop: () => false };

/** Orders of these amounts at prices from 1 on, each a thousandth dearer, each of another maker. */
function hopOf(amounts: readonly number[]): HopOrders {
  return hopOfOffers(amounts.map((amount, at) => ({ amount, price: 1000 + at })));
}

const MANY = hopOf(new Array<number>(14).fill(1000));
const LARGE_LAST = hopOf([...new Array<number>(9).fill(10), 100_000]);

for (const [name, direction] of [
  ["selling", SELL],
  ["buying", BUY],
] as const) {
  const inSteps = (hops: readonly HopOrders[]) => (direction === SELL ? hops : hops.toReversed());

  test(`${name}, one large order behind small ones leaves its places to the other hop`, () => {
    const search = new RouteSearch();
    const hops = inSteps([LARGE_LAST, MANY]);
    for (const [at, hop] of hops.entries()) Object.assign(search.hops[at] ?? {}, hop);
    const demand = { direction, hopCount: 2, amount: 11_900, ordersMax: 20 };
    assert.ok(new HopCapacity().hasPlaces(hops, demand));
    assert.ok(search.solve({ ...demand, ...WORK }));
    const [first = 0, second = 0] = inSteps(hops).map((hop) => search.counts[hops.indexOf(hop)]);
    assert.ok(first < 10 && second >= 12, `${first} and ${second} orders`);
  });

  test(`${name}, hops that want more orders than there may be have no places`, () => {
    const hops = inSteps([MANY, MANY]);
    const demand = { direction, hopCount: 2, amount: 9900, ordersMax: 18 };
    assert.ok(!new HopCapacity().hasPlaces(hops, demand));
    assert.ok(new HopCapacity().hasPlaces(hops, { ...demand, ordersMax: 20 }));
  });
}
