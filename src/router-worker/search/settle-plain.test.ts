import assert from "node:assert/strict";
import { test } from "node:test";
import { bookOfWorld } from "../../../test/support/book-of-world.ts";
import { randomFrom } from "../../../test/support/random-ledgers.ts";
import { randomQuoteWorld, SMALL_WORLD } from "../../../test/support/random-quote-world.ts";
import { findOrder } from "../../book/shared-lookup.ts";
import { listedOrder, settleBuying, settleSelling } from "./settle.ts";
import { isPlain, settlePlainly } from "./settle-plain.ts";

test("plain numbers settle whatever orders are listed as integers do", () => {
  let settled = 0;
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = randomFrom(seed);
    const scale = 10 ** random(13);
    const { state } = randomQuoteWorld(seed, { ...SMALL_WORLD, scale });
    const view = bookOfWorld(state);
    const sides = new Map<string, number[]>();
    for (const { id, selling, buying } of state.orders) {
      const slots = sides.get(selling + buying) ?? [];
      slots.push(findOrder(view, id));
      sides.set(selling + buying, slots);
    }
    const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
    for (let run = 0; sides.size > 0 && run < 40; run += 1) {
      const hops = Array.from({ length: 1 + random(3) }, () => {
        const slots = pick([...sides.values()]);
        return Array.from({ length: 1 + random(4) }, () => pick(slots));
      });
      const amount = BigInt(1 + random(300)) * (random(2) === 0 ? 1n : BigInt(scale));
      if (!isPlain(view, hops, amount)) continue;
      const listed = hops.map((slots) => slots.map((slot) => listedOrder(view, slot)));
      for (const [sells, settle] of [
        [true, settleSelling] as const,
        [false, settleBuying] as const,
      ]) {
        const exact = settle(listed, amount);
        assert.deepEqual(settlePlainly(view, hops, Number(amount), sells), exact, `seed ${seed}`);
        if (exact !== undefined) settled += 1;
      }
    }
  }
  assert(settled > 500, `only ${settled} settle`);
});
