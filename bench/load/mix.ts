// The stated mix: what users of the API ask for, and how often. A market maker's bots and wallets
// ask for quotes, books and their own orders most; charts and history less.
import { pick, pickPopular, type Random } from "./random.ts";
import type { Market, World } from "./world.ts";

export type Endpoint = {
  readonly name: string;
  /** Requests of each hundred. */
  readonly weight: number;
  /** Undefined where the world has nothing to ask for. */
  readonly path: (world: World, random: Random) => string | undefined;
};

export const ENDPOINTS: readonly Endpoint[] = [
  { name: "/", weight: 4, path: () => "/" },
  { name: "/quote direct", weight: 10, path: quoteDirect },
  { name: "/quote direct maxPrice", weight: 2, path: quoteLimit },
  { name: "/quote 3 hops", weight: 12, path: quoteRouted },
  { name: "/depth", weight: 14, path: depth },
  { name: "/ticker/24h", weight: 4, path: () => "/ticker/24h" },
  { name: "/candles", weight: 8, path: candles },
  { name: "/markets", weight: 3, path: () => "/markets" },
  { name: "/contract", weight: 2, path: () => "/contract" },
  { name: "/order/:id", weight: 12, path: orderById },
  { name: "/order by owner", weight: 6, path: ordersOfOwner },
  { name: "/order by pair", weight: 2, path: ordersOfPair },
  { name: "/order late cursor", weight: 2, path: ordersLate },
  { name: "/account/:address", weight: 4, path: account },
  { name: "/backing", weight: 3, path: backing },
  { name: "/order-history by owner", weight: 3, path: archiveOfOwner },
  { name: "/trades newest", weight: 2, path: () => "/trades?limit=50" },
  { name: "/trades by pair", weight: 2, path: tradesOfPair },
  { name: "/trades by trader", weight: 2, path: tradesOfTrader },
  { name: "/trades late cursor", weight: 2, path: tradesLate },
  { name: "/failures", weight: 1, path: () => "/failures?limit=20" },
];

/** What one push client subscribes to; `share` of the clients do. */
export type Subscription = {
  readonly name: string;
  readonly share: number;
  readonly parameters: (
    world: World,
    random: Random,
    market: Market,
  ) => Readonly<Record<string, unknown>> | undefined;
};

export const SUBSCRIPTIONS: readonly Subscription[] = [
  { name: "contract", share: 1, parameters: () => ({ channel: "contract" }) },
  {
    name: "depth of a market",
    share: 0.6,
    parameters: (_world, _random, market) => ({ channel: "depth", market: marketText(market) }),
  },
  {
    name: "trades of a market",
    share: 0.4,
    parameters: (_world, _random, market) => ({ channel: "trades", market: marketText(market) }),
  },
  {
    name: "candles of a market",
    share: 0.4,
    parameters: (_world, _random, market) => ({
      channel: "candles",
      market: marketText(market),
      resolution: "5m",
    }),
  },
  { name: "ticker", share: 0.25, parameters: () => ({ channel: "ticker" }) },
  {
    name: "account",
    share: 0.25,
    parameters: ({ owners }, random) => ({ channel: "account", address: pick(random, owners) }),
  },
  { name: "trades of every market", share: 0.05, parameters: () => ({ channel: "trades" }) },
];

/** The messages that subscribe a client; every client has a market of its interest. */
export function subscribeMessages(world: World, random: Random): readonly string[] {
  const market = pickPopular(random, world.markets);
  if (market === undefined) return [];
  return SUBSCRIPTIONS.flatMap(({ share, parameters }) => {
    const chosen = random() < share ? parameters(world, random, market) : undefined;
    return chosen === undefined ? [] : [JSON.stringify({ op: "subscribe", ...chosen })];
  });
}

export function mixText(): string {
  const requests = ENDPOINTS.map(({ name, weight }) => `${weight} ${name}`).join(", ");
  const topics = SUBSCRIPTIONS.map(({ name, share }) => `${share * 100}% ${name}`).join(", ");
  return `of 100 requests: ${requests}; push clients subscribed to: ${topics}`;
}

export function marketText({ base, quote }: Market): string {
  return `${base}/${quote}`;
}

/** From 0.1 to 1,000 tokens of 7 decimals. */
function amountText(random: Random): string {
  return String(Math.floor(10 ** (6 + 4 * random())));
}

function directionText(random: Random): string {
  return random() < 0.25 ? "&direction=strict_receive" : "";
}

function sides(world: World, random: Random): readonly [string, string] | undefined {
  const market = pickPopular(random, world.markets);
  if (market === undefined) return undefined;
  return random() < 0.5 ? [market.base, market.quote] : [market.quote, market.base];
}

function quoteDirect(world: World, random: Random): string | undefined {
  const pair = sides(world, random);
  if (pair === undefined) return undefined;
  const [selling, buying] = pair;
  const amount = amountText(random) + directionText(random);
  return `/quote?sellingAsset=${selling}&buyingAsset=${buying}&amount=${amount}&direct=true`;
}

function quoteLimit(world: World, random: Random): string | undefined {
  const path = quoteDirect(world, random);
  return path && `${path}&maxPrice=${10n ** BigInt(17 + Math.floor(3 * random()))}`;
}

function quoteRouted(world: World, random: Random): string | undefined {
  const pair = pick(random, world.routed) ?? sides(world, random);
  if (pair === undefined) return undefined;
  const [selling, buying] = pair;
  const amount = amountText(random) + directionText(random);
  return `/quote?sellingAsset=${selling}&buyingAsset=${buying}&amount=${amount}`;
}

function depth(world: World, random: Random): string | undefined {
  const pair = sides(world, random);
  return pair && `/depth?market=${pair.join("/")}${random() < 0.3 ? "&limit=20" : ""}`;
}

function candles(world: World, random: Random): string | undefined {
  const market = pickPopular(random, world.markets);
  if (market === undefined) return undefined;
  const [resolution, seconds] =
    pick(random, [
      ["5m", 300],
      ["1h", 3600],
      ["1d", 86_400],
    ] as const) ?? [];
  const to = 300 * Math.ceil(Date.now() / 300_000);
  const from = to - 100 * (seconds ?? 300);
  return `/candles?market=${marketText(market)}&from=${from}&to=${to}&resolution=${resolution}`;
}

function orderById(world: World, random: Random): string | undefined {
  const order = pick(random, world.orders);
  return order && `/order/${order.id}`;
}

function ordersOfOwner(world: World, random: Random): string | undefined {
  const owner = pick(random, world.owners);
  return owner && `/order?owner=${owner}&limit=200`;
}

function ordersOfPair(world: World, random: Random): string | undefined {
  const pair = sides(world, random);
  return pair && `/order?asset=${pair[0]}&asset=${pair[1]}`;
}

function ordersLate(world: World, random: Random): string | undefined {
  const cursor = pick(random, world.orderCursors);
  return cursor && `/order?cursor=${cursor}`;
}

function account(world: World, random: Random): string | undefined {
  const owner = pick(random, world.owners);
  return owner && `/account/${owner}`;
}

function backing(world: World, random: Random): string | undefined {
  const order = pick(random, world.orders);
  return order && `/backing?owner=${order.owner}&asset=${order.selling}`;
}

function archiveOfOwner(world: World, random: Random): string | undefined {
  const owner = pick(random, world.owners);
  return owner && `/order-history?owner=${owner}`;
}

function tradesOfPair(world: World, random: Random): string | undefined {
  const pair = sides(world, random);
  return pair && `/trades?pair=${pair[0]}&pair=${pair[1]}`;
}

function tradesOfTrader(world: World, random: Random): string | undefined {
  const owner = pick(random, world.owners);
  return owner && `/trades?trader=${owner}`;
}

function tradesLate(world: World, random: Random): string | undefined {
  const cursor = pick(random, world.tradeCursors);
  return cursor && `/trades?cursor=${cursor}&limit=50`;
}
