// GET /depth: the backed orders of one market as levels around the mid price, in the orientation
// that was asked for. Main thread, on the live copy of the shared book.
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
import { type DepthLevel, type DepthWalk, SideLevels, type SideWalk } from "./depth-walk.ts";
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

type BothLevels = { readonly bids: SideLevels; readonly asks: SideLevels };
type DepthHead = Pick<DepthBody, "ledger" | "timestamp" | "step" | "bestBid" | "bestAsk">;

/** A request on its way, in slices of so many orders. */
export class DepthReading {
  readonly #walk: DepthWalk;
  readonly #view: BookView;
  readonly #request: DepthRequest;
  readonly #now: number;
  readonly #asks: SideWalk;
  readonly #bids: SideWalk;
  #found: { readonly head: DepthHead; readonly levels: BothLevels | undefined } | undefined;

  /**
   * `walk`: scratch memory, of one reading at a time: the next one's beginning ends this. `view` must stay as it is
   * until then. `now`: UNIX seconds by the service's clock.
   */
  constructor(walk: DepthWalk, view: BookView, request: DepthRequest, now: number) {
    const { base, quote } = request.market;
    const baseAsset = findAsset(view, base);
    const quoteAsset = findAsset(view, quote);
    const known = baseAsset !== NONE && quoteAsset !== NONE;
    walk.begin(view, now);
    this.#asks = walk.openSide(known ? findSide(view, quoteAsset, baseAsset) : NONE);
    this.#bids = walk.openSide(known ? findSide(view, baseAsset, quoteAsset) : NONE);
    this.#walk = walk;
    this.#view = view;
    this.#request = request;
    this.#now = now;
  }

  /** Looks at so many orders more at most. Undefined where there are others left. */
  run(orders: number): DepthBody | undefined {
    const walk = this.#walk;
    walk.allow(orders);
    if (this.#found === undefined) {
      if (!walk.find(this.#asks) || !walk.find(this.#bids)) return undefined;
      this.#found = this.#foundBest();
    }
    const { head, levels } = this.#found;
    if (levels === undefined) return { ...head, bids: [], asks: [] };
    const { bids, asks } = levels;
    if (!walk.sum(bids) || !walk.sum(asks)) return undefined;
    return { ...head, bids: bids.shown, asks: asks.shown };
  }

  #foundBest() {
    const [view, asks, bids] = [this.#view, this.#asks, this.#bids];
    const { depth, limit, step: asked } = this.#request;
    const ask = asks.slot === NONE ? undefined : orderPrice(view, asks.slot);
    const bid = bids.slot === NONE ? undefined : orderPrice(view, bids.slot);
    const mid = midPrice(ask, bid);
    const best = {
      ledger: bookLedger(view),
      timestamp: this.#now,
      bestBid: bid === undefined ? null : priceText(PRICE_UNIT, bid),
      bestAsk: ask === undefined ? null : priceText(ask, PRICE_UNIT),
    };
    if (mid === undefined) return { head: { ...best, step: asked ?? null }, levels: undefined };
    const step = asked === undefined ? automaticStep(mid) : scaledStep(asked);
    const ofBids = { rule: bidLevels(step, mid), highest: highestBid(mid, depth), limit };
    const ofAsks = { rule: askLevels(step, mid), highest: highestAsk(mid, depth), limit };
    return {
      head: { ...best, step: asked ?? decimalText(step, PRICE_DECIMALS) },
      levels: { bids: new SideLevels(bids, ofBids), asks: new SideLevels(asks, ofAsks) },
    };
  }
}
