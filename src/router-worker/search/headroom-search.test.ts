import assert from "node:assert/strict";
import { test } from "node:test";
import { hopOfOffers } from "../../../test/support/hop-of-offers.ts";
import { HeadroomSearch } from "./headroom-search.ts";
import type { HopOrders } from "./hop-problem.ts";

const PLENTY = 1_000_000;

/** Orders of 100 at prices from 1 on, each of another maker. */
function hopOf(count: number): HopOrders {
  return hopOfOffers(
    Array.from({ length: count }, (_, at) => ({ amount: 100, price: 1000 * (1 + at) })),
  );
}

function solved(hops: readonly HopOrders[], workMax: number): HeadroomSearch {
  return new HeadroomSearch(hops, {
    ...{ sells: true, amount: 100, ordersMax: 20 },
    ...{ workMax, value: 0, settles: () => true },
  });
}

test("what settles best is found, and a search that was cut short says so wherever it was", () => {
  const hops = [hopOf(4), hopOf(4)];
  const { value, complete, work } = solved(hops, PLENTY);
  assert.equal(value, 100);
  assert.ok(complete);
  for (let workMax = 0; workMax < work - hops.length; workMax += 1) {
    const cut = solved(hops, workMax);
    assert.ok(cut.value === 100 || !cut.complete, `${workMax} steps: ${cut.value}`);
  }
});

test("a hop without orders gives nothing", () => {
  for (const hops of [
    [hopOf(0), hopOf(4)],
    [hopOf(4), hopOf(0)],
  ]) {
    const { value, complete } = solved(hops, PLENTY);
    assert.equal(value, 0);
    assert.ok(complete);
  }
});
