// The main thread's quotes beside the workers': the same search, given up where it takes too long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { InlineQuotes } from "../../src/router-worker/inline-quotes.ts";
import type { QuoteRequest } from "../../src/router-worker/quote.ts";
import { quoteAnswer } from "../../src/router-worker/quote-text.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { bookOfWorld } from "../support/book-of-world.ts";
import { randomFrom } from "../support/random-ledgers.ts";
import { randomQuoteWorld, SMALL_WORLD } from "../support/random-quote-world.ts";
import { runs } from "../support/runs.ts";

const LARGER_WORLD = { ...SMALL_WORLD, orders: 120, assets: 6, makers: 20 };
/** Work units: few enough that searches run out of them wherever they take some. */
const UNITS_MAX = 600;

test("a search within a number of work units answers as one without a limit, or not at all", () => {
  let [answered, givenUp] = [0, 0];
  for (let seed = 1; seed <= runs(15); seed += 1) {
    const random = randomFrom(seed);
    const { state, request } = randomQuoteWorld(seed, LARGER_WORLD);
    const view = bookOfWorld(state);
    const bounded = new QuoteSearch(view);
    const context = { now: state.now, skipWindow: 600 };
    for (let at = 0; at < 12; at += 1) {
      const asked: QuoteRequest = {
        ...request,
        direction: random(2) === 0 ? "strict_send" : "strict_receive",
        amount: request.amount * BigInt(1 + random(3)) + BigInt(random(1000)),
        direct: random(4) === 0,
      };
      const limited = asked.direct && random(2) === 0;
      const full = limited ? { ...asked, maxPrice: 10n ** BigInt(17 + random(4)) } : asked;
      const got = bounded.quoteWithin(random(UNITS_MAX), view, full, context);
      if (got === undefined) {
        givenUp += 1;
        continue;
      }
      const wanted = { ...context, shouldStop: () => false };
      assert.deepEqual(got, new QuoteSearch(view).quote(view, full, wanted), `seed ${seed}`);
      if (got.status === "success") answered += 1;
    }
  }
  assert(answered > runs(11), `only ${answered} answers`);
  assert(givenUp > runs(11), `only ${givenUp} given up`);
});

test("the main thread's quotes keep to its share of the time", () => {
  const { state, request } = randomQuoteWorld(3);
  const view = bookOfWorld(state);
  let nowMs = 0;
  let reads = 0;
  const inline = new InlineQuotes({
    live: () => view,
    // Every other reading ends a search, which took a millisecond.
    time: () => {
      reads += 1;
      if (reads > 1 && reads % 2 === 1) nowMs += 1;
      return nowMs;
    },
    onFault: (fault) => assert.fail(fault),
  });
  const context = { now: state.now, skipWindow: 600 };
  const wanted = quoteAnswer(
    new QuoteSearch(view).quote(view, request, { ...context, shouldStop: () => false }),
  );
  let answers = 0;
  while (answers < 100) {
    const answer = inline.answer(request, context);
    if (answer === undefined) break;
    assert.deepEqual(answer, wanted);
    answers += 1;
  }
  assert.equal(answers, 4, "four milliseconds in one turn");
  reads = 2;
  nowMs += 0.3;
  assert.deepEqual(inline.answer(request, context), wanted, "as time passes there is more");
});

test("a fault is told and left to the workers, and the next quote is answered", () => {
  const { state, request } = randomQuoteWorld(3);
  const view = bookOfWorld(state);
  const faults: string[] = [];
  const views = [
    {
      ...view,
      get headerF64(): Float64Array {
        throw new TypeError("a fault");
      },
    },
    view,
  ];
  const inline = new InlineQuotes({
    live: () => views.shift() ?? view,
    time: () => 0,
    onFault: (fault) => faults.push(fault),
  });
  const context = { now: state.now, skipWindow: 600 };
  assert.equal(inline.answer(request, context), undefined);
  assert.match(faults.join(), /a fault/);
  assert.notEqual(inline.answer(request, context), undefined);
});
