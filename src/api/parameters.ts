// Parameters of requests. REST endpoints and push channels take the same ones.
import {
  BOOK_ORDERS,
  CANDLES_MAX,
  DEPTH_BAND,
  LEVELS,
  PAGE_DEFAULT,
  QUOTE_NAMES,
  STEP_DIGITS,
  UNIX_SECONDS_MAX,
} from "./parameter-table.ts";
import { ref, type Schema } from "./schema.ts";

export type Parameter = {
  readonly name: string;
  readonly in: "query" | "path";
  readonly required?: boolean;
  /** Other names of it; the first of name and aliases that has a value counts. */
  readonly aliases?: readonly string[];
  /** The key may stand several times. */
  readonly repeated?: boolean;
  readonly description: string;
  /** Of one value. */
  readonly schema: Schema;
};

const ASSET_TEXT = "^(XLM|xlm|native|[A-Za-z0-9]{1,12}[:-]G[A-Z2-7]{55}|C[A-Z2-7]{55})$";
const ASSET = ASSET_TEXT.slice(1, -1);
const ADDRESS: Schema = { type: "string", pattern: "^[GC][A-Z2-7]{55}$" };
const TOKEN: Schema = { type: "string", pattern: "^C[A-Z2-7]{55}$" };
const ASSET_FORMS =
  "`XLM` (also `xlm`, `native`), `CODE:ISSUER`, `CODE-ISSUER` or a token contract address";

function query(name: string, description: string, schema: Schema, more: Partial<Parameter> = {}) {
  return { name, in: "query", description, schema, ...more } as const satisfies Parameter;
}

const REQUIRED = { required: true } as const;

export const sellingAsset = query(
  "sellingAsset",
  `Asset the trader pays: ${ASSET_FORMS}. Errors name it \`source_asset\`.`,
  { type: "string", pattern: ASSET_TEXT },
  { ...REQUIRED, aliases: QUOTE_NAMES.sellingAsset.slice(1) },
);

export const buyingAsset = query(
  "buyingAsset",
  `Asset the trader receives: ${ASSET_FORMS}. Errors name it \`destination_asset\`.`,
  { type: "string", pattern: ASSET_TEXT },
  { ...REQUIRED, aliases: QUOTE_NAMES.buyingAsset.slice(1) },
);

export const quoteAmount = query(
  "amount",
  "Positive integer of at most 2^127-1, in base units: what to sell with strict_send, what to buy with strict_receive.",
  { type: "string", pattern: "^[0-9]+$" },
  { ...REQUIRED, aliases: QUOTE_NAMES.amount.slice(1) },
);

export const direction = query(
  "direction",
  "`strict_send`: exact input; `strict_receive`: exact output. Any other value counts as `strict_send`.",
  { type: "string", enum: ["strict_send", "strict_receive"], default: "strict_send" },
);

export const direct = query(
  "direct",
  "`true` or `1`: only the direct market of the two assets, one hop. Any other value counts as `false`.",
  { type: "string", enum: ["true", "1", "false"], default: "false" },
);

export const maxPrice = query(
  "maxPrice",
  "Requires `direct`. Highest maker price to cross, as a contract price in units of `worstPrice`. The " +
    "quote is then the crossing of a limit order: at most 20 orders, and a partial fill is a valid " +
    "result. For a limit sell at contract price p pass floor(10^36 / p), for a limit buy p itself.",
  { type: "string", pattern: "^[0-9]+$" },
  { aliases: QUOTE_NAMES.maxPrice.slice(1) },
);

export const market = query(
  "market",
  `\`BASE/QUOTE\`, each side ${ASSET_FORMS}. The answer keeps this orientation.`,
  { type: "string", pattern: `^${ASSET}/${ASSET}$` },
  REQUIRED,
);

export const depthBand = query("depth", "Band around the mid price in percent.", {
  type: "number",
  exclusiveMinimum: 0,
  maximum: DEPTH_BAND.max,
  default: DEPTH_BAND.default,
});

export const depthStep = query(
  "step",
  `Price step of the levels, a positive decimal with at most ${STEP_DIGITS.fraction} fractional digits. Without it: 5 significant digits of the mid price.`,
  {
    type: "string",
    pattern: `^[0-9]{1,${STEP_DIGITS.whole}}(\\.[0-9]{1,${STEP_DIGITS.fraction}})?$`,
  },
);

export const depthLimit = query("limit", "Levels per side.", {
  type: "integer",
  minimum: 1,
  maximum: LEVELS.max,
  default: LEVELS.default,
});

export const bookLimit = query("limit", "Orders per side.", {
  type: "integer",
  minimum: 1,
  maximum: BOOK_ORDERS.max,
  default: BOOK_ORDERS.default,
});

export const candlesFrom = query(
  "from",
  "Start of the window, UNIX seconds, rounded down to 5 minutes. Without it the window begins in 1970.",
  { type: "integer", minimum: 0, maximum: UNIX_SECONDS_MAX, default: 0 },
);

export const candlesTo = query(
  "to",
  `End of the window, UNIX seconds, exclusive, rounded up to 5 minutes; later than \`from\`. Without it: ${CANDLES_MAX} candles after \`from\`.`,
  { type: "integer", minimum: 1, maximum: UNIX_SECONDS_MAX },
);

export const resolution = query(
  "resolution",
  `Seconds or alias. A window of more than ${CANDLES_MAX} candles gets the smallest standard resolution that ` +
    "holds it. Without it: the finest that holds the window, 2w without `to`.",
  ref("Resolution"),
);

export const candlesOrder = query("order", "By candle time.", {
  type: "string",
  enum: ["asc", "desc"],
  default: "desc",
});

export function pageLimit(maximum: number) {
  return query(
    "limit",
    `Rows of a page. A missing, invalid or non-positive value is the default, a larger one the maximum of ${maximum}.`,
    { type: "integer", minimum: 1, maximum, default: PAGE_DEFAULT },
  );
}

export const cursor = query(
  "cursor",
  "`cursor` of the last row received: that row and all before it are skipped.",
  { type: "string", pattern: "^[0-9]+$" },
);

export const marketCursor = query(
  "cursor",
  "`cursor` of the last market received. One that matches no listed pair restarts the list: page until a key repeats.",
  { type: "string", pattern: "^C[A-Z2-7]{55}-C[A-Z2-7]{55}$" },
);

export const owner = query(
  "owner",
  "Only orders of this maker. What is no account or contract address is refused.",
  ADDRESS,
);

const EVENTS_FILTER = "Exactly one of `order`, `owner` and `market` is required.";

export const eventsOrder = query(
  "order",
  `Events of the orders that had this id. ${EVENTS_FILTER}`,
  { type: "string", pattern: "^[0-9]{1,39}$" },
);

export const eventsOwner = query(
  "owner",
  `Events of this maker's orders and budgets. ${EVENTS_FILTER}`,
  ADDRESS,
);

export const eventsMarket = query(
  "market",
  `\`BASE/QUOTE\` in either orientation: events of the market's orders. ${EVENTS_FILTER}`,
  { type: "string", pattern: `^${ASSET}/${ASSET}$` },
);

export const orderAssets = query(
  "asset",
  "Token contract address. Every listed asset must be one of the order's two, so two values select a " +
    "pair in both directions. Compared as given: shortcuts such as `XLM` match nothing.",
  TOKEN,
  { repeated: true },
);

export const pair = query(
  "pair",
  "Exactly two token contract addresses as repeated keys, in either order. Compared as given. The form `pair[]` is not recognized.",
  TOKEN,
  { repeated: true },
);

export const trader = query(
  "trader",
  "Only fills with this taker or maker, and swaps of this trader.",
  ADDRESS,
);

export const failureAccount = query(
  "account",
  "Only failures with this caller or this party of the failed token transfer.",
  ADDRESS,
);

export const fn = query(
  "fn",
  "Only failures of this contract function, e.g. trade, swap, crossfill.",
  {
    type: "string",
    pattern: "^[a-z_]{1,32}$",
  },
);

export const backingOwner = query("owner", "Account or contract address.", ADDRESS, REQUIRED);
export const backingAsset = query("asset", "Token contract address.", TOKEN, REQUIRED);

export const orderIdInPath: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "Order id, a non-negative decimal integer.",
  schema: { type: "string", pattern: "^[0-9]+$" },
};

export const addressInPath: Parameter = {
  name: "address",
  in: "path",
  required: true,
  description: "Account or contract address. Errors name it `owner`.",
  schema: ADDRESS,
};

/** Every endpoint takes it. */
export const prettyPrint = query("pretty_print", "With or without a value: indented JSON.", {
  type: "string",
});
