// What there is to ask for, learnt from the service itself: requests then name assets that trade,
// orders that live and cursors that exist.
import { z } from "zod";

const LIVE_PAGES_MAX = 25;
const LIVE_LIMIT = 200;
const HISTORY_LIMIT = 500;
const HISTORY_PAGES_MAX = 10;
/** Pairs of assets without a market of their own. */
const ROUTED_MAX = 2000;
const TIMEOUT_MS = 30_000;

const marketsSchema = z.array(z.object({ baseAsset: z.string(), quoteAsset: z.string() }));
const ordersSchema = z.array(
  z.object({ id: z.string(), owner: z.string(), selling: z.string(), cursor: z.string() }),
);
const recordsSchema = z.array(z.object({ cursor: z.string() }));

type Orders = z.output<typeof ordersSchema>;
export type Market = { readonly base: string; readonly quote: string };

export type World = {
  readonly markets: readonly Market[];
  /** Selling and buying asset, two or three hops apart. */
  readonly routed: readonly (readonly [string, string])[];
  /** Of live orders. `refresh` renews a part of them. */
  orders: Orders;
  readonly owners: readonly string[];
  readonly orderCursors: readonly string[];
  readonly historyCursors: readonly string[];
  readonly tradeCursors: readonly string[];
};

/** Throws an Error where the service does not answer, or has no live orders. */
export async function learnWorld(url: string): Promise<World> {
  const markets = (await load(url, "/markets?limit=1000", marketsSchema)).map((market) => ({
    base: market.baseAsset,
    quote: market.quoteAsset,
  }));
  const orders: Orders = [];
  for (let page = 0; page < LIVE_PAGES_MAX; page += 1) {
    const path = `/order?limit=${LIVE_LIMIT}&cursor=${orders.at(-1)?.cursor ?? ""}`;
    const next = await load(url, path, ordersSchema);
    orders.push(...next);
    if (next.length < LIVE_LIMIT) break;
  }
  if (orders.length === 0 || markets.length === 0) throw new Error(`no live orders at ${url}`);
  return {
    markets,
    routed: pairsApart(markets),
    orders,
    owners: [...new Set(orders.map(({ owner }) => owner))],
    orderCursors: orders.map(({ cursor }) => cursor),
    historyCursors: await loadCursors(url, "/order-history"),
    tradeCursors: await loadCursors(url, "/trades"),
  };
}

/** Orders come and go: takes a page of those that live now in place of as many. */
export async function refreshOrders(world: World, url: string, cursor: string): Promise<void> {
  const fresh = await load(url, `/order?limit=${LIVE_LIMIT}&cursor=${cursor}`, ordersSchema);
  world.orders = [...world.orders.slice(fresh.length), ...fresh];
}

async function loadCursors(url: string, path: string): Promise<readonly string[]> {
  const cursors: string[] = [];
  for (let page = 0; page < HISTORY_PAGES_MAX; page += 1) {
    const query = `?limit=${HISTORY_LIMIT}&cursor=${cursors.at(-1) ?? ""}`;
    const rows = await load(url, path + query, recordsSchema);
    cursors.push(...rows.map(({ cursor }) => cursor));
    if (rows.length < HISTORY_LIMIT) break;
  }
  return cursors;
}

async function load<T>(url: string, path: string, schema: z.ZodType<T>): Promise<T> {
  const response = await fetch(url + path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: HTTP ${response.status}: ${text}`);
  return schema.parse(JSON.parse(text));
}

/** Assets that trade, but not with each other, though over one or two others. */
function pairsApart(markets: readonly Market[]): readonly (readonly [string, string])[] {
  const neighbours = new Map<string, Set<string>>();
  const join = (one: string, other: string) => {
    const known = neighbours.get(one) ?? new Set<string>();
    known.add(other);
    neighbours.set(one, known);
  };
  for (const { base, quote } of markets) {
    join(base, quote);
    join(quote, base);
  }
  const pairs: (readonly [string, string])[] = [];
  for (const [asset, direct] of neighbours) {
    const reached = new Set<string>();
    for (const middle of direct) {
      for (const second of neighbours.get(middle) ?? []) {
        reached.add(second);
        for (const third of neighbours.get(second) ?? []) reached.add(third);
      }
    }
    for (const other of reached) {
      if (other !== asset && !direct.has(other)) pairs.push([asset, other]);
      if (pairs.length === ROUTED_MAX) return pairs;
    }
  }
  return pairs;
}
