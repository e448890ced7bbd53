// Books to quote on: the devnet's large one, and one in which every pair of assets is a market; and
// what is asked of them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { SharedBook } from "../src/book/left-right.ts";
import { capacityFor } from "../src/book/shared-layout.ts";
import { buildCast } from "../src/devnet/traffic/cast.ts";
import { SCALES, type TrafficScale } from "../src/devnet/traffic/scale.ts";
import { type Address, accountAddress, contractAddress } from "../src/model/address.ts";
import { orderId } from "../src/model/order.ts";
import { InlineQuotes } from "../src/router-worker/inline-quotes.ts";
import { QuotePool } from "../src/router-worker/pool.ts";
import type { QuoteDirection, QuoteRequest } from "../src/router-worker/quote.ts";
import { bookStateOf, changesOfWorld } from "../test/support/book-of-world.ts";
import type { TokenWorld } from "../test/support/call-bytes.ts";
import { MemoryNetwork } from "../test/support/devnet/memory-network.ts";
import { type Random, randomFrom } from "../test/support/random-ledgers.ts";
import type { WorldState } from "../test/vectors/settlement-case.ts";
import type { DriverProcess } from "./load/driver-process.ts";

const START = 1_700_000_000;
/** Ledgers in which the devnet fills its books, at most; and how many more it then closes. */
const GENESIS_MAX = 1000;
const SETTLED_LEDGERS = 10;

/** What the devnet's traffic makes of a scale: makers with many orders on shared backing. */
export function devnetWorld(name: keyof typeof SCALES): TokenWorld {
  const scale: TrafficScale = SCALES[name];
  const network = new MemoryNetwork(buildCast({ seed: "quotes", scale }), START);
  const { world, addresses } = network;
  let before = -1;
  for (let ledger = 0; ledger < GENESIS_MAX; ledger += 1) {
    network.close();
    // The books are full once orders no longer come in by the hundred.
    if (world.orders.size > 0 && world.orders.size - before < scale.genesisPerLedger / 10) break;
    if (world.orders.size > 0) before = world.orders.size;
  }
  for (let ledger = 0; ledger < SETTLED_LEDGERS; ledger += 1) network.close();
  const { assets } = network.traffic.world;
  return {
    // What their names take of a call's bytes bounds what a route can list.
    tokens: new Map(assets.map(({ token, classic }) => [token, classic ?? { kind: "other" }])),
    contract: addresses.exchange,
    now: world.now,
    ledger: world.ledger,
    frozen: false,
    orders: [...world.orders].map(([id, entry]) => ({ id, ...entry })),
    holders: [...network.tokens].flatMap(([asset, token]) =>
      [...token.holdings].map(([holder, holding]) => ({
        ...{ asset, holder, exists: true, limit: null },
        ...holding,
      })),
    ),
    allowances: [...network.tokens].flatMap(([asset, token]) =>
      [...token.allowances]
        .filter(([key]) => key.endsWith(addresses.exchange))
        .map(([key, { amount, liveUntil }]) => {
          const owner = key.slice(0, -addresses.exchange.length) as Address;
          return { asset, owner, amount, liveUntil };
        }),
    ),
  };
}

/** Every pair of `assets` with `levels` orders a side, of makers with plenty of backing. */
export function denseWorld(assets: number, levels: number): WorldState {
  const random = randomFrom(60);
  const tokens = named(assets, (hash) => contractAddress(hash), "token");
  const makers = named(200, (hash) => accountAddress(hash), "maker");
  const worth = tokens.map(() => 0.1 + random(1000) / 100);
  const plenty = 1n << 60n;
  const orders = tokens.flatMap((selling, one) =>
    tokens.flatMap((buying, other) => {
      if (one === other) return [];
      return Array.from({ length: levels }, (_, level) => {
        const [sold, bought] = [worth[one] ?? 1, worth[other] ?? 1];
        const spread = 1.002 + ((level + 1) * random(1000)) / 200_000;
        const amount = (10_000_000 + random(3_000_000_000)) / sold;
        return {
          id: orderId(BigInt(1 + (one * assets + other) * levels + level)),
          owner: makers[random(makers.length)] as Address,
          ...{ selling, buying },
          amount: BigInt(Math.round(amount)),
          price: BigInt(Math.round((sold / bought) * spread * 1e15)) * 1000n + BigInt(level),
          expires: 0n,
        };
      });
    }),
  );
  const pairs = tokens.flatMap((asset) => makers.map((holder) => ({ asset, holder })));
  return {
    contract: contractAddress(hashOf("contract")),
    ...{ now: START, ledger: 1000, frozen: false, orders },
    holders: pairs.map(({ asset, holder }) => ({
      ...{ asset, holder, balance: plenty, authorized: true, exists: true },
      limit: null,
      sellingLiabilities: 0n,
    })),
    allowances: pairs.map(({ asset, holder }) => ({
      ...{ asset, owner: holder, amount: plenty },
      liveUntil: 1_000_000_000,
    })),
  };
}

type RequestedOrder = Pick<WorldState["orders"][number], "selling" | "buying" | "amount">;

const DIRECTIONS: readonly QuoteDirection[] = ["strict_send", "strict_receive"];

/** Of the request with this number: both in turn. */
export function directionOf(number: number): QuoteDirection {
  return DIRECTIONS[number % 2] ?? "strict_send";
}

export type RequestKind = {
  /** Of two assets that have a market, and by that alone; otherwise of two random ones. */
  readonly direct: boolean;
  /** Median orders of the asset whose amount is given that it is for, about. */
  readonly size: number;
};

/** Makes requests: no two are the same. */
export class QuoteRequests {
  readonly #random: Random = randomFrom(7);
  readonly #assets: readonly Address[];
  /** Asset sold and asset bought of each side of a market. */
  readonly #sides: readonly (readonly [Address, Address])[];
  /** By asset: the median order that sells it. */
  readonly #median = new Map<Address, number>();

  constructor({ orders }: { readonly orders: readonly RequestedOrder[] }) {
    const amounts = new Map<Address, number[]>();
    for (const { selling, amount } of orders) {
      const list = amounts.get(selling) ?? [];
      list.push(Number(amount));
      amounts.set(selling, list);
    }
    for (const [asset, list] of amounts) {
      list.sort((one, other) => one - other);
      this.#median.set(asset, list[list.length >>> 1] ?? 1);
    }
    this.#assets = [...amounts.keys()];
    const sides = new Map(
      orders.map(({ selling, buying }) => [`${buying}${selling}`, [buying, selling] as const]),
    );
    this.#sides = [...sides.values()];
  }

  /** The request with this number, which gives its direction. */
  next(number: number, { direct, size }: RequestKind): QuoteRequest {
    const direction = directionOf(number);
    const [sellingAsset, buyingAsset] = direct ? this.#side() : this.#pair();
    const given = direction === "strict_send" ? sellingAsset : buyingAsset;
    const part = 0.5 + this.#random(1_000_000) / 1_000_000;
    const amount = BigInt(1 + Math.round((this.#median.get(given) ?? 1) * size * part));
    return { direction, sellingAsset, buyingAsset, amount, direct };
  }

  #side(): readonly [Address, Address] {
    return this.#sides[this.#random(this.#sides.length)] as readonly [Address, Address];
  }

  #pair(): readonly [Address, Address] {
    const { length } = this.#assets;
    const one = this.#random(length);
    const other = (one + 1 + this.#random(length - 1)) % length;
    return [this.#assets[one] as Address, this.#assets[other] as Address];
  }
}

function quotePath(request: QuoteRequest): string {
  const { sellingAsset, buyingAsset, amount, direction, direct } = request;
  return (
    `/quote?sellingAsset=${sellingAsset}&buyingAsset=${buyingAsset}` +
    `&amount=${amount}&direction=${direction}${direct ? "&direct=1" : ""}`
  );
}

/** A book of the world, and the router workers on it with the main thread's share, as in the engine. */
export async function quotesOn(world: WorldState, onFault: (fault: string) => void) {
  const changes = changesOfWorld(world);
  const { contract } = world;
  const capacity = capacityFor(changes.length);
  const book = new SharedBook({ contract, untracked: "nothing", capacity });
  book.apply(changes, bookStateOf(world));
  const inline = new InlineQuotes({ live: () => book.live, onFault });
  const pool = new QuotePool({ book, clock: () => world.now * 1000, inline, onFault });
  await pool.ready();
  await pool.warmUp();
  return { book, pool };
}

export type QuoteLoad = RequestKind & {
  readonly url: string;
  readonly connections: number;
  readonly count: number;
};

/** Asks for so many quotes. `routed`: answers that hold a route; `refused`: others than 200. */
export async function askQuotes(
  driver: DriverProcess,
  requests: QuoteRequests,
  { url, connections, count, ...kind }: QuoteLoad,
) {
  const paths = Array.from({ length: count }, (_, at) => quotePath(requests.next(at, kind)));
  const load = { url, connections, paths };
  const text = '"worstPrice"';
  const { statuses, holding, ...result } = await driver.run("requests", { ...load, count, text });
  const { 200: answered = 0, 409: tooLate = 0, 503: tooMuch = 0 } = statuses;
  assert.equal(answered + tooLate + tooMuch, count, JSON.stringify(statuses));
  return { ...result, routed: holding, refused: tooLate + tooMuch };
}

function named<T>(count: number, make: (hash: Buffer) => T, name: string): readonly T[] {
  return Array.from({ length: count }, (_, at) => make(hashOf(`${name} ${at}`)));
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
