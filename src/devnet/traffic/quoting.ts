// Prices and amounts: a maker's quotes, and the offers that a taker finds.
import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { fillSelling, greater, invertPriceDown } from "../../model/settlement.ts";
import type { Offer } from "../order-index.ts";
import { contractPrice, usdAt } from "./price-walk.ts";
import type { Random } from "./random.ts";
import { compareOffers, isLive, type RememberingView } from "./view.ts";
import type { Market, Slot, TrafficAsset, World } from "./world.ts";

/** What an actor decides on. */
export type Scene = {
  readonly world: World;
  readonly view: RememberingView;
  readonly random: Random;
};

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

/**
 * Price and amount of a slot's order now: further levels are further off and larger. It stays clear
 * of what others bid near the market, which it would cross.
 */
export function quoteTerms({ view, random }: Scene, slot: Slot): QuoteTerms {
  const { maker, level } = slot;
  const [selling, buying] = [sellingOf(slot), buyingOf(slot)];
  const away = 1 + maker.spread + level * maker.step;
  const fair = usdAt(selling.walk, view.now) / usdAt(buying.walk, view.now);
  const usd = maker.sizeUsd * (1 + 0.3 * level) * random.between(0.5, 1.5);
  const amount = amountOf(selling, usd, view.now);
  const price = contractPrice(fair * away);
  const highest = contractPrice(fair * AROUND_MAX);
  const crossing = view
    .others(buying.token, selling.token)
    .map(({ entry }) => invertPriceDown(entry.price))
    .filter((bid) => bid >= price && bid < highest);
  return { price: crossing.reduce((clear, bid) => greater(clear, bid + 1n), price), amount };
}

/** So far beyond the fair price makers make way for orders of others, as a part of it. */
const AROUND_MAX = 1.1;

/** Makers and levels of each a taker looks at; a bound on the look-ups a call costs. */
const MAKERS_SEEN = 8;
const LEVELS_SEEN = 3;

/** Live orders of the market that sell `buying`, best first, of some makers and of all others. */
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
  const others = view.others(buying.token, otherAsset(market, buying).token);
  return [...offers, ...others].sort(compareOffers);
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
