// Seeded worlds of the kinds that a router fails on: amounts that no double holds, sides buried
// under orders that give nothing, makers with more orders than backing, calls near the network's cap.
import type { Token } from "../../src/book/backing/ledger-keys.ts";
import type { Address } from "../../src/model/address.ts";
import { orderId } from "../../src/model/order.ts";
import { costUp, isDust, lesser, PRICE_MAX, PRICE_UNIT } from "../../src/model/settlement.ts";
import type { QuoteDirection } from "../../src/router-worker/quote.ts";
import type { HolderState } from "../vectors/settlement-case.ts";
import { account, token } from "./addresses.ts";
import type { TokenWorld } from "./call-bytes.ts";
import { type Random, randomFrom } from "./random-ledgers.ts";
import type { QuoteWorld } from "./random-quote-world.ts";

export type HostileWorld = QuoteWorld & { readonly state: TokenWorld };

/** Contracts that are makers are numbered from here on, among the tokens. */
const CONTRACT_MAKERS = 100_000;
const LEDGER = 1000;
const PLENTY = 1n << 126n;
const AMOUNT_MAX = 1n << 120n;

type Draft = {
  readonly maker: Address;
  readonly amount: bigint;
  readonly price: bigint;
  /** The hop of the path that the order belongs to; absent: 0. */
  readonly hop?: number;
};

type DraftWorld = {
  readonly orders: readonly Draft[];
  /** By maker, at each hop alike; absent: plenty. */
  readonly budgets?: ReadonlyMap<Address, bigint>;
  readonly hops?: number;
  readonly direction: QuoteDirection;
  readonly amount: bigint;
  readonly ordersMax?: number;
  readonly tokens?: readonly Token[];
};

/** One path along the assets 0, 1, …; ids count down, so that the orders' ids and ages give no hint. */
function world(draft: DraftWorld): HostileWorld {
  const { orders, budgets, hops = 1, direction, amount, ordersMax = 20, tokens } = draft;
  const made = orders.flatMap(({ maker, amount, price, hop = 0 }, at) => {
    const order = { owner: maker, selling: token(hop + 1), buying: token(hop), amount, price };
    if (amount < 1n || price < 1n || price > PRICE_MAX || isDust(amount, price)) return [];
    return [{ ...order, id: orderId(BigInt(orders.length - at)), expires: 0n }];
  });
  const budgetOf = (maker: Address) => budgets?.get(maker) ?? PLENTY;
  const makers = new Map<string, HolderState>();
  for (const { owner, selling, buying } of made) {
    for (const [asset, isSold] of [
      [selling, true],
      [buying, false],
    ] as const) {
      const known = makers.get(owner + asset);
      if (known !== undefined && (known.balance > 0n || !isSold)) continue;
      const holder = { asset, holder: owner, balance: isSold ? budgetOf(owner) : 0n, limit: null };
      const able = { authorized: true, exists: true, sellingLiabilities: 0n };
      makers.set(owner + asset, { ...holder, ...able });
    }
  }
  const holders = [...makers.values()];
  const named = tokens?.map((one, at) => [token(at), one] as const);
  return {
    state: {
      ...{ contract: token(999), now: 1_700_000_000, ledger: LEDGER, frozen: false },
      ...{ orders: made, holders },
      allowances: holders.map(({ asset, holder, balance }) => {
        return { asset, owner: holder, amount: balance, liveUntil: LEDGER + 1000 };
      }),
      ...(named === undefined ? {} : { tokens: new Map(named) }),
    },
    request: {
      ...{ direction, sellingAsset: token(0), buyingAsset: token(hops), direct: false },
      amount: amount < 1n ? 1n : amount,
    },
    ordersMax,
  };
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)] as T;
}

/** From 0 to `most`, both inclusive. */
function upTo(random: Random, most: bigint): bigint {
  const bits = (BigInt(random(2 ** 31)) << 31n) | BigInt(random(2 ** 31));
  return most < 1n << 40n ? bits % (most + 1n) : (bits * most) >> 62n;
}

function directionOf(random: Random): QuoteDirection {
  return random(2) === 0 ? "strict_send" : "strict_receive";
}

/** Up to `parts` millionths above 1, different in the last digits too. */
function priceNear(random: Random, parts: number): bigint {
  return PRICE_UNIT + BigInt(random(parts)) * 10n ** 12n + BigInt(random(1000));
}

/** What the orders of a side give in all and cost in all, cheapest first. */
function totals(orders: readonly Draft[]): { got: bigint; paid: bigint } {
  return orders.reduce(
    (total, { amount, price }) => {
      return { got: total.got + amount, paid: total.paid + costUp(amount, price) };
    },
    { got: 0n, paid: 0n },
  );
}

function byPrice(one: Draft, other: Draft): number {
  return one.price < other.price ? -1 : one.price > other.price ? 1 : 0;
}

/**
 * Tokens of 0 to 24 decimals on a path of one to three hops, amounts up to 2^120, and requests that
 * end exactly at an order's end, one or two units beside it, or within a unit's worth.
 */
export function wideWorld(seed: number): HostileWorld {
  const random = randomFrom(seed * 31 + 7);
  const hops = pick(random, [1, 1, 1, 2, 3]);
  const ordersMax = pick(random, [2, 3, 4, 20, 20]);
  const direction = directionOf(random);
  const decimals = Array.from({ length: hops + 1 }, () =>
    pick(random, [0, 0, 1, 2, 6, 7, 7, 8, 12, 15, 18, 18, 24]),
  );
  const human = 10 ** random(10);
  const orders: Draft[] = [];
  const budgets = new Map<Address, bigint>();
  for (let hop = 0; hop < hops; hop += 1) {
    const [paid, got] = [decimals[hop] ?? 0, decimals[hop + 1] ?? 0];
    const base = 10 ** Math.min(17, Math.max(-17, paid - got));
    const count = 1 + random(pick(random, [2, 5, 12, 24]));
    const isTight = random(2) === 0;
    for (let at = 0; at < count; at += 1) {
      const maker = account(100 * hop + at);
      const near = isTight ? BigInt(random(4)) : upTo(random, PRICE_UNIT / 8n);
      const price = (BigInt(Math.round(base * 1e17)) * (PRICE_UNIT + near)) / 10n ** 17n;
      const size = upTo(random, BigInt(Math.round(human * 1e6))) * 10n ** BigInt(got);
      const fitted = lesser(size / 1_000_000n + upTo(random, 9n), AMOUNT_MAX);
      const amount = lesser(fitted, (AMOUNT_MAX * PRICE_UNIT) / (price + 1n));
      budgets.set(maker, random(6) === 0 ? amount - upTo(random, amount / 3n) : amount);
      orders.push({ maker, amount, price, hop });
    }
  }
  const end = orders.filter(({ hop }) => hop === (direction === "strict_send" ? 0 : hops - 1));
  const taken = end.toSorted(byPrice).slice(0, 1 + random(Math.min(ordersMax, end.length)));
  const whole = direction === "strict_send" ? totals(taken).paid : totals(taken).got;
  const amount = pick(random, [
    whole,
    whole + 1n,
    whole + 2n,
    whole - 1n,
    upTo(random, whole),
    upTo(random, whole / 1000n),
    BigInt(1 + random(9)),
  ]);
  return world({ orders, budgets, hops, direction, amount, ordersMax });
}

export type FloodKind = "spent" | "many" | "unbacked" | "dust";

/**
 * A side with `count` orders of next to nothing cheaper than all honest ones: of one maker with one
 * unit in all ("spent"), of a maker each, who backs it ("many") or has half of it ("unbacked"), or of
 * so few units that a fill rounds ("dust").
 */
export function floodWorld(seed: number, count: number, kind: FloodKind): HostileWorld {
  const random = randomFrom(seed * 37 + 11);
  const honest = honestSide(random, 24 + random(40), 10n ** 9n);
  const budgets = new Map<Address, bigint>();
  const flood = Array.from({ length: count }, (_, at): Draft => {
    const maker = account(kind === "spent" ? 500 : 1000 + at);
    const amount = kind === "dust" ? BigInt(1 + random(3)) : BigInt(500 + random(2000));
    if (kind === "spent") budgets.set(maker, 1n);
    if (kind === "unbacked") budgets.set(maker, amount / 2n);
    const price = PRICE_UNIT - BigInt(1 + random(kind === "dust" ? 2 : 2 ** 31));
    return { maker, amount, price };
  });
  const direction = directionOf(random);
  const { got, paid } = totals(honest.toSorted(byPrice).slice(0, 19));
  const most = direction === "strict_send" ? paid : got;
  const amount = upTo(random, most * 9n) / 10n + most / 1000n;
  return world({ orders: [...flood, ...honest], budgets, direction, amount });
}

/** `count` orders of one maker who backs one and a half of them, among twenty honest ones. */
export function ladderWorld(seed: number, count: number): HostileWorld {
  const random = randomFrom(seed * 41 + 13);
  const maker = account(500);
  const size = 10n ** BigInt(7 + random(5));
  const isEven = random(2) === 0;
  const ladder = Array.from({ length: count }, (_, at): Draft => {
    const amount = isEven ? size : size / 2n + upTo(random, size);
    return { maker, amount, price: PRICE_UNIT + BigInt(at) * 10n ** 13n + BigInt(random(1000)) };
  });
  const honest = honestSide(random, 20, size);
  const budgets = new Map([[maker, (size * 3n) / 2n]]);
  const amount = size / 10n + upTo(random, size * 8n);
  return world({ orders: [...ladder, ...honest], budgets, direction: directionOf(random), amount });
}

/** Makers with two to eight orders each, who back a fifth to four fifths of them. */
export function sharedWorld(seed: number, hops = 1 + (seed % 2), makersMax = 9): HostileWorld {
  const random = randomFrom(seed * 43 + 17);
  const size = 10n ** BigInt(pick(random, [2, 3, 5, 7, 12, 20]));
  const budgets = new Map<Address, bigint>();
  const orders: Draft[] = [];
  for (let hop = 0; hop < hops; hop += 1) {
    const makers = 2 + random(makersMax - 1);
    for (let at = 0; at < makers; at += 1) {
      const maker = account(100 * hop + at);
      const own = Array.from({ length: 2 + random(7) }, (): Draft => {
        const amount = 1n + size / 10n + upTo(random, size);
        return { maker, amount, price: priceNear(random, 60_000), hop };
      });
      orders.push(...own);
      const { got } = totals(own);
      budgets.set(maker, (got * BigInt(20 + random(60))) / 100n);
    }
  }
  const direction = directionOf(random);
  const end = orders.filter(({ hop }) => hop === (direction === "strict_send" ? 0 : hops - 1));
  const { got, paid } = totals(end);
  const amount = (upTo(random, direction === "strict_send" ? paid : got) * 3n) / 5n;
  return world({ orders, budgets, hops, direction, amount, ordersMax: pick(random, [3, 5, 20]) });
}

/**
 * Makers whose orders use up their backing exactly, in units of so many base units: selling 24 units gets
 * 21 + 12 / 13 at best, with eight and one of the last maker's nine.
 */
export function usedUpWorld(unit: bigint): HostileWorld {
  // By maker: its backing, then what each of its orders gives for what.
  const makers = "7 10/11, 11 1/1 5/7 1/1 10/13, 7 8/10, 4 5/6 4/4, 9 4/4 8/8 8/9 5/5 1/1".split(
    ", ",
  );
  const budgets = new Map<Address, bigint>();
  const orders = makers.flatMap((text, at): readonly Draft[] => {
    const [budget = "", ...offers] = text.split(" ");
    const maker = account(at);
    budgets.set(maker, BigInt(budget) * unit);
    return offers.map((offer) => {
      const [got = 0n, paid = 0n] = offer.split("/").map(BigInt);
      return { maker, amount: got * unit, price: (PRICE_UNIT * paid) / got };
    });
  });
  return world({ orders, budgets, direction: "strict_send", amount: 24n * unit });
}

/** A side of 200 orders, half of them of makers who back some of theirs, asked for up to thirty of them. */
export function broadWorld(seed: number): HostileWorld {
  const random = randomFrom(seed * 53 + 23);
  const size = 10n ** BigInt(pick(random, [4, 7, 12]));
  const budgets = new Map<Address, bigint>();
  const orders = Array.from({ length: 200 }, (_, at): Draft => {
    const maker = account(at % 2 === 0 ? at : 1000 + (at % 32));
    const amount = 1n + size / 4n + upTo(random, size * 2n);
    const known = budgets.get(maker) ?? 0n;
    budgets.set(maker, at % 2 === 0 ? amount : known + amount / 2n);
    return { maker, amount, price: priceNear(random, 60_000) };
  });
  const amount = size / 10n + upTo(random, size * 30n);
  return world({ orders, budgets, direction: directionOf(random), amount });
}

/**
 * Paths of one to three hops between assets of all kinds of names, of makers of both kinds, some of
 * them with several orders and one of them now and then an issuer, whose amounts ask for as many
 * orders as may be listed: the bytes of the call decide, not their number.
 */
export function cappedWorld(seed: number): HostileWorld {
  const random = randomFrom(seed * 47 + 19);
  const hops = 1 + (seed % 3);
  const issuer = account(100 * random(hops));
  const tokens = Array.from({ length: hops + 1 }, (): Token => {
    const kind = random(12);
    if (kind === 0) return { kind: "native" };
    if (kind === 1) return { kind: "other" };
    return { kind: "issued", code: "ABCDEFGHIJKL".slice(0, 1 + random(12)), issuer };
  });
  const size = 10n ** BigInt(6 + random(8));
  const accountsIn10 = pick(random, [10, 10, 9, 6]);
  const orders: Draft[] = [];
  for (let hop = 0; hop < hops; hop += 1) {
    const count = hops === 1 ? 24 + random(16) : 8 + random(14);
    for (let at = 0; at < count; at += 1) {
      const number = 100 * hop + (random(8) === 0 ? random(4) : at);
      const isAccount = number % 10 < accountsIn10;
      const maker = isAccount ? account(number) : token(CONTRACT_MAKERS + number);
      const amount = size + upTo(random, size / pick(random, [2n, 10n, 100n]));
      orders.push({ maker, amount, price: priceNear(random, 50_000), hop });
    }
  }
  const direction = directionOf(random);
  const orderCount = hops === 1 ? 16 + random(6) : 5 + random(3);
  const amount = BigInt(orderCount) * size + upTo(random, size);
  return world({ orders, hops, direction, amount, tokens });
}

/** A few orders a hop, of makers who have several, and a network that carries only some of them in a call. */
export function fewBytesWorld(seed: number, hops: number, ordersMax: number): HostileWorld {
  const random = randomFrom(seed * 53 + 7);
  const tokens = Array.from({ length: hops + 1 }, (): Token => {
    const code = "ABCDEFGHIJKL".slice(0, 1 + random(12));
    return pick(random, [
      { kind: "native" },
      { kind: "other" },
      { kind: "issued", code, issuer: account(random(4)) },
      { kind: "issued", code, issuer: account(90) },
    ]);
  });
  const size = 10n ** BigInt(1 + random(7));
  const makers = Array.from({ length: 2 + random(4) }, (_, at) =>
    random(3) === 0 ? token(CONTRACT_MAKERS + at) : account(at),
  );
  const spread = pick(random, [1000, 50_000, 400_000]);
  const orders = Array.from({ length: hops }, (_, hop) =>
    Array.from({ length: hops === 3 ? 4 + random(2) : 6 + random(2) }, (): Draft => {
      const amount = size + upTo(random, size / pick(random, [1n, 2n, 10n]));
      return { maker: pick(random, makers), amount, price: priceNear(random, spread), hop };
    }),
  ).flat();
  const budgets = new Map(
    makers.map((maker) => [maker, random(4) === 0 ? 2n * size : PLENTY] as const),
  );
  const amount = (size * BigInt(10 + random(ordersMax * 8))) / (10n * BigInt(hops === 1 ? 1 : 2));
  const drafted = {
    orders,
    budgets,
    hops,
    direction: directionOf(random),
    amount,
    ordersMax,
    tokens,
  };
  const { state, ...rest } = world(drafted);
  return { ...rest, state: { ...state, callBytesMax: 600 + hops * 700 + random(ordersMax * 750) } };
}

function honestSide(random: Random, count: number, size: bigint): readonly Draft[] {
  return Array.from({ length: count }, (_, at): Draft => {
    const amount = size / 4n + upTo(random, size * 2n);
    return { maker: account(at), amount, price: priceNear(random, 30_000) };
  });
}
