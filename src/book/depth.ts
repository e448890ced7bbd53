// GET /depth: the backed orders of one market as levels around the mid price, in the orientation
// that was asked for. Main thread, on the live copy of the shared book, in one synchronous go.
//
// Prices here are scaled by 10^18, quote per base: an ask's is its maker price p, a bid's is
// 10^36 / p, a ratio. What is printed or compared is exact.
import type { Address } from "../model/address.ts";
import { decimalText, priceText } from "../model/display.ts";
import { PRICE_UNIT } from "../model/settlement.ts";
import {
  askLevels,
  automaticStep,
  bidLevels,
  highestAsk,
  highestBid,
  midPrice,
  PRICE_DECIMALS,
  scaledStep,
} from "./depth-levels.ts";
import { type DepthLevel, DepthWalk } from "./depth-walk.ts";
import { type BookView, NONE } from "./shared-layout.ts";
import { findAsset, findSide } from "./shared-lookup.ts";
import { bookLedger, orderPrice } from "./shared-reader.ts";

export type DepthRequest = {
  readonly market: { readonly base: Address; readonly quote: Address };
  /** Band around the mid price in percent: above 0, at most 100. */
  readonly depth: number;
  /** Price step, a plain decimal of at most 18 fractional digits; undefined: automatic. */
  readonly step?: string;
  /** Levels per side. */
  readonly limit: number;
};

/** The body of api.md, Depth. */
export type DepthBody = {
  readonly ledger: number;
  /** UNIX seconds. */
  readonly timestamp: number;
  readonly step: string | null;
  readonly bestBid: string | null;
  readonly bestAsk: string | null;
  readonly bids: readonly DepthLevel[];
  readonly asks: readonly DepthLevel[];
};

/** Answers one request after the other; keeps scratch memory between them. */
export class DepthReader {
  readonly #walk = new DepthWalk();

  /** `now`: UNIX seconds by the service's clock. */
  read(view: BookView, request: DepthRequest, now: number): DepthBody {
    const { base, quote } = request.market;
    const baseAsset = findAsset(view, base);
    const quoteAsset = findAsset(view, quote);
    const known = baseAsset !== NONE && quoteAsset !== NONE;
    const walk = this.#walk;
    walk.begin(view, now);
    const asks = walk.openSide(known ? findSide(view, quoteAsset, baseAsset) : NONE);
    const bids = walk.openSide(known ? findSide(view, baseAsset, quoteAsset) : NONE);
    const ask = asks.slot === NONE ? undefined : orderPrice(view, asks.slot);
    const bid = bids.slot === NONE ? undefined : orderPrice(view, bids.slot);
    const mid = midPrice(ask, bid);
    const head = {
      ledger: bookLedger(view),
      timestamp: now,
      bestBid: bid === undefined ? null : priceText(PRICE_UNIT, bid),
      bestAsk: ask === undefined ? null : priceText(ask, PRICE_UNIT),
    };
    if (mid === undefined) return { ...head, step: request.step ?? null, bids: [], asks: [] };
    const step = request.step === undefined ? automaticStep(mid) : scaledStep(request.step);
    const { depth, limit } = request;
    return {
      ...head,
      step: request.step ?? decimalText(step, PRICE_DECIMALS),
      bids: walk.levels(bids, bidLevels(step, mid), highestBid(mid, depth), limit),
      asks: walk.levels(asks, askLevels(step, mid), highestAsk(mid, depth), limit),
    };
  }
}
