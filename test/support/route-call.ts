// The calls that the API names for a quoted route, as the contract's arguments. All of them throw an
// Error for a route without hops.
import {
  Direction,
  swapParameters,
  TradeKind,
  tradeParameters,
} from "../../src/devnet/contract/call.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import type { Address } from "../../src/model/address.ts";
import { invertPriceDown } from "../../src/model/settlement.ts";
import type { QuoteDirection, RouteQuote } from "../../src/router-worker/quote.ts";

export type CalledRoute = {
  readonly route: RouteQuote;
  readonly direction: QuoteDirection;
  readonly trader: Address;
  /** The call grants the exchange what it sells, until this ledger; absent: it grants nothing. */
  readonly approvedUntil?: number;
};

export type TradeTerms = {
  readonly kind: TradeKind;
  readonly amount: bigint;
  /** Of the taker. */
  readonly price: bigint;
};

export function swapOf(called: CalledRoute): readonly Value[] {
  const { route, direction, trader, approvedUntil } = called;
  const { selling } = firstHop(route);
  const approve = { asset: selling, amount: route.sold, liveUntil: approvedUntil ?? 0 };
  return swapParameters.write({
    direction: directionOf(direction),
    trader,
    selling,
    ...(approvedUntil === undefined ? {} : { approve }),
    sellingAmount: route.sold,
    buyingAmount: route.bought,
    path: route.hops.map(({ buying, orders }) => ({ asset: buying, orders })),
  });
}

/** The trade that takes a route of one hop whole. */
export function fillOf(called: CalledRoute): readonly Value[] {
  const { route, direction } = called;
  const { worstPrice } = firstHop(route);
  return tradeOf(
    called,
    direction === "strict_send"
      ? { kind: TradeKind.fill, amount: route.sold, price: invertPriceDown(worstPrice) }
      : { kind: TradeKind.fill, amount: route.bought, price: worstPrice },
  );
}

export function tradeOf(
  { route, direction, trader }: CalledRoute,
  { kind, amount, price }: TradeTerms,
): readonly Value[] {
  const { selling, buying, orders } = firstHop(route);
  return tradeParameters.write({
    direction: directionOf(direction),
    ...{ kind, trader, amount, selling, buying, price, orders },
    nonce: 0n,
    expires: 0n,
  });
}

function directionOf(direction: QuoteDirection): Direction {
  return direction === "strict_send" ? Direction.sell : Direction.buy;
}

function firstHop(route: RouteQuote) {
  const [hop] = route.hops;
  if (hop === undefined) throw new Error("a route without hops");
  return hop;
}
