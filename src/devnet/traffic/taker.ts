// Takers: they cross orders by every kind of call and in both directions, and leave limit orders behind.
import { type Address, isContract } from "../../model/address.ts";
import { type OrderId, orderId } from "../../model/order.ts";
import { invertPriceDown, lesser, mulDivUp } from "../../model/settlement.ts";
import { Direction, type TradeCall, TradeKind } from "../contract/call.ts";
import type { TransactionIntent } from "../intent.ts";
import type { Offer } from "../order-index.ts";
import { crossfillIntent, tradeIntent, updateIntent } from "./exchange-intent.ts";
import { pickExpiration } from "./maker.ts";
import { contractPrice, usdAt } from "./price-walk.ts";
import { amountOf, estimateSale, findOffers, otherAsset, type Scene } from "./quoting.ts";
import type { Market, TrafficAsset } from "./world.ts";

/** Orders a trade lists, at most: 20 fills are all a call can afford (contract.md, Limits). */
const LISTED_MAX = 12;

/** A market order: Fill or FillOrKill, Sell or Buy, with a limit a little beyond what is found. */
export function takeOffers(scene: Scene): readonly TransactionIntent[] {
  const { world, view, random } = scene;
  const market = random.pick(world.markets);
  const buying = random.chance(0.5) ? market.base : market.quote;
  const selling = otherAsset(market, buying);
  const offers = findOffers(scene, market, buying);
  const owner = offers[0]?.entry.owner;
  // Now and then a maker takes its own order.
  const own = owner !== undefined && !isContract(owner) && random.chance(0.03);
  const trader = own ? owner : pickTrader(scene, selling);
  const estimate = estimateSale(offers, amountOf(selling, pickUsd(scene), view.now), LISTED_MAX);
  if (estimate === undefined) return [];
  const sells = random.chance(0.5);
  const worst = slip(estimate.worstPrice, random.between(0, 0.02));
  const kind = random.chance(0.3) ? TradeKind.fillOrKill : TradeKind.fill;
  const call: TradeCall = {
    direction: sells ? Direction.sell : Direction.buy,
    kind,
    trader,
    amount: sells ? estimate.sold : estimate.bought,
    selling: selling.token,
    buying: buying.token,
    price: sells ? invertPriceDown(worst) : worst,
    orders: listOrders(scene, offers, estimate.ids),
    nonce: 0n,
    expires: 0n,
    ...approveSometimes(scene, trader, selling),
  };
  return [tradeIntent(world, call)];
}

/** A limit order that lists what it crosses, or does not know that it should. */
export function placeLimit(scene: Scene): readonly TransactionIntent[] {
  const { world, view, random } = scene;
  const slot = random.pick(world.takerSlots);
  // A nonce in use fails the call, as it does for a client that does not check.
  if (view.order(slot.id) !== undefined && random.chance(0.95)) return [];
  const buying = otherAsset(slot.market, slot.selling);
  const careless = random.chance(0.4);
  const fair = usdAt(slot.selling.walk, view.now) / usdAt(buying.walk, view.now);
  const price = contractPrice(fair * random.between(0.97, 1.03));
  const offers = careless ? [] : findOffers(scene, slot.market, buying);
  const balance = view.balance(slot.selling.token, slot.trader);
  const amount = lesser(balance, amountOf(slot.selling, pickUsd(scene), view.now));
  if (amount === 0n) return [];
  const estimate = estimateSale(offers, amount, LISTED_MAX);
  const sells = random.chance(0.6);
  return [
    tradeIntent(world, {
      direction: sells ? Direction.sell : Direction.buy,
      kind: TradeKind.limit,
      trader: slot.trader,
      amount: sells ? amount : amountOf(buying, pickUsd(scene), view.now),
      selling: slot.selling.token,
      buying: buying.token,
      price: sells ? price : invertPriceDown(price),
      orders: listOrders(scene, offers, estimate?.ids ?? []),
      nonce: slot.nonce,
      expires: pickExpiration(scene),
      ...approveSometimes(scene, slot.trader, slot.selling),
    }),
  ];
}

/** A bot fills a resting order against the other side for what it leaves. */
export function crossfillOrder(scene: Scene): readonly TransactionIntent[] {
  const { world, random } = scene;
  for (let tries = 0; tries < 20; tries += 1) {
    const found = random.chance(0.5) ? pickSlotOrder(scene) : pickBestOther(scene);
    if (found === undefined) continue;
    const { market, selling, offer } = found;
    const priceMax = invertPriceDown(offer.entry.price);
    const offers = findOffers(scene, market, otherAsset(market, selling)).slice(0, LISTED_MAX);
    const crossing = offers.filter(({ entry }) => entry.price <= priceMax);
    if (crossing.length === 0 && random.chance(0.9)) continue;
    const trader = random.pick(world.cast.takers);
    const orders = crossing.map(({ id }) => id);
    return [crossfillIntent(world, { trader, takerOrder: offer.id, orders })];
  }
  return [];
}

type Resting = {
  readonly market: Market;
  readonly selling: TrafficAsset;
  readonly offer: Offer;
};

/** A taker's own, backed or not, expired or not. */
function pickSlotOrder({ world, view, random }: Scene): Resting | undefined {
  const { id, market, selling } = random.pick(world.takerSlots);
  const entry = view.order(id);
  return entry === undefined ? undefined : { market, selling, offer: { id, entry } };
}

/** The best of a random market that is no maker's. */
function pickBestOther({ world, view, random }: Scene): Resting | undefined {
  const market = random.pick(world.markets);
  const selling = random.chance(0.5) ? market.base : market.quote;
  const [offer] = view.others(selling.token, otherAsset(market, selling).token);
  return offer === undefined ? undefined : { market, selling, offer };
}

/** A taker takes back its resting orders. */
export function cancelLimits(scene: Scene): readonly TransactionIntent[] {
  const { world, view, random } = scene;
  const trader = random.pick(world.cast.takers);
  const updates = world.takerSlots
    .filter((slot) => slot.trader === trader && view.order(slot.id) !== undefined)
    .map(({ id }) => ({ id, amount: 0n, price: 1n, expires: 0n }));
  if (updates.length === 0) return [];
  return [updateIntent(world, { trader, updates, approvals: [] })];
}

/** A taker who has something of `selling`, unless none is found soon. */
export function pickTrader({ world, view, random }: Scene, selling: TrafficAsset): Address {
  let trader = random.pick(world.cast.takers);
  for (let tries = 0; tries < 4 && view.balance(selling.token, trader) === 0n; tries += 1) {
    trader = random.pick(world.cast.takers);
  }
  return trader;
}

/** USD of a taker's trade: mostly small, some that no single order covers. */
export function pickUsd({ random }: Scene): number {
  return 2 + 60 * random.unit() ** 2 + (random.chance(0.1) ? 1_500 * random.unit() : 0);
}

/** `price` made worse by the part `by`. */
function slip(price: bigint, by: number): bigint {
  return mulDivUp(price, BigInt(Math.round((1 + by) * 1_000_000)), 1_000_000n);
}

/** The ids found, now and then with one twice, one nobody has or in another order. */
function listOrders(
  { random }: Scene,
  offers: readonly Offer[],
  ids: readonly OrderId[],
): readonly OrderId[] {
  const listed = [...ids];
  const [first] = ids;
  const next = offers[ids.length];
  if (next !== undefined && random.chance(0.5)) listed.push(next.id);
  if (first !== undefined && random.chance(0.03)) listed.push(first);
  if (random.chance(0.03)) listed.push(orderId(BigInt(random.bits())));
  return random.chance(0.1) ? random.shuffle(listed) : listed;
}

function approveSometimes(
  { view, random }: Scene,
  trader: Address,
  selling: TrafficAsset,
): Pick<TradeCall, "approve"> {
  if (view.allowance(selling.token, trader) > 0n && random.chance(0.97)) return {};
  const liveUntil = view.ledger + 5 + random.below(2_000);
  return { approve: { asset: selling.token, amount: 1n << 60n, liveUntil } };
}
