import assert from "node:assert/strict";
import { test } from "node:test";
import type { BookChange } from "../../src/book/book-change.ts";
import type { BookCopy } from "../../src/book/shared-copy.ts";
import { applyChange, writeState } from "../../src/book/shared-writer.ts";
import type { QuoteRequest } from "../../src/router-worker/quote.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { bookStateOf, changesOfWorld, emptyCopy } from "../support/book-of-world.ts";
import { type Random, randomFrom } from "../support/random-ledgers.ts";
import { randomQuoteWorld, SMALL_WORLD } from "../support/random-quote-world.ts";
import { runs } from "../support/runs.ts";

const CHANGES_MAX = 600;

/** A change of an order or of a maker's backing; orders come and go. */
function randomChange(random: Random, world: readonly BookChange[], live: Set<bigint>): BookChange {
  const change = world[random(world.length)];
  assert(change !== undefined);
  if (change.kind === "backing") {
    const { backing } = change;
    const isOff = random(4) === 0;
    const budget = isOff ? 0n : (backing.budget * BigInt(random(5))) / 3n;
    const skipped = random(5) === 0 ? { skipped: 1_700_000_000 - random(1200) } : {};
    const pending = random(4) === 0;
    const authorized = !isOff && backing.authorized;
    return { kind: "backing", backing: { ...backing, budget, authorized, pending, ...skipped } };
  }
  assert(change.kind === "put");
  const { order } = change;
  if (live.has(order.id) && random(3) === 0) {
    live.delete(order.id);
    return { kind: "remove", id: order.id };
  }
  live.add(order.id);
  const amount = order.amount * BigInt(1 + random(3));
  const price = random(2) === 0 ? order.price : order.price + BigInt(random(2 ** 30));
  const expires = random(6) === 0 ? 1_700_000_000 + random(40) : 0;
  return { kind: "put", order: { ...order, amount, price, expires } };
}

test("a search that has seen a book change answers as one that sees it for the first time", () => {
  let answers = 0;
  for (let seed = 1; seed <= runs(10); seed += 1) {
    const random = randomFrom(seed);
    const { state, request } = randomQuoteWorld(seed, { ...SMALL_WORLD, orders: 60, assets: 5 });
    const world = changesOfWorld(state);
    const copies: readonly [BookCopy, BookCopy] = [
      emptyCopy(state.contract, CHANGES_MAX),
      emptyCopy(state.contract, CHANGES_MAX),
    ];
    const live = new Set(
      world.flatMap((change) => (change.kind === "put" ? [change.order.id] : [])),
    );
    const seasoned = new QuoteSearch(copies[0].view);
    let changes = world;
    let now = state.now;
    for (let step = 1; step <= 30; step += 1) {
      for (const copy of copies) {
        writeState(copy.view, step, { ...bookStateOf(state), ledger: state.ledger + step });
        for (const change of changes) applyChange(copy, change);
      }
      now += random(20);
      const { view } = copies[step % 2] ?? copies[0];
      const context = { now, skipWindow: 600, shouldStop: () => false };
      for (const direction of ["strict_send", "strict_receive"] as const) {
        const asked: QuoteRequest = {
          ...request,
          direction,
          amount: request.amount + BigInt(step),
        };
        const fresh = new QuoteSearch(view).quote(view, asked, context);
        const got = seasoned.quote(view, asked, context);
        assert.deepEqual(got, fresh, `seed ${seed}, step ${step}`);
        if (got.status === "success") answers += 1;
      }
      changes = Array.from({ length: random(4) }, () => randomChange(random, world, live));
    }
  }
  assert(answers > runs(80), `only ${answers} answers`);
});
