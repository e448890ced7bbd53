// Names, aliases, defaults and bounds of parameters: the one table that HTTP, push, the API's description
// and the console read.

/** Of several names the first that has a value counts. */
export const QUOTE_NAMES = {
  sellingAsset: ["sellingAsset", "selling_asset", "source_asset"],
  buyingAsset: ["buyingAsset", "buying_asset", "destination_asset"],
  amount: ["amount", "source_amount", "destination_amount"],
  maxPrice: ["maxPrice", "max_price"],
} as const;

/** Percent around the mid price. */
export const DEPTH_BAND = { default: 20, max: 100 } as const;
/** Digits of a price step; more integer digits than any price has: 10^36 between tokens of 7 decimals. */
export const STEP_DIGITS = { whole: 40, fraction: 18 } as const;
/** Levels of /depth a side. */
export const LEVELS = { default: 100, max: 500 } as const;
/** Orders of /book a side. */
export const BOOK_ORDERS = { default: 100, max: 5000 } as const;
/** Rows of a page without a usable `limit`. */
export const PAGE_DEFAULT = 20;
/** Most rows of a page; `history`: trades, swaps, failures and order events. */
export const PAGE_MAX = { markets: 1000, orders: 200, history: 500 } as const;
/** Candles a window or a push snapshot holds. */
export const CANDLES_MAX = 200;
/** Seconds and alias of every standard resolution, finest first. */
export const RESOLUTIONS = [
  [300, "5m"],
  [900, "15m"],
  [1800, "30m"],
  [3600, "1h"],
  [7200, "2h"],
  [14_400, "4h"],
  [43_200, "12h"],
  [86_400, "1d"],
  [259_200, "3d"],
  [604_800, "1w"],
  [1_209_600, "2w"],
] as const;
/** Later times than any ledger will have; keeps the arithmetic of windows exact. */
export const UNIX_SECONDS_MAX = 99_999_999_999;
/**
 * Subscriptions of one push connection; `accounts`: those of channel `account` among them; `snapshots`: those that it
 * may wait for at a time (choice: its topics, each asked for a few times).
 */
export const SUBSCRIPTIONS_MAX = { topics: 20, accounts: 10, snapshots: 100 } as const;
/** Records of a snapshot of channel `trades`. */
export const SNAPSHOT_TRADES = 50;
/** Orders or changes of one message of channel `book`: some 150 KB. */
export const BOOK_MESSAGE_ROWS = 400;
