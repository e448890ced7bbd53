// Candles, ticker and totals against a recomputation from the raw trades, over random histories,
// windows, orientations and clocks that go both ways.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Exchange } from "../../src/book/exchange.ts";
import type { MarketData, TickerStats } from "../../src/book/market-data.ts";
import { canonicalPair, marketKey, type Pair } from "../../src/model/address.ts";
import {
  type Candle,
  comparePrices,
  type PriceRatio,
  RESOLUTIONS,
} from "../../src/model/candle.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import type { Trade } from "../../src/model/trade.ts";
import { token } from "../support/addresses.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { naiveAnswers } from "../support/naive-exchange.ts";
import { CHAIN_START, type Random, randomFrom, randomLedgers } from "../support/random-ledgers.ts";

const DAY = 86_400;
const LEDGERS = 40;
const EVENTS_MAX = 14;
const RUNS = 12;

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
  const fills = naive.trades
    .filter((record): record is Trade => record.type === "trade" && !record.crossfill)
    .reverse();
  const day = fills.filter(({ timestamp }) => timestamp > now - DAY);
  const { timestamp, markets } = exchange.marketData.ticker();
  const known = [...naive.contract.markets.map(({ pair }) => pair), ...naive.markets];
  assert.equal(timestamp, now);
  assert.deepEqual(markets.map(normal), expectedTicker(known, day));
  const totals = exchange.marketData.dayTotals();
  assert.equal(totals.fills, day.length);
  const amounts = new Map<string, bigint>();
  for (const { soldAsset, boughtAsset, sold, bought } of day) {
    amounts.set(soldAsset, (amounts.get(soldAsset) ?? 0n) + sold);
    amounts.set(boughtAsset, (amounts.get(boughtAsset) ?? 0n) + bought);
  }
  assert.deepEqual(new Map(totals.tokens.map(({ asset, amount }) => [asset, amount])), amounts);
  for (let window = 0; window < 5; window += 1) {
    compareCandles(random, exchange.marketData, fills);
  }
}

function compareCandles(random: Random, data: MarketData, fills: readonly Trade[]): void {
  const first = random(4);
  const market = { base: token(first), quote: token((first + 1 + random(3)) % 4) };
  const resolution = RESOLUTIONS[random(RESOLUTIONS.length)] ?? 300;
  const from = Math.floor((CHAIN_START - DAY + random(20 * DAY)) / 300) * 300;
  const to = from + 300 * (1 + random((200 * resolution) / 300));
  const candles = data.candles(market, { from, to, resolution });
  const within = fills.filter(
    (fill) => isOf(market, fill) && fill.timestamp >= from && fill.timestamp < to,
  );
  const starts = [...new Set(within.map(({ timestamp }) => timestamp - (timestamp % resolution)))];
  const expected = starts.map((start) => {
    const bucket = within.filter(({ timestamp }) => timestamp - (timestamp % resolution) === start);
    return { start, ...summary(market, bucket) };
  });
  assert.deepEqual(candles.map(normalCandle), expected);
}

function expectedTicker(known: readonly Pair[], day: readonly Trade[]) {
  const pairs = new Map(known.map((pair) => [marketKey(pair), pair]));
  const rows = Array.from(pairs.values(), (pair) => {
    const fills = day.filter((fill) => isOf(pair, fill));
    return { symbol: marketKey(pair), ...(fills.length > 0 ? summary(pair, fills) : { fills: 0 }) };
  });
  return rows.sort((a, b) => b.fills - a.fills || (a.symbol < b.symbol ? -1 : 1));
}

function normal({ pair, prices, fills, baseVolume, quoteVolume }: TickerStats) {
  const symbol = marketKey(pair);
  if (prices === undefined) return { symbol, fills };
  const { open, high, low, last } = prices;
  return {
    symbol,
    ...normalCandle({ open, high, low, close: last, baseVolume, quoteVolume, fills }),
  };
}

/** Ratios that are equal as numbers compare as equal. */
function normalCandle<C extends Omit<Candle, "start">>(candle: C) {
  const { open, high, low, close } = candle;
  assert.ok(comparePrices(low, open) <= 0 && comparePrices(low, close) <= 0);
  assert.ok(comparePrices(open, high) <= 0 && comparePrices(close, high) <= 0);
  return {
    ...candle,
    open: lowest(open),
    high: lowest(high),
    low: lowest(low),
    close: lowest(close),
  };
}

function summary({ base }: Pair, fills: readonly Trade[]) {
  const prices = fills.map(({ soldAsset, sold, bought }) =>
    soldAsset === base ? { base: sold, quote: bought } : { base: bought, quote: sold },
  );
  const sorted = [...prices].sort(comparePrices);
  const ends = { open: prices.at(0), high: sorted.at(-1), low: sorted.at(0), close: prices.at(-1) };
  const { open, high, low, close } = ends;
  assert.ok(open && high && low && close);
  return {
    ...{ open: lowest(open), high: lowest(high), low: lowest(low), close: lowest(close) },
    baseVolume: prices.reduce((sum, price) => sum + price.base, 0n),
    quoteVolume: prices.reduce((sum, price) => sum + price.quote, 0n),
    fills: fills.length,
  };
}

function isOf(market: Pair, { soldAsset, boughtAsset }: Trade): boolean {
  const pair = canonicalPair(market.base, market.quote);
  return marketKey(canonicalPair(soldAsset, boughtAsset)) === marketKey(pair);
}

function lowest({ quote, base }: PriceRatio): string {
  let [a, b] = [quote, base];
  while (b !== 0n) [a, b] = [b, a % b];
  return `${quote / a}/${base / a}`;
}
