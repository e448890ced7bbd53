// Types of every answer and message of the API, for clients: import type { ... } from
// "hopbook/api". Made from the API's description by `npm run describe`: not to be edited.

/** Account (G...) or contract (C...) address. */
export type Address = string;

/** Address of a token contract. A classic asset appears as the address of its token contract. */
export type TokenAddress = string;

/** Address of a contract. */
export type ContractAddress = string;

/**
 * `base/quote` as token contract addresses. Canonical unless said otherwise: the base is the first
 * of the pair when the XDR bytes of the two addresses are compared.
 */
export type MarketKey = string;

/**
 * Order id: a decimal u128 derived from owner and nonce. Not sequential; used again once an order
 * is gone.
 */
export type OrderId = string;

/**
 * Position of an event or a call on the ledger, a decimal integer beyond 64 bits. Orders the
 * records of a list.
 */
export type Position = string;

/** Integer base units of a token. With 7 decimals one token is 10000000. */
export type Amount = string;

/**
 * Price in the maker's terms: buying base units per 1 selling base unit, times 10^18. From 1 to
 * 10^36.
 */
export type ContractPrice = string;

/** Plain decimal number, in token units or as a price of quote per base. */
export type Decimal = string;

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export type UtcTime = string;

/** Seconds since 1970, UTC. */
export type UnixSeconds = number;

/** Ledger sequence number. */
export type Ledger = number;

/** Length of a candle: seconds, or an alias of them. */
export type Resolution =
  | "300"
  | "900"
  | "1800"
  | "3600"
  | "7200"
  | "14400"
  | "43200"
  | "86400"
  | "259200"
  | "604800"
  | "1209600"
  | "5m"
  | "15m"
  | "30m"
  | "1h"
  | "2h"
  | "4h"
  | "12h"
  | "1d"
  | "3d"
  | "1w"
  | "2w";

/** Length of a candle in seconds. */
export type ResolutionSeconds =
  | 300
  | 900
  | 1800
  | 3600
  | 7200
  | 14400
  | 43200
  | 86400
  | 259200
  | 604800
  | 1209600;

/** What was traded of one token in 24 hours; for display only. */
export type TokenVolume = {
  readonly symbol: TokenAddress;
  /** Tokens traded, summed over every market. */
  readonly quoteVolume: Decimal;
  /** Indicative USD value from fixed reference prices; `0` without one. */
  readonly volume: Decimal;
};

/** The order book is empty, as it is at startup. */
export type LoadingStatus = {
  readonly status: "loading";
  /** Time of the answer, ISO 8601 UTC. */
  readonly ts: string;
};

/** The order book is served. */
export type ActiveStatus = {
  readonly status: "active";
  /** Time of the answer, ISO 8601 UTC. */
  readonly ts: string;
  /** Last ledger processed. */
  readonly ledger: Ledger;
  /** The safety admin froze the contract: quotes are rejected meanwhile. */
  readonly frozen: boolean;
  /** Fills in the last 24 hours across all markets. */
  readonly trades: number;
  /** Of every token that was traded. */
  readonly volumes: readonly TokenVolume[];
};

/** Told apart by `status`. */
export type Status = LoadingStatus | ActiveStatus;

/** The contract's configuration. */
export type ContractConfig = {
  readonly safetyAdmin: Address;
  /** The oracle contract. */
  readonly oracle: ContractAddress;
  /** Days of oracle prices that opening a market must pay for; 0 opens markets without fee. */
  readonly listingMinDays: number;
  /**
   * Base units of the listing-fee token burned to open a market: the oracle's daily fee times
   * `listingMinDays`.
   */
  readonly marketListingFee: Amount;
  /** Minimum value of an order in USD with 7 decimals; `0` disables. */
  readonly minTradeSize: Amount;
  /** Expected time between ledgers, seconds. */
  readonly ledgerTime: number;
};

/** A market opened on-chain, in canonical order. It need not have orders. */
export type RegistryMarket = {
  readonly base: TokenAddress;
  readonly quote: TokenAddress;
  /** Time of the first refresh event seen. */
  readonly created: UtcTime;
  /** Time of the last oracle check, by requote or subsidize. */
  readonly refreshed: UtcTime;
};

/** What the contract's events say of the contract itself. */
export type ContractState = {
  /** The exchange contract. */
  readonly address: ContractAddress;
  /** The safety admin froze the contract. */
  readonly frozen: boolean;
  /** Absent until a configuration event was seen. */
  readonly config?: ContractConfig;
  /** In the order first seen. */
  readonly markets: readonly RegistryMarket[];
};

/** Why a request failed. */
export type ApiError = {
  /** For people; it names the parameter that is wrong. */
  readonly error: string;
  /** The HTTP status. */
  readonly status: number;
};

/** One market crossed. */
export type QuoteHop = {
  /** Paid at this hop. */
  readonly selling: TokenAddress;
  /** Received at this hop. */
  readonly buying: TokenAddress;
  /** Maker orders to list, in matching order. */
  readonly orders: readonly OrderId[];
  /**
   * Highest maker price among the listed orders: units of `selling` per 1 unit of `buying`, times
   * 10^18.
   */
  readonly worstPrice: ContractPrice;
};

/** One route. It settles for exactly these amounts in the state it was computed on. */
export type QuotePath = {
  /**
   * Paid. With strict_send it can be slightly below the amount asked for: input worth less than one
   * base unit of output stays with the trader.
   */
  readonly sold: Amount;
  /** Received. */
  readonly bought: Amount;
  /** Hops in execution order. */
  readonly path: readonly QuoteHop[];
};

/** At least one route fills the amount. */
export type SuccessfulQuote = {
  /** Quote id, informational. */
  readonly id: string;
  readonly status: "success";
  /** The direction used. */
  readonly direction: "strict_send" | "strict_receive";
  /** What the trader pays. */
  readonly sellingAsset: TokenAddress;
  /** What the trader receives. */
  readonly buyingAsset: TokenAddress;
  /** Ledger of the order book that the quote was computed on. */
  readonly ledger: Ledger;
  /** Alternative routes, best first. They can share orders: one is meant per transaction. */
  readonly paths: readonly QuotePath[];
};

/**
 * No route: `unfeasible` when the backed orders cannot fill the amount, `rejected` while the
 * contract is frozen or cannot hold the bought asset.
 */
export type UnfilledQuote = {
  /** Quote id, informational. */
  readonly id: string;
  /** Why there is no route. */
  readonly status: "unfeasible" | "rejected";
  /** The direction used. */
  readonly direction: "strict_send" | "strict_receive";
  /** What the trader pays. */
  readonly sellingAsset: TokenAddress;
  /** What the trader receives. */
  readonly buyingAsset: TokenAddress;
  /** Ledger of the order book that the quote was computed on. */
  readonly ledger: Ledger;
  /** Empty. */
  readonly paths: readonly [];
  /** The reason in words. */
  readonly error: string;
};

/** Told apart by `status`. */
export type Quote = SuccessfulQuote | UnfilledQuote;

/** Price in quote per base, and quantity in base tokens. */
export type DepthLevel = readonly [price: Decimal, quantity: Decimal];

/** The book of a market around its mid price, counting backed amounts only. */
export type Depth = {
  readonly ledger: Ledger;
  readonly timestamp: UnixSeconds;
  /** Price step of the levels; null when the book is empty and no step was asked for. */
  readonly step: string | null;
  /** Best price before rounding to levels, 8 significant digits; null where the side is empty. */
  readonly bestBid: string | null;
  /** Best price before rounding to levels, 8 significant digits; null where the side is empty. */
  readonly bestAsk: string | null;
  /** Highest price first; rounded down to their level. */
  readonly bids: readonly DepthLevel[];
  /** Lowest price first; rounded up to their level. */
  readonly asks: readonly DepthLevel[];
};

/** One period with fills. Prices in quote per base. */
export type Candle = readonly [
  start: UnixSeconds,
  open: Decimal,
  high: Decimal,
  low: Decimal,
  close: Decimal,
  baseVolume: Decimal,
  quoteVolume: Decimal,
  fills: number,
];

/** 24 hours of one market; without fills prices and volumes are `0`. */
export type TickerEntry = {
  readonly symbol: MarketKey;
  readonly openPrice: Decimal;
  readonly highPrice: Decimal;
  readonly lowPrice: Decimal;
  readonly lastPrice: Decimal;
  /** Base tokens. */
  readonly volume: Decimal;
  /** Quote tokens. */
  readonly quoteVolume: Decimal;
  /** Percent from open to last, 3 decimals. */
  readonly change: number;
  /** `quoteVolume` / `volume`. */
  readonly avgPrice: Decimal;
  /** Number of fills. */
  readonly trades: number;
};

/** The last 24 hours of every market. */
export type Ticker = {
  /** Last ledger processed; absent until there was one. */
  readonly ledger?: Ledger;
  /** End of the window. */
  readonly timestamp: UnixSeconds;
  /** By `trades` descending, then by `symbol`. */
  readonly ticker: readonly TickerEntry[];
};

/** A pair that has live orders, in canonical order. */
export type Market = {
  readonly baseAsset: TokenAddress;
  readonly quoteAsset: TokenAddress;
  /** `<base>-<quote>`; pages the list. */
  readonly cursor: string;
  /** Always `LIMIT`. */
  readonly orderTypes: readonly "LIMIT"[];
};

/** A maker order. Buy orders are stored as orders that sell the asset they pay with. */
export type Order = {
  readonly id: OrderId;
  /** `ACTIVE` while live; `CANCELED`: removed by its owner. */
  readonly status: "ACTIVE" | "FILLED" | "CANCELED" | "EXPIRED";
  /** Token the maker sells. */
  readonly selling: TokenAddress;
  /** Token the maker receives. */
  readonly buying: TokenAddress;
  readonly price: ContractPrice;
  /** `price` / 10^18 as a float, for display only. */
  readonly rprice: number;
  /** Selling amount at creation; updates do not change it. */
  readonly quote: Amount;
  /** Selling amount left. */
  readonly amount: Amount;
  /** The maker. */
  readonly owner: Address;
  /**
   * Part of `amount` that the maker's budget covers; the budget is split across the maker's live
   * orders selling the token, oldest first. `0` once the order is no longer live. Only for orders
   * with tracked backing, never in /order-history.
   */
  readonly backed?: Amount;
  /** The maker's backing in the selling token; where `backed` is. */
  readonly backing?: OrderBacking;
  /** Absent when the order never expires. */
  readonly expires?: UtcTime;
  readonly created: UtcTime;
  /** Time of the last change; of an expired order its expiration. */
  readonly updated: UtcTime;
  /** Position of the event that created the order; pages lists. */
  readonly cursor: Position;
};

/** A live order as a row of its market's book: without status, tokens and the maker's backing. */
export type BookRow = {
  readonly id: OrderId;
  readonly price: ContractPrice;
  /** `price` / 10^18 as a float, for display only. */
  readonly rprice: number;
  /** Selling amount at creation; updates do not change it. */
  readonly quote: Amount;
  /** Selling amount left. */
  readonly amount: Amount;
  /** The maker. */
  readonly owner: Address;
  /**
   * Part of `amount` that the maker's budget covers; the budget is split across the maker's live
   * orders selling the token, oldest first. `0` once the order is no longer live. Only for orders
   * with tracked backing, never in /order-history.
   */
  readonly backed?: Amount;
  /**
   * Where `backed` is below the amount left: what the maker can pay in the token in all of its
   * orders, at any price and in other markets. With `backing`, or in a row.
   */
  readonly budget?: Amount;
  /** Absent when the order never expires. */
  readonly expires?: UtcTime;
  readonly created: UtcTime;
  /** Time of the last change; of an expired order its expiration. */
  readonly updated: UtcTime;
  /** Position of the event that created the order; pages lists. */
  readonly cursor: Position;
};

/** The live orders of one market at one ledger, best prices first. */
export type Book = {
  /** Last ledger processed; absent until there was one. */
  readonly ledger?: Ledger;
  /** In the orientation that was asked for. */
  readonly market: MarketKey;
  /** Orders that sell the base token. */
  readonly asks: readonly BookRow[];
  /** Orders that sell the quote token. */
  readonly bids: readonly BookRow[];
};

/** One change of an order of the market. */
export type BookChange = {
  /**
   * As in OrderUpdate; `revive`: an expired order was updated and lives again; `backing`: what
   * backs the order changed and nothing else. Those of a ledger are in chain order, `backing` last.
   */
  readonly cause: "new" | "update" | "fill" | "filled" | "cancel" | "expire" | "revive" | "backing";
  /** `ask` sells the base token. */
  readonly side: "ask" | "bid";
  readonly id: OrderId;
  /** After the change. Absent: with `backing`, and of an order that is gone. */
  readonly order?: BookRow;
  /** With `backing`: the new value; absent where it is no longer tracked. */
  readonly backed?: Amount;
  /**
   * Where `backed` is below the amount left: what the maker can pay in the token in all of its
   * orders, at any price and in other markets. With `backing`, or in a row.
   */
  readonly budget?: Amount;
  /** With `fill` and `filled`. */
  readonly fill?: OrderFill;
};

/** The maker's backing as an order shows it. */
export type OrderBacking = {
  /**
   * What the owner can transfer: of a classic account the balance without selling liabilities and,
   * for the native asset, without the reserve.
   */
  readonly balance: Amount;
  /** What the owner lets the exchange contract move. */
  readonly allowance: Amount;
  /**
   * Ledger until which the allowance lives, 0 without allowance. 4294967295, the last there can be,
   * where it is unknown: custom tokens (no SAC) tell it in events alone, and the approval is older
   * than the first ledger read.
   */
  readonly liveUntil: Ledger;
  /** The owner can send and receive the token. */
  readonly authorized: boolean;
  /** When the values were last loaded. Absent: they are unknown so far. */
  readonly updated?: UtcTime;
  /** A confirming reload is due: the values may predate the latest change. */
  readonly pending?: true;
};

/**
 * What stands behind an owner in one token. An indexed view: exact decisions should read allowance
 * and balance from the token contract.
 */
export type Backing = {
  readonly owner: Address;
  readonly asset: TokenAddress;
  /**
   * What the owner can transfer: of a classic account the balance without selling liabilities and,
   * for the native asset, without the reserve.
   */
  readonly balance: Amount;
  /** What the owner lets the exchange contract move. */
  readonly allowance: Amount;
  /**
   * Ledger until which the allowance lives, 0 without allowance. 4294967295, the last there can be,
   * where it is unknown: custom tokens (no SAC) tell it in events alone, and the approval is older
   * than the first ledger read.
   */
  readonly liveUntil: Ledger;
  /** The owner can send and receive the token. */
  readonly authorized: boolean;
  /** `min(balance, allowance)`, or 0 when not authorized or the allowance expired. */
  readonly budget: Amount;
  /**
   * What the owner can still receive: trustline limit minus balance and buying liabilities. Absent
   * for the native asset, contract balances and while unknown.
   */
  readonly headroom?: Amount;
  /** When the values were last loaded. Absent: they are unknown so far. */
  readonly updated?: UtcTime;
  /** When an order of this owner selling this token was last skipped. */
  readonly skipped?: UtcTime;
  /** A confirming reload is due: the values may predate the latest change. */
  readonly pending?: true;
};

/** Live orders and backing of an account. */
export type Account = {
  readonly address: Address;
  /** Last ledger processed; absent until there was one. */
  readonly ledger?: Ledger;
  /** All live orders of the account, oldest first, not paged. */
  readonly orders: readonly Order[];
  /**
   * Backing records by token. They cover the tokens of the account's live orders, and every token
   * of the open markets while the account is subscribed on the push channel `account`. Records not
   * loaded yet are left out.
   */
  readonly backing: { readonly [key: string]: Backing | undefined };
};

/** One fill of a maker order. */
export type Trade = {
  readonly type: "trade";
  readonly id: Position;
  /** The maker order. */
  readonly order: OrderId;
  /**
   * The trader, of a `trade` call and of a swap's first hop; the exchange contract on later hops;
   * the taker order's owner on a crossfill's maker fills; the caller on its taker order's own fill.
   */
  readonly taker: Address;
  /** Owner of the order. */
  readonly maker: Address;
  /** What the taker paid. */
  readonly soldAsset: TokenAddress;
  /** What the taker received. */
  readonly boughtAsset: TokenAddress;
  readonly sold: Amount;
  readonly bought: Amount;
  /** What the maker order has left; `0`: filled and removed. */
  readonly left: Amount;
  /**
   * The fill of a crossfill's taker order: it mirrors its maker fills and does not count in candles
   * and tickers.
   */
  readonly crossfill?: true;
  /** `bought` / `sold` as a float, for display only. */
  readonly price: number;
  /** The same as `id`; pages lists. */
  readonly cursor: Position;
  /** Close time of the ledger. */
  readonly timestamp: UtcTime;
};

/** One swap call, recorded on top of its hops' fills. Never add its amounts to fill volumes. */
export type Swap = {
  readonly type: "swap";
  readonly id: Position;
  /** The caller. */
  readonly trader: Address;
  readonly soldAsset: TokenAddress;
  readonly boughtAsset: TokenAddress;
  readonly sold: Amount;
  readonly bought: Amount;
  /** `bought` / `sold` as a float, for display only. */
  readonly price: number;
  /** The same as `id`; pages lists. */
  readonly cursor: Position;
  /** Close time of the ledger. */
  readonly timestamp: UtcTime;
};

/** Told apart by `type`. */
export type TradeOrSwap = Trade | Swap;

/** What became of an order. */
export type OrderEvent = {
  readonly type: "order";
  /** The ledger, then a number that counts up in it. */
  readonly id: Position;
  /** As in channel `book`. */
  readonly cause: "new" | "update" | "fill" | "filled" | "cancel" | "expire" | "revive";
  readonly order: OrderId;
  /** `cursor` of the order: tells orders of one id apart. */
  readonly orderCursor: Position;
  readonly owner: Address;
  readonly selling: TokenAddress;
  readonly buying: TokenAddress;
  /** After the event, as in Order. */
  readonly price: string;
  /** What was left after the event. */
  readonly amount: Amount;
  /** After the event; absent: never. */
  readonly expires?: UtcTime;
  /** Whether the order was live after the event. */
  readonly live: boolean;
  /** `id` of the trade; with fill and filled alone. */
  readonly trade?: Position;
  readonly ledger: Ledger;
  /** Close time of the ledger. */
  readonly timestamp: UtcTime;
  /** The same as `id`; pages lists. */
  readonly cursor: Position;
};

/** A change of a maker's budget behind live orders. */
export type BudgetEvent = {
  readonly type: "budget";
  readonly id: Position;
  readonly owner: Address;
  readonly asset: TokenAddress;
  /** After the event; absent: no longer tracked. */
  readonly budget?: Amount;
  readonly ledger: Ledger;
  /** Close time of the ledger. */
  readonly timestamp: UtcTime;
  /** The same as `id`; pages lists. */
  readonly cursor: Position;
};

/** Told apart by `type`. */
export type OrderOrBudgetEvent = OrderEvent | BudgetEvent;

/** One page of order events. */
export type OrderEvents = {
  /** The first ledger from which every event is there; absent: none are kept. */
  readonly completeFrom?: Ledger;
  /** Newest first. */
  readonly events: readonly OrderOrBudgetEvent[];
};

/** A contract error. */
export type FailureError = {
  /** The contract that failed: the exchange, a token or another one. */
  readonly contract: ContractAddress;
  /** Error code of that contract. */
  readonly code: number;
  /** Name of the code; for the exchange's own errors. */
  readonly name?: string;
};

/** A failed token transfer. */
export type FailureTransfer = {
  readonly token: TokenAddress;
  /** Function of the token contract. */
  readonly fn: "transfer" | "transfer_from";
  readonly from: Address;
  readonly to: Address;
  /** Base units, as the call asked for them. */
  readonly amount: string;
};

/** One failed call of the exchange contract. It changed nothing on the ledger; diagnostics only. */
export type Failure = {
  readonly type: "failure";
  /** Position of the transaction and index of the failed call in it. */
  readonly id: Position;
  /** Transaction hash. */
  readonly txHash: string;
  readonly ledger: Ledger;
  /** Close time of the ledger. */
  readonly timestamp: UtcTime;
  /** Contract function called. */
  readonly fn: string;
  /**
   * Who authorized the call (its trader or sponsor argument), otherwise the transaction's source.
   */
  readonly caller: Address;
  /** Orders listed: maker orders of trade, swap and crossfill, updated orders of update. */
  readonly orders: readonly OrderId[];
  /** Taker order of a crossfill. */
  readonly takerOrder?: OrderId;
  /** Result code of the operation or the transaction. */
  readonly result: string;
  /** The transaction succeeded: a calling contract caught the failed call. */
  readonly caught?: true;
  /**
   * `contract`: a contract error; `transfer`: a token transfer failed; `resources`: resource limit,
   * refundable fee or archived entry; `auth`: authorization; `unknown`: undetermined.
   */
  readonly reason: "contract" | "transfer" | "resources" | "auth" | "unknown";
  /** The failing contract error, when known. */
  readonly error?: FailureError;
  /** The failed token transfer, when diagnostics show it. */
  readonly transfer?: FailureTransfer;
  /** The same as `id`; pages lists. */
  readonly cursor: Position;
};

/** Subscribes to channel `contract`, or ends the subscription that the same parameters made. */
export type ContractRequest = {
  /** What to do. */
  readonly op: "subscribe" | "unsubscribe";
  readonly channel: "contract";
  /** Any JSON value; comes back in the reply and in errors. */
  readonly id?: unknown;
};

/** Subscribes to channel `account`, or ends the subscription that the same parameters made. */
export type AccountRequest = {
  /** What to do. */
  readonly op: "subscribe" | "unsubscribe";
  readonly channel: "account";
  /** Any JSON value; comes back in the reply and in errors. */
  readonly id?: unknown;
  /** Account or contract address. */
  readonly address: string;
};

/** Subscribes to channel `trades`, or ends the subscription that the same parameters made. */
export type TradesRequest = {
  /** What to do. */
  readonly op: "subscribe" | "unsubscribe";
  readonly channel: "trades";
  /** Any JSON value; comes back in the reply and in errors. */
  readonly id?: unknown;
  /** `BASE/QUOTE` in either orientation and any asset format, or `*` for every market. */
  readonly market?: string;
};

/** Subscribes to channel `book`, or ends the subscription that the same parameters made. */
export type BookRequest = {
  /** What to do. */
  readonly op: "subscribe" | "unsubscribe";
  readonly channel: "book";
  /** Any JSON value; comes back in the reply and in errors. */
  readonly id?: unknown;
  /**
   * `BASE/QUOTE`, each side `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a token
   * contract address. The answer keeps this orientation.
   */
  readonly market: string;
};

/** Subscribes to channel `ticker`, or ends the subscription that the same parameters made. */
export type TickerRequest = {
  /** What to do. */
  readonly op: "subscribe" | "unsubscribe";
  readonly channel: "ticker";
  /** Any JSON value; comes back in the reply and in errors. */
  readonly id?: unknown;
};

/** Subscribes to channel `depth`, or ends the subscription that the same parameters made. */
export type DepthRequest = {
  /** What to do. */
  readonly op: "subscribe" | "unsubscribe";
  readonly channel: "depth";
  /** Any JSON value; comes back in the reply and in errors. */
  readonly id?: unknown;
  /**
   * `BASE/QUOTE`, each side `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a token
   * contract address. The answer keeps this orientation.
   */
  readonly market: string;
  /** Band around the mid price in percent. */
  readonly depth?: number | string;
  /**
   * Price step of the levels, a positive decimal with at most 18 fractional digits. Without it: 5
   * significant digits of the mid price.
   */
  readonly step?: string;
  /** Levels per side. */
  readonly limit?: number | string;
};

/** Subscribes to channel `candles`, or ends the subscription that the same parameters made. */
export type CandlesRequest = {
  /** What to do. */
  readonly op: "subscribe" | "unsubscribe";
  readonly channel: "candles";
  /** Any JSON value; comes back in the reply and in errors. */
  readonly id?: unknown;
  /**
   * `BASE/QUOTE`, each side `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a token
   * contract address. The answer keeps this orientation.
   */
  readonly market: string;
  /**
   * Seconds or alias. A window of more than 200 candles gets the smallest standard resolution that
   * holds it. Without it: the finest that holds the window, 2w without `to`.
   */
  readonly resolution: Resolution | ResolutionSeconds;
  /** Candles of the snapshot. Not part of the topic. */
  readonly limit?: number | string;
};

/** Subscribes to channel `quote`, or ends the subscription that the same parameters made. */
export type QuoteRequest = {
  /** What to do. */
  readonly op: "subscribe" | "unsubscribe";
  readonly channel: "quote";
  /** Any JSON value; comes back in the reply and in errors. */
  readonly id?: unknown;
  /**
   * Asset the trader pays: `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a token
   * contract address. Errors name it `source_asset`. Also under `selling_asset`, `source_asset`.
   */
  readonly sellingAsset: string;
  /**
   * Asset the trader receives: `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a
   * token contract address. Errors name it `destination_asset`. Also under `buying_asset`,
   * `destination_asset`.
   */
  readonly buyingAsset: string;
  /**
   * Positive integer of at most 2^127-1, in base units: what to sell with strict_send, what to buy
   * with strict_receive. Also under `source_amount`, `destination_amount`.
   */
  readonly amount: string;
  /**
   * `strict_send`: exact input; `strict_receive`: exact output. Any other value counts as
   * `strict_send`.
   */
  readonly direction?: "strict_send" | "strict_receive";
  /**
   * `true` or `1`: only the direct market of the two assets, one hop. Any other value counts as
   * `false`.
   */
  readonly direct?: boolean | string;
  /**
   * Requires `direct`. Highest maker price to cross, as a contract price in units of `worstPrice`.
   * The quote is then the crossing of a limit order: at most 20 orders, and a partial fill is a
   * valid result. For a limit sell at contract price p pass floor(10^36 / p), for a limit buy p
   * itself. Also under `max_price`.
   */
  readonly maxPrice?: string;
};

/** A heartbeat of the application. */
export type PingRequest = {
  readonly op: "ping";
  /** Any JSON value; comes back in the reply and in errors. */
  readonly id?: unknown;
};

/** Every message of a client. */
export type ClientMessage =
  | ContractRequest
  | AccountRequest
  | TradesRequest
  | BookRequest
  | TickerRequest
  | DepthRequest
  | CandlesRequest
  | QuoteRequest
  | PingRequest;

/** The contract's state, in answer to a subscribe. */
export type ContractSnapshot = {
  readonly type: "contract";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
  /** Last ledger processed; absent until one was processed after a restart. */
  readonly ledger?: Ledger;
  readonly data: ContractState;
};

/** The contract's state changed. */
export type ContractUpdate = {
  readonly type: "contract";
  /** `market` comes with every refresh event: a market was opened or checked again. */
  readonly kind: "freeze" | "config" | "market";
  /** With kind `market` only. */
  readonly market?: MarketKey;
  /** The full state after the change. */
  readonly data: ContractState;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
};

/**
 * A ledger was processed, with or without events, and all its orders, backing, trades, swaps and
 * contract changes were sent before. Of a burst only the latest is told.
 */
export type LedgerProcessed = {
  readonly type: "ledger";
  readonly ledger: Ledger;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
};

/**
 * Orders and backing of the account, in answer to a subscribe. Updates can come before it; it was
 * made after them and replaces what the client holds.
 */
export type AccountSnapshot = {
  readonly type: "account";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
  readonly address: Address;
  /** Last ledger processed; absent until there was one. */
  readonly ledger?: Ledger;
  /** All live orders of the account, oldest first, not paged. */
  readonly orders: readonly Order[];
  /**
   * Backing records by token. They cover the tokens of the account's live orders, and every token
   * of the open markets while the account is subscribed on the push channel `account`. Records not
   * loaded yet are left out.
   */
  readonly backing: { readonly [key: string]: Backing | undefined };
};

/** One fill of an order, from its maker's side. */
export type OrderFill = {
  /** Of the order's selling token, delivered. */
  readonly sold: Amount;
  /** Of the order's buying token, received. */
  readonly bought: Amount;
  readonly taker: Address;
  /** The trade's id. */
  readonly trade: Position;
  readonly ts: UnixSeconds;
  /** The fill of a crossfill's taker order; `taker` is its caller. */
  readonly crossfill?: true;
};

/** An order of the account changed. */
export type OrderUpdate = {
  readonly type: "order";
  readonly address: Address;
  /**
   * `fill`: partly filled, stays live; `filled`: filled and removed; `update`: amount, price or
   * expiration changed, or an expired order revived; `cancel`: removed by its owner; `expire`: its
   * expiration passed by the service's clock.
   */
  readonly action: "new" | "fill" | "filled" | "update" | "cancel" | "expire";
  /** The full order after the change. */
  readonly order: Order;
  /** With actions `fill` and `filled`. */
  readonly fill?: OrderFill;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
};

/**
 * Balance, allowance or authorization of the account in a token changed, or one of its orders
 * selling it.
 */
export type BackingUpdate = {
  readonly type: "backing";
  readonly address: Address;
  readonly asset: TokenAddress;
  /** null once the token is no longer tracked. */
  readonly backing: Backing | null;
  /** Backed amount of every live order selling the token, by order id. */
  readonly backed: { readonly [key: string]: Amount | undefined };
  /** Names the subscription: route messages by it. */
  readonly topic: string;
};

/** The account was the taker of a fill. */
export type AccountTrade = {
  readonly type: "trade";
  readonly address: Address;
  readonly market: MarketKey;
  readonly trade: Trade;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
};

/** The account made a swap. */
export type AccountSwap = {
  readonly type: "swap";
  readonly address: Address;
  readonly swap: Swap;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
};

/** The latest fills and swaps, in answer to a subscribe. */
export type TradesSnapshot = {
  readonly type: "trades";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
  /** Canonical market key, or `*` for every market. */
  readonly market: string;
  /** Newest first. Updates can repeat them: merge by `id`. */
  readonly trades: readonly TradeOrSwap[];
};

/** One fill, as it was indexed. Swap records are not pushed here. */
export type TradeUpdate = {
  readonly type: "trade";
  /** The fill's, canonical. */
  readonly market: MarketKey;
  readonly trade: Trade;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
};

/**
 * Live orders of the market, in answer to a subscribe. A large book comes in several messages, all
 * of the same ledger; later changes follow the last of them.
 */
export type BookSnapshot = {
  readonly type: "book";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
  readonly market: MarketKey;
  /** Last ledger processed; 0 until there was one. */
  readonly ledger: Ledger;
  /** From 1 on. */
  readonly part: number;
  /** How many messages there are. */
  readonly parts: number;
  /** Orders that sell the base token, in no order. */
  readonly asks: readonly BookRow[];
  /** Orders that sell the quote token, in no order. */
  readonly bids: readonly BookRow[];
};

/** What a ledger changed of the market, or the clock and loaded backing between two ledgers. */
export type BookChanges = {
  readonly type: "changes";
  readonly market: MarketKey;
  readonly ledger: Ledger;
  /**
   * `ledger` of the message before it. Above that of the last message or snapshot that was
   * received: one is missing; subscribe again.
   */
  readonly previous: Ledger;
  /** In the order in which they happened. */
  readonly changes: readonly BookChange[];
  /** Names the subscription: route messages by it. */
  readonly topic: string;
};

/**
 * Every market's last 24 hours: in answer to a subscribe, then after fills and refresh events, at
 * most once every 5 seconds.
 */
export type TickerMessage = {
  readonly type: "ticker";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
  readonly data: Ticker;
};

/**
 * The whole book, never a delta: in answer to a subscribe, then at most once a second when its
 * levels changed.
 */
export type DepthMessage = {
  readonly type: "depth";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
  /** In the orientation asked for. */
  readonly market: MarketKey;
  /** The band in percent. */
  readonly depth: number;
  readonly data: Depth;
};

/** The latest candles, in answer to a subscribe. */
export type CandlesSnapshot = {
  readonly type: "candles";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
  /** In the orientation asked for. */
  readonly market: MarketKey;
  readonly resolution: ResolutionSeconds;
  /** Oldest first, up to and including the current period. Periods without fills are left out. */
  readonly candles: readonly Candle[];
};

/**
 * A candle that fills changed, at most once a second: replace the one with the same start, or
 * append it.
 */
export type CandleUpdate = {
  readonly type: "candle";
  /** In the orientation asked for. */
  readonly market: MarketKey;
  readonly resolution: ResolutionSeconds;
  readonly candle: Candle;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
};

/**
 * The quote: in answer to a subscribe, then whenever its answer differs, at most once a ledger.
 * `data.id` and `data.ledger` alone do not count as a difference.
 */
export type QuoteMessage = {
  readonly type: "quote";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** Names the subscription: route messages by it. */
  readonly topic: string;
  readonly data: Quote;
};

/** The service cannot quote at present. The subscription stays: a quote follows once it can. */
export type QuoteSuspended = {
  readonly type: "quote";
  /** Names the subscription: route messages by it. */
  readonly topic: string;
  /** No quote. */
  readonly data: null;
  /** What GET /quote answers meanwhile with status 409. */
  readonly error: string;
};

/** The answer to unsubscribe, held or not. */
export type Unsubscribed = {
  readonly type: "unsubscribed";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** The channel. */
  readonly channel:
    | "contract"
    | "ticker"
    | "account"
    | "trades"
    | "book"
    | "depth"
    | "candles"
    | "quote";
  /** The topic that the parameters name. */
  readonly topic: string;
};

/** The answer to ping. */
export type Pong = {
  readonly type: "pong";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
};

/** A message of the client could not be served. The connection stays open. */
export type PushError = {
  readonly type: "error";
  /** The request's `id`, any JSON value. */
  readonly id?: unknown;
  /** For people: the REST error's text where a parameter is wrong. */
  readonly error: string;
};

/** Every message of the server. */
export type PushMessage =
  | ContractSnapshot
  | ContractUpdate
  | LedgerProcessed
  | AccountSnapshot
  | OrderUpdate
  | BackingUpdate
  | AccountTrade
  | AccountSwap
  | TradesSnapshot
  | TradeUpdate
  | BookSnapshot
  | BookChanges
  | TickerMessage
  | DepthMessage
  | CandlesSnapshot
  | CandleUpdate
  | QuoteMessage
  | QuoteSuspended
  | Unsubscribed
  | Pong
  | PushError;

/** The body of an answer with status 200, by path. */
export type Answers = {
  /** Status of the service. */
  readonly "/": Status;
  /** Best routes to sell or buy an amount. */
  readonly "/quote": Quote;
  /** Order book of a market around its mid price. */
  readonly "/depth": Depth;
  /** Every live order of a market. */
  readonly "/book": Book;
  /** OHLCV candles of a market. */
  readonly "/candles": readonly Candle[];
  /** Rolling 24 hours of every market. */
  readonly "/ticker/24h": Ticker;
  /** State of the exchange contract. */
  readonly "/contract": ContractState;
  /** Pairs that have live orders. */
  readonly "/markets": readonly Market[];
  /** One live order. */
  readonly "/order/{id}": Order;
  /** Live orders, oldest first. */
  readonly "/order": readonly Order[];
  /** Live orders and backing of an account. */
  readonly "/account/{address}": Account;
  /** What stands behind an owner in a token. */
  readonly "/backing": Backing;
  /** Filled, removed and expired orders, newest first. */
  readonly "/order-history": readonly Order[];
  /** What became of orders and of the budgets behind them, newest first. */
  readonly "/order-events": OrderEvents;
  /** Fills and swaps, newest first. */
  readonly "/trades": readonly TradeOrSwap[];
  /** Failed contract calls, newest first. */
  readonly "/failures": readonly Failure[];
};

/** Query parameters, by path. */
export type Parameters = {
  readonly "/": Record<string, never>;
  readonly "/quote": {
    /**
     * Asset the trader pays: `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a token
     * contract address. Errors name it `source_asset`.
     */
    readonly sellingAsset: string;
    /**
     * Asset the trader receives: `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a
     * token contract address. Errors name it `destination_asset`.
     */
    readonly buyingAsset: string;
    /**
     * Positive integer of at most 2^127-1, in base units: what to sell with strict_send, what to
     * buy with strict_receive.
     */
    readonly amount: string;
    /**
     * `strict_send`: exact input; `strict_receive`: exact output. Any other value counts as
     * `strict_send`.
     */
    readonly direction?: "strict_send" | "strict_receive";
    /**
     * `true` or `1`: only the direct market of the two assets, one hop. Any other value counts as
     * `false`.
     */
    readonly direct?: "true" | "1" | "false";
    /**
     * Requires `direct`. Highest maker price to cross, as a contract price in units of
     * `worstPrice`. The quote is then the crossing of a limit order: at most 20 orders, and a
     * partial fill is a valid result. For a limit sell at contract price p pass floor(10^36 / p),
     * for a limit buy p itself.
     */
    readonly maxPrice?: string;
  };
  readonly "/depth": {
    /**
     * `BASE/QUOTE`, each side `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a token
     * contract address. The answer keeps this orientation.
     */
    readonly market: string;
    /** Band around the mid price in percent. */
    readonly depth?: number | string;
    /**
     * Price step of the levels, a positive decimal with at most 18 fractional digits. Without it: 5
     * significant digits of the mid price.
     */
    readonly step?: string;
    /** Levels per side. */
    readonly limit?: number | string;
  };
  readonly "/book": {
    /**
     * `BASE/QUOTE`, each side `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a token
     * contract address. The answer keeps this orientation.
     */
    readonly market: string;
    /** Orders per side. */
    readonly limit?: number | string;
  };
  readonly "/candles": {
    /**
     * `BASE/QUOTE`, each side `XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a token
     * contract address. The answer keeps this orientation.
     */
    readonly market: string;
    /**
     * Start of the window, UNIX seconds, rounded down to 5 minutes. Without it the window begins in
     * 1970.
     */
    readonly from?: number | string;
    /**
     * End of the window, UNIX seconds, exclusive, rounded up to 5 minutes; later than `from`.
     * Without it: 200 candles after `from`.
     */
    readonly to?: number | string;
    /**
     * Seconds or alias. A window of more than 200 candles gets the smallest standard resolution
     * that holds it. Without it: the finest that holds the window, 2w without `to`.
     */
    readonly resolution?: Resolution;
    /** By candle time. */
    readonly order?: "asc" | "desc";
  };
  readonly "/ticker/24h": Record<string, never>;
  readonly "/contract": Record<string, never>;
  readonly "/markets": {
    /**
     * `cursor` of the last market received. One that matches no listed pair restarts the list: page
     * until a key repeats.
     */
    readonly cursor?: string;
    /**
     * Rows of a page. A missing, invalid or non-positive value is the default, a larger one the
     * maximum of 1000.
     */
    readonly limit?: number | string;
  };
  readonly "/order/{id}": Record<string, never>;
  readonly "/order": {
    /** Only orders of this maker. What is no account or contract address is refused. */
    readonly owner?: string;
    /**
     * Token contract address. Every listed asset must be one of the order's two, so two values
     * select a pair in both directions. Compared as given: shortcuts such as `XLM` match nothing.
     */
    readonly asset?: readonly string[];
    /** `cursor` of the last row received: that row and all before it are skipped. */
    readonly cursor?: string;
    /**
     * Rows of a page. A missing, invalid or non-positive value is the default, a larger one the
     * maximum of 200.
     */
    readonly limit?: number | string;
  };
  readonly "/account/{address}": Record<string, never>;
  readonly "/backing": {
    /** Account or contract address. */
    readonly owner: string;
    /** Token contract address. */
    readonly asset: string;
  };
  readonly "/order-history": {
    /** Only orders of this maker. What is no account or contract address is refused. */
    readonly owner?: string;
    /**
     * Exactly two token contract addresses as repeated keys, in either order. Compared as given.
     * The form `pair[]` is not recognized.
     */
    readonly pair?: readonly string[];
    /** `cursor` of the last row received: that row and all before it are skipped. */
    readonly cursor?: string;
    /**
     * Rows of a page. A missing, invalid or non-positive value is the default, a larger one the
     * maximum of 500.
     */
    readonly limit?: number | string;
  };
  readonly "/order-events": {
    /**
     * Events of the orders that had this id. Exactly one of `order`, `owner` and `market` is
     * required.
     */
    readonly order?: string;
    /**
     * Events of this maker's orders and budgets. Exactly one of `order`, `owner` and `market` is
     * required.
     */
    readonly owner?: string;
    /**
     * `BASE/QUOTE` in either orientation: events of the market's orders. Exactly one of `order`,
     * `owner` and `market` is required.
     */
    readonly market?: string;
    /** `cursor` of the last row received: that row and all before it are skipped. */
    readonly cursor?: string;
    /**
     * Rows of a page. A missing, invalid or non-positive value is the default, a larger one the
     * maximum of 500.
     */
    readonly limit?: number | string;
  };
  readonly "/trades": {
    /** Only fills with this taker or maker, and swaps of this trader. */
    readonly trader?: string;
    /**
     * Exactly two token contract addresses as repeated keys, in either order. Compared as given.
     * The form `pair[]` is not recognized.
     */
    readonly pair?: readonly string[];
    /** `cursor` of the last row received: that row and all before it are skipped. */
    readonly cursor?: string;
    /**
     * Rows of a page. A missing, invalid or non-positive value is the default, a larger one the
     * maximum of 500.
     */
    readonly limit?: number | string;
  };
  readonly "/failures": {
    /** Only failures with this caller or this party of the failed token transfer. */
    readonly account?: string;
    /** Only failures of this contract function, e.g. trade, swap, crossfill. */
    readonly fn?: string;
    /** `cursor` of the last row received: that row and all before it are skipped. */
    readonly cursor?: string;
    /**
     * Rows of a page. A missing, invalid or non-positive value is the default, a larger one the
     * maximum of 500.
     */
    readonly limit?: number | string;
  };
};

/** What answers a subscribe, by channel. */
export type Snapshots = {
  /** The contract's state, and every ledger that was processed. */
  readonly contract: ContractSnapshot;
  /** Orders, backing, fills and swaps of an account. */
  readonly account: AccountSnapshot;
  /** Fills of one market or of all. */
  readonly trades: TradesSnapshot;
  /** Every order of a market, and every change of one. */
  readonly book: BookSnapshot;
  /** The last 24 hours of every market. */
  readonly ticker: TickerMessage;
  /** The book of a market. */
  readonly depth: DepthMessage;
  /** Candles of a market. */
  readonly candles: CandlesSnapshot;
  /** A quote, again whenever its answer changes. */
  readonly quote: QuoteMessage;
};
