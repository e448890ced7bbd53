// Swaps over one to three hops of the market graph, exact input or exact output.
import { Direction, type SwapHop } from "../contract/call.ts";
import type { TransactionIntent } from "../intent.ts";
import { swapIntent } from "./exchange-intent.ts";
import { amountOf, estimateSale, findOffers, otherAsset, type Scene } from "./quoting.ts";
import { pickTrader, pickUsd } from "./taker.ts";
import type { Market, TrafficAsset } from "./world.ts";

/** At most 20 fills across all hops of a swap (contract.md, Limits). */
const FILLS_MAX = 20;

export function swapAlongPath(scene: Scene): readonly TransactionIntent[] {
  const { world, view, random } = scene;
  const start = random.pick(world.assets);
  const trader = pickTrader(scene, start);
  const markets = pickPath(scene, start, 1 + random.below(3));
  if (markets.length === 0) return [];
  const input = amountOf(start, pickUsd(scene), view.now);
  const path: SwapHop[] = [];
  let [asset, amount, paid] = [start, input, input];
  for (const market of markets) {
    const buying = otherAsset(market, asset);
    const offers = findOffers(scene, market, buying);
    const ordersMax = Math.floor(FILLS_MAX / markets.length);
    const estimate = estimateSale(offers, amount, ordersMax);
    if (estimate === undefined) return [];
    // One order more than needed, in case the last one is gone by then.
    const orders = offers.slice(0, Math.min(estimate.ids.length + 1, ordersMax));
    path.push({ asset: buying.token, orders: orders.map(({ id }) => id) });
    if (path.length === 1) paid = estimate.sold;
    [asset, amount] = [buying, estimate.bought];
  }
  const sells = random.chance(0.6);
  return [
    swapIntent(world, {
      direction: sells ? Direction.sell : Direction.buy,
      trader,
      selling: start.token,
      sellingAmount: sells ? paid : loosen(paid, random.between(0, 0.03)),
      buyingAmount: sells ? tighten(amount, random.between(0, 0.03)) : amount,
      path,
    }),
  ];
}

/** Markets that lead on from `start` without coming back to an asset. */
function pickPath({ world, random }: Scene, start: TrafficAsset, hops: number): readonly Market[] {
  const path: Market[] = [];
  const seen = new Set([start]);
  let asset = start;
  while (path.length < hops) {
    const leading = world.marketsOf.get(asset) ?? [];
    const next = leading.filter((market) => !seen.has(otherAsset(market, asset)));
    if (next.length === 0) break;
    const market = random.pick(next);
    path.push(market);
    asset = otherAsset(market, asset);
    seen.add(asset);
  }
  return path;
}

function loosen(amount: bigint, by: number): bigint {
  return (amount * BigInt(Math.round((1 + by) * 1_000_000))) / 1_000_000n + 1n;
}

/** At least 1: an amount of nothing is refused. */
function tighten(amount: bigint, by: number): bigint {
  const tightened = (amount * BigInt(Math.round((1 - by) * 1_000_000))) / 1_000_000n;
  return tightened > 0n ? tightened : 1n;
}
