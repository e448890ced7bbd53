// Every endpoint of the REST API, as data: OpenAPI document and types are made from it.

import { CONTRACT_ERROR_TABLE } from "./about.ts";
import { CANDLES_MAX, PAGE_MAX } from "./parameter-table.ts";
import type { Parameter } from "./parameters.ts";
import * as parameters from "./parameters.ts";
import { array, ref, type Schema } from "./schema.ts";

export type ErrorAnswer = { readonly status: 400 | 404 | 409; readonly when: string };

export type Endpoint = {
  /** As OpenAPI writes it. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Body of an answer with status 200. */
  readonly answer: Schema;
  readonly errors: readonly ErrorAnswer[];
  /** Answers have an ETag and are 304 where If-None-Match names it. */
  readonly isTagged?: true;
};

export const TAGS = {
  Quotes: "Routes across maker orders, computed as the contract settles.",
  "Market data": "Depth, candles and tickers.",
  Orders: "Live and archived orders, and what stands behind their makers.",
  History: "Fills, swaps and failed calls.",
  Service: "The service and the contract it follows.",
} as const;
export type Tag = keyof typeof TAGS;

const BAD_PARAMETER = { status: 400, when: "A parameter is missing or invalid." } as const;

export const ENDPOINTS: readonly Endpoint[] = [
  {
    path: "/",
    operationId: "getStatus",
    tag: "Service",
    summary: "Status of the service",
    description:
      "`loading` while the order book is empty, `active` otherwise, with the last ledger processed and " +
      "24-hour totals for display.",
    parameters: [],
    answer: ref("Status"),
    errors: [],
  },
  {
    path: "/quote",
    operationId: "getQuote",
    tag: "Quotes",
    summary: "Best routes to sell or buy an amount",
    description:
      "Routes cross exchange orders only, with at most 3 hops and 20 orders. They come best first: " +
      "largest `bought` for strict_send, smallest `sold` for strict_receive. The quote mirrors the " +
      "contract's settlement and rounding and reserves nothing. It leaves out what the contract would skip: orders " +
      "that their makers' remaining backing does not cover whole, makers that cannot receive the asset paid, " +
      "dust; also orders that expire within 10 seconds and makers that were skipped recently.\n\n" +
      "Quotes are `rejected` while the contract is frozen, and where the bought asset's issuer must authorize " +
      "the contract and has not. No route passes through such an asset.\n\n" +
      "What a quote feeds, where prices are contract prices with 18 decimals:\n\n" +
      "| Quote | Contract call | Arguments |\n|---|---|---|\n" +
      "| any route | `swap` | one step per hop: asset = the hop's `buying`, orders = its orders. Sell takes `sold` as exact input and a minimum output, Buy takes `bought` as exact output and a maximum input |\n" +
      "| direct, strict_send | `trade` Sell, kind Fill | the hop's orders; limit price floor(10^36 / worstPrice) |\n" +
      "| direct, strict_receive | `trade` Buy, kind Fill | the hop's orders; limit price worstPrice |\n" +
      "| direct with maxPrice | `trade`, kind Limit | the hop's orders and your own limit price; the rest is stored as an order |",
    parameters: [
      parameters.sellingAsset,
      parameters.buyingAsset,
      parameters.quoteAmount,
      parameters.direction,
      parameters.direct,
      parameters.maxPrice,
    ],
    answer: ref("Quote"),
    errors: [
      { status: 400, when: "A parameter is missing or invalid, or both assets are the same." },
      {
        status: 409,
        when: "The service is not ready, whatever the parameters, or routing failed. Try again a little later.",
      },
    ],
  },
  {
    path: "/depth",
    operationId: "getDepth",
    tag: "Market data",
    summary: "Order book of a market around its mid price",
    description:
      "Counts what can be taken: a maker's budget in the sold token is shared by their orders of the market in price " +
      "order, and an order that it covers in part counts with that part. Orders of which nothing is left, of owners who are " +
      "not authorized, and dust (worth less than one unit of the other asset) move no level and no best price. " +
      "A bid is rounded down and an ask up to its level, so a limit order at a " +
      "level's price crosses every order in it. The book can be crossed: levels on the wrong side of the mid " +
      "price are left out of `bids` and `asks`, while `bestBid` and `bestAsk` still report the best prices.",
    parameters: [
      parameters.market,
      parameters.depthBand,
      parameters.depthStep,
      parameters.depthLimit,
    ],
    answer: ref("Depth"),
    errors: [BAD_PARAMETER],
  },
  {
    path: "/book",
    operationId: "getBook",
    tag: "Market data",
    summary: "Live orders of a market",
    description:
      "An extension of the API. The live orders of both sides at one ledger, best prices first, up to `limit` a side, backed or not. " +
      "The answer has a weak `ETag` that changes with the market's orders and their backing alone: with " +
      "`If-None-Match` an unchanged book is answered with 304 and no body.",
    parameters: [parameters.market, parameters.bookLimit],
    answer: ref("Book"),
    errors: [BAD_PARAMETER],
    isTagged: true,
  },
  {
    path: "/candles",
    operationId: "getCandles",
    tag: "Market data",
    summary: "OHLCV candles of a market",
    description:
      `From indexed fills; a swap's fills count in the market of each hop. At most ${CANDLES_MAX} candles: a longer ` +
      "window is coarsened. Candles begin at multiples of the resolution since 1970, and a period without " +
      "fills has none. Without `from` the window covers 1970 and the answer is empty.",
    parameters: [
      parameters.market,
      parameters.candlesFrom,
      parameters.candlesTo,
      parameters.resolution,
      parameters.candlesOrder,
    ],
    answer: array(ref("Candle"), "By candle time.", CANDLES_MAX),
    errors: [
      { status: 400, when: "A parameter is missing or invalid, or `to` is not after `from`." },
    ],
  },
  {
    path: "/ticker/24h",
    operationId: "getTicker",
    tag: "Market data",
    summary: "Rolling 24 hours of every market",
    description:
      "Exact to the fill. Lists every known market: those opened on-chain and every pair with live orders.",
    parameters: [],
    answer: ref("Ticker"),
    errors: [],
  },
  {
    path: "/contract",
    operationId: "getContract",
    tag: "Service",
    summary: "State of the exchange contract",
    description:
      "Frozen flag, configuration and the markets opened on-chain, from contract events.",
    parameters: [],
    answer: ref("ContractState"),
    errors: [],
  },
  {
    path: "/markets",
    operationId: "getMarkets",
    tag: "Market data",
    summary: "Pairs that have live orders",
    description: "Backed or not, in canonical pair order. The list is cached for 30 minutes.",
    parameters: [parameters.marketCursor, parameters.pageLimit(PAGE_MAX.markets)],
    answer: array(ref("Market"), "One page.", PAGE_MAX.markets),
    errors: [{ status: 400, when: "The cursor has another form." }],
  },
  {
    path: "/order/{id}",
    operationId: "getOrder",
    tag: "Orders",
    summary: "One live order",
    description: "Filled, removed and expired orders are in /order-history.",
    parameters: [parameters.orderIdInPath],
    answer: ref("Order"),
    errors: [
      { status: 400, when: "The id is not a non-negative integer." },
      { status: 404, when: "No such order is live." },
    ],
  },
  {
    path: "/order",
    operationId: "getOrders",
    tag: "Orders",
    summary: "Live orders, oldest first",
    description: "Expired orders are not listed.",
    parameters: [
      parameters.owner,
      parameters.orderAssets,
      parameters.cursor,
      parameters.pageLimit(PAGE_MAX.orders),
    ],
    answer: array(ref("Order"), "One page.", PAGE_MAX.orders),
    errors: [BAD_PARAMETER],
  },
  {
    path: "/account/{address}",
    operationId: "getAccount",
    tag: "Orders",
    summary: "Live orders and backing of an account",
    description:
      "Not paged. An account without orders or subscription has empty `orders` and `backing`.",
    parameters: [parameters.addressInPath],
    answer: ref("Account"),
    errors: [{ status: 400, when: "No address." }],
  },
  {
    path: "/backing",
    operationId: "getBacking",
    tag: "Orders",
    summary: "What stands behind an owner in a token",
    description:
      "Tracked while the owner has a live order in the token, on either side, or an open push " +
      "subscription of channel `account`. Right after tracking starts the record can be returned before " +
      "loading, with zero amounts and without `updated`.",
    parameters: [parameters.backingOwner, parameters.backingAsset],
    answer: ref("Backing"),
    errors: [BAD_PARAMETER, { status: 404, when: "The pair is not tracked." }],
  },
  {
    path: "/order-history",
    operationId: "getOrderHistory",
    tag: "Orders",
    summary: "Filled, removed and expired orders, newest first",
    description:
      "By creation time, without `backed` and `backing`. `FILLED` orders have amount 0; `CANCELED` and " +
      "`EXPIRED` ones keep what was still open. Several records can have one id; their cursors differ.",
    parameters: [
      parameters.owner,
      parameters.pair,
      parameters.cursor,
      parameters.pageLimit(PAGE_MAX.history),
    ],
    answer: array(ref("Order"), "One page.", PAGE_MAX.history),
    errors: [BAD_PARAMETER],
  },
  {
    path: "/order-events",
    operationId: "getOrderEvents",
    tag: "History",
    summary: "What became of orders and of the budgets behind them, newest first",
    description:
      "An extension of the API. One event for each change of an order, and for each change of a maker's " +
      "budget in an asset that a live order of the maker sells. Events are complete from the ledger " +
      "`completeFrom` on; budgets within ledgers that a catch-up takes together are those after the last.",
    parameters: [
      parameters.eventsOrder,
      parameters.eventsOwner,
      parameters.eventsMarket,
      parameters.cursor,
      parameters.pageLimit(PAGE_MAX.history),
    ],
    answer: ref("OrderEvents"),
    errors: [BAD_PARAMETER],
  },
  {
    path: "/trades",
    operationId: "getTrades",
    tag: "History",
    summary: "Fills and swaps, newest first",
    description:
      "One `trade` per fill; a swap call adds one `swap` on top, filed under the pair of its first and " +
      "last asset. A crossfill adds, after its maker fills, the fill of its taker order with `crossfill` true.",
    parameters: [
      parameters.trader,
      parameters.pair,
      parameters.cursor,
      parameters.pageLimit(PAGE_MAX.history),
    ],
    answer: array(ref("TradeOrSwap"), "One page.", PAGE_MAX.history),
    errors: [BAD_PARAMETER],
  },
  {
    path: "/failures",
    operationId: "getFailures",
    tag: "History",
    summary: "Failed contract calls, newest first",
    description:
      "Found in the call tree of transactions that touch the contract, whether called directly, through " +
      "another contract, failed, or caught by a calling contract. A failed payment gives the token's own error " +
      "whether the payer could not pay or the recipient could not be credited.\n\n" +
      CONTRACT_ERROR_TABLE +
      "\n\nOf a token contract: 9 AllowanceError, 10 BalanceError, 11 BalanceDeauthorizedError, 13 TrustlineMissingError.",
    parameters: [
      parameters.failureAccount,
      parameters.fn,
      parameters.cursor,
      parameters.pageLimit(PAGE_MAX.history),
    ],
    answer: array(ref("Failure"), "One page.", PAGE_MAX.history),
    errors: [BAD_PARAMETER],
  },
];
