// Every channel of the push API, as data: AsyncAPI document and types are made from it.

import { BOOK_MESSAGE_ROWS, CANDLES_MAX, SNAPSHOT_TRADES } from "./parameter-table.ts";
import type { Parameter } from "./parameters.ts";
import * as parameters from "./parameters.ts";
import {
  constant,
  either,
  type NamedSchemas,
  object,
  oneOfTexts,
  optional,
  ref,
  type Schema,
} from "./schema.ts";
import type { ChannelName } from "./schemas/push-messages.ts";

export type PushChannel = {
  readonly name: ChannelName;
  readonly summary: string;
  readonly description: string;
  /** How its topics are made. */
  readonly topic: string;
  readonly parameters: readonly Parameter[];
  /** Schema of the client's subscribe and unsubscribe. */
  readonly request: string;
  /** Schema of what answers a subscribe. */
  readonly snapshot: string;
  /** Schemas of what follows. */
  readonly updates: readonly string[];
};

const account: Parameter = {
  ...parameters.addressInPath,
  in: "query",
  description: "Account or contract address.",
};

const tradesMarket: Parameter = {
  ...parameters.market,
  required: false,
  description: "`BASE/QUOTE` in either orientation and any asset format, or `*` for every market.",
  schema: { type: "string", default: "*" },
};

const candlesLimit: Parameter = {
  ...parameters.depthLimit,
  description: "Candles of the snapshot. Not part of the topic.",
  schema: { type: "integer", minimum: 1, maximum: CANDLES_MAX, default: CANDLES_MAX },
};

export const CHANNELS: readonly PushChannel[] = [
  {
    name: "contract",
    summary: "The contract's state, and every ledger that was processed",
    description:
      "The `ledger` message is the last of its ledger: everything else that the connection's subscriptions say " +
      "at once of that ledger was sent before it. It also shows that the service is alive in quiet times.",
    topic: "contract",
    parameters: [],
    request: "ContractRequest",
    snapshot: "ContractSnapshot",
    updates: ["ContractUpdate", "LedgerProcessed"],
  },
  {
    name: "account",
    summary: "Orders, backing, fills and swaps of an account",
    description:
      "A subscribed account is watched: its backing covers every token of the open markets. The snapshot " +
      "waits up to 5 seconds for these records. The maker side of a fill comes as an `order` message with " +
      "`fill`, the taker side as a `trade` message; a self-trade makes both.",
    topic: "account:<address>",
    parameters: [account],
    request: "AccountRequest",
    snapshot: "AccountSnapshot",
    updates: ["OrderUpdate", "BackingUpdate", "AccountTrade", "AccountSwap"],
  },
  {
    name: "trades",
    summary: "Fills of one market or of all",
    description:
      `The snapshot holds the latest ${SNAPSHOT_TRADES} records, swaps included; updates carry fills only. ` +
      "Clients that merge pages of GET /trades deduplicate by `id`.",
    topic: "trades:<base>/<quote> in canonical order, or trades:*",
    parameters: [tradesMarket],
    request: "TradesRequest",
    snapshot: "TradesSnapshot",
    updates: ["TradeUpdate"],
  },
  {
    name: "book",
    summary: "Every order of a market, and every change of one",
    description:
      "An extension of the push API: what a copy of the book is kept from. The snapshot has every live order " +
      "at one ledger, then what each ledger changes of them, before that ledger's own message of channel " +
      `\`contract\`: several messages, of at most ${BOOK_MESSAGE_ROWS} changes, where a ledger changes more. A large ` +
      "snapshot comes in parts, as fast as the client reads, with later changes behind it; until then " +
      "other channels are ahead. A subscribe while it is sent is answered behind those changes, by a snapshot of its own.",
    topic: "book:<base>/<quote> in canonical order",
    parameters: [parameters.market],
    request: "BookRequest",
    snapshot: "BookSnapshot",
    updates: ["BookChanges"],
  },
  {
    name: "ticker",
    summary: "The last 24 hours of every market",
    description: "At most once every 5 seconds.",
    topic: "ticker",
    parameters: [],
    request: "TickerRequest",
    snapshot: "TickerMessage",
    updates: ["TickerMessage"],
  },
  {
    name: "depth",
    summary: "The book of a market",
    description:
      "Always the whole book, at most once a second, left out when its levels equal the previous update.",
    topic: "depth:<base>/<quote>/<depth>/<step>/<limit>, with `auto` as step when none was given",
    parameters: [
      parameters.market,
      parameters.depthBand,
      parameters.depthStep,
      parameters.depthLimit,
    ],
    request: "DepthRequest",
    snapshot: "DepthMessage",
    updates: ["DepthMessage"],
  },
  {
    name: "candles",
    summary: "Candles of a market",
    description: "One message per candle that fills changed, at most once a second.",
    topic: "candles:<base>/<quote>/<resolution in seconds>",
    parameters: [parameters.market, { ...parameters.resolution, required: true }, candlesLimit],
    request: "CandlesRequest",
    snapshot: "CandlesSnapshot",
    updates: ["CandleUpdate"],
  },
  {
    name: "quote",
    summary: "A quote, again whenever its answer changes",
    description:
      "An extension of the push API, on unless the service was started with `--quote-stream off` (then it is " +
      "an unknown channel). Takes the parameters of GET /quote, aliases included. At most one update a ledger, " +
      "computed once for all subscribers of the same parameters.",
    topic: "quote:<selling>/<buying>/<direction>/<amount>/<direct or any>/<maxPrice or none>",
    parameters: [
      parameters.sellingAsset,
      parameters.buyingAsset,
      parameters.quoteAmount,
      parameters.direction,
      parameters.direct,
      parameters.maxPrice,
    ],
    request: "QuoteRequest",
    snapshot: "QuoteMessage",
    updates: ["QuoteMessage", "QuoteSuspended"],
  },
];

const ID: Schema = { description: "Any JSON value; comes back in the reply and in errors." };

/** What clients send. */
export const clientSchemas: NamedSchemas = {
  ...Object.fromEntries(
    CHANNELS.map((channel) => [
      channel.request,
      object(
        `Subscribes to channel \`${channel.name}\`, or ends the subscription that the same parameters made.`,
        {
          op: oneOfTexts("What to do.", ["subscribe", "unsubscribe"]),
          channel: constant(channel.name),
          id: optional(ID),
          ...Object.fromEntries(
            channel.parameters.map((parameter) => {
              const schema = memberOf(parameter);
              return [parameter.name, parameter.required ? schema : optional(schema)];
            }),
          ),
        },
      ),
    ]),
  ),
  PingRequest: object("A heartbeat of the application.", {
    op: constant("ping"),
    id: optional(ID),
  }),
  ClientMessage: {
    description: "Every message of a client.",
    oneOf: [...CHANNELS.map(({ request }) => request), "PingRequest"].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    })),
  },
};

/** A parameter as a member of a message, where numbers and booleans need not be texts. */
function memberOf({ name, description, schema, aliases }: Parameter): Schema {
  const also =
    aliases === undefined ? "" : ` Also under ${aliases.map((one) => `\`${one}\``).join(", ")}.`;
  const described = { ...schema, description: description + also };
  if (schema.type === "integer" || schema.type === "number") {
    return { ...described, type: [schema.type, "string"] };
  }
  if (name === "direct") {
    return { type: ["boolean", "string"], description: described.description, default: false };
  }
  if (name === "resolution") {
    return either(described.description, ref("Resolution"), ref("ResolutionSeconds"));
  }
  return described;
}
