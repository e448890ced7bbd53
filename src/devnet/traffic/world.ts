// The traffic's world: the cast on a network, tokens by address, markets in canonical order, and a slot for
// every order that a maker ever has. A slot's order id never changes, so that the chain's state tells whether
// its order is live and the traffic has no state of its own.
import { type Address, canonicalPair, type Pair } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import type { OraclePrice } from "../contract/oracle.ts";
import { deriveOrderId } from "../contract/order-id.ts";
import type { ClassicAsset } from "../ledger/asset.ts";
import { type Cast, type CastAsset, hubOf } from "./cast.ts";
import { usdAt } from "./price-walk.ts";
import { Random } from "./random.ts";

export type NetworkAddresses = {
  readonly exchange: Address;
  readonly router: Address;
  readonly oracle: Address;
  /** The account that holds the network's lumens. */
  readonly root: Address;
  /** A token that is no Stellar Asset Contract, minted by the cast's treasury. */
  readonly plainToken: Address;
  readonly tokenOf: (asset: ClassicAsset) => Address;
};

export type TrafficAsset = CastAsset & { readonly token: Address };

export type Side = "ask" | "bid";

export type Slot = {
  readonly id: OrderId;
  readonly nonce: bigint;
  readonly maker: Maker;
  readonly market: Market;
  /** An ask sells the market's base, a bid its quote. */
  readonly side: Side;
  /** From 0, the nearest to the middle. */
  readonly level: number;
};

export type Maker = {
  readonly address: Address;
  /** The account that pays for its transactions: itself, unless the maker is a contract. */
  readonly operator: Address;
  /** Distance of its first level from the middle, as a part of the price. */
  readonly spread: number;
  /** Distance between its levels. */
  readonly step: number;
  /** USD of an order at its first level. */
  readonly sizeUsd: number;
};

export type Quoter = {
  readonly maker: Maker;
  readonly slots: Readonly<Record<Side, readonly Slot[]>>;
};

export type Market = {
  readonly index: number;
  readonly base: TrafficAsset;
  readonly quote: TrafficAsset;
  readonly pair: Pair;
  readonly quoters: Quoter[];
};

/** Where a taker may have an order of its own. */
export type TakerSlot = {
  readonly trader: Address;
  readonly nonce: bigint;
  readonly id: OrderId;
  readonly market: Market;
  readonly selling: TrafficAsset;
};

/** An asset that an account of the cast deals in. */
export type Holding = {
  readonly holder: Address;
  readonly asset: TrafficAsset;
  /** What it starts with. */
  readonly usd: number;
};

export type World = {
  readonly cast: Cast;
  readonly addresses: NetworkAddresses;
  readonly assets: readonly TrafficAsset[];
  readonly markets: readonly Market[];
  readonly makers: readonly Maker[];
  readonly holdings: readonly Holding[];
  readonly takerSlots: readonly TakerSlot[];
  readonly marketsOf: ReadonlyMap<TrafficAsset, readonly Market[]>;
};

/** Nonces of a maker: so many a market, half of them for either side. */
const NONCES_PER_MARKET = 1_000;

export function buildWorld(cast: Cast, addresses: NetworkAddresses): World {
  const assets = cast.assets.map((asset): TrafficAsset => {
    const { classic } = asset;
    const token = classic === undefined ? addresses.plainToken : addresses.tokenOf(classic);
    return { ...asset, token };
  });
  const random = new Random(`${cast.seed}/world`);
  const markets = buildMarkets(cast, assets, random);
  const makers = cast.makers.map((address) => buildMaker(address, address, random));
  // The router quotes too: a maker whose balances are contract data.
  makers.push(buildMaker(addresses.router, cast.treasury, random));
  for (const [index, maker] of makers.entries()) {
    for (const market of quotedMarkets(cast, markets, index)) {
      market.quoters.push(buildQuoter(cast, market, maker));
    }
  }
  const holdings = [
    ...makerHoldings(markets, random),
    ...takerHoldings(cast, assets, random),
    ...assets.map((asset) => ({ holder: cast.treasury, asset, usd: 1_000_000 })),
  ];
  const marketsOf = new Map(
    assets.map((asset) => [
      asset,
      markets.filter(({ base, quote }) => base === asset || quote === asset),
    ]),
  );
  const takerSlots = buildTakerSlots(cast, markets);
  return { cast, addresses, assets, markets, makers, holdings, takerSlots, marketsOf };
}

/** Orders of its own that a taker can have at a time. */
const SLOTS_PER_TAKER = 4;

/** A taker's slots are spread over the markets by the hash that is their order's id. */
function buildTakerSlots(cast: Cast, markets: readonly Market[]): readonly TakerSlot[] {
  return cast.takers.flatMap((trader) =>
    Array.from({ length: SLOTS_PER_TAKER }, (_, index) => {
      const nonce = BigInt(index);
      const id = deriveOrderId(trader, nonce);
      const market = markets[Number(id % BigInt(markets.length))];
      if (market === undefined) throw new RangeError("a world without markets");
      const selling = (id >> 64n) % 2n === 0n ? market.base : market.quote;
      return { trader, nonce, id, market, selling };
    }),
  );
}

/** Makers hold what they quote: some more than their orders ask for, some less. */
function makerHoldings(markets: readonly Market[], random: Random): readonly Holding[] {
  const holdings = new Map<string, Holding>();
  for (const { base, quote, quoters } of markets) {
    for (const { maker, slots } of quoters) {
      const levels = slots.ask.length;
      const quoted = maker.sizeUsd * levels * (1 + 0.15 * levels);
      for (const asset of [base, quote]) {
        const key = `${maker.address}/${asset.token}`;
        const usd = (holdings.get(key)?.usd ?? 0) + quoted * random.between(0.4, 3);
        holdings.set(key, { holder: maker.address, asset, usd });
      }
    }
  }
  return [...holdings.values()];
}

/** Takers deal in most assets. What they do not hold they cannot receive either. */
function takerHoldings(
  cast: Cast,
  assets: readonly TrafficAsset[],
  random: Random,
): readonly Holding[] {
  return cast.takers.flatMap((holder) =>
    assets
      .filter((_, index) => index < 2 || random.chance(0.95))
      .map((asset) => ({ holder, asset, usd: random.between(100, 20_000) })),
  );
}

function buildMaker(address: Address, operator: Address, random: Random): Maker {
  return {
    address,
    operator,
    spread: random.between(0.001, 0.008),
    step: random.between(0.0008, 0.003),
    sizeUsd: random.between(20, 400),
  };
}

/** Every asset trades against lumens or dollars; further markets join random assets. */
function buildMarkets(cast: Cast, assets: readonly TrafficAsset[], random: Random): Market[] {
  const markets = new Map<string, Market>();
  const open = (one: TrafficAsset, other: TrafficAsset): void => {
    const pair = canonicalPair(one.token, other.token);
    const key = `${pair.base}/${pair.quote}`;
    if (one === other || markets.has(key)) return;
    const [base, quote] = pair.base === one.token ? [one, other] : [other, one];
    markets.set(key, { index: markets.size, base, quote, pair, quoters: [] });
  };
  for (const [index, asset] of assets.entries()) {
    const hub = assets[hubOf(index)];
    if (hub !== undefined) open(asset, hub);
  }
  // Bounded: on a scale with more markets than pairs the rest stays unopened.
  for (let tries = 0; tries < 50 * cast.scale.markets; tries += 1) {
    if (markets.size >= cast.scale.markets) break;
    open(random.pick(assets), random.pick(assets));
  }
  return [...markets.values()];
}

function quotedMarkets(cast: Cast, markets: readonly Market[], maker: number): readonly Market[] {
  const { marketsPerMaker } = cast.scale;
  const count = Math.min(marketsPerMaker, markets.length);
  return Array.from({ length: count }, (_, at) => {
    const market = markets[(maker * marketsPerMaker + at) % markets.length];
    if (market === undefined) throw new RangeError("a world without markets");
    return market;
  });
}

function buildQuoter(cast: Cast, market: Market, maker: Maker): Quoter {
  const slots = (side: Side): readonly Slot[] =>
    Array.from({ length: cast.scale.levels }, (_, level): Slot => {
      const sideNonce = side === "ask" ? 0 : NONCES_PER_MARKET / 2;
      const nonce = BigInt(market.index * NONCES_PER_MARKET + sideNonce + level);
      return { id: deriveOrderId(maker.address, nonce), nonce, maker, market, side, level };
    });
  return { maker, slots: { ask: slots("ask"), bid: slots("bid") } };
}

/** Seconds between oracle publications, and of the windows in which a flaky price is stale. */
const PUBLISH_SECONDS = 300;
/** Of so many publications of a flaky price the last one is too old to be used. */
const FLAKY_EVERY = 6;
const STALE_SECONDS = 73 * 3_600;

/** The oracle's last price: published every five minutes. Undefined for unknown tokens. */
export function oraclePriceAt(world: World, token: Address, now: number): OraclePrice | undefined {
  const asset = world.assets.find((candidate) => candidate.token === token);
  if (asset === undefined) return undefined;
  const publication = Math.floor(now / PUBLISH_SECONDS);
  const timestamp = publication * PUBLISH_SECONDS;
  const price = BigInt(Math.round(usdAt(asset.walk, timestamp) * 2 ** 40)) * 10n ** 14n;
  const stale = asset.flaky && publication % FLAKY_EVERY === FLAKY_EVERY - 1;
  return { price: price >> 40n, timestamp: stale ? timestamp - STALE_SECONDS : timestamp };
}
