// An engine that keeps a part of the history lists what one lists that keeps all of it, from the edge on.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Exchange } from "../../src/book/exchange.ts";
import { OrderStatus } from "../../src/model/order.ts";
import { account, token } from "../support/addresses.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";

const DAY = 86_400;
const KEPT = 3 * DAY;
/** From one walk over the archived orders to the next. */
const WALK = 3600;
const LEDGERS = 40;
/** Enough for every slice. */
const ALL = { limit: 100_000 };
const FILTERS = [
  {},
  { account: account(0) },
  { account: account(1), pair: [token(0), token(1)] },
  { pair: [token(1), token(2)] },
] as const;

const PAIRS = [
  [token(0), token(1)],
  [token(1), token(2)],
] as const;

function lists(exchange: Exchange) {
  return FILTERS.map((filter) => {
    const owner = "account" in filter ? filter.account : undefined;
    const pair = "pair" in filter ? { pair: filter.pair } : {};
    return {
      trades: exchange.state.history.trades({ ...(owner && { trader: owner }), ...pair }, ALL),
      orders: exchange.state.history.orders({ ...(owner && { owner }), ...pair }, ALL),
      failures: exchange.state.history.failures({ ...(owner && { account: owner }) }, ALL),
      events: exchange.state.orderEvents.list(
        owner === undefined ? { market: [token(0), token(1)] } : { owner },
        ALL,
      ),
      live: exchange.state.history.liveOrders({ ...(owner && { owner }), assets: [] }, ALL),
    };
  });
}

test("lists from the edge on, candles and the ticker are those of the whole history, over restarts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = randomFrom(seed);
      const ledgers = randomLedgers(random, LEDGERS, 14, () => 1 + random(DAY));
      const clock = { now: CHAIN_START * 1000 };
      const [whole, cut] = [exchangeOptions(clock), exchangeOptions(clock)];
      const store = { keepHistory: KEPT };
      const all = await Exchange.open(whole);
      let part = await Exchange.open({ ...cut, store });
      for (const [at, delta] of ledgers.entries()) {
        clock.now = delta.closeTime * 1000;
        for (const exchange of [all, part]) {
          await exchange.apply(delta);
          await exchange.tick();
        }
        // Whatever is left can be read at any time.
        lists(part);
        if (at % 15 !== 14) continue;
        await part.close();
        part = await Exchange.open({ ...cut, store });
      }
      const [before = 0, last = 0] = ledgers.slice(-2).map(({ closeTime }) => closeTime);
      const edge = last - KEPT;
      const [expected, found] = [lists(all), lists(part)];
      let dropped = 0;
      for (const [at, of] of expected.entries()) {
        const left = found[at];
        assert.ok(left !== undefined);
        const young = <T extends { timestamp: number }>(rows: readonly T[]) =>
          rows.filter(({ timestamp }) => timestamp > edge);
        assert.deepEqual(young(left.trades), young(of.trades));
        assert.deepEqual(young(left.failures), young(of.failures));
        assert.deepEqual(young(left.events), young(of.events));
        assert.deepEqual(left.live, of.live);
        const kept = of.orders.filter((order) => order.updated > edge);
        const leftOf = new Set(left.orders.map(({ cursor }) => cursor));
        assert.deepEqual(
          left.orders.filter((order) => order.updated > edge),
          kept,
        );
        assert.deepEqual(
          left.orders,
          of.orders.filter(({ cursor }) => leftOf.has(cursor)),
        );
        // A ledger later than the order events; orders an hour and a ledger later.
        for (const { timestamp } of [...left.trades, ...left.failures]) {
          assert.ok(timestamp > before - KEPT, `${timestamp}`);
        }
        for (const { status, updated } of left.orders) {
          const isOver = status !== OrderStatus.expired;
          assert.ok(!isOver || updated > last - KEPT - WALK - DAY, `${updated}`);
        }
        dropped += of.trades.length - left.trades.length;
      }
      assert.ok(dropped > 0);
      assert.deepEqual(part.state.marketData.ticker(), all.state.marketData.ticker());
      for (const [base, quote] of PAIRS) {
        const [from, to] = [CHAIN_START - (CHAIN_START % DAY), last - (last % DAY) + DAY];
        const window = { from, to, resolution: 86_400 };
        const candles = part.state.marketData.candles({ base, quote }, window);
        assert.deepEqual(candles, all.state.marketData.candles({ base, quote }, window));
      }
      await Promise.all([all.close(), part.close()]);
    }),
    { numRuns: runs(1), includeErrorInReport: true },
  );
});
