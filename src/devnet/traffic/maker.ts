// Market makers: they follow the price with `update`, replace filled orders and cancel others.
import type { Address } from "../../model/address.ts";
import { lesser } from "../../model/settlement.ts";
import { type Approval, Direction, type OrderUpdate, TradeKind } from "../contract/call.ts";
import type { TransactionIntent } from "../intent.ts";
import { asMaker, tradeIntent, updateIntent } from "./exchange-intent.ts";
import { buyingOf, quoteTerms, type Scene, sellingOf } from "./quoting.ts";
import { type ChainView, isLive } from "./view.ts";
import type { Maker, Quoter, Slot, TrafficAsset } from "./world.ts";

/** Orders a requote changes, and orders it puts back, at most. */
const UPDATES_MAX = 20;
const PLACED_MAX = 2;

/** Moves one maker's orders in one market to the price of now and puts back some that are gone. */
export function requoteMarket(scene: Scene): readonly TransactionIntent[] {
  const quoter = pickQuoter(scene);
  if (quoter === undefined) return [];
  const slots = [...quoter.slots.ask, ...quoter.slots.bid];
  const updates: OrderUpdate[] = [];
  const gone: Slot[] = [];
  // One update must be covered as a whole (702, 703).
  const means = new Means(scene);
  for (const slot of slots) {
    const entry = scene.view.order(slot.id);
    if (entry === undefined) gone.push(slot);
    else if (updates.length < UPDATES_MAX)
      updates.push(...changeOrder(scene, slot, means, isLive(entry, scene.view)));
  }
  const placed = scene.random.shuffle(gone).slice(0, PLACED_MAX);
  const { maker } = quoter;
  const intents = placed.flatMap((slot) => placeOrder(scene, slot, pickExpiration(scene)));
  if (updates.length === 0) return intents;
  const approvals = maker.address === maker.operator ? renewals(scene, quoter) : [];
  const update = updateIntent(scene.world, { trader: maker.address, updates, approvals });
  return [asMaker(scene.world, maker, update), ...intents];
}

/** Takes back some of one maker's orders, expired ones among them. */
export function cancelOrders(scene: Scene): readonly TransactionIntent[] {
  const quoter = pickQuoter(scene);
  if (quoter === undefined) return [];
  const { maker, slots } = quoter;
  const live = [...slots.ask, ...slots.bid].filter(({ id }) => scene.view.order(id) !== undefined);
  const updates = scene.random
    .shuffle(live)
    .slice(0, 1 + scene.random.below(3))
    .map(({ id }) => ({ id, amount: 0n, price: 1n, expires: 0n }));
  if (updates.length === 0) return [];
  const update = updateIntent(scene.world, { trader: maker.address, updates, approvals: [] });
  return [asMaker(scene.world, maker, update)];
}

/** A Limit trade that lists nothing: the slot's order comes to be as it is. */
export function placeOrder(
  scene: Scene,
  slot: Slot,
  expires: bigint,
): readonly TransactionIntent[] {
  const { world, view, random } = scene;
  const { pair } = slot.market;
  // An owner that cannot be paid is refused (708), as a client that does not check would be.
  if (!view.canReceive(buyingOf(slot).token, slot.maker.address) && random.chance(0.9)) return [];
  const terms = quoteTerms(scene, slot);
  const amount = affordable(scene, slot, terms.amount, new Means(scene));
  if (amount === 0n) return [];
  const place = tradeIntent(world, {
    direction: Direction.sell,
    kind: TradeKind.limit,
    trader: slot.maker.address,
    amount,
    selling: slot.side === "ask" ? pair.base : pair.quote,
    buying: slot.side === "ask" ? pair.quote : pair.base,
    price: terms.price,
    orders: [],
    nonce: slot.nonce,
    expires,
  });
  return [asMaker(world, slot.maker, place)];
}

/** An order's expiration: most never expire, a few do so far beyond what a JSON number holds. */
export function pickExpiration({ world, view, random }: Scene): bigint {
  if (random.chance(0.75)) return 0n;
  if (random.chance(0.02)) return (1n << 64n) - 1n - BigInt(random.below(1_000));
  return BigInt(view.now + 5 + random.below(world.cast.scale.expirySecondsMax));
}

function changeOrder(
  scene: Scene,
  slot: Slot,
  means: Means,
  live: boolean,
): readonly OrderUpdate[] {
  const { random } = scene;
  if (random.chance(live ? 0.1 : 0.5)) return [];
  const { price, amount } = quoteTerms(scene, slot);
  const removed = { id: slot.id, amount: 0n, price, expires: 0n };
  if (random.chance(0.03)) return [removed];
  const changed = affordable(scene, slot, amount, means);
  return changed === 0n
    ? [removed]
    : [{ ...removed, amount: changed, expires: pickExpiration(scene) }];
}

/**
 * The part of `amount` that the maker can back, which is then taken off its means. Now and then it does not
 * check and asks for too much, and the call fails.
 */
function affordable(scene: Scene, slot: Slot, amount: bigint, means: Means): bigint {
  if (scene.random.chance(0.002)) return amount * 1_000n;
  // A sliver is worth less than the minimum trade size.
  return means.take(slot, { amount, least: amount / 8n });
}

/** What one maker has left to offer in one call, by asset. */
class Means {
  readonly #view: ChainView;
  readonly #left = new Map<Address, bigint>();

  constructor({ view }: Scene) {
    this.#view = view;
  }

  /** At most `amount` of what the slot sells; 0 where that would be below `least`. */
  take(slot: Slot, { amount, least }: { readonly amount: bigint; readonly least: bigint }): bigint {
    const { token } = sellingOf(slot);
    const { address } = slot.maker;
    const left =
      this.#left.get(token) ??
      lesser(this.#view.balance(token, address), this.#view.allowance(token, address));
    const taken = left < least ? 0n : lesser(amount, left);
    this.#left.set(token, left - taken);
    return taken;
  }
}

/** New allowances in both assets of the market where one is gone or nearly so. */
function renewals(scene: Scene, { maker, slots }: Quoter): readonly Approval[] {
  const [ask, bid] = [slots.ask[0], slots.bid[0]];
  if (ask === undefined || bid === undefined) return [];
  return [sellingOf(ask), sellingOf(bid)]
    .filter((asset) => scene.view.allowance(asset.token, maker.address) === 0n)
    .filter(() => scene.random.chance(0.5))
    .map((asset) => pickApproval(scene, asset, maker));
}

/** Ledgers an allowance that is to lapse soon lives, at most. */
const SHORT_LEDGERS = 400;
/** Below the longest life of a ledger entry (protocol setting: 3,110,400 ledgers). */
const LONG_LEDGERS = 2_000_000;
const UNLIMITED = 1n << 62n;

/** Mostly unlimited and long; sometimes short-lived, sometimes for little more than the balance. */
export function pickApproval(
  { view, random }: Scene,
  asset: TrafficAsset,
  owner: Pick<Maker, "address">,
): Approval {
  const short = random.chance(0.15);
  const liveUntil = view.ledger + (short ? 10 + random.below(SHORT_LEDGERS) : LONG_LEDGERS);
  const tight = random.chance(0.15);
  const amount = tight ? view.balance(asset.token, owner.address) / 2n + 1n : UNLIMITED;
  return { asset: asset.token, amount, liveUntil };
}

function pickQuoter({ world, random }: Scene): Quoter | undefined {
  const market = random.pick(world.markets);
  return market.quoters.length === 0 ? undefined : random.pick(market.quoters);
}
