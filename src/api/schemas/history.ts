// Schemas of fills, swaps and failed calls.
import { PAGE_MAX } from "../parameter-table.ts";
import type { NamedSchemas } from "../schema.ts";
import {
  array,
  boolean,
  constant,
  either,
  integer,
  number,
  object,
  oneOfTexts,
  optional,
  ref,
  text,
} from "../schema.ts";

const CURSOR = ref("Position", "The same as `id`; pages lists.");
const CLOSE_TIME = ref("UtcTime", "Close time of the ledger.");

export const historySchemas = {
  Trade: object("One fill of a maker order.", {
    type: constant("trade"),
    id: ref("Position"),
    order: ref("OrderId", "The maker order."),
    taker: ref(
      "Address",
      "The trader, of a `trade` call and of a swap's first hop; the exchange contract on later hops; " +
        "the taker order's owner on a crossfill's maker fills; the caller on its taker order's own fill.",
    ),
    maker: ref("Address", "Owner of the order."),
    soldAsset: ref("TokenAddress", "What the taker paid."),
    boughtAsset: ref("TokenAddress", "What the taker received."),
    sold: ref("Amount"),
    bought: ref("Amount"),
    left: ref("Amount", "What the maker order has left; `0`: filled and removed."),
    crossfill: optional(
      constant(
        true,
        "The fill of a crossfill's taker order: it mirrors its maker fills and does not count in candles and tickers.",
      ),
    ),
    price: number("`bought` / `sold` as a float, for display only."),
    cursor: CURSOR,
    timestamp: CLOSE_TIME,
  }),
  Swap: object(
    "One swap call, recorded on top of its hops' fills. Never add its amounts to fill volumes.",
    {
      type: constant("swap"),
      id: ref("Position"),
      trader: ref("Address", "The caller."),
      soldAsset: ref("TokenAddress"),
      boughtAsset: ref("TokenAddress"),
      sold: ref("Amount"),
      bought: ref("Amount"),
      price: number("`bought` / `sold` as a float, for display only."),
      cursor: CURSOR,
      timestamp: CLOSE_TIME,
    },
  ),
  TradeOrSwap: either("Told apart by `type`.", ref("Trade"), ref("Swap")),
  OrderEvent: object("What became of an order.", {
    type: constant("order"),
    id: ref("Position", "The ledger, then a number that counts up in it."),
    cause: oneOfTexts("As in channel `book`.", [
      "new",
      "update",
      "fill",
      "filled",
      "cancel",
      "expire",
      "revive",
    ]),
    order: ref("OrderId"),
    orderCursor: ref("Position", "`cursor` of the order: tells orders of one id apart."),
    owner: ref("Address"),
    selling: ref("TokenAddress"),
    buying: ref("TokenAddress"),
    price: text("After the event, as in Order.", "^[0-9]+$"),
    amount: ref("Amount", "What was left after the event."),
    expires: optional(ref("UtcTime", "After the event; absent: never.")),
    live: boolean("Whether the order was live after the event."),
    trade: optional(ref("Position", "`id` of the trade; with fill and filled alone.")),
    ledger: ref("Ledger"),
    timestamp: CLOSE_TIME,
    cursor: CURSOR,
  }),
  BudgetEvent: object("A change of a maker's budget behind live orders.", {
    type: constant("budget"),
    id: ref("Position"),
    owner: ref("Address"),
    asset: ref("TokenAddress"),
    budget: optional(ref("Amount", "After the event; absent: no longer tracked.")),
    ledger: ref("Ledger"),
    timestamp: CLOSE_TIME,
    cursor: CURSOR,
  }),
  OrderOrBudgetEvent: either("Told apart by `type`.", ref("OrderEvent"), ref("BudgetEvent")),
  OrderEvents: object("One page of order events.", {
    completeFrom: optional(
      ref("Ledger", "The first ledger from which every event is there; absent: none are kept."),
    ),
    events: array(ref("OrderOrBudgetEvent"), "Newest first.", PAGE_MAX.history),
  }),
  FailureError: object("A contract error.", {
    contract: ref(
      "ContractAddress",
      "The contract that failed: the exchange, a token or another one.",
    ),
    code: integer("Error code of that contract."),
    name: optional(text("Name of the code; for the exchange's own errors.")),
  }),
  FailureTransfer: object("A failed token transfer.", {
    token: ref("TokenAddress"),
    fn: oneOfTexts("Function of the token contract.", ["transfer", "transfer_from"]),
    from: ref("Address"),
    to: ref("Address"),
    amount: text("Base units, as the call asked for them.", "^-?(0|[1-9][0-9]*)$"),
  }),
  Failure: object(
    "One failed call of the exchange contract. It changed nothing on the ledger; diagnostics only.",
    {
      type: constant("failure"),
      id: ref("Position", "Position of the transaction and index of the failed call in it."),
      txHash: text("Transaction hash.", "^[0-9a-f]{64}$"),
      ledger: ref("Ledger"),
      timestamp: CLOSE_TIME,
      fn: text("Contract function called."),
      caller: ref(
        "Address",
        "Who authorized the call (its trader or sponsor argument), otherwise the transaction's source.",
      ),
      orders: array(
        ref("OrderId"),
        "Orders listed: maker orders of trade, swap and crossfill, updated orders of update.",
      ),
      takerOrder: optional(ref("OrderId", "Taker order of a crossfill.")),
      result: text("Result code of the operation or the transaction."),
      caught: optional(
        constant(true, "The transaction succeeded: a calling contract caught the failed call."),
      ),
      reason: oneOfTexts(
        "`contract`: a contract error; `transfer`: a token transfer failed; `resources`: resource " +
          "limit, refundable fee or archived entry; `auth`: authorization; `unknown`: undetermined.",
        ["contract", "transfer", "resources", "auth", "unknown"],
      ),
      error: optional(ref("FailureError", "The failing contract error, when known.")),
      transfer: optional(
        ref("FailureTransfer", "The failed token transfer, when diagnostics show it."),
      ),
      cursor: CURSOR,
    },
  ),
} as const satisfies NamedSchemas;
