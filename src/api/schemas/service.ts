// Schemas of the service itself, of the contract's state, and of errors.
import type { NamedSchemas } from "../schema.ts";
import {
  array,
  boolean,
  constant,
  either,
  integer,
  object,
  optional,
  ref,
  text,
} from "../schema.ts";

const SIGNED_DIGITS = "^(0|-?[1-9][0-9]*)$";
const NOW = text("Time of the answer, ISO 8601 UTC.", "^[0-9-]{10}T[0-9:.]{8,12}Z$");

export const serviceSchemas = {
  TokenVolume: object("What was traded of one token in 24 hours; for display only.", {
    symbol: ref("TokenAddress"),
    quoteVolume: ref("Decimal", "Tokens traded, summed over every market."),
    volume: ref("Decimal", "Indicative USD value from fixed reference prices; `0` without one."),
  }),
  LoadingStatus: object("The order book is empty, as it is at startup.", {
    status: constant("loading"),
    ts: NOW,
  }),
  ActiveStatus: object("The order book is served.", {
    status: constant("active"),
    ts: NOW,
    ledger: ref("Ledger", "Last ledger processed."),
    frozen: boolean("The safety admin froze the contract: quotes are rejected meanwhile."),
    trades: integer("Fills in the last 24 hours across all markets."),
    volumes: array(ref("TokenVolume"), "Of every token that was traded."),
  }),
  Status: either("Told apart by `status`.", ref("LoadingStatus"), ref("ActiveStatus")),
  ContractConfig: object("The contract's configuration.", {
    safetyAdmin: ref("Address"),
    oracle: ref("ContractAddress", "The oracle contract."),
    listingMinDays: integer(
      "Days of oracle prices that opening a market must pay for; 0 opens markets without fee.",
    ),
    marketListingFee: text(
      "Base units of the listing-fee token burned to open a market: the oracle's daily fee times `listingMinDays`. " +
        "As the contract has it: nothing keeps an oracle's fee from being negative.",
      SIGNED_DIGITS,
    ),
    minTradeSize: text(
      "Minimum value of an order in USD with 7 decimals; `0` disables. As the contract has it.",
      SIGNED_DIGITS,
    ),
    ledgerTime: integer("Expected time between ledgers, seconds."),
  }),
  RegistryMarket: object("A market opened on-chain, in canonical order. It need not have orders.", {
    base: ref("TokenAddress"),
    quote: ref("TokenAddress"),
    created: ref("UtcTime", "Time of the first refresh event seen."),
    refreshed: ref("UtcTime", "Time of the last oracle check, by requote or subsidize."),
  }),
  ContractState: object("What the contract's events say of the contract itself.", {
    address: ref("ContractAddress", "The exchange contract."),
    frozen: boolean("The safety admin froze the contract."),
    config: optional(ref("ContractConfig", "Absent until a configuration event was seen.")),
    markets: array(ref("RegistryMarket"), "In the order first seen."),
  }),
  ApiError: object("Why a request failed.", {
    error: text("For people; it names the parameter that is wrong."),
    status: integer("The HTTP status.", 400),
  }),
} as const satisfies NamedSchemas;
