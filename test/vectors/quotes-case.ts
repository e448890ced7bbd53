// The format of the quote vectors: a book, a request with its cap on orders, and for each asset
// path the best result known of it.
import { z } from "zod";
import { address, ids, integer, worldState } from "./settlement-case.ts";

const amount = integer.refine((value) => value > 0n, "not positive");

export const quotesCase = z.object({
  before: worldState,
  request: z.object({
    direction: z.enum(["strict_send", "strict_receive"]),
    sellingAsset: address,
    buyingAsset: address,
    amount,
    maxOrders: z.number().int().positive(),
  }),
  best: z.array(
    z.object({
      /** The assets bought, hop by hop. */
      path: z.array(address).nonempty(),
      sold: amount,
      bought: amount,
      orders: z.array(ids),
    }),
  ),
});

export type QuotesCase = z.infer<typeof quotesCase>;
