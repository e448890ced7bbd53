// Schemas of the messages that the server sends on the push connection.
import { BOOK_MESSAGE_ROWS, CANDLES_MAX, SNAPSHOT_TRADES } from "../parameter-table.ts";
import type { NamedSchemas, Schema } from "../schema.ts";
import {
  array,
  constant,
  either,
  integer,
  map,
  number,
  object,
  oneOfTexts,
  optional,
  ref,
  text,
} from "../schema.ts";
import { accountMembers } from "./orders.ts";

const CONTRACT = "C[A-Z2-7]{55}";
const MARKET = `${CONTRACT}/${CONTRACT}`;

/** Any JSON value, so it has no schema but a description. */
const ID: Schema = { description: "The request's `id`, any JSON value." };
/** In answers to a request only, and only where the request had one. */
const ANSWERED_ID = optional(ID);

function topic(pattern: string): Schema {
  return text("Names the subscription: route messages by it.", `^${pattern}$`);
}

const TOPICS = {
  contract: topic("contract"),
  ticker: topic("ticker"),
  account: topic("account:[GC][A-Z2-7]{55}"),
  trades: topic(`trades:(\\*|${MARKET})`),
  book: topic(`book:${MARKET}`),
  depth: topic(`depth:${MARKET}/[0-9.e-]+/(auto|[0-9.]+)/[0-9]+`),
  candles: topic(`candles:${MARKET}/[0-9]+`),
  quote: topic(`quote:${MARKET}/(strict_send|strict_receive)/[0-9]+/(direct|any)/(none|[0-9]+)`),
} as const;

export type ChannelName = keyof typeof TOPICS;

const REQUESTED_MARKET = ref("MarketKey", "In the orientation asked for.");

export const pushSchemas = {
  ContractSnapshot: object("The contract's state, in answer to a subscribe.", {
    type: constant("contract"),
    id: ANSWERED_ID,
    topic: TOPICS.contract,
    ledger: optional(
      ref("Ledger", "Last ledger processed; absent until one was processed after a restart."),
    ),
    data: ref("ContractState"),
  }),
  ContractUpdate: object("The contract's state changed.", {
    type: constant("contract"),
    kind: oneOfTexts(
      "`market` comes with every refresh event: a market was opened or checked again.",
      ["freeze", "config", "market"],
    ),
    market: optional(ref("MarketKey", "With kind `market` only.")),
    data: ref("ContractState", "The full state after the change."),
    topic: TOPICS.contract,
  }),
  LedgerProcessed: object(
    "A ledger was processed, with or without events, and all its orders, backing, trades, swaps and contract " +
      "changes were sent before. Of a burst only the latest is told.",
    { type: constant("ledger"), ledger: ref("Ledger"), topic: TOPICS.contract },
  ),
  AccountSnapshot: object(
    "Orders and backing of the account, in answer to a subscribe. Updates can come before it; it was " +
      "made after them and replaces what the client holds.",
    {
      type: constant("account"),
      id: ANSWERED_ID,
      topic: TOPICS.account,
      ...accountMembers(),
    },
  ),
  OrderFill: object("One fill of an order, from its maker's side.", {
    sold: ref("Amount", "Of the order's selling token, delivered."),
    bought: ref("Amount", "Of the order's buying token, received."),
    taker: ref("Address"),
    trade: ref("Position", "The trade's id."),
    ts: ref("UnixSeconds"),
    crossfill: optional(
      constant(true, "The fill of a crossfill's taker order; `taker` is its caller."),
    ),
  }),
  OrderUpdate: object("An order of the account changed.", {
    type: constant("order"),
    address: ref("Address"),
    action: oneOfTexts(
      "`fill`: partly filled, stays live; `filled`: filled and removed; `update`: amount, price or " +
        "expiration changed, or an expired order revived; `cancel`: removed by its owner; `expire`: " +
        "its expiration passed by the service's clock.",
      ["new", "fill", "filled", "update", "cancel", "expire"],
    ),
    order: ref("Order", "The full order after the change."),
    fill: optional(ref("OrderFill", "With actions `fill` and `filled`.")),
    topic: TOPICS.account,
  }),
  BackingUpdate: object(
    "Balance, allowance or authorization of the account in a token changed, or one of its orders selling it.",
    {
      type: constant("backing"),
      address: ref("Address"),
      asset: ref("TokenAddress"),
      backing: {
        description: "null once the token is no longer tracked.",
        oneOf: [ref("Backing"), { type: "null" }],
      },
      backed: map(
        "Backed amount of every live order selling the token, by order id.",
        ref("OrderId"),
        ref("Amount"),
      ),
      topic: TOPICS.account,
    },
  ),
  AccountTrade: object("The account was the taker of a fill.", {
    type: constant("trade"),
    address: ref("Address"),
    market: ref("MarketKey"),
    trade: ref("Trade"),
    topic: TOPICS.account,
  }),
  AccountSwap: object("The account made a swap.", {
    type: constant("swap"),
    address: ref("Address"),
    swap: ref("Swap"),
    topic: TOPICS.account,
  }),
  TradesSnapshot: object("The latest fills and swaps, in answer to a subscribe.", {
    type: constant("trades"),
    id: ANSWERED_ID,
    topic: TOPICS.trades,
    market: text("Canonical market key, or `*` for every market.", `^(\\*|${MARKET})$`),
    trades: array(
      ref("TradeOrSwap"),
      "Newest first. Updates can repeat them: merge by `id`.",
      SNAPSHOT_TRADES,
    ),
  }),
  TradeUpdate: object("One fill, as it was indexed. Swap records are not pushed here.", {
    type: constant("trade"),
    market: ref("MarketKey", "The fill's, canonical."),
    trade: ref("Trade"),
    topic: TOPICS.trades,
  }),
  BookSnapshot: object(
    "Live orders of the market, in answer to a subscribe. A large book comes in several messages, all of the " +
      "same ledger; later changes follow the last of them.",
    {
      type: constant("book"),
      id: ANSWERED_ID,
      topic: TOPICS.book,
      market: ref("MarketKey"),
      ledger: ref("Ledger", "Last ledger processed; 0 until there was one."),
      part: integer("From 1 on.", 1),
      parts: integer("How many messages there are.", 1),
      asks: array(
        ref("BookRow"),
        "Orders that sell the base token, in no order.",
        BOOK_MESSAGE_ROWS,
      ),
      bids: array(
        ref("BookRow"),
        "Orders that sell the quote token, in no order.",
        BOOK_MESSAGE_ROWS,
      ),
    },
  ),
  BookChanges: object(
    "What a ledger changed of the market, or the clock and loaded backing between two ledgers. What takes more " +
      "than one message has `previous` equal to `ledger` from the second on.",
    {
      type: constant("changes"),
      market: ref("MarketKey"),
      ledger: ref("Ledger"),
      previous: ref(
        "Ledger",
        "`ledger` of the message before it. Above that of the last message or snapshot that was received: " +
          "one is missing; subscribe again.",
      ),
      changes: array(
        ref("BookChange"),
        "In the order in which they happened; then those of backing alone, by maker, a maker's oldest order first.",
        BOOK_MESSAGE_ROWS,
      ),
      topic: TOPICS.book,
    },
  ),
  TickerMessage: object(
    "Every market's last 24 hours: in answer to a subscribe, then after fills and refresh events, at " +
      "most once every 5 seconds.",
    { type: constant("ticker"), id: ANSWERED_ID, topic: TOPICS.ticker, data: ref("Ticker") },
  ),
  DepthMessage: object(
    "The whole book, never a delta: in answer to a subscribe, then at most once a second when its " +
      "levels changed.",
    {
      type: constant("depth"),
      id: ANSWERED_ID,
      topic: TOPICS.depth,
      market: REQUESTED_MARKET,
      depth: number("The band in percent."),
      data: ref("Depth"),
    },
  ),
  CandlesSnapshot: object("The latest candles, in answer to a subscribe.", {
    type: constant("candles"),
    id: ANSWERED_ID,
    topic: TOPICS.candles,
    market: REQUESTED_MARKET,
    resolution: ref("ResolutionSeconds"),
    candles: array(
      ref("Candle"),
      "Oldest first, up to and including the current period. Periods without fills are left out.",
      CANDLES_MAX,
    ),
  }),
  CandleUpdate: object(
    "A candle that fills changed, at most once a second: replace the one with the same start, or append it.",
    {
      type: constant("candle"),
      market: REQUESTED_MARKET,
      resolution: ref("ResolutionSeconds"),
      candle: ref("Candle"),
      topic: TOPICS.candles,
    },
  ),
  QuoteMessage: object(
    "The quote: in answer to a subscribe, then whenever its answer differs, at most once a ledger. " +
      "`data.id` and `data.ledger` alone do not count as a difference.",
    { type: constant("quote"), id: ANSWERED_ID, topic: TOPICS.quote, data: ref("Quote") },
  ),
  QuoteSuspended: object(
    "The service cannot quote at present. The subscription stays: a quote follows once it can.",
    {
      type: constant("quote"),
      topic: TOPICS.quote,
      data: { type: "null", description: "No quote." },
      error: text("What GET /quote answers meanwhile with status 409."),
    },
  ),
  Unsubscribed: object("The answer to unsubscribe, held or not.", {
    type: constant("unsubscribed"),
    id: ANSWERED_ID,
    channel: oneOfTexts("The channel.", Object.keys(TOPICS)),
    topic: text("The topic that the parameters name."),
  }),
  Pong: object("The answer to ping.", { type: constant("pong"), id: ANSWERED_ID }),
  PushError: object("A message of the client could not be served. The connection stays open.", {
    type: constant("error"),
    id: ANSWERED_ID,
    error: text("For people: the REST error's text where a parameter is wrong."),
  }),
  PushMessage: either(
    "Every message of the server.",
    ...[
      "ContractSnapshot",
      "ContractUpdate",
      "LedgerProcessed",
      "AccountSnapshot",
      "OrderUpdate",
      "BackingUpdate",
      "AccountTrade",
      "AccountSwap",
      "TradesSnapshot",
      "TradeUpdate",
      "BookSnapshot",
      "BookChanges",
      "TickerMessage",
      "DepthMessage",
      "CandlesSnapshot",
      "CandleUpdate",
      "QuoteMessage",
      "QuoteSuspended",
      "Unsubscribed",
      "Pong",
      "PushError",
    ].map((name) => ref(name)),
  ),
} as const satisfies NamedSchemas;
