// Candles, ticker and totals against a recomputation from the raw trades, over random histories,
// windows, orientations and clocks that go both ways.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Exchange } from "../../src/book/exchange.ts";
import type { MarketData } from "../../src/book/market-data.ts";
import type { TickerStats } from "../../src/book/ticker-market.ts";
import { marketKey } from "../../src/model/address.ts";
import { type Candle, comparePrices, RESOLUTIONS } from "../../src/model/candle.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import type { Trade } from "../../src/model/trade.ts";
import { token } from "../support/addresses.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { naiveAnswers } from "../support/naive-exchange.ts";
import {
  countedFills,
  lowestTerms,
  naiveCandles,
  naiveTicker,
  naiveTotals,
} from "../support/naive-market-data.ts";
import { CHAIN_START, type Random, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";

const DAY = 86_400;
const LEDGERS = 40;
const EVENTS_MAX = 14;
const RUNS = runs(2);

test("market data is what the raw trades give, whenever and however it is asked", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = randomFrom(seed);
      const scale = 10 ** random(5);
      const ledgers = randomLedgers(random, LEDGERS, EVENTS_MAX, () => 1 + random(20 * scale));
      const clock = { now: CHAIN_START * 1000 };
      const options = exchangeOptions(clock);
      let exchange = await Exchange.open(options);
      for (let applied = 0; applied < LEDGERS; ) {
        const next = ledgers.slice(applied, applied + 1 + random(8));
        applied += next.length;
        await Promise.all(next.map((delta) => exchange.apply(delta)));
        for (let read = 0; read < 4; read += 1) {
          if (random(5) === 0) {
            await exchange.close();
            exchange = await Exchange.open(options);
          }
          clock.now = randomNow(random, ledgers, applied) * 1000 + random(1000);
          await exchange.tick();
          compare(random, exchange, ledgers.slice(0, applied), Math.floor(clock.now / 1000));
        }
      }
      await exchange.close();
    }),
    { numRuns: RUNS, examples: [[8]], includeErrorInReport: true },
  );
});

/** Around the newest ledger, around a day after some ledger, or anywhere. */
function randomNow(random: Random, ledgers: readonly LedgerDelta[], applied: number): number {
  const newest = ledgers[applied - 1]?.closeTime ?? CHAIN_START;
  const some = ledgers[random(applied)]?.closeTime ?? CHAIN_START;
  const near = random(7) - 3;
  return [newest + near, some + DAY + near, some + random(2 * DAY)][random(3)] ?? newest;
}

function compare(
  random: Random,
  exchange: Exchange,
  ledgers: readonly LedgerDelta[],
  now: number,
): void {
  const naive = naiveAnswers(ledgers, now);
  const fills = countedFills([...naive.trades].reverse());
  const { timestamp, markets } = exchange.state.marketData.ticker();
  const known = [...naive.contract.markets.map(({ pair }) => pair), ...naive.markets];
  assert.equal(timestamp, now);
  assert.deepEqual(markets.map(normalStats), naiveTicker(known, fills, now));
  const { fills: count, tokens } = exchange.state.marketData.dayTotals();
  const amounts = new Map(tokens.map(({ asset, amount }) => [asset, amount]));
  assert.deepEqual({ fills: count, amounts }, naiveTotals(fills, now));
  for (let window = 0; window < 5; window += 1) {
    compareCandles(random, exchange.state.marketData, fills);
  }
}

function compareCandles(random: Random, data: MarketData, fills: readonly Trade[]): void {
  const first = random(4);
  const market = { base: token(first), quote: token((first + 1 + random(3)) % 4) };
  const resolution = RESOLUTIONS[random(RESOLUTIONS.length)] ?? 300;
  const from = Math.floor((CHAIN_START - DAY + random(20 * DAY)) / 300) * 300;
  const window = { from, to: from + 300 * (1 + random((200 * resolution) / 300)), resolution };
  const candles = data.candles(market, window);
  assert.deepEqual(candles.map(normalCandle), naiveCandles(fills, market, window));
}

function normalStats({ pair, prices, fills, baseVolume, quoteVolume }: TickerStats) {
  const symbol = marketKey(pair);
  if (prices === undefined) return { symbol, fills };
  const { last: close, ...others } = prices;
  return { symbol, ...normalCandle({ ...others, close, baseVolume, quoteVolume, fills }) };
}

function normalCandle<C extends Omit<Candle, "start">>(candle: C) {
  const { open, high, low, close } = candle;
  const average = { quote: candle.quoteVolume, base: candle.baseVolume };
  for (const price of [open, close, average]) {
    assert.ok(comparePrices(low, price) <= 0 && comparePrices(price, high) <= 0);
  }
  return {
    ...candle,
    open: lowestTerms(open),
    high: lowestTerms(high),
    low: lowestTerms(low),
    close: lowestTerms(close),
  };
}
