// Schemas of plain values: addresses, ids, amounts, prices and times.
import { RESOLUTIONS } from "../parameter-table.ts";
import type { NamedSchemas } from "../schema.ts";
import { integer, text } from "../schema.ts";

const DIGITS = "^(0|[1-9][0-9]*)$";
const CONTRACT = "C[A-Z2-7]{55}";
const DECIMAL = "^(0|[1-9][0-9]*)(\\.[0-9]+)?$";

export const scalarSchemas = {
  Address: text("Account (G...) or contract (C...) address.", "^[GC][A-Z2-7]{55}$"),
  TokenAddress: text(
    "Address of a token contract. A classic asset appears as the address of its token contract.",
    `^${CONTRACT}$`,
  ),
  ContractAddress: text("Address of a contract.", `^${CONTRACT}$`),
  MarketKey: text(
    "`base/quote` as token contract addresses. Canonical unless said otherwise: the base is the " +
      "first of the pair when the XDR bytes of the two addresses are compared.",
    `^${CONTRACT}/${CONTRACT}$`,
  ),
  OrderId: {
    ...text(
      "Order id: a decimal u128 derived from owner and nonce. Not sequential; used again once an order is gone.",
      DIGITS,
    ),
    maxLength: 39,
  },
  Position: {
    ...text(
      "Position of an event or a call on the ledger, a decimal integer beyond 64 bits. Orders the records of a list.",
      DIGITS,
    ),
    maxLength: 25,
  },
  Amount: text("Integer base units of a token. With 7 decimals one token is 10000000.", DIGITS),
  ContractPrice: text(
    "Price in the maker's terms: buying base units per 1 selling base unit, times 10^18. From 1 to 10^36.",
    "^[1-9][0-9]{0,36}$",
  ),
  Decimal: text("Plain decimal number, in token units or as a price of quote per base.", DECIMAL),
  UtcTime: text(
    "`YYYY-MM-DD HH:MM:SS`, UTC.",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$",
  ),
  UnixSeconds: integer("Seconds since 1970, UTC."),
  Ledger: integer("Ledger sequence number."),
  Resolution: {
    type: "string",
    description: "Length of a candle: seconds, or an alias of them.",
    enum: [
      ...RESOLUTIONS.map(([seconds]) => String(seconds)),
      ...RESOLUTIONS.map(([, alias]) => alias),
    ],
  },
  ResolutionSeconds: {
    type: "integer",
    description: "Length of a candle in seconds.",
    enum: RESOLUTIONS.map(([seconds]) => seconds),
  },
} as const satisfies NamedSchemas;
