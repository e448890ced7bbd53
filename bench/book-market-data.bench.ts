// /candles over a long history, /ticker/24h of a thousand markets and the totals of GET /, beside a
// recomputation from raw trades. The history is filled through the exchange, in large ledgers;
// the same questions at a tenth of it show what grows with it. HISTORY=<fills> sets its length.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Exchange } from "../src/book/exchange.ts";
import { canonicalPair, type Pair } from "../src/model/address.ts";
import { RESOLUTIONS } from "../src/model/candle.ts";
import type { Trade } from "../src/model/trade.ts";
import { account, token } from "../test/support/addresses.ts";
import { exchangeIdentity } from "../test/support/exchange.ts";
import { type Follows, type NewEvent, nextLedger } from "../test/support/ledgers.ts";
import { countedFills, naiveCandles, naiveTicker } from "../test/support/naive-market-data.ts";
import { type Random, randomFrom } from "../test/support/random-ledgers.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { quantile } from "./quantile.ts";

const START = 1_600_000_000;
const DAY = 86_400;
const LEDGER_SECONDS = 5;
/** Large ledgers are stored several times as fast; what is asked does not depend on their size. */
const FILLS_A_LEDGER = 20_000;
const LEDGERS_MIN = 20;
const HISTORY = Number(process.env.HISTORY ?? 10_000_000);
const TINY_HISTORY = 4000;
const QUESTIONS = 2000;
/** Every second fill is one of the first market's. */
const HOT_SHARE = 2;
const SEED = 5;

export const bench: Bench = ({ tiny }) =>
  inFolder(async (folder) => {
    const history = tiny ? TINY_HISTORY : HISTORY;
    const run = await MarketRun.start(folder, tiny ? 20 : 1000);
    try {
      const figures: Figure[] = [];
      const filling = performance.now();
      await run.fill(history / 10);
      figures.push(...(await run.ask(`${history / 10}`, tiny ? 20 : QUESTIONS)));
      await run.fill(history - history / 10);
      const seconds = (performance.now() - filling) / 1000;
      figures.push(...(await run.ask(`${history}`, tiny ? 20 : QUESTIONS)));
      figures.push(...(await run.compareSlow()));
      figures.push(figure("fills stored a second", history / seconds, "/s"));
      figures.push(await run.restart());
      return figures;
    } finally {
      await run.close();
    }
  });

class MarketRun {
  readonly #random: Random = randomFrom(SEED);
  readonly #path: string;
  readonly #clock = { now: START * 1000 };
  readonly #markets: readonly Pair[];
  #exchange: Exchange | undefined;
  #last: Follows = { ledger: 1, hash: "00".repeat(32) };
  #time = START;

  static async start(folder: string, markets: number): Promise<MarketRun> {
    const run = new MarketRun(join(folder, "store"), markets);
    await run.#open();
    const opened = run.#markets.map((pair): NewEvent => ({ kind: "refresh", ...pair }));
    await run.#close(opened);
    return run;
  }

  private constructor(path: string, markets: number) {
    this.#path = path;
    const tokens = Math.ceil(Math.sqrt(2 * markets)) + 1;
    const pairs: Pair[] = [];
    for (let one = 0; one < tokens; one += 1) {
      for (let other = one + 1; other < tokens && pairs.length < markets; other += 1) {
        pairs.push(canonicalPair(token(one), token(other)));
      }
    }
    this.#markets = pairs;
  }

  /** A twentieth of the fills lies in the last day, the others in the years before. */
  async fill(count: number): Promise<void> {
    const ledgers = Math.max(LEDGERS_MIN, Math.ceil(count / FILLS_A_LEDGER));
    const fills = Math.ceil(count / ledgers);
    const recent = Math.ceil(ledgers / 20);
    const oldGap = Math.max(LEDGER_SECONDS, Math.floor((2 * 365 * DAY) / ledgers));
    const recentGap = Math.max(1, Math.floor(DAY / recent));
    for (let at = 0; at < ledgers; at += 1) {
      this.#time += at < ledgers - recent ? oldGap : recentGap;
      await this.#close(Array.from({ length: fills }, () => this.#randomFill()));
    }
  }

  async ask(label: string, questions: number): Promise<readonly Figure[]> {
    const candles: number[] = [];
    for (let at = 0; at < questions; at += 1) {
      const window = this.#randomWindow();
      const asked = performance.now();
      this.#data.candles(this.#hot, window);
      candles.push(performance.now() - asked);
    }
    const ticker: number[] = [];
    const totals: number[] = [];
    for (let at = 0; at < questions / 10; at += 1) {
      this.#time += LEDGER_SECONDS;
      await this.#close(Array.from({ length: 50 }, () => this.#randomFill()));
      const asked = performance.now();
      this.#data.ticker();
      const listed = performance.now();
      this.#data.dayTotals();
      totals.push(performance.now() - listed);
      ticker.push(listed - asked);
    }
    return [
      ...timings(`candles, ${label} fills`, candles, "p99 below 1 ms"),
      ...timings(`ticker, ${label} fills`, ticker, "p99 below 1 ms"),
      ...timings(`totals, ${label} fills`, totals, "p99 below 1 ms"),
    ];
  }

  /** The same answers from raw trades, and how much longer those take. */
  async compareSlow(): Promise<readonly Figure[]> {
    const from = this.#time - (this.#time % 900) - DAY;
    const window = { from, to: from + DAY, resolution: 900 };
    const market = this.#hot;
    const fast = performance.now();
    const candles = this.#data.candles(market, window);
    const fastMs = performance.now() - fast;
    const slow = performance.now();
    const expected = naiveCandles(this.#fillsSince(window.from), market, window);
    const slowMs = performance.now() - slow;
    assert.deepEqual(
      candles.map(({ start, fills, baseVolume }) => ({ start, fills, baseVolume })),
      expected.map(({ start, fills, baseVolume }) => ({ start, fills, baseVolume })),
    );
    const tickerStart = performance.now();
    const { timestamp, markets } = this.#data.ticker();
    const tickerMs = performance.now() - tickerStart;
    const naiveStart = performance.now();
    const rows = naiveTicker([market], this.#fillsSince(timestamp - DAY), timestamp);
    const naiveMs = performance.now() - naiveStart;
    const hot = markets.find(
      ({ pair }) => pair.base === market.base && pair.quote === market.quote,
    );
    assert.equal(hot?.fills, rows[0]?.fills);
    return [
      figure("candles of a day: slow / fast", slowMs / fastMs, "x"),
      figure("ticker, one market of it slow / all fast", naiveMs / tickerMs, "x"),
    ];
  }

  /** The ticker is right at once after a start: it reads candles, not fills. */
  async restart(): Promise<Figure> {
    const before = this.#data.ticker().markets;
    await this.#exchange?.close();
    const started = performance.now();
    await this.#open();
    const value = performance.now() - started;
    assert.deepEqual(this.#data.ticker().markets, before);
    return figure("restart", value, "ms");
  }

  async close(): Promise<void> {
    await this.#exchange?.close();
  }

  async #open(): Promise<void> {
    const clock = () => this.#clock.now;
    this.#exchange = await Exchange.open({ ...exchangeIdentity, path: this.#path, clock });
  }

  get #data() {
    assert.ok(this.#exchange);
    return this.#exchange.state.marketData;
  }

  get #hot(): Pair {
    return this.#markets[0] ?? assert.fail("no market");
  }

  async #close(events: readonly NewEvent[]): Promise<void> {
    const delta = nextLedger(this.#last, this.#time, events);
    this.#last = delta;
    this.#clock.now = this.#time * 1000;
    await this.#exchange?.apply(delta);
  }

  #randomFill(): NewEvent {
    const random = this.#random;
    const isHot = random(HOT_SHARE) === 0;
    const { base, quote } = this.#markets[isHot ? 0 : random(this.#markets.length)] ?? this.#hot;
    const [soldAsset, boughtAsset] = random(2) === 0 ? [base, quote] : [quote, base];
    return {
      ...{ kind: "trade", order: BigInt(random(1_000_000_000)) as Trade["order"] },
      ...{ taker: account(random(500)), maker: account(random(500)), soldAsset, boughtAsset },
      ...{ sold: BigInt(1 + random(1e9)), bought: BigInt(1 + random(1e9)), left: 0n },
      crossfill: false,
    };
  }

  #randomWindow(): { from: number; to: number; resolution: number } {
    const resolution = RESOLUTIONS[this.#random(RESOLUTIONS.length)] ?? 300;
    const to = 300 * Math.floor((START + this.#random(this.#time - START)) / 300);
    const aligned = to - (to % resolution) + (this.#random(2) === 0 ? resolution : 0);
    return { from: aligned - 199 * resolution - (aligned > to ? 0 : 300), to: aligned, resolution };
  }

  #fillsSince(time: number): readonly Trade[] {
    const trades = this.#exchange?.state.history.trades({}, { limit: 2_000_000 }) ?? [];
    return countedFills(trades.filter(({ timestamp }) => timestamp >= time).reverse());
  }
}

function timings(name: string, times: number[], goal: string): readonly Figure[] {
  return [
    figure(`${name}: median`, quantile(times, 0.5), "ms"),
    figure(`${name}: p99`, quantile(times, 0.99), "ms", goal),
  ];
}
