// Routes as the JSON that clients are sent (api.md, Quote). Written where they were found, so that a
// thread hands one text to another instead of some hundred objects.
// Hot path: ten routes of three hops, some 12 us where the book's best orders were quoted before;
// pieces are joined, which is half the price of adding them up.
import type { Address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";
import type { QuoteAnswer, QuoteResult, RouteHop } from "./quote.ts";

/** Pairs of assets whose last hop is kept: all of a large network's markets (guess). */
const PAIRS_MAX = 1 << 14;

/** The last hop of a pair: small amounts cross the same few orders again and again. */
type KnownHop = {
  /** Up to the orders. */
  readonly head: string;
  orders: readonly OrderId[];
  worstPrice: bigint;
  text: string;
};

/** One for each thread that writes quotes. */
export class QuoteTexts {
  #pairs = new Map<Address, Map<Address, KnownHop>>();
  #pairCount = 0;

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

  #hopText(hop: RouteHop): string {
    const known = this.#knownHop(hop.selling, hop.buying);
    const { orders, worstPrice } = hop;
    if (known.worstPrice === worstPrice && isSame(known.orders, orders)) return known.text;
    known.orders = orders;
    known.worstPrice = worstPrice;
    known.text = [known.head, orders.join('","'), '"],"worstPrice":"', worstPrice, '"}'].join("");
    return known.text;
  }

  #knownHop(selling: Address, buying: Address): KnownHop {
    const known = this.#pairs.get(selling)?.get(buying);
    if (known !== undefined) return known;
    if (this.#pairCount === PAIRS_MAX) {
      this.#pairs = new Map();
      this.#pairCount = 0;
    }
    this.#pairCount += 1;
    const head = `{"selling":"${selling}","buying":"${buying}","orders":["`;
    // No order's price is 0: this is not taken for a hop.
    const added = { head, orders: [], worstPrice: 0n, text: "" };
    const others = this.#pairs.get(selling);
    if (others === undefined) this.#pairs.set(selling, new Map([[buying, added]]));
    else others.set(buying, added);
    return added;
  }
}

function isSame(one: readonly OrderId[], other: readonly OrderId[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}
