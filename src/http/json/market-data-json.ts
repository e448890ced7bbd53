// Candles, tickers and depth as JSON text (api.md, Candle, Ticker entry and Depth body). Base and quote both print
// with 7 decimals, so a ratio of base units is the price in tokens.
import type { DepthBody } from "../../book/depth.ts";
import type { TickerStats } from "../../book/ticker-market.ts";
import { marketKey } from "../../model/address.ts";
import type { Candle, PriceRatio } from "../../model/candle.ts";
import { priceText, scaleHalfUp, tokenText } from "../../model/display.ts";

export function candleJson(candle: Candle): string {
  const { start, open, high, low, close, baseVolume, quoteVolume, fills } = candle;
  return (
    `[${start},"${ratioText(open)}","${ratioText(high)}","${ratioText(low)}",` +
    `"${ratioText(close)}","${tokenText(baseVolume)}","${tokenText(quoteVolume)}",${fills}]`
  );
}

/** Cached texts of ticker entries: a market's stats are one object until they change. */
const entryTexts = new WeakMap<TickerStats, string>();

export function tickerEntryJson(stats: TickerStats): string {
  let text = entryTexts.get(stats);
  if (text === undefined) {
    text = newTickerEntryJson(stats);
    entryTexts.set(stats, text);
  }
  return text;
}

function newTickerEntryJson({ pair, prices, baseVolume, quoteVolume, fills }: TickerStats): string {
  const text = (price: PriceRatio | undefined) => (price === undefined ? "0" : ratioText(price));
  const average = baseVolume === 0n ? "0" : priceText(quoteVolume, baseVolume);
  const change = prices === undefined ? 0 : changePercent(prices.open, prices.last);
  return (
    `{"symbol":"${marketKey(pair)}","openPrice":"${text(prices?.open)}",` +
    `"highPrice":"${text(prices?.high)}","lowPrice":"${text(prices?.low)}",` +
    `"lastPrice":"${text(prices?.last)}","volume":"${tokenText(baseVolume)}",` +
    `"quoteVolume":"${tokenText(quoteVolume)}","change":${change},"avgPrice":"${average}",` +
    `"trades":${fills}}`
  );
}

function ratioText({ quote, base }: PriceRatio): string {
  return priceText(quote, base);
}

/** last / open - 1 in percent, rounded half up at 3 decimals from the exact ratio. */
function changePercent(open: PriceRatio, last: PriceRatio): number {
  const ratio = scaleHalfUp(last.quote * open.base, last.base * open.quote, 5);
  return Number(ratio - 100_000n) / 1000;
}

export function depthJson(body: DepthBody): string {
  return `{"ledger":${body.ledger},"timestamp":${body.timestamp},${depthLevelsJson(body)}}`;
}

/** The members that say what the book is, without when: equal for equal books. */
export function depthLevelsJson({ step, bestBid, bestAsk, bids, asks }: DepthBody): string {
  return (
    `"step":${text(step)},"bestBid":${text(bestBid)},"bestAsk":${text(bestAsk)},` +
    `"bids":${JSON.stringify(bids)},"asks":${JSON.stringify(asks)}`
  );
}

function text(value: string | null): string {
  return value === null ? "null" : `"${value}"`;
}
