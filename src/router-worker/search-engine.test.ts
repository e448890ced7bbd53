import assert from "node:assert/strict";
import { test } from "node:test";
import { bookOfWorld } from "../../test/support/book-of-world.ts";
import { randomQuoteWorld } from "../../test/support/random-quote-world.ts";
import type { QuoteRequest } from "./quote.ts";
import { searchEngine } from "./search-engine.ts";

const WORLD = { orders: 120, assets: 14, makers: 8, wild: false };

test("whatever a quote was at when it failed, the next ones are answered as if there had been none", () => {
  const { state, request } = randomQuoteWorld(5, WORLD);
  const view = bookOfWorld(state);
  const context = { now: state.now, skipWindow: 600, shouldStop: () => false };
  const assets = [...new Set(state.orders.map(({ selling }) => selling))];
  const requests = assets.flatMap((buyingAsset): readonly QuoteRequest[] =>
    buyingAsset === request.sellingAsset
      ? []
      : [{ ...request, direction: "strict_send", buyingAsset }],
  );
  const fresh = searchEngine();
  const wanted = requests.map((asked) => fresh(view, asked, context));
  assert(wanted.filter(({ status }) => status === "success").length > 2);
  const engine = searchEngine();
  for (const first of requests.slice(0, 2)) {
    for (let readsLeft = 0, isDone = false; !isDone; readsLeft += 1) {
      let left = readsLeft;
      const failing = {
        ...view,
        get arena(): Uint32Array {
          if (left === 0) throw new TypeError("a fault");
          left -= 1;
          return view.arena;
        },
      };
      try {
        engine(failing, first, context);
        isDone = true;
      } catch (error) {
        assert.match(String(error), /a fault/);
        if (readsLeft % 5 !== 0) continue;
        const answers = requests.map((asked) => engine(view, asked, context));
        assert.deepEqual(answers, wanted, `after ${readsLeft} reads`);
      }
    }
  }
});
