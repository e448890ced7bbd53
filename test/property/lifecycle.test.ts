// Whatever the batches, restarts and jumps of the clock, the exchange answers what a plain replay
// of its ledgers answers for the same time.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Exchange } from "../../src/book/exchange.ts";
import type { Step } from "../../src/book/step.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import type { Order, OrderId } from "../../src/model/order.ts";
import type { Position } from "../../src/model/position.ts";
import { account, token } from "../support/addresses.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { naiveAnswers } from "../support/naive-exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";

const LEDGERS = 30;
const EVENTS_MAX = 12;

type Move =
  | { readonly kind: "ledgers"; readonly count: number }
  | { readonly kind: "clock"; readonly seconds: number }
  | { readonly kind: "restart" };

const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("ledgers" as const), count: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ kind: fc.constant("clock" as const), seconds: fc.integer({ min: -60, max: 250 }) }),
    fc.record({ kind: fc.constant("restart" as const) }),
  ),
  { minLength: 4, maxLength: 20 },
);

/** Folds what listeners are told, as a client would. */
class Follower {
  readonly book = new Map<OrderId, Order>();
  readonly orders = new Map<Position, Order>();

  take(step: Step): void {
    for (const change of step.changes) {
      if (change.kind === "put") this.book.set(change.order.id, change.order);
      if (change.kind === "remove") assert.ok(this.book.delete(change.id), "removed what is there");
    }
    for (const event of step.events) {
      if (event.kind === "order") this.orders.set(event.order.cursor, event.order);
    }
  }
}

test("the answers are those of a plain replay at any time, in any batches, across restarts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), moves, async (seed, steps) => {
      const ledgers = randomLedgers(randomFrom(seed), LEDGERS, EVENTS_MAX);
      const clock = { now: CHAIN_START * 1000 };
      const options = exchangeOptions(clock);
      const follower = new Follower();
      const open = async () => {
        const opened = await Exchange.open(options);
        opened.state.onStep((step) => follower.take(step));
        return opened;
      };
      let exchange = await open();
      let applied = 0;
      for (const move of steps) {
        if (move.kind === "restart") {
          await exchange.close();
          exchange = await open();
        } else if (move.kind === "clock") {
          clock.now = (CHAIN_START + move.seconds) * 1000 + 999;
          await exchange.tick();
        } else {
          const next = ledgers.slice(applied, applied + move.count);
          applied += next.length;
          await Promise.all(next.map((delta) => exchange.apply(delta)));
        }
        await exchange.tick();
        compare(exchange, follower, ledgers.slice(0, applied), Math.floor(clock.now / 1000));
      }
      await exchange.close();
    }),
    { numRuns: runs(5), includeErrorInReport: true },
  );
});

function compare(
  exchange: Exchange,
  follower: Follower,
  ledgers: readonly LedgerDelta[],
  now: number,
): void {
  const naive = naiveAnswers(ledgers, now);
  const all = { limit: 100_000 };
  assert.equal(exchange.state.ledger, ledgers.at(-1)?.ledger);
  assert.deepEqual(exchange.state.history.liveOrders({ assets: [] }, all), naive.live);
  assert.deepEqual(exchange.state.history.orders({}, all), naive.archive);
  assert.deepEqual(exchange.state.history.trades({}, all), naive.trades);
  assert.deepEqual(exchange.state.history.failures({}, all), naive.failures);
  assert.deepEqual(exchange.state.contract, naive.contract);
  assert.deepEqual(exchange.state.markets.sorted(), naive.markets);
  assert.equal(exchange.state.markets.orderCount, naive.live.length);
  for (const order of naive.live)
    assert.deepEqual(exchange.state.history.liveOrder(order.id), order);
  for (const order of naive.archive) {
    if (!naive.live.some(({ id }) => id === order.id)) {
      assert.equal(exchange.state.history.liveOrder(order.id), undefined);
    }
  }
  for (let owner = 0; owner < 5; owner += 1) {
    for (let asset = 0; asset < 4; asset += 1) {
      const key = `${account(owner)}/${token(asset)}`;
      assert.equal(exchange.store.skipped(account(owner), token(asset)), naive.skips.get(key));
    }
  }
  assert.deepEqual([...follower.book.values()].sort(byCursor), naive.live);
  const rows = [...naive.live, ...naive.archive].sort(byCursor);
  assert.deepEqual([...follower.orders.values()].sort(byCursor), rows);
}

function byCursor(a: Order, b: Order): number {
  return a.cursor < b.cursor ? -1 : 1;
}
