// What a maker asks for, and what a taker finds.
import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { fillSelling } from "../../model/settlement.ts";
import type { OrderEntry } from "../contract/host.ts";
import { contractPrice, usdAt } from "./price-walk.ts";
import type { Random } from "./random.ts";
import type { ChainView } from "./view.ts";
import type { Market, Slot, TrafficAsset, World } from "./world.ts";

/** What an actor decides on. */
export type Scene = { readonly world: World; readonly view: ChainView; readonly random: Random };

/** Base units of a token: all tokens of the devnet have 7 decimals. */
const TOKEN_UNIT = 10_000_000;

/** `usd` dollars' worth of `asset`, base units, at least 1. */
export function amountOf(asset: TrafficAsset, usd: number, now: number): bigint {
  return BigInt(Math.max(1, Math.round((usd / usdAt(asset.walk, now)) * TOKEN_UNIT)));
}

export function sellingOf(slot: Slot): TrafficAsset {
  return slot.side === "ask" ? slot.market.base : slot.market.quote;
}

export function buyingOf(slot: Slot): TrafficAsset {
  return slot.side === "ask" ? slot.market.quote : slot.market.base;
}

export type QuoteTerms = { readonly amount: bigint; readonly price: bigint };

/** Price and amount of a slot's order at `now`: further levels are further off and larger. */
export function quoteTerms(slot: Slot, now: number, random: Random): QuoteTerms {
  const { maker, level } = slot;
  const away = 1 + maker.spread + level * maker.step;
  const fair = usdAt(sellingOf(slot).walk, now) / usdAt(buyingOf(slot).walk, now);
  const usd = maker.sizeUsd * (1 + 0.3 * level) * random.between(0.5, 1.5);
  return { price: contractPrice(fair * away), amount: amountOf(sellingOf(slot), usd, now) };
}

export type Offer = { readonly id: OrderId; readonly entry: OrderEntry };

/** Makers and levels of each a taker looks at; a bound on the look-ups a call costs. */
const MAKERS_SEEN = 8;
const LEVELS_SEEN = 3;

/** Live orders of the market that sell `buying`, best first, of some makers. */
export function findOffers(scene: Scene, market: Market, buying: TrafficAsset): readonly Offer[] {
  const { view, random } = scene;
  const side = buying === market.base ? "ask" : "bid";
  const start = random.below(Math.max(1, market.quoters.length));
  const offers: Offer[] = [];
  for (let at = 0; at < Math.min(MAKERS_SEEN, market.quoters.length); at += 1) {
    const quoter = market.quoters[(start + at) % market.quoters.length];
    for (const { id } of quoter?.slots[side].slice(0, LEVELS_SEEN) ?? []) {
      const entry = view.order(id);
      if (entry !== undefined && isLive(entry, view)) offers.push({ id, entry });
    }
  }
  return offers.sort(comparePrices);
}

export function isLive(entry: OrderEntry, view: ChainView): boolean {
  return entry.expires === 0n || entry.expires > BigInt(view.now);
}

function comparePrices(one: Offer, other: Offer): number {
  if (one.entry.price === other.entry.price) return 0;
  return one.entry.price < other.entry.price ? -1 : 1;
}

export type Estimate = {
  readonly sold: bigint;
  readonly bought: bigint;
  /** In list order. */
  readonly ids: readonly OrderId[];
  readonly worstPrice: bigint;
};

/** Selling `amount` into `offers`, whatever their makers' backing; at most `ordersMax` of them. */
export function estimateSale(
  offers: readonly Offer[],
  amount: bigint,
  ordersMax: number,
): Estimate | undefined {
  let [sold, bought, worstPrice] = [0n, 0n, 0n];
  const ids: OrderId[] = [];
  for (const { id, entry } of offers.slice(0, ordersMax)) {
    const fill = fillSelling(amount - sold, entry.amount, entry.price);
    if (fill === undefined) break;
    sold += fill.sold;
    bought += fill.bought;
    worstPrice = entry.price;
    ids.push(id);
    if (sold === amount) break;
  }
  return ids.length === 0 ? undefined : { sold, bought, ids, worstPrice };
}

export function otherAsset(market: Market, asset: TrafficAsset): TrafficAsset {
  return asset === market.base ? market.quote : market.base;
}

export function findAsset(world: World, token: Address): TrafficAsset | undefined {
  return world.assets.find((asset) => asset.token === token);
}
