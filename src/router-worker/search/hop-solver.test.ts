import assert from "node:assert/strict";
import { test } from "node:test";
import { type HopOffer, hopOfOffers } from "../../../test/support/hop-of-offers.ts";
import { FILL_BYTES } from "./call-bytes.ts";
import type { HopDemand } from "./hop-problem.ts";
import { HopSolver } from "./hop-solver.ts";

test("a search cut short among a maker's choices does not say that there are none", () => {
  const offers = [
    { price: 1801, amount: 184_320 },
    { price: 2027, amount: 495 },
    { price: 2300, amount: 876 },
    { price: 2401, amount: 536 },
    { price: 2546, amount: 598 },
    { price: 2820, amount: 532 },
    { price: 2876, amount: 36 },
    { price: 2892, amount: 83 },
    { price: 3158, amount: 983 },
    { price: 3256, amount: 2_852_126_720 },
    { price: 3320, amount: 8864 },
  ];
  const maker = { maker: 1, budget: 1_226_499_338, headroom: 7_522_386_384 };
  const hop = hopOfOffers(offers.map((offer) => ({ ...offer, ...maker })));
  const search = new HopSolver();
  const best = 2_971_623_377;
  for (const nodesMax of [384, 1024, 8192, 1 << 16]) {
    const found = search.solve(hop, {
      sells: false,
      amount: 912_743_693,
      exactAmount: undefined,
      slots: 5,
      bytes: Number.POSITIVE_INFINITY,
      below: Number.POSITIVE_INFINITY,
      cutoff: Number.POSITIVE_INFINITY,
      gap: 0,
      nodesMax,
    });
    if (search.complete)
      assert.equal(found ? search.selection.value : Number.NaN, best, `${nodesMax} nodes`);
    else if (found) assert(search.selection.value >= best);
  }
  assert(search.complete, "not even the last is certain");
});

/** What a search of a hop says, with no bound but its nodes, and the cutoff if there is one. */
function solved(
  offers: readonly HopOffer[],
  demand: Pick<HopDemand, "sells" | "amount" | "slots" | "nodesMax"> &
    Partial<Pick<HopDemand, "bytes" | "cutoff">>,
): HopSolver {
  const search = new HopSolver();
  const none = demand.sells ? 0 : Number.POSITIVE_INFINITY;
  search.solve(hopOfOffers(offers), {
    ...{ exactAmount: undefined, bytes: Number.POSITIVE_INFINITY, gap: 0 },
    ...{ below: Number.POSITIVE_INFINITY, cutoff: none, ...demand },
  });
  return search;
}

test("bytes for so many orders bound a search as so many slots do", () => {
  const offers = Array.from({ length: 60 }, (_, at) => ({
    price: 1000 + 7 * at,
    amount: 1000 + ((at * 7919) % 1009),
  }));
  for (const sells of [true, false]) {
    for (const slots of [3, 6, 10]) {
      const demand = { sells, amount: 1700 * slots, nodesMax: 1 << 13 };
      const within = solved(offers, { ...demand, slots: 20, bytes: slots * FILL_BYTES });
      const best = solved(offers, { ...demand, slots });
      assert(best.selection.found && best.complete && within.complete, `${slots} slots`);
      assert.equal(within.selection.value, best.selection.value, `${slots} slots`);
    }
  }
});

test("a search whose nodes end before the quick pass does is not said to be complete", () => {
  const offers = [
    { price: 1090, amount: 1803, maker: 3, headroom: 4002 },
    { price: 1113, amount: 2, maker: 0, headroom: 5142 },
    { price: 1114, amount: 1386, maker: 4, budget: 296 },
    { price: 1115, amount: 2895, maker: 2 },
  ];
  for (let nodesMax = 0; nodesMax <= 64; nodesMax += 1) {
    const search = solved(offers, { sells: true, amount: 5056, slots: 4, nodesMax });
    // Without the order of 2, whose cost is rounded up by a third.
    assert(
      !search.complete || search.selection.value === 4574,
      `${nodesMax} nodes: ${search.selection.value}`,
    );
    if (nodesMax === 64) assert(search.complete, "not even the last is certain");
  }
});

test("a maker's larger choice of as many orders is tried where all slots are taken", () => {
  const short = { maker: 1, headroom: 93 };
  const selling = solved(
    [
      { price: 2155, amount: 19, ...short },
      { price: 2349, amount: 1 },
      { price: 2762, amount: 32, ...short },
      { price: 3213, amount: 14 },
      { price: 4178, amount: 5 },
    ],
    { sells: true, amount: 97, slots: 2, nodesMax: 8192 },
  );
  assert.deepEqual([selling.selection.value, selling.complete], [34, true]);
  const four = { maker: 4, budget: 366_388 };
  const buying = solved(
    [
      { price: 2810, amount: 161_832, ...four },
      { price: 2814, amount: 8, maker: 0, budget: 308_550 },
      { price: 2815, amount: 209_167, ...four },
      { price: 2815, amount: 290_690, ...four },
      { price: 2818, amount: 150_129, maker: 0, budget: 308_550 },
      { price: 2819, amount: 179_378, maker: 1, budget: 449_660 },
      { price: 2821, amount: 3, maker: 1, budget: 449_660 },
      { price: 2821, amount: 232_881, maker: 2 },
      { price: 2822, amount: 244_327, maker: 3, budget: 284_644, headroom: 536_927 },
    ],
    { sells: false, amount: 437_153, slots: 2, nodesMax: 1500 },
  );
  assert.deepEqual([buying.selection.value, buying.complete], [1_231_026, true]);
});

test("where nothing is known of what the best comes to, no change is passed over for a dearer one", () => {
  const two = { maker: 2, budget: 376_891, headroom: 468_203 };
  const one = { maker: 1, headroom: 13_188 };
  const { selection, complete } = solved(
    [
      { price: 1325, amount: 58_767, maker: 0 },
      { price: 1364, amount: 272_586, maker: 0 },
      { price: 1558, amount: 137_263, ...one },
      { price: 2091, amount: 266_987, ...two },
      { price: 3096, amount: 30_379, ...two },
      { price: 3469, amount: 229_142, maker: 0 },
      { price: 3567, amount: 6, ...one },
    ],
    { sells: false, amount: 566_979, slots: 6, nodesMax: 600 },
  );
  assert.deepEqual([selection.value, complete], [1_254_672, true]);
});

test("where a break item is too small, what is added may also take the place of a part of it", () => {
  const zero = { maker: 0, budget: 695 };
  const one = { maker: 1, budget: 1190 };
  const { selection, complete } = solved(
    [
      { price: 2403, amount: 2753, ...zero },
      { price: 3149, amount: 89, ...zero },
      { price: 3415, amount: 4, ...one },
      { price: 3468, amount: 4, ...zero },
      { price: 3622, amount: 228, ...zero },
      { price: 3635, amount: 1011, ...one },
      { price: 4012, amount: 8, ...zero },
      { price: 4032, amount: 2581, ...zero },
      { price: 4449, amount: 2072, ...zero },
    ],
    { sells: true, amount: 5888, slots: 3, nodesMax: 8192 },
  );
  assert.deepEqual([selection.value, complete], [1582, true]);
});

test("a dearer order may get more where the cheaper one leaves a part unsold", () => {
  // The cheaper one takes 10 of the 12 and gets 4; nothing is left that would buy a unit at its price.
  const maker = { maker: 0, budget: 79, headroom: 1e12 };
  const offers = [
    { price: 2325, amount: 4, ...maker },
    { price: 2342, amount: 8, ...maker },
  ];
  const search = solved(offers, { sells: true, amount: 12, slots: 1, nodesMax: 8192 });
  assert.deepEqual([search.complete, search.selection.value], [true, 5]);
});

test("what a smaller amount could get is noted of orders that are too small for all of it", () => {
  const offers = [
    { price: 650, amount: 57, maker: 0, budget: 1e12, headroom: 1e12 },
    { price: 1150, amount: 60, maker: 1, budget: 1e12, headroom: 1e12 },
  ];
  const search = solved(offers, { sells: true, amount: 41, slots: 1, nodesMax: 8192 });
  assert.deepEqual([search.complete, search.selection.value], [true, 35]);
  const { partMost } = search.selection;
  assert.ok(partMost >= 57, `${partMost}`);
});

test("a dear break item that overdraws its maker, all of whose cheaper orders are backed, gives way", () => {
  const offersOf = (budget: number, headroom: number): readonly HopOffer[] => [
    { price: 1000, amount: 100, maker: 1, budget, headroom },
    { price: 1100, amount: 100, maker: 2 },
    { price: 1200, amount: 50, maker: 1, budget, headroom },
    { price: 1300, amount: 100, maker: 3 },
  ];
  const buy = { sells: false, amount: 240, slots: 3, nodesMax: 8192 } as const;
  const sell = { sells: true, amount: 258, slots: 3, nodesMax: 8192 } as const;
  // The first maker delivers 140, and is paid 148, where it can; else the last one takes the rest or, selling,
  // its cheaper order is the break item.
  for (const [budget, headroom, bought, sold] of [
    [140, 148, 258, 240],
    [139, 1e12, 262, 238],
    [1e12, 147, 262, 236],
  ] as const) {
    const [buying, selling] = [buy, sell].map((one) => solved(offersOf(budget, headroom), one));
    assert.deepEqual([buying?.selection.value, buying?.complete], [bought, true]);
    assert.deepEqual([selling?.selection.value, selling?.complete], [sold, true]);
  }
});

test("a whole break item uses up what its cost is rounded up by, whatever must be reached", () => {
  // The order costs 2.1, which is 3.
  const offers = [
    { price: 300, amount: 7 },
    { price: 301, amount: 2 },
  ];
  for (const cutoff of [0, 5, 6]) {
    const demand = { sells: true, amount: 3, slots: 1, nodesMax: 8192, cutoff } as const;
    const { selection, complete } = solved(offers, demand);
    assert.deepEqual([selection.value, complete], [7, true], `${cutoff}`);
  }
});
