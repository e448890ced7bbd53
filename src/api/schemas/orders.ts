// Schemas of orders, of the book of a market, and of backing records.
import { BOOK_ORDERS } from "../parameter-table.ts";
import type { NamedSchemas, Schema } from "../schema.ts";
import {
  array,
  boolean,
  constant,
  map,
  number,
  object,
  oneOfTexts,
  optional,
  ref,
} from "../schema.ts";

const PENDING = optional(
  constant(true, "A confirming reload is due: the values may predate the latest change."),
);
const AUTHORIZED = boolean("The owner can send and receive the token.");
const LIVE_UNTIL = ref(
  "Ledger",
  "Ledger until which the allowance lives, 0 without allowance. 4294967295, the last there can be, " +
    "where it is unknown: custom tokens (no SAC) tell it in events alone, and the " +
    "approval is older than the first ledger read.",
);
const UPDATED = optional(
  ref("UtcTime", "When the values were last loaded. Absent: they are unknown so far."),
);
const BALANCE = ref(
  "Amount",
  "What the owner can transfer: of a classic account the balance without selling liabilities and, " +
    "for the native asset, without the reserve.",
);
const ALLOWANCE = ref("Amount", "What the owner lets the exchange contract move.");

/** What an order and its row in a book say alike. */
const OFFER = {
  price: ref("ContractPrice"),
  rprice: number("`price` / 10^18 as a float, for display only."),
  quote: ref("Amount", "Selling amount at creation; updates do not change it."),
  amount: ref("Amount", "Selling amount left."),
  owner: ref("Address", "The maker."),
  backed: optional(
    ref(
      "Amount",
      "Part of `amount` that the maker's budget covers; the budget is split across the maker's " +
        "live orders selling the token, oldest first. `0` once the order is no longer live. " +
        "Only for orders with tracked backing, never in /order-history.",
    ),
  ),
};
const MAKERS_BUDGET = optional(
  ref(
    "Amount",
    "Where `backed` is below the amount left: what the maker can pay in the token in all of its orders, at any " +
      "price and in other markets. With `backing`, or in a row.",
  ),
);
const TIMES = {
  expires: optional(ref("UtcTime", "Absent when the order never expires.")),
  created: ref("UtcTime"),
  updated: ref("UtcTime", "Time of the last change; of an expired order its expiration."),
  cursor: ref("Position", "Position of the event that created the order; pages lists."),
};

export const orderSchemas = {
  Order: object(
    "A maker order. Buy orders are stored as orders that sell the asset they pay with.",
    {
      id: ref("OrderId"),
      status: oneOfTexts("`ACTIVE` while live; `CANCELED`: removed by its owner.", [
        "ACTIVE",
        "FILLED",
        "CANCELED",
        "EXPIRED",
      ]),
      selling: ref("TokenAddress", "Token the maker sells."),
      buying: ref("TokenAddress", "Token the maker receives."),
      ...OFFER,
      backing: optional(
        ref("OrderBacking", "The maker's backing in the selling token; where `backed` is."),
      ),
      ...TIMES,
    },
  ),
  BookRow: object(
    "A live order as a row of its market's book: without status, tokens and the maker's backing.",
    { id: ref("OrderId"), ...OFFER, budget: MAKERS_BUDGET, ...TIMES },
  ),
  Book: object("The live orders of one market at one ledger, best prices first.", {
    ledger: optional(ref("Ledger", "Last ledger processed; absent until there was one.")),
    market: ref("MarketKey", "In the orientation that was asked for."),
    asks: array(ref("BookRow"), "Orders that sell the base token.", BOOK_ORDERS.max),
    bids: array(ref("BookRow"), "Orders that sell the quote token.", BOOK_ORDERS.max),
  }),
  BookChange: object("One change of an order of the market.", {
    cause: oneOfTexts(
      "As in OrderUpdate; `revive`: an expired order was updated and lives again; `backing`: what backs the " +
        "order changed and nothing else. Those of a ledger are in chain order, `backing` last.",
      ["new", "update", "fill", "filled", "cancel", "expire", "revive", "backing"],
    ),
    side: oneOfTexts("`ask` sells the base token.", ["ask", "bid"]),
    id: ref("OrderId"),
    order: optional(
      ref("BookRow", "After the change. Absent: with `backing`, and of an order that is gone."),
    ),
    backed: optional(
      ref("Amount", "With `backing`: the new value; absent where it is no longer tracked."),
    ),
    budget: MAKERS_BUDGET,
    fill: optional(ref("OrderFill", "With `fill` and `filled`.")),
  }),
  OrderBacking: object("The maker's backing as an order shows it.", {
    balance: BALANCE,
    allowance: ALLOWANCE,
    liveUntil: LIVE_UNTIL,
    authorized: AUTHORIZED,
    updated: UPDATED,
    pending: PENDING,
  }),
  Backing: object(
    "What stands behind an owner in one token. An indexed view: exact decisions should read " +
      "allowance and balance from the token contract.",
    {
      owner: ref("Address"),
      asset: ref("TokenAddress"),
      balance: BALANCE,
      allowance: ALLOWANCE,
      liveUntil: LIVE_UNTIL,
      authorized: AUTHORIZED,
      budget: ref(
        "Amount",
        "`min(balance, allowance)`, or 0 when not authorized or the allowance expired.",
      ),
      headroom: optional(
        ref(
          "Amount",
          "What the owner can still receive: trustline limit minus balance and buying liabilities. " +
            "Absent for the native asset, contract balances and while unknown.",
        ),
      ),
      updated: UPDATED,
      skipped: optional(
        ref("UtcTime", "When an order of this owner selling this token was last skipped."),
      ),
      pending: PENDING,
    },
  ),
  Account: object("Live orders and backing of an account.", {
    ...accountMembers(),
  }),
} as const satisfies NamedSchemas;

/** Also those of the push channel's snapshot. */
export function accountMembers() {
  const backing: Schema = map(
    "Backing records by token. They cover the tokens of the account's live orders, and every " +
      "token of the open markets while the account is subscribed on the push channel `account`. " +
      "Records not loaded yet are left out.",
    ref("TokenAddress"),
    ref("Backing"),
  );
  return {
    address: ref("Address"),
    ledger: optional(ref("Ledger", "Last ledger processed; absent until there was one.")),
    orders: array(ref("Order"), "All live orders of the account, oldest first, not paged."),
    backing,
  };
}
