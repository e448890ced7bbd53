import assert from "node:assert/strict";
import { test } from "node:test";
import { type HopOffer, hopOfOffers } from "../../../test/support/hop-of-offers.ts";
import { CreditedHops } from "./hop-loader.ts";

/** Headroom of each order at the second hop, where a maker delivers 100 at the first. */
function credited(credits: CreditedHops, second: readonly HopOffer[]): readonly number[] {
  const hops = [hopOfOffers([{ price: 1000, amount: 100, maker: 1 }]), hopOfOffers(second)];
  credits.credit(hops, hops.length, false);
  return Array.from(hops[1]!.columns.headroom.subarray(0, second.length));
}

test("all orders of a maker get the headroom that it can release, whatever was credited before", () => {
  // With backing for one and a half of its orders, and headroom for one and a quarter.
  const maker = { price: 1000, amount: 1000, maker: 1, budget: 1500, headroom: 1250 };
  const orders = [maker, maker, maker];
  const unconstrained = { price: 1000, amount: 1000, maker: 1, headroom: 10 };
  const credits = new CreditedHops();
  assert.deepEqual(credited(credits, orders), [1350, 1350, 1350]);
  const others = [unconstrained, { price: 1000, amount: 1000 }, { price: 1000, amount: 1000 }];
  assert.equal(credited(credits, others)[0], 110);
  assert.deepEqual(credited(credits, orders), [1350, 1350, 1350]);
});
