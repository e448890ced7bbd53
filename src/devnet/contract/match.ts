// Matching: plans which listed orders a taker fills and by how much (contract.md, Match). Moves nothing.
import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { type FillAmounts, fillBuying, fillSelling, greater } from "../../model/settlement.ts";
import type { Backings } from "./backing.ts";
import { Direction } from "./call.ts";
import { checked } from "./error-code.ts";
import type { ExchangeHost, OrderEntry } from "./host.ts";

/** What a taker wants of one pair. */
export type Demand = {
  readonly direction: Direction;
  readonly selling: Address;
  readonly buying: Address;
  /** Base units; Sell: of `selling`, Buy: of `buying`. */
  readonly amount: bigint;
  /** Highest maker price taken; absent: any. */
  readonly priceMax?: bigint;
  readonly orders: readonly OrderId[];
  /** Refuses a fill without a trace. */
  readonly accepts?: (fill: FillAmounts) => boolean;
};

export type PlannedFill = FillAmounts & { readonly id: OrderId; readonly order: OrderEntry };

export type Plan = {
  readonly selling: Address;
  readonly buying: Address;
  /** In list order. */
  readonly fills: readonly PlannedFill[];
  /** Listed orders that their makers cannot back, in list order. */
  readonly skipped: readonly OrderId[];
  readonly sold: bigint;
  readonly bought: bigint;
  /** What the taker still has to sell or buy. */
  readonly left: bigint;
};

/** Throws Overflow where a total does not fit an i128. */
export function planFills(host: ExchangeHost, demand: Demand, backings: Backings): Plan {
  const fills: PlannedFill[] = [];
  const skipped: OrderId[] = [];
  let [sold, bought, left] = [0n, 0n, demand.amount];
  for (const id of new Set(demand.orders)) {
    if (left === 0n) break;
    const order = host.orders.get(id);
    if (order === undefined || !isOffered(host, order, demand)) continue;
    const fill =
      demand.direction === Direction.sell
        ? fillSelling(left, order.amount, order.price)
        : fillBuying(left, order.amount, order.price);
    if (fill === undefined || demand.accepts?.(fill) === false) continue;
    if (!backings.take(order, fill.bought)) {
      skipped.push(id);
      continue;
    }
    fills.push({ id, order, ...fill });
    sold = checked(host, sold + fill.sold);
    bought = checked(host, bought + fill.bought);
    left -= demand.direction === Direction.sell ? fill.sold : fill.bought;
  }
  const { selling, buying } = demand;
  return { selling, buying, fills, skipped, sold, bought, left };
}

/** The highest order price of the fills; 0 where there are none. */
export function worstPriceOf({ fills }: Plan): bigint {
  return fills.reduce((worst, { order }) => greater(worst, order.price), 0n);
}

/** Whether the order is live at the ledger's close. It is not from the second it expires in. */
export function isLive(host: ExchangeHost, order: OrderEntry): boolean {
  return order.expires === 0n || order.expires > BigInt(host.now);
}

function isOffered(host: ExchangeHost, order: OrderEntry, demand: Demand): boolean {
  return (
    order.selling === demand.buying &&
    order.buying === demand.selling &&
    (demand.priceMax === undefined || order.price <= demand.priceMax) &&
    isLive(host, order)
  );
}
