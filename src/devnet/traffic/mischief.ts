// Failing calls: one for every kind of failure of the exchange and its tokens.
import type { Address } from "../../model/address.ts";
import { orderId } from "../../model/order.ts";
import { I128_MAX, PRICE_UNIT } from "../../model/settlement.ts";
import { Direction, type TradeCall, TradeKind } from "../contract/call.ts";
import { bool, u32 } from "../contract/value.ts";
import type { TransactionIntent } from "../intent.ts";
import {
  type CallIntent,
  crossfillIntent,
  exchangeCall,
  swapIntent,
  tradeIntent,
  updateIntent,
} from "./exchange-intent.ts";
import { contractPrice, usdAt } from "./price-walk.ts";
import { amountOf, findAsset, findOffers, otherAsset, type Scene } from "./quoting.ts";
import { isLive } from "./view.ts";
import type { Market, Slot } from "./world.ts";

/** One call that is bound to fail, or nothing where its kind finds no occasion. */
export function failingCall(scene: Scene): readonly TransactionIntent[] {
  const make = scene.random.pick(KINDS);
  const intent = make(scene);
  return intent === undefined ? [] : [intent];
}

type Failing = (scene: Scene) => CallIntent | undefined;

const KINDS: readonly Failing[] = [
  // 709: more than anyone offers.
  (scene) => tradeIntent(scene.world, { ...baseTrade(scene), amount: 1n << 60n }),
  // 702: a limit order beyond the trader's means.
  (scene) => tradeIntent(scene.world, { ...limitTrade(scene), amount: 1n << 70n }),
  // 703: within its means, but not granted.
  (scene) => {
    const call = limitTrade(scene);
    const allowance = scene.view.allowance(call.selling, call.trader);
    const balance = scene.view.balance(call.selling, call.trader);
    const enough = allowance < balance && balance > 0n;
    return enough ? tradeIntent(scene.world, { ...call, amount: balance }) : undefined;
  },
  // 705, 706, 707.
  (scene) => tradeIntent(scene.world, { ...baseTrade(scene), price: 0n }),
  (scene) => tradeIntent(scene.world, { ...baseTrade(scene), amount: 0n }),
  (scene) =>
    tradeIntent(scene.world, { ...limitTrade(scene), expires: BigInt(scene.view.now - 1) }),
  // 704: an asset against itself.
  (scene) => {
    const call = baseTrade(scene);
    return tradeIntent(scene.world, { ...call, buying: call.selling });
  },
  // 720: a unit that buys nothing, whatever the minimum is. 721: a pair nobody opened.
  (scene) => {
    const call = limitTrade(scene);
    return call.price < PRICE_UNIT ? tradeIntent(scene.world, { ...call, amount: 1n }) : undefined;
  },
  unopenedPair,
  // 740: a cost beyond i128.
  (scene) =>
    tradeIntent(scene.world, {
      ...limitTrade(scene),
      direction: Direction.buy,
      amount: I128_MAX,
      price: PRICE_UNIT * 1_000n,
    }),
  // 711: a maker's nonce again while its order lives.
  (scene) => {
    const slot = pickLiveSlot(scene);
    if (slot === undefined || slot.maker.address !== slot.maker.operator) return undefined;
    const entry = scene.view.order(slot.id);
    if (entry === undefined || !isLive(entry, scene.view)) return undefined;
    const { selling, buying, amount, price } = entry;
    return tradeIntent(scene.world, {
      ...limitTrade(scene),
      ...{ selling, buying, amount, price },
      trader: slot.maker.address,
      nonce: slot.nonce,
    });
  },
  // 710: an order that is not there. 701: somebody else's order.
  (scene) =>
    crossfillIntent(scene.world, {
      trader: pickTaker(scene),
      takerOrder: orderId(BigInt(scene.random.bits())),
      orders: [],
    }),
  (scene) => {
    const slot = pickLiveSlot(scene);
    if (slot === undefined) return undefined;
    const updates = [{ id: slot.id, amount: 0n, price: 1n, expires: 0n }];
    return updateIntent(scene.world, { trader: pickTaker(scene), updates, approvals: [] });
  },
  // No authorization: somebody else's name. No such function; arguments of the wrong type.
  (scene) => ({ ...tradeIntent(scene.world, baseTrade(scene)), source: scene.world.cast.treasury }),
  (scene) => exchangeCall(scene.world, pickTaker(scene), "freeze", [bool(true)]),
  (scene) => exchangeCall(scene.world, pickTaker(scene), "withdraw", [u32(1)]),
  (scene) => exchangeCall(scene.world, pickTaker(scene), "trade", [u32(1)]),
  // Too few resources declared, in each of the ways a node knows.
  (scene) => ({
    ...tradeIntent(scene.world, baseTrade(scene)),
    shortOf: scene.random.pick(["instructions", "refundableFee", "reading"] as const),
  }),
  // A token's own errors: the trader holds nothing like that much, or has no trustline.
  payBeyondMeans,
  payWithoutTrustline,
  // 709: an output no order gives for the input.
  (scene) => {
    const { trader, selling, buying, orders } = baseTrade(scene);
    return swapIntent(scene.world, {
      direction: Direction.sell,
      trader,
      selling,
      sellingAmount: 1_000n,
      buyingAmount: 1n << 60n,
      path: [{ asset: buying, orders }],
    });
  },
];

/** A FillOrKill of what a random market has to offer. */
function baseTrade(scene: Scene): TradeCall {
  const { world, random, view } = scene;
  const market = random.pick(world.markets);
  const buying = random.chance(0.5) ? market.base : market.quote;
  const selling = otherAsset(market, buying);
  const offers = findOffers(scene, market, buying).slice(0, 3);
  return {
    direction: Direction.sell,
    kind: TradeKind.fillOrKill,
    trader: pickTaker(scene),
    amount: amountOf(selling, 20, view.now),
    selling: selling.token,
    buying: buying.token,
    price: 1n,
    orders: offers.map(({ id }) => id),
    nonce: 0n,
    expires: 0n,
  };
}

/** Nonces that no slot has: few, so that what rests against all intent is little and soon over. */
const STRAY_NONCES = 16;
const STRAY_NONCES_FROM = 2 ** 40;
const STRAY_SECONDS = 60;

/** A limit order that lists nothing, a little dearer than the market, and soon expires. */
function limitTrade(scene: Scene): TradeCall {
  const call = { ...baseTrade(scene), kind: TradeKind.limit, orders: [] };
  return { ...call, ...strayTerms(scene, call.selling, call.buying) };
}

function strayTerms({ world, view, random }: Scene, selling: Address, buying: Address) {
  const [sold, bought] = [findAsset(world, selling), findAsset(world, buying)];
  if (sold === undefined || bought === undefined) throw new RangeError("an asset of no market");
  const fair = usdAt(sold.walk, view.now) / usdAt(bought.walk, view.now);
  return {
    price: contractPrice(fair * 1.05),
    nonce: BigInt(STRAY_NONCES_FROM + random.below(STRAY_NONCES)),
    expires: BigInt(view.now + STRAY_SECONDS),
  };
}

function unopenedPair(scene: Scene): CallIntent | undefined {
  const { world, random } = scene;
  const [one, other] = [random.pick(world.assets), random.pick(world.assets)];
  if (one === other || world.markets.some((market) => joins(market, one.token, other.token))) {
    return undefined;
  }
  const pair = { selling: one.token, buying: other.token };
  const terms = strayTerms(scene, one.token, other.token);
  return tradeIntent(world, { ...limitTrade(scene), ...pair, ...terms });
}

function joins(market: Market, one: Address, other: Address): boolean {
  const { base, quote } = market.pair;
  return (base === one && quote === other) || (base === other && quote === one);
}

/** A taker pays from a balance or an allowance that is too small. */
function payBeyondMeans(scene: Scene): CallIntent | undefined {
  const call = baseTrade(scene);
  if (call.orders.length === 0) return undefined;
  const balance = scene.view.balance(call.selling, call.trader);
  return tradeIntent(scene.world, { ...call, kind: TradeKind.fill, amount: balance * 2n + 1n });
}

/** A maker grants, and then is to pay, what it has never held. */
function payWithoutTrustline(scene: Scene): CallIntent | undefined {
  const { world, view } = scene;
  const trader = scene.random.pick(world.cast.makers);
  const call = { ...baseTrade(scene), trader, kind: TradeKind.fill };
  const held = world.holdings.some(
    ({ holder, asset }) => holder === call.trader && asset.token === call.selling,
  );
  if (held || call.orders.length === 0) return undefined;
  const approve = { asset: call.selling, amount: 1n << 60n, liveUntil: view.ledger + 10 };
  return tradeIntent(world, { ...call, approve });
}

function pickLiveSlot({ world, view, random }: Scene): Slot | undefined {
  const market = random.pick(world.markets);
  const quoter = market.quoters[random.below(Math.max(1, market.quoters.length))];
  return quoter?.slots.ask.find(({ id }) => view.order(id) !== undefined);
}

function pickTaker({ world, random }: Scene): Address {
  return random.pick(world.cast.takers);
}
