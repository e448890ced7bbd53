// Routes as the JSON that clients are sent (api.md, Quote). Written where they were found, so that a
// thread hands one text to another instead of some hundred objects.
// Hot path: ten routes of three hops, some 12 us where the book's best orders were quoted before;
// pieces are joined, which is half the price of adding them up.
import type { Address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";
import type { QuoteAnswer, QuoteResult, RouteHop } from "./quote.ts";

/**
 * Hops whose text is kept, over all pairs (guess): most hops list the first so many orders of their
 * market, and some hundred bytes each for twenty such listings of some hundred markets are little.
 */
const HOPS_KEPT_MAX = 1 << 14;

/** The hops of a pair: routes cross the same first orders of a market again and again. */
type KnownPair = {
  /** Up to the orders. */
  readonly head: string;
  /** By the number of orders: routes of one quote cross a market to different depths. */
  readonly hops: (KnownHop | undefined)[];
};

/** The last hop of a pair that lists so many orders. */
type KnownHop = {
  readonly orders: readonly OrderId[];
  readonly worstPrice: bigint;
  readonly text: string;
};

/** One for each thread that writes quotes. */
export class QuoteTexts {
  #pairs = new Map<Address, Map<Address, KnownPair>>();
  /** Texts and pairs kept. */
  #kept = 0;

  render(result: QuoteResult): QuoteAnswer {
    if (result.status !== "success") return result;
    const { status, ledger, routes } = result;
    const pieces = ["["];
    for (const [route, { sold, bought, hops }] of routes.entries()) {
      pieces.push(`${route > 0 ? "," : ""}{"sold":"${sold}","bought":"${bought}","path":[`);
      for (let hop = 0; hop < hops.length; hop += 1) {
        if (hop > 0) pieces.push(",");
        pieces.push(this.#hopText(hops[hop]!));
      }
      pieces.push("]}");
    }
    pieces.push("]");
    return { status, ledger, paths: pieces.join("") };
  }

  #hopText({ selling, buying, orders, worstPrice }: RouteHop): string {
    const { head, hops } = this.#knownPair(selling, buying);
    const known = hops[orders.length];
    if (known !== undefined && known.worstPrice === worstPrice && isSame(known.orders, orders)) {
      return known.text;
    }
    const text = [head, orders.join('","'), '"],"worstPrice":"', worstPrice, '"}'].join("");
    if (known === undefined) this.#kept += 1;
    hops[orders.length] = { orders, worstPrice, text };
    return text;
  }

  #knownPair(selling: Address, buying: Address): KnownPair {
    const known = this.#pairs.get(selling)?.get(buying);
    if (known !== undefined && this.#kept < HOPS_KEPT_MAX) return known;
    if (this.#kept >= HOPS_KEPT_MAX) {
      this.#pairs = new Map();
      this.#kept = 0;
    }
    this.#kept += 1;
    const added = { head: `{"selling":"${selling}","buying":"${buying}","orders":["`, hops: [] };
    const others = this.#pairs.get(selling);
    if (others === undefined) this.#pairs.set(selling, new Map([[buying, added]]));
    else others.set(buying, added);
    return added;
  }
}

/** From the end: listings of one market begin alike. */
function isSame(one: readonly OrderId[], other: readonly OrderId[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = one.length - 1; at >= 0; at -= 1) if (one[at] !== other[at]) return false;
  return true;
}
