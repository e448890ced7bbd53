// Schemas of quotes: routes across maker orders.
import type { NamedSchemas } from "../schema.ts";
import { array, constant, either, object, oneOfTexts, ref, text } from "../schema.ts";

const HEAD = {
  direction: oneOfTexts("The direction used.", ["strict_send", "strict_receive"]),
  sellingAsset: ref("TokenAddress", "What the trader pays."),
  buyingAsset: ref("TokenAddress", "What the trader receives."),
  ledger: ref("Ledger", "Ledger of the order book that the quote was computed on."),
};
const ID = text("Quote id, informational.");

export const quoteSchemas = {
  QuoteHop: object("One market crossed.", {
    selling: ref("TokenAddress", "Paid at this hop."),
    buying: ref("TokenAddress", "Received at this hop."),
    orders: {
      ...array(ref("OrderId"), "Maker orders to list, in matching order.", 20),
      minItems: 1,
    },
    worstPrice: ref(
      "ContractPrice",
      "Highest maker price among the listed orders: units of `selling` per 1 unit of `buying`, times 10^18.",
    ),
  }),
  QuotePath: object(
    "One route. It settles for exactly these amounts in the state it was computed on.",
    {
      sold: ref(
        "Amount",
        "Paid. With strict_send it can be slightly below the amount asked for: input worth less than " +
          "one base unit of output stays with the trader.",
      ),
      bought: ref("Amount", "Received."),
      path: { ...array(ref("QuoteHop"), "Hops in execution order.", 3), minItems: 1 },
    },
  ),
  SuccessfulQuote: object("At least one route fills the amount.", {
    id: ID,
    status: constant("success"),
    ...HEAD,
    paths: {
      ...array(
        ref("QuotePath"),
        "Alternative routes, best first. They can share orders: one is meant per transaction.",
        10,
      ),
      minItems: 1,
    },
  }),
  UnfilledQuote: object(
    "No route: `unfeasible` when the backed orders cannot fill the amount, `rejected` while the " +
      "contract is frozen or cannot hold the bought asset.",
    {
      id: ID,
      status: oneOfTexts("Why there is no route.", ["unfeasible", "rejected"]),
      ...HEAD,
      paths: { type: "array", description: "Empty.", items: false, maxItems: 0 },
      error: text("The reason in words."),
    },
  ),
  Quote: either("Told apart by `status`.", ref("SuccessfulQuote"), ref("UnfilledQuote")),
} as const satisfies NamedSchemas;
