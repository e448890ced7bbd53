// Schemas of depth, candles, tickers and the list of markets.
import { LEVELS } from "../parameter-table.ts";
import type { NamedSchemas, Schema } from "../schema.ts";
import { array, constant, integer, number, object, optional, ref, tuple } from "../schema.ts";

const BEST: Schema = {
  type: ["string", "null"],
  description:
    "Best price before rounding to levels, 8 significant digits; null where the side is empty.",
  pattern: "^(0|[1-9][0-9]*)(\\.[0-9]+)?$",
};

export const marketDataSchemas = {
  DepthLevel: tuple("Price in quote per base, and quantity in base tokens.", [
    { ...ref("Decimal"), title: "price" },
    { ...ref("Decimal"), title: "quantity" },
  ]),
  Depth: object("The book of a market around its mid price, counting backed amounts only.", {
    ledger: ref("Ledger"),
    timestamp: ref("UnixSeconds"),
    step: {
      type: ["string", "null"],
      description:
        "Price step of the levels; null when the book is empty and no step was asked for.",
      pattern: "^(0|[1-9][0-9]*)(\\.[0-9]+)?$",
    },
    bestBid: BEST,
    bestAsk: BEST,
    bids: array(ref("DepthLevel"), "Highest price first; rounded down to their level.", LEVELS.max),
    asks: array(ref("DepthLevel"), "Lowest price first; rounded up to their level.", LEVELS.max),
  }),
  Candle: tuple("One period with fills. Prices in quote per base.", [
    { ...ref("UnixSeconds", "Start, a multiple of the resolution."), title: "start" },
    { ...ref("Decimal"), title: "open" },
    { ...ref("Decimal"), title: "high" },
    { ...ref("Decimal"), title: "low" },
    { ...ref("Decimal"), title: "close" },
    { ...ref("Decimal", "Base tokens."), title: "baseVolume" },
    { ...ref("Decimal", "Quote tokens."), title: "quoteVolume" },
    { ...integer("Number of fills.", 1), title: "fills" },
  ]),
  TickerEntry: object("24 hours of one market; without fills prices and volumes are `0`.", {
    symbol: ref("MarketKey"),
    openPrice: ref("Decimal"),
    highPrice: ref("Decimal"),
    lowPrice: ref("Decimal"),
    lastPrice: ref("Decimal"),
    volume: ref("Decimal", "Base tokens."),
    quoteVolume: ref("Decimal", "Quote tokens."),
    change: number("Percent from open to last, 3 decimals."),
    avgPrice: ref("Decimal", "`quoteVolume` / `volume`."),
    trades: integer("Number of fills."),
  }),
  Ticker: object("The last 24 hours of every market.", {
    ledger: optional(ref("Ledger", "Last ledger processed; absent until there was one.")),
    timestamp: ref("UnixSeconds", "End of the window."),
    ticker: array(ref("TickerEntry"), "By `trades` descending, then by `symbol`."),
  }),
  Market: object("A pair that has live orders, in canonical order.", {
    baseAsset: ref("TokenAddress"),
    quoteAsset: ref("TokenAddress"),
    cursor: {
      type: "string",
      description: "`<base>-<quote>`; pages the list.",
      pattern: "^C[A-Z2-7]{55}-C[A-Z2-7]{55}$",
    },
    orderTypes: { ...array(constant("LIMIT"), "Always `LIMIT`.", 1), minItems: 1 },
  }),
} as const satisfies NamedSchemas;
