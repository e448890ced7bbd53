import assert from "node:assert/strict";
import { test } from "node:test";
import { hopOfOffers } from "../../../test/support/hop-of-offers.ts";
import { type Random, randomFrom } from "../../../test/support/random-ledgers.ts";
import { BUY, type HopDirection, type HopOrders, SELL } from "./hop-task.ts";
import { PlaceBounds } from "./place-bounds.ts";
import { RouteTrial } from "./route-trial.ts";

const CASES = 150;
const ORDERS_MAX = 6;

/** Orders of few makers, some of whom cannot fill all of theirs. */
function randomHop(random: Random): HopOrders {
  const budgets = Array.from({ length: 5 }, () => 500 + random(3000));
  const prices = Array.from({ length: 6 + random(20) }, () => 900 + random(300));
  prices.sort((one, other) => one - other);
  return hopOfOffers(
    prices.map((price) => {
      const maker = random(12);
      return {
        ...{ price, maker, amount: 1 + random(2) * random(30) + random(1000) },
        budget: budgets[maker] ?? 100_000,
        room: maker === 1 ? 1500 : Number.POSITIVE_INFINITY,
      };
    }),
  );
}

/** All ways for two hops to share the places. */
const WAYS = Array.from({ length: ORDERS_MAX - 1 }, (_, at) => [at + 1, ORDERS_MAX - 1 - at]);

function trialOf(random: Random, direction: HopDirection): RouteTrial {
  const trial = new RouteTrial();
  for (const hop of trial.hops) Object.assign(hop, randomHop(random));
  const amount = 300 + random(2500);
  const work = { firstWork: 0, workMax: 0, shouldStop: () => false };
  trial.begin({ direction, hopCount: 2, amount, ordersMax: ORDERS_MAX, ...work });
  trial.nodesMax = 1 << 16;
  return trial;
}

for (const [name, direction] of [
  ["selling", SELL],
  ["buying", BUY],
] as const) {
  test(`${name}, no way to share the places comes to more than its bound`, () => {
    const bounds = new PlaceBounds();
    const oneLevel = new PlaceBounds();
    let [settled, close, closer] = [0, 0, 0];
    for (let seed = 0; seed < CASES; seed += 1) {
      const trial = trialOf(randomFrom(seed), direction);
      const { hops, amount } = trial;
      bounds.begin(hops, 2, direction, amount, ORDERS_MAX);
      bounds.addLevels();
      oneLevel.begin(hops, 2, direction, amount, ORDERS_MAX);
      for (const way of WAYS) {
        const places = Int32Array.from(way);
        const most = places[trial.hopAt(0)] ?? 0;
        if (!trial.solveHop(0, amount, most, Number.POSITIVE_INFINITY)) continue;
        const first = trial.searchOf(0).value;
        const second = places[trial.hopAt(1)] ?? 0;
        if (!trial.solveHop(1, first, second, Number.POSITIVE_INFINITY)) continue;
        const { value } = trial.searchOf(1);
        const [whole, rest] = [bounds.bound(0, amount, places), bounds.bound(1, first, places)];
        const needed = bounds.needed(0, value, places);
        const shown = `seed ${seed}, ${way}: ${value}, bounds ${whole}, ${rest}`;
        // One hop's best may not be the other's, selling: less of it could settle. It bounds all.
        const sells = direction === SELL;
        assert.ok(sells ? value <= whole && value <= rest : value >= whole && value >= rest, shown);
        assert.ok(sells ? first >= needed : first <= needed, `${shown}, needed ${needed}`);
        const loose = oneLevel.bound(0, amount, places);
        assert.ok(sells ? whole <= loose : whole >= loose, `${shown}, with one level ${loose}`);
        if (whole !== loose) closer += 1;
        settled += 1;
        if (Math.abs(value - whole) < 0.01 * value) close += 1;
      }
    }
    assert.ok(settled > CASES && close > settled / 2, `${close} of ${settled} bounds are close`);
    assert.ok(closer > settled / 4, `${closer} of ${settled} are closer than with one level`);
  });
}
