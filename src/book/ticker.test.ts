// The ticker's window while the clock goes on: what it says, and how much it reads at a time.
import assert from "node:assert/strict";
import { it } from "node:test";
import { account, token } from "../../test/support/addresses.ts";
import { lowestTerms, naiveTicker, naiveTotals } from "../../test/support/naive-market-data.ts";
import { type Random, randomFrom } from "../../test/support/random-ledgers.ts";
import { canonicalPair, marketKey, type Pair } from "../model/address.ts";
import {
  bucketStart,
  type Candle,
  candleOfFill,
  joinCandles,
  marketFill,
} from "../model/candle.ts";
import type { OrderId } from "../model/order.ts";
import { type Position, position } from "../model/position.ts";
import type { Trade } from "../model/trade.ts";
import { AHEAD_PORTION, Ticker } from "./ticker.ts";
import type { TickerStats } from "./ticker-market.ts";

const DAY = 86_400;
/** A bucket's start. */
const START = 1_700_000_100;
/** Many portions in each bucket of 300 seconds. */
const FILLS_A_SECOND = 4;
const SECONDS = 700;

class MemoryHistory {
  readonly candles = this;
  readonly history = this;
  readonly fills: Trade[] = [];
  readonly #buckets = new Map<string, { readonly pair: Pair; readonly candles: Candle[] }>();
  /** Trades read since it was last set. */
  read = 0;

  add(fill: Trade): void {
    this.fills.push(fill);
    const { pair, price } = marketFill(fill) ?? assert.fail();
    const market = this.#buckets.get(marketKey(pair)) ?? { pair, candles: [] };
    this.#buckets.set(marketKey(pair), market);
    const candle = candleOfFill(bucketStart(fill.timestamp, 300), price);
    const last = market.candles.at(-1);
    if (last?.start === candle.start) market.candles.splice(-1, 1, joinCandles(last, candle));
    else market.candles.push(candle);
  }

  markets() {
    return Array.from(this.#buckets.values(), ({ pair, candles }) => ({
      pair,
      newest: candles.at(-1)?.start ?? 0,
    }));
  }

  since(pair: Pair, from: number): readonly Candle[] {
    const candles = this.#buckets.get(marketKey(pair))?.candles ?? [];
    return candles.filter(({ start }) => start >= from);
  }

  tradesFrom(start: { readonly after: Position } | { readonly time: number }, limit: number) {
    const first = this.fills.findIndex(({ id, timestamp }) =>
      "after" in start ? id > start.after : timestamp >= start.time,
    );
    const trades = first < 0 ? [] : this.fills.slice(first, first + limit);
    this.read += trades.length;
    return trades;
  }
}

/** Trades that one step of the generator, or a move of the window, may read. */
function readPortions(ticker: Ticker, history: MemoryHistory, rowsMax: number): number {
  assert.equal(history.read, 0, "moving the window reads nothing");
  let all = 0;
  for (const _ of ticker.readAhead(rowsMax)) {
    assert.ok(history.read <= AHEAD_PORTION, `${history.read} at a time`);
    all += history.read;
    history.read = 0;
  }
  all += history.read;
  assert.ok(all <= rowsMax, `${all} of at most ${rowsMax}`);
  return all;
}

it("reads what leaves in portions, and says what the raw trades give", () => {
  const random = randomFrom(1);
  const history = historyOfSeconds(random);
  const ticker = new Ticker(history, START + DAY - 1);
  for (let now = START + DAY; now < START + DAY + SECONDS + 2; now += 1) {
    history.read = 0;
    if (random(3) === 0) addFill(random, history, ticker, now);
    ticker.moveTo(now);
    readPortions(ticker, history, 3 * AHEAD_PORTION);
    if (now % 47 === 0) compare(ticker, history, now);
  }
});

it("has read thousands of fills of a second before they leave", () => {
  const random = randomFrom(4);
  const history = new MemoryHistory();
  const crowded = [300, 301, 599, 600];
  for (const second of crowded) {
    for (let fill = 0; fill < 3000; fill += 1) addFill(random, history, undefined, START + second);
  }
  const ticker = new Ticker(history, START + DAY - 600);
  let read = 0;
  for (let now = START + DAY - 599; now < START + DAY + 602; now += 1) {
    history.read = 0;
    ticker.moveTo(now);
    read += readPortions(ticker, history, 20 * AHEAD_PORTION);
    if (crowded.some((second) => Math.abs(START + DAY + second - now) < 2)) {
      compare(ticker, history, now);
    }
  }
  assert.ok(read >= 4 * 3000, `${read} read`);
});

it("says what the raw trades give though the window moves between portions", () => {
  const random = randomFrom(5);
  const history = historyOfSeconds(random);
  let now = START + DAY - 1;
  const ticker = new Ticker(history, now);
  for (let round = 0; round < 40; round += 1) {
    for (const _ of ticker.readAhead(5 * AHEAD_PORTION)) {
      now += random(40);
      addFill(random, history, ticker, now);
      ticker.moveTo(now);
      compare(ticker, history, now);
    }
    now += 1;
    ticker.moveTo(now);
  }
});

it("starts the edges of a few markets at a time, and says of all what the raw trades give", () => {
  const random = randomFrom(6);
  const history = new MemoryHistory();
  const tokens = 40;
  for (let second = 0; second < SECONDS; second += 1) {
    for (let fill = 0; fill < 2; fill += 1) {
      addFill(random, history, undefined, START + second, tokens);
    }
  }
  let now = START + DAY - 1;
  const ticker = new Ticker(history, now);
  const markets = ticker.active().length;
  Array.from(ticker.readAhead(0));
  for (const comparedAt of [undefined, 0, 3]) {
    now += 300;
    ticker.moveTo(now);
    let portions = 0;
    for (const _ of ticker.readAhead(0)) {
      if (portions === comparedAt) compare(ticker, history, now, tokens);
      portions += 1;
    }
    if (comparedAt === undefined) assert.ok(portions > markets / 32, `${portions} for ${markets}`);
    compare(ticker, history, now, tokens);
  }
});

it("reads nothing at once after a start at the end of a bucket", () => {
  const history = historyOfSeconds(randomFrom(3));
  for (const second of [290, 297, 298, 299]) {
    const ticker = new Ticker(history, START + DAY + second);
    for (const now of [1, 2].map((later) => START + DAY + second + later)) {
      history.read = 0;
      ticker.moveTo(now);
      readPortions(ticker, history, 3 * AHEAD_PORTION);
    }
  }
});

it("says what the raw trades give when the clock jumps, on and back", () => {
  for (let seed = 0; seed < 2; seed += 1) {
    const random = randomFrom(seed);
    const history = historyOfSeconds(random);
    let now = START + DAY;
    const ticker = new Ticker(history, now);
    for (let jump = 0; jump < 15; jump += 1) {
      now += [1, random(20), 300, random(700), -random(20), -random(500)][random(6)] ?? 0;
      ticker.moveTo(now);
      compare(ticker, history, now);
    }
  }
});

it("takes fills of the bucket that is read ahead", () => {
  const random = randomFrom(2);
  const history = new MemoryHistory();
  const ticker = new Ticker(history, START);
  // An engine that catches up: what it adds is almost a day old.
  for (let second = 0; second < 700; second += 1) {
    for (let fill = 0; fill < 3; fill += 1) addFill(random, history, ticker, START + second);
    const now = START + DAY + second - 290;
    ticker.moveTo(now);
    if (second % 37 === 0) compare(ticker, history, now);
  }
});

function historyOfSeconds(random: Random): MemoryHistory {
  const history = new MemoryHistory();
  for (let fill = 0; fill < SECONDS * FILLS_A_SECOND; fill += 1) {
    addFill(random, history, undefined, START + Math.floor(fill / FILLS_A_SECOND));
  }
  return history;
}

function addFill(
  random: Random,
  history: MemoryHistory,
  ticker: Ticker | undefined,
  timestamp: number,
  tokens = 3,
): void {
  const sold = random(tokens);
  const fill: Trade = {
    type: "trade",
    id: position({ ledger: 1 + history.fills.length, transaction: 1, operation: 1, index: 0 }),
    ...{ order: 1n as OrderId, taker: account(1), maker: account(2), crossfill: false, left: 0n },
    ...{ soldAsset: token(sold), boughtAsset: token((sold + 1 + random(tokens - 1)) % tokens) },
    ...{ sold: BigInt(1 + random(50)), bought: BigInt(1 + random(50)), timestamp },
  };
  history.add(fill);
  ticker?.add([fill]);
}

function compare(ticker: Ticker, history: MemoryHistory, now: number, tokens = 3): void {
  const pairs = Array.from({ length: tokens }, (_, one) =>
    Array.from({ length: one }, (__, other) => canonicalPair(token(one), token(other))),
  ).flat();
  const expected = naiveTicker(pairs, history.fills, now).filter(({ fills }) => fills > 0);
  const stats = ticker.active().map(summary);
  stats.sort((a, b) => b.fills - a.fills || (a.symbol < b.symbol ? -1 : 1));
  assert.deepEqual(stats, expected, String(now));
  const { fills } = naiveTotals(history.fills, now);
  assert.equal(
    stats.reduce((sum, one) => sum + one.fills, 0),
    fills,
  );
}

function summary({ pair, prices, baseVolume, quoteVolume, fills }: TickerStats) {
  assert.ok(prices);
  return {
    symbol: marketKey(pair),
    open: lowestTerms(prices.open),
    high: lowestTerms(prices.high),
    low: lowestTerms(prices.low),
    close: lowestTerms(prices.last),
    ...{ baseVolume, quoteVolume, fills },
  };
}
