// The answers and messages of the public API that the page reads, as far as it reads them.

export type StatusBody = {
  readonly status: "loading" | "active";
  readonly ledger?: number;
  readonly frozen?: boolean;
  readonly trades?: number;
  readonly volumes?: readonly {
    readonly symbol: string;
    readonly quoteVolume: string;
    readonly volume: string;
  }[];
};

export type ContractBody = {
  readonly address: string;
  readonly frozen: boolean;
  readonly config?: {
    readonly safetyAdmin: string;
    readonly oracle: string;
    readonly listingMinDays: number;
    readonly marketListingFee: string;
    readonly minTradeSize: string;
    readonly ledgerTime: number;
  };
  readonly markets: readonly { readonly base: string; readonly quote: string }[];
};

export type TickerEntry = {
  /** `base/quote`, canonical. */
  readonly symbol: string;
  readonly openPrice: string;
  readonly highPrice: string;
  readonly lowPrice: string;
  readonly lastPrice: string;
  readonly volume: string;
  readonly quoteVolume: string;
  readonly change: number;
  readonly avgPrice: string;
  readonly trades: number;
};

export type TickerBody = { readonly ledger: number; readonly ticker: readonly TickerEntry[] };

/** Start (UNIX seconds), open, high, low, close, base volume, quote volume, fills. */
export type Candle = readonly [number, string, string, string, string, string, string, number];

/** Price and quantity. */
export type Level = readonly [string, string];

export type DepthBody = {
  readonly ledger: number;
  readonly step: string | null;
  readonly bestBid: string | null;
  readonly bestAsk: string | null;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
};

export type Trade = {
  readonly type: "trade";
  readonly id: string;
  readonly order: string;
  readonly taker: string;
  readonly maker: string;
  readonly soldAsset: string;
  readonly boughtAsset: string;
  readonly sold: string;
  readonly bought: string;
  readonly crossfill?: boolean;
  readonly timestamp: string;
};

export type Swap = {
  readonly type: "swap";
  readonly id: string;
  readonly trader: string;
  readonly soldAsset: string;
  readonly boughtAsset: string;
  readonly sold: string;
  readonly bought: string;
  readonly timestamp: string;
};

export type Order = {
  readonly id: string;
  readonly status: string;
  readonly selling: string;
  readonly buying: string;
  readonly price: string;
  readonly quote: string;
  readonly amount: string;
  readonly owner: string;
  readonly backed?: string;
  readonly expires?: string;
  readonly created: string;
  readonly cursor: string;
};

export type Backing = {
  readonly owner: string;
  readonly asset: string;
  readonly balance: string;
  readonly allowance: string;
  readonly liveUntil: number;
  readonly authorized: boolean;
  readonly budget: string;
  readonly headroom?: string;
  readonly updated?: string;
  readonly pending?: boolean;
};

export type Failure = {
  readonly id: string;
  readonly ledger: number;
  readonly timestamp: string;
  readonly fn: string;
  readonly caller: string;
  readonly result: string;
  readonly reason: string;
  readonly error?: { readonly contract: string; readonly code: number; readonly name?: string };
};

export type Hop = {
  readonly selling: string;
  readonly buying: string;
  readonly orders: readonly string[];
  readonly worstPrice: string;
};

export type QuotePath = {
  readonly sold: string;
  readonly bought: string;
  readonly path: readonly Hop[];
};

export type Direction = "strict_send" | "strict_receive";

export type QuoteBody = {
  readonly id: string;
  readonly status: "success" | "unfeasible" | "rejected";
  readonly direction: Direction;
  readonly sellingAsset: string;
  readonly buyingAsset: string;
  readonly ledger: number;
  readonly paths: readonly QuotePath[];
  readonly error?: string;
};

export type AccountBody = {
  readonly address: string;
  readonly ledger: number;
  readonly orders: readonly Order[];
  readonly backing: Readonly<Record<string, Backing>>;
};

/** What a fill was to the maker's order. */
export type OrderFill = {
  readonly sold: string;
  readonly bought: string;
  readonly taker: string;
  readonly trade: string;
  /** UNIX seconds. */
  readonly ts: number;
};
