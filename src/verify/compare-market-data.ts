// Compares an engine's candles and tickers with what its trades give. The engine moves on while it
// is read, but trades never change: those up to the ticker's ledger are counted for the ticker, and
// candles are asked for up to a 5-minute boundary that later fills lie behind.
import { CANDLES_MAX } from "../api/parameter-table.ts";
import {
  bucketStart,
  type Candle,
  candleOfFill,
  invertCandle,
  joinCandles,
  marketFill,
  RESOLUTIONS,
} from "../model/candle.ts";
import { priceText, tokenText } from "../model/display.ts";
import { ledgerOf } from "../model/position.ts";
import type { EngineClient, ServedCandle, ServedTicker, ServedTrade } from "./engine-client.ts";

const DAY_SECONDS = 86_400;
const GRAIN_SECONDS = 300;

export type MarketDataComparison = {
  readonly tickers: number;
  readonly candles: number;
  /** One line each. */
  readonly differences: readonly string[];
};

/** Every market that the ticker lists, in both orientations and all resolutions. */
export async function compareMarketData(engine: EngineClient): Promise<MarketDataComparison> {
  const newest = await engine.newest();
  const served = await engine.ticker();
  const end = newest === undefined ? 0 : bucketStart(newest.timestamp, GRAIN_SECONDS);
  const differences: string[] = [];
  let candles = 0;
  for (const entry of served.ticker) {
    // With the bucket that is not over, where no fill came meanwhile; without it otherwise.
    const whole = await compareMarket(engine, served, { entry, end: end + GRAIN_SECONDS });
    const last = await engine.newest(entry.symbol);
    const market =
      last?.id === whole.newest ? whole : await compareMarket(engine, served, { entry, end });
    candles += market.candles;
    differences.push(...market.differences);
  }
  return { tickers: served.ticker.length, candles, differences };
}

async function compareMarket(
  engine: EngineClient,
  served: ServedTicker,
  { entry, end }: { readonly entry: ServedTicker["ticker"][number]; readonly end: number },
) {
  const { symbol } = entry;
  const own = new OwnMarketData(served, end);
  let newest: bigint | undefined;
  for await (const trade of engine.trades(symbol)) {
    newest ??= trade.id;
    own.add(trade);
  }
  const differences = own.tickerDifferences(entry).map((line) => `ticker ${symbol}: ${line}`);
  let candles = 0;
  for (const resolution of RESOLUTIONS) {
    const rows = own.candles(resolution);
    const orientations = [
      { market: symbol, rows },
      { market: symbol.split("/").reverse().join("/"), rows: rows.map(invertCandle) },
    ];
    for (const { market, rows: expected } of orientations) {
      const shown = await servedCandles(engine, market, { resolution, end, rows: expected });
      const found = candleDifferences(expected, shown);
      differences.push(...found.map((line) => `candle ${market} ${resolution}: ${line}`));
      candles += expected.length;
    }
  }
  return { newest, candles, differences };
}

/** One market's candles and day from its trades, which come newest first. */
class OwnMarketData {
  readonly #ledger: number;
  readonly #dayStart: number;
  readonly #end: number;
  readonly #candles = new Map<number, Map<number, Candle>>();
  #day: Candle | undefined;

  constructor({ ledger, timestamp }: ServedTicker, end: number) {
    this.#ledger = ledger;
    this.#dayStart = timestamp - DAY_SECONDS;
    this.#end = end;
  }

  add(trade: ServedTrade): void {
    const { type, crossfill, id, timestamp } = trade;
    if (type === "swap" || crossfill === true) return;
    const fill = marketFill(trade);
    if (fill === undefined) return;
    const one = candleOfFill(timestamp, fill.price);
    const isInTicker = timestamp > this.#dayStart && ledgerOf(id) <= this.#ledger;
    if (isInTicker) this.#day = before(this.#day, one);
    if (timestamp >= this.#end) return;
    for (const resolution of RESOLUTIONS) {
      const start = bucketStart(timestamp, resolution);
      const known = this.#candles.get(resolution) ?? new Map<number, Candle>();
      this.#candles.set(resolution, known);
      known.set(start, before(known.get(start), { ...one, start }));
    }
  }

  /** Oldest first; each holds the fills before the end. */
  candles(resolution: number): readonly Candle[] {
    const candles = [...(this.#candles.get(resolution)?.values() ?? [])];
    return candles.sort((one, other) => one.start - other.start);
  }

  tickerDifferences(entry: ServedTicker["ticker"][number]): readonly string[] {
    const day = this.#day;
    const expected: Record<string, string | number> =
      day === undefined ? { trades: 0, volume: "0", lastPrice: "0" } : dayTexts(day);
    return Object.entries(entry).flatMap(([name, value]) =>
      name in expected && expected[name] !== value
        ? [`${name} is ${value}, its trades give ${expected[name]}`]
        : [],
    );
  }
}

function dayTexts({ open, high, low, close, baseVolume, quoteVolume, fills }: Candle) {
  // Half up, as printed: the floor of what is half a unit more.
  const unit = 2n * close.base * open.quote;
  const shifted = 200_000n * close.quote * open.base + close.base * open.quote;
  return {
    openPrice: priceText(open.quote, open.base),
    highPrice: priceText(high.quote, high.base),
    lowPrice: priceText(low.quote, low.base),
    lastPrice: priceText(close.quote, close.base),
    volume: tokenText(baseVolume),
    quoteVolume: tokenText(quoteVolume),
    avgPrice: priceText(quoteVolume, baseVolume),
    change: Number(shifted / unit - 100_000n) / 1000,
    trades: fills,
  };
}

async function servedCandles(
  engine: EngineClient,
  market: string,
  options: { readonly resolution: number; readonly end: number; readonly rows: readonly Candle[] },
): Promise<readonly ServedCandle[]> {
  const { resolution, end, rows } = options;
  const shown: ServedCandle[] = [];
  const length = CANDLES_MAX * resolution;
  // Windows start at a candle, so that years without fills cost nothing.
  for (let at = 0, covered = 0; at < rows.length; at += 1) {
    const from = rows[at]?.start ?? 0;
    if (from < covered) continue;
    covered = Math.min(from + length, end);
    shown.push(...(await engine.candles(market, { from, to: covered, resolution })));
  }
  return shown;
}

function candleDifferences(
  expected: readonly Candle[],
  shown: readonly ServedCandle[],
): readonly string[] {
  const own = new Map(expected.map((candle) => [candle.start, candleTexts(candle).join(" ")]));
  const theirs = new Map(shown.map((candle) => [candle[0], candle.join(" ")]));
  const starts = [...new Set([...own.keys(), ...theirs.keys()])].sort((a, b) => a - b);
  return starts.flatMap((start) => {
    const [one, other] = [own.get(start) ?? "nothing", theirs.get(start) ?? "nothing"];
    return one === other ? [] : [`${other}, its trades give ${one}`];
  });
}

function candleTexts({ start, open, high, low, close, ...sums }: Candle): readonly string[] {
  const prices = [open, high, low, close].map(({ quote, base }) => priceText(quote, base));
  const volumes = [tokenText(sums.baseVolume), tokenText(sums.quoteVolume)];
  return [`${start}`, ...prices, ...volumes, `${sums.fills}`];
}

/** `older` put before what is there. */
function before(known: Candle | undefined, older: Candle): Candle {
  return known === undefined ? older : joinCandles(older, known);
}
