// Router workers with the engine that they have in service.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { SharedBook } from "../../src/book/left-right.ts";
import { QuotePool } from "../../src/router-worker/pool.ts";
import type { QuoteRequest } from "../../src/router-worker/quote.ts";
import { quoteAnswer } from "../../src/router-worker/quote-text.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { bookStateOf, changesOfWorld } from "../support/book-of-world.ts";
import { ladderWorld, sharedWorld } from "../support/hostile-worlds.ts";
import { type Random, randomFrom } from "../support/random-ledgers.ts";
import { randomQuoteWorld, SKIP_WINDOW, shortOfHeadroom } from "../support/random-quote-world.ts";
import { runs } from "../support/runs.ts";

const CAPACITY = { orders: 1000, owners: 1000, assets: 1000, sides: 100, backings: 3000 };
/** Generous: no search is to be told to stop. */
const TIME_MS = 240_000;
const REQUESTS = 12;

const pools: QuotePool[] = [];
after(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
});

function randomRequest(random: Random, request: QuoteRequest): QuoteRequest {
  const direct = random(3) === 0;
  return {
    ...request,
    direction: random(2) === 0 ? "strict_send" : "strict_receive",
    amount: 1n + (request.amount * BigInt(1 + random(60))) / 20n,
    direct,
    ...(direct && random(2) === 0
      ? { maxPrice: 10n ** 18n + BigInt(random(2 ** 31)) * 10n ** 8n }
      : {}),
  };
}

test("a worker answers as the main thread does, of the same book and of the next one", async () => {
  let found = 0;
  for (let seed = 1; seed <= runs(1); seed += 1) {
    const worlds = [
      shortOfHeadroom(
        seed,
        randomQuoteWorld(seed, { orders: 400, assets: 5, makers: 12, wild: false }),
      ),
      sharedWorld(seed, 2),
      ladderWorld(seed, 500),
    ];
    for (const { state, request } of worlds) {
      const random = randomFrom(seed);
      const { contract } = state;
      const book = new SharedBook({ contract, untracked: "nothing", capacity: CAPACITY });
      book.apply(changesOfWorld(state), bookStateOf(state));
      const faults: string[] = [];
      const pool = new QuotePool({
        book,
        clock: () => state.now * 1000,
        onFault: (fault) => faults.push(fault),
        workers: 2,
        timeMs: TIME_MS,
      });
      pools.push(pool);
      await pool.ready();
      const search = new QuoteSearch(book.live);
      const check = async () => {
        const context = { now: state.now, skipWindow: SKIP_WINDOW, shouldStop: () => false };
        const asked = Array.from({ length: REQUESTS }, () => randomRequest(random, request));
        const answers = await Promise.all(asked.map((one) => pool.quote(one)));
        for (const [at, one] of asked.entries()) {
          const wanted = quoteAnswer(search.quote(book.live, one, context));
          assert.deepEqual(answers[at], wanted, `seed ${seed}, request ${at}`);
          if (wanted.status === "success") found += 1;
        }
      };
      await check();
      await book.ready();
      const gone = state.orders.filter((_, at) => at % 3 === 0);
      const changes = gone.map(({ id }) => ({ kind: "remove", id }) as const);
      book.apply(changes, { ...bookStateOf(state), ledger: state.ledger + 1 });
      await check();
      await pool.close();
      assert.deepEqual(faults, []);
    }
  }
  assert(found > runs(20), `only ${found} answers`);
});
