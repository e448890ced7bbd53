// Notice in place of a market's levels while there are none.
import type { Depth } from "../../../src/api/types.ts";
import type { NoticeState } from "../page/notice-state.ts";

/** Of a feed: its book, undefined before the first answer, or why there is none. */
export type Shown = {
  readonly book:
    | { readonly body: Depth; readonly bids: readonly unknown[]; readonly asks: readonly unknown[] }
    | undefined;
  readonly error: string | undefined;
  /** Percent around the middle. */
  readonly band: string;
};

export function bookNotice({ book, error, band }: Shown): NoticeState {
  if (error !== undefined) return { kind: "error", message: error };
  if (book === undefined) return { kind: "loading" };
  const { bestBid, bestAsk } = book.body;
  if (bestBid === null && bestAsk === null) {
    const hint = "No backed order is live in this market.";
    return { kind: "empty", title: "The book is empty", hint };
  }
  if (book.bids.length > 0 || book.asks.length > 0) return { kind: "none" };
  // An order far from all others moves the middle away from them.
  const title = `Nothing within ${band}% of the middle`;
  const hint =
    band === "100"
      ? "The best bid and the best ask are too far from each other."
      : "The best bid and the best ask are far from each other: choose a wider band of the depth.";
  return { kind: "empty", title, hint };
}
