// Random valid chains: an id is used again only when its order is gone or expired on-chain, and fills
// meet orders that are on-chain and unexpired. A few events name unknown orders.
import { type Address, canonicalPair } from "../../src/model/address.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import { type OrderId, orderId } from "../../src/model/order.ts";
import { PRICE_UNIT } from "../../src/model/settlement.ts";
import { account, token } from "./addresses.ts";
import { type Follows, type NewEvent, type NewFailure, nextLedger } from "./ledgers.ts";

/** Uniform integers from 0 to below `below`. */
export type Random = (below: number) => number;

/** mulberry32: small, and the same everywhere. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const ACCOUNTS = 5;
const TOKENS = 4;
const IDS = 12;
const LEDGER_SECONDS = 5;
export const CHAIN_START = 1_700_000_000;
const GENESIS: Follows = { ledger: 999, hash: "00".repeat(32) };

type ChainOrder = {
  readonly owner: Address;
  readonly selling: Address;
  readonly buying: Address;
  price: bigint;
  amount: bigint;
  expires: number;
};

/**
 * `count` ledgers of up to `eventsMax` events from one random source, with a few failures. The first
 * closes at `CHAIN_START`, each next one `gapSeconds` later.
 */
export function randomLedgers(
  random: Random,
  count: number,
  eventsMax: number,
  gapSeconds: () => number = () => LEDGER_SECONDS,
): LedgerDelta[] {
  const chain = new Map<OrderId, ChainOrder>();
  const ledgers: LedgerDelta[] = [];
  let closeTime = CHAIN_START;
  for (let at = 0; at < count; at += 1) {
    if (at > 0) closeTime += gapSeconds();
    const events = Array.from({ length: random(eventsMax + 1) }, () =>
      randomEvent(random, chain, closeTime),
    );
    const failures = Array.from({ length: random(3) }, () => randomFailure(random));
    ledgers.push(nextLedger(ledgers.at(-1) ?? GENESIS, closeTime, events, failures));
  }
  return ledgers;
}

function randomEvent(random: Random, chain: Map<OrderId, ChainOrder>, now: number): NewEvent {
  const id = randomId(random);
  const order = chain.get(id);
  const isExpired = order !== undefined && order.expires !== 0 && order.expires <= now;
  const roll = random(20);
  if (roll === 0) return { kind: "skip", id };
  if (roll === 1) return randomRefresh(random);
  if (roll === 2) return { kind: "freeze", frozen: random(2) === 0 };
  if (roll === 3) return randomSwap(random);
  if (roll === 4) return randomConfig(random);
  if (order === undefined && roll < 7)
    return roll < 6 ? randomMod(random, id, now) : ghostFill(random, id);
  if (order === undefined || (isExpired && roll < 12)) return create(random, chain, id, now);
  if (isExpired || roll < 13) return modify(random, chain, id, order, now);
  return fill(random, chain, id, order);
}

function create(
  random: Random,
  chain: Map<OrderId, ChainOrder>,
  id: OrderId,
  now: number,
): NewEvent {
  const selling = random(TOKENS);
  const order = {
    owner: account(random(ACCOUNTS)),
    selling: token(selling),
    buying: token((selling + 1 + random(TOKENS - 1)) % TOKENS),
    price: randomPrice(random),
    amount: randomAmount(random),
    expires: randomExpiry(random, now),
  };
  chain.set(id, { ...order });
  return { kind: "new", id, ...order };
}

function modify(
  random: Random,
  chain: Map<OrderId, ChainOrder>,
  id: OrderId,
  order: ChainOrder,
  now: number,
): NewEvent {
  const { price, expires } = order;
  if (random(3) === 0) {
    chain.delete(id);
    return { kind: "mod", id, price, amount: 0n, expires };
  }
  const mod = randomMod(random, id, now);
  Object.assign(order, { price: mod.price, amount: mod.amount, expires: mod.expires });
  return mod;
}

function fill(
  random: Random,
  chain: Map<OrderId, ChainOrder>,
  order: OrderId,
  maker: ChainOrder,
): NewEvent {
  const left = random(2) === 0 ? 0n : (maker.amount * BigInt(1 + random(9))) / 10n;
  const bought = maker.amount - left;
  maker.amount = left;
  if (left === 0n) chain.delete(order);
  return {
    ...{ kind: "trade", order, taker: account(random(ACCOUNTS)), maker: maker.owner, left, bought },
    ...{ soldAsset: maker.buying, boughtAsset: maker.selling, crossfill: random(6) === 0 },
    sold: (bought * maker.price) / PRICE_UNIT + 1n,
  };
}

function ghostFill(random: Random, order: OrderId): NewEvent {
  const [taker, maker] = [account(random(ACCOUNTS)), account(random(ACCOUNTS))];
  return {
    ...{ kind: "trade", order, taker, maker, soldAsset: token(0), boughtAsset: token(1) },
    ...{ sold: 5n, bought: 7n, left: BigInt(random(2)), crossfill: false },
  };
}

function randomMod(random: Random, id: OrderId, now: number) {
  return {
    ...{ kind: "mod" as const, id, price: randomPrice(random) },
    ...{ amount: randomAmount(random), expires: randomExpiry(random, now) },
  };
}

function randomRefresh(random: Random): NewEvent {
  const [one, other] = random(2) === 0 ? [token(0), token(1)] : [token(2), token(3)];
  return { kind: "refresh", ...canonicalPair(one, other) };
}

function randomSwap(random: Random): NewEvent {
  const [soldAsset, boughtAsset] = [token(random(2)), token(2 + random(2))];
  const trader = account(random(ACCOUNTS));
  return { kind: "swap", trader, soldAsset, boughtAsset, sold: 3n, bought: randomAmount(random) };
}

function randomConfig(random: Random): NewEvent {
  const config = {
    ...{ safetyAdmin: account(1), oracle: token(9), listingMinDays: random(30), ledgerTime: 5 },
    ...{ marketListingFee: randomAmount(random), minTradeSize: 0n },
  };
  return { kind: "config", config };
}

function randomFailure(random: Random): NewFailure {
  const caller = account(random(ACCOUNTS));
  const fn = ["trade", "swap", "trade_all"][random(3)] ?? "trade";
  const orders = Array.from({ length: random(3) }, () => randomId(random));
  const failure = { fn, caller, orders, result: "txFAILED", caught: random(2) === 0 };
  if (random(2) === 0) return { ...failure, reason: "unknown" };
  const [from, to] = [account(random(ACCOUNTS)), account(random(ACCOUNTS))];
  return {
    ...{ ...failure, reason: "transfer", takerOrder: randomId(random) },
    error: { contract: token(1), code: 10, ...(random(2) === 0 && { name: "BalanceError" }) },
    transfer: {
      token: token(1),
      fn: random(2) === 0 ? "transfer" : "transfer_from",
      from,
      to,
      amount: -1n,
    },
  };
}

/** Of a few ids, all beyond 64 bits. */
function randomId(random: Random): OrderId {
  return orderId((1n << 127n) + BigInt(random(IDS)));
}

function randomPrice(random: Random): bigint {
  return random(4) === 0 ? PRICE_UNIT * PRICE_UNIT : BigInt(1 + random(1_000_000)) * 10n ** 13n;
}

function randomAmount(random: Random): bigint {
  return random(8) === 0 ? (1n << 127n) - 1n : BigInt(10 + random(1_000_000));
}

function randomExpiry(random: Random, now: number): number {
  return random(3) === 0 ? 0 : now + 1 + random(40);
}
