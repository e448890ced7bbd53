import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type HopOffer, hopOfOffers } from "../../../test/support/hop-of-offers.ts";
import { runs } from "../../../test/support/runs.ts";
import type { HopOrders } from "./hop-problem.ts";
import { SlotBounds } from "./slot-bounds.ts";
import { SlotSplitSearch } from "./slot-split-search.ts";

const SLOTS = 6;
const PLENTY = 1e12;

/** Cheapest first; the offers of a maker have one budget and one headroom. */
const offers = fc
  .tuple(
    fc.array(
      fc.record({
        price: fc.integer({ min: 300, max: 3000 }),
        amount: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 3000 })),
        maker: fc.integer({ min: 0, max: 5 }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    fc.array(
      fc.record({
        budget: fc.oneof(fc.constant(PLENTY), fc.integer({ min: 1, max: 4000 })),
        headroom: fc.oneof(fc.constant(PLENTY), fc.integer({ min: 1, max: 4000 })),
      }),
      { minLength: 6, maxLength: 6 },
    ),
  )
  .map(([drafts, makers]) =>
    drafts
      .toSorted((one, other) => one.price - other.price)
      .map((draft) => ({ ...draft, ...makers[draft.maker] }) as Required<HopOffer>),
  );

const flow = fc.integer({ min: 1, max: 9000 });
const cases = fc.record({
  hops: fc.array(offers, { minLength: 1, maxLength: 2 }),
  amount: flow,
  slots: fc.integer({ min: 2, max: SLOTS }),
  first: fc.integer({ min: 1, max: SLOTS - 1 }),
  /** Of which hop, what flow and how many slots something was proven before. */
  known: fc.array(
    fc.record({
      stage: fc.integer({ min: 0, max: 1 }),
      flow,
      slots: fc.integer({ min: 1, max: 6 }),
    }),
    { maxLength: 6 },
  ),
});

/**
 * SELL: the most that `slots` orders get of `flow`, a part of which may stay unsold. BUY: the least that
 * getting `flow` costs. By trying all selections.
 */
function optimum(
  hop: readonly Required<HopOffer>[],
  sells: boolean,
  flow: number,
  slots: number,
): number {
  let best = sells ? 0 : Number.POSITIVE_INFINITY;
  for (let mask = 0; mask < 2 ** hop.length; mask += 1) {
    const whole = hop.filter((_, at) => ((mask >> at) & 1) === 1);
    if (whole.length > slots) continue;
    const got = whole.reduce((sum, { amount }) => sum + amount, 0);
    const paid = whole.reduce((sum, offer) => sum + costOf(offer, offer.amount), 0);
    if ((sells ? paid : got) > flow || !whole.every((offer) => isBacked(whole, offer, 0))) continue;
    if (sells) best = Math.max(best, got);
    else if (got === flow) best = Math.min(best, paid);
    if (whole.length === slots) continue;
    for (const offer of hop.filter((one) => !whole.includes(one))) {
      let part = sells ? Math.floor(((flow - paid) * 1000) / offer.price) : flow - got;
      if (!sells && part > offer.amount) continue;
      part = Math.min(part, offer.amount);
      while (sells && part > 0 && !isBacked(whole, offer, part)) part -= 1;
      if (part < 1 || !isBacked(whole, offer, part)) continue;
      if (sells) best = Math.max(best, got + part);
      else best = Math.min(best, paid + costOf(offer, part));
    }
  }
  return best;
}

function costOf({ price }: HopOffer, amount: number): number {
  return Math.ceil((amount * price) / 1000);
}

/** Whether the maker of `offer` can fill `part` of it beside its whole orders. */
function isBacked(
  whole: readonly Required<HopOffer>[],
  offer: Required<HopOffer>,
  part: number,
): boolean {
  const own = whole.filter(({ maker }) => maker === offer.maker);
  const got = own.reduce((sum, { amount }) => sum + amount, part);
  const paid = own.reduce((sum, one) => sum + costOf(one, one.amount), costOf(offer, part));
  return got <= offer.budget && paid <= offer.headroom;
}

for (const [name, sells] of [
  ["selling", true],
  ["buying", false],
] as const) {
  test(`no selection is better than its bound, whatever was proven before: ${name}`, () => {
    fc.assert(
      fc.property(cases, ({ hops, amount, slots, first, known }) => {
        const split = hops.length === 1 ? [slots] : [Math.min(first, slots - 1), 0];
        if (hops.length === 2) split[1] = slots - (split[0] as number);
        const stages = sells ? hops : hops.toReversed();
        const slotsOf = sells ? split : split.toReversed();
        const bounds = new SlotBounds();
        const orders = hops.map(hopOfOffers);
        const isNoWorse = (bound: number, value: number) =>
          sells ? bound >= value : bound <= value;
        bounds.begin(orders, hops.length, sells, amount, slots);
        bounds.setShadowPrices();
        const splits = new SlotSplitSearch();
        for (const [hop, own] of orders.entries())
          Object.assign(splits.hops[hop] as HopOrders, own);
        const all = splits.boundOf(hops.length, sells, amount, slots);
        for (const { stage, flow, slots: count } of known) {
          const hop = stages[stage];
          if (hop === undefined || count > slots) continue;
          bounds.note(stage, flow, count, optimum(hop, sells, flow, count));
        }
        const own = Int32Array.from([...split, 0]);
        let value = amount;
        const reached = stages.map((hop, stage) => {
          const before = value;
          value = optimum(hop, sells, before, slotsOf[stage] as number);
          if (before === 0 || before === Number.POSITIVE_INFINITY) value = before;
          assert(isNoWorse(bounds.after(stage, before, slotsOf[stage] as number), value));
          return value;
        });
        assert(isNoWorse(bounds.bound(0, amount, own), value));
        assert(isNoWorse(all, value));
        // What a hop has to come to is no more than what it came to.
        for (const [stage, came] of reached.entries()) {
          if (value === 0 || value === Number.POSITIVE_INFINITY) continue;
          assert(isNoWorse(came, bounds.needed(stage, value, own)));
        }
      }),
      { numRuns: runs(150) },
    );
  });
}

test("a route of which a hop has no orders comes to nothing", () => {
  const splits = new SlotSplitSearch();
  const offer = { price: 1000, amount: 5, maker: 0 };
  for (const lists of [[[]], [[offer], []], [[], [offer]]]) {
    for (const [hop, list] of lists.entries())
      Object.assign(splits.hops[hop] as HopOrders, hopOfOffers(list));
    assert.equal(splits.boundOf(lists.length, true, 5, 20), 0);
    assert.equal(splits.boundOf(lists.length, false, 5, 20), Number.POSITIVE_INFINITY);
  }
});
