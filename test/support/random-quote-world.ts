// Random small markets with a request: few makers who share budgets, dust, short balances and
// allowances, full or missing trustlines, prices from tame to wild.

import { orderId } from "../../src/model/order.ts";
import { PRICE_UNIT } from "../../src/model/settlement.ts";
import type { QuoteRequest } from "../../src/router-worker/quote.ts";
import type { HolderState, OrderState, WorldState } from "../vectors/settlement-case.ts";
import { account, token } from "./addresses.ts";
import type { BookOptions } from "./book-of-world.ts";
import { type Random, randomFrom } from "./random-ledgers.ts";

export type QuoteWorld = {
  readonly state: WorldState;
  readonly request: QuoteRequest;
  readonly ordersMax: number;
};

export type QuoteWorldOptions = {
  /** At most. */
  readonly orders: number;
  readonly assets: number;
  readonly makers: number;
  /** Base units that amounts are counted in, some worlds; else from 1 to 10^6. */
  readonly scale?: number;
  /** Prices within a market differ by orders of magnitude in some worlds. */
  readonly wild: boolean;
};

export const SMALL_WORLD: QuoteWorldOptions = { orders: 14, assets: 4, makers: 4, wild: true };

/** Seconds for which a skipped maker is left out of these worlds' quotes. */
export const SKIP_WINDOW = 600;
const EXPIRY_MARGIN = 10n;

const NOW = 1_700_000_000;
const LEDGER = 1000;
const UNLIMITED = (1n << 63n) - 1n;

export function randomQuoteWorld(seed: number, options = SMALL_WORLD): QuoteWorld {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  // How many base units a token has decides how much rounding matters.
  const scale = options.scale ?? pick([1, 1, 1, 3, 1000, 1_000_000]);
  const assets = Array.from({ length: 2 + random(options.assets - 1) }, (_, at) => token(at));
  const makers = Array.from({ length: 1 + random(options.makers) }, (_, at) => account(at));
  const wildness = options.wild ? random(3) : 0;
  const orders: OrderState[] = [];
  const count = 2 + random(options.orders);
  for (let at = 0; at < count; at += 1) {
    const selling = pick(assets);
    const buying = pick(assets);
    if (selling === buying) continue;
    orders.push({
      id: orderId(BigInt(at + 1)),
      owner: pick(makers),
      selling,
      buying,
      amount: BigInt(1 + random(pick([10, 60, 900]) * scale)),
      price: randomPrice(random, wildness),
      expires: 0n,
    });
  }
  const pairs = assets.flatMap((asset) => makers.map((holder) => ({ asset, holder })));
  const holders = pairs.map(({ asset, holder }) => {
    const balance = random(3) === 0 ? random(300 * scale) : 2000 * scale;
    const isTight = random(12) === 0;
    return {
      asset,
      holder,
      balance: BigInt(balance),
      authorized: random(30) > 0,
      exists: random(30) > 0,
      limit: isTight ? BigInt(balance + random(80 * scale)) : UNLIMITED,
      sellingLiabilities: random(20) === 0 ? BigInt(random(balance + 1)) : 0n,
    };
  });
  const allowances = pairs.map(({ asset, holder }) => ({
    asset,
    owner: holder,
    amount: BigInt(random(3) === 0 ? random(300 * scale) : 5000 * scale),
    liveUntil: random(40) === 0 ? LEDGER - 1 : LEDGER + 1000,
  }));
  return {
    state: {
      contract: token(999),
      now: NOW,
      ledger: LEDGER,
      frozen: false,
      ...{ orders, holders, allowances },
    },
    request: {
      direction: pick(["strict_send", "strict_receive"]),
      sellingAsset: token(0),
      buyingAsset: token(1),
      amount: BigInt(1 + random(pick([3, 15, 50, 200, 800]) * scale)),
      direct: false,
    },
    ordersMax: pick([1, 2, 3, 4, 4, 20]),
  };
}

function randomPrice(random: Random, wildness: number): bigint {
  switch (random(8)) {
    case 0:
      return PRICE_UNIT / 2n;
    case 1:
      return PRICE_UNIT;
    case 2:
      return random(2) === 0 ? (3n * PRICE_UNIT) / 2n : 2n * PRICE_UNIT;
  }
  const tame = 10n ** 17n + BigInt(random(2 ** 31)) * 900_000_000n + BigInt(random(2 ** 31));
  if (wildness === 0 || random(3) > 0) return tame;
  if (wildness === 1) return tame * BigInt(1 + random(60));
  // From 10^-5 to 10^4.
  return 10n ** BigInt(13 + random(9)) + BigInt(random(2 ** 31)) * 10n ** BigInt(random(13));
}

/** The world with little headroom on about half of its trustlines, some of them next to none. */
export function shortOfHeadroom(seed: number, world: QuoteWorld): QuoteWorld {
  let mixed = seed * 7919 + 13;
  const random = (below: number): number => {
    mixed = (Math.imul(mixed, 1_103_515_245) + 12_345) >>> 0;
    return (mixed >>> 8) % below;
  };
  const most = Math.max(1, Number(world.request.amount));
  const holders = world.state.holders.map((holder) => {
    if (random(2) === 0) return holder;
    const headroom = random(2) === 0 ? random(most) : random(5);
    return { ...holder, limit: holder.balance + BigInt(headroom) };
  });
  return { ...world, state: { ...world.state, holders } };
}

/** A world in which orders end soon, makers were skipped lately, or more of what api.md leaves out. */
export type HinderedWorld = QuoteWorld & { readonly book: BookOptions };

export function hinderedWorld(seed: number, options = SMALL_WORLD): HinderedWorld {
  const world = randomQuoteWorld(seed, options);
  const { state } = world;
  const random = randomFrom(seed + 0x5eed);
  const keys = state.holders.map(({ holder, asset }) => `${holder}${asset}`);
  const orders = state.orders.map((order) =>
    random(4) > 0 ? order : { ...order, expires: BigInt(NOW + 8 + random(6)) },
  );
  const assets = [...new Set(state.holders.map(({ asset }) => asset))];
  const ofContract = assets.map((asset): HolderState => {
    const authorized = random(10) > 0;
    const holder = { asset, holder: state.contract, balance: 0n, exists: true, limit: null };
    return { ...holder, authorized, sellingLiabilities: 0n };
  });
  const skipped = keys.filter(() => random(6) === 0);
  return {
    ...world,
    state: {
      ...state,
      orders,
      frozen: random(40) === 0,
      holders: [...state.holders, ...ofContract],
    },
    book: {
      skipped: new Map(skipped.map((key) => [key, NOW - SKIP_WINDOW - 3 + random(6)])),
      pending: new Set(keys.filter(() => random(6) === 0)),
    },
  };
}

/** The world reduced to the orders that a route of so many hops may use (api.md, Quote). */
export function withoutLeftOut({ state, book }: HinderedWorld, hopCount: number): WorldState {
  const forbidden = new Set(
    state.holders
      .filter(({ holder, authorized }) => holder === state.contract && !authorized)
      .map(({ asset }) => asset),
  );
  const isLeftOut = ({ owner, selling, expires }: OrderState): boolean => {
    const key = `${owner}${selling}`;
    const skipped = book.skipped?.get(key);
    return (
      state.frozen ||
      forbidden.has(selling) ||
      (expires !== 0n && expires <= BigInt(NOW) + EXPIRY_MARGIN) ||
      (skipped !== undefined && NOW < skipped + SKIP_WINDOW) ||
      (hopCount > 1 && book.pending?.has(key) === true)
    );
  };
  return { ...state, orders: state.orders.filter((order) => !isLeftOut(order)) };
}
