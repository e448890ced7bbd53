// Quotes of books that are made to be hard: what is answered settles to the unit, is as good as an
// oracle says, and no single order more, less or other makes it better.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "../../src/model/address.ts";
import { costUp, greater } from "../../src/model/settlement.ts";
import type { QuoteResult, RouteQuote } from "../../src/router-worker/quote.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { account, token } from "../support/addresses.ts";
import { bestSelection } from "../support/best-selection.ts";
import { bookOfWorld } from "../support/book-of-world.ts";
import { CALL_BYTES_MAX, routeBytes } from "../support/call-bytes.ts";
import { exhaustiveRoute } from "../support/exhaustive-route.ts";
import {
  broadWorld,
  cappedWorld,
  type FloodKind,
  fewBytesWorld,
  floodWorld,
  type HostileWorld,
  ladderWorld,
  sharedWorld,
  usedUpWorld,
  wideWorld,
} from "../support/hostile-worlds.ts";
import { betterExchange, EQUAL_PARTS } from "../support/one-exchange.ts";
import { isBetter } from "../support/plain-settlement.ts";
import { SKIP_WINDOW } from "../support/random-quote-world.ts";
import { routeFaults } from "../support/route-check.ts";
import { runs } from "../support/runs.ts";

/** Of the oracle; a fraction of a second. */
const NODES_MAX = 5000;

function answerOf({ state, request, ordersMax }: HostileWorld): QuoteResult {
  const view = bookOfWorld(state);
  const context = { now: state.now, skipWindow: SKIP_WINDOW, shouldStop: () => false };
  return new QuoteSearch(view, ordersMax).quote(view, request, context);
}

function bestRoute(result: QuoteResult): RouteQuote | undefined {
  return result.status === "success" ? result.routes[0] : undefined;
}

function quoted(world: HostileWorld): RouteQuote | undefined {
  return bestRoute(answerOf(world));
}

function proofFaults(result: QuoteResult): readonly string[] {
  return "isUnproven" in result ? ["unproven"] : [];
}

/** What is wrong with the route: it settles to the unit, in a call that fits, for what was asked. */
function routeFaultsOf(world: HostileWorld, route: RouteQuote | undefined): readonly string[] {
  if (route === undefined) return [];
  const { state, request, ordersMax } = world;
  const isAsked =
    request.direction === "strict_receive"
      ? route.bought === request.amount
      : route.sold <= request.amount;
  return [
    ...routeFaults(state, route, request.direction, ordersMax),
    ...(isAsked ? [] : [`${route.sold} for ${route.bought} is not what was asked`]),
  ];
}

type Exchanged = { readonly sold: bigint; readonly bought: bigint };

/** The route is as good as `wanted`, to within what counts as equal, and there if that is. */
function worseThan(
  { request }: HostileWorld,
  route: Exchanged | undefined,
  wanted: Exchanged | undefined,
): readonly string[] {
  if (wanted === undefined) return [];
  const known = `known ${wanted.sold} for ${wanted.bought}`;
  if (route === undefined) return [`unfeasible, ${known}`];
  const [loss, whole] =
    request.direction === "strict_send"
      ? [wanted.bought - route.bought, wanted.bought]
      : [route.sold - wanted.sold, wanted.sold];
  return loss * EQUAL_PARTS <= whole ? [] : [`${route.sold} for ${route.bought}, ${known}`];
}

function bestOf({ state, request, ordersMax }: HostileWorld) {
  const pair = { selling: request.sellingAsset, buying: request.buyingAsset };
  return bestSelection(state, pair, { ...request, ordersMax }, NODES_MAX);
}

/** Compares a route of one hop with the oracle. */
function compared(world: HostileWorld, route: RouteQuote | undefined) {
  const { best, isProven } = bestOf(world);
  const own = isProven ? worseThan(world, best, route) : [];
  const faults = [...worseThan(world, route, best), ...own.map((fault) => `the oracle: ${fault}`)];
  return { faults, isProven };
}

function exchangeFaults(world: HostileWorld, route: RouteQuote | undefined): readonly string[] {
  if (route === undefined) return [];
  const { state, request, ordersMax } = world;
  const better = betterExchange(state, request, route, ordersMax);
  return better === undefined ? [] : [better];
}

/** Tries seeds, and tells all of those that are at fault, at most a dozen in full. */
function checkSeeds(count: number, faultsOf: (seed: number) => readonly string[]): void {
  const faults: string[] = [];
  for (let seed = 1; seed <= count; seed += 1) {
    faults.push(
      ...faultsOf(seed)
        .slice(0, 1)
        .map((fault) => `seed ${seed}: ${fault}`),
    );
  }
  const message = `${faults.length} of ${count} seeds:\n${faults.slice(0, 12).join("\n")}`;
  assert.equal(faults.length, 0, message);
}

function isOneHop({ request }: HostileWorld): boolean {
  return request.buyingAsset === token(1);
}

test("amounts of any size and decimals: to the unit, and the best there is", () => {
  let [found, proven] = [0, 0];
  checkSeeds(runs(20), (seed) => {
    const world = wideWorld(seed);
    const route = quoted(world);
    if (route !== undefined) found += 1;
    const faults = [...routeFaultsOf(world, route), ...exchangeFaults(world, route)];
    if (!isOneHop(world)) return faults;
    const comparison = compared(world, route);
    if (comparison.isProven) proven += 1;
    return [...faults, ...comparison.faults];
  });
  assert(found > runs(6) && proven > runs(5), `${found} found, ${proven} proven`);
});

/** With the orders that the first seed tries; later ones try the other sizes, too. */
const FLOODS: readonly (readonly [FloodKind, number])[] = [
  ["spent", 5000],
  ["many", 3000],
  ["unbacked", 3000],
  ["dust", 300],
];
const FLOOD_SIZES = [300, 3000, 5000];

const HONEST = new Set(Array.from({ length: 64 }, (_, at) => account(at)));

for (const [kind, first] of FLOODS) {
  test(`a flood of orders that give next to nothing (${kind}) hides nothing`, () => {
    checkSeeds(runs(1), (seed) => {
      const size = FLOOD_SIZES[(FLOOD_SIZES.indexOf(first) + seed - 1) % 3] ?? first;
      const world = floodWorld(seed, size, kind);
      const answer = answerOf(world);
      const route = bestRoute(answer);
      const orders = world.state.orders.filter(({ owner }) => HONEST.has(owner));
      const without = quoted({ ...world, state: { ...world.state, orders } });
      return [
        ...routeFaultsOf(world, route),
        ...worseThan(world, route, without),
        // Without backing they are left out by size, which is no proof.
        ...(kind === "unbacked" ? [] : proofFaults(answer)),
      ];
    });
  });
}

test("a ladder of one maker's orders hides nothing", () => {
  checkSeeds(runs(3), (seed) => {
    const world = ladderWorld(seed, [500, 2000, 4000][seed % 3] ?? 0);
    const route = quoted(world);
    const { state } = world;
    const ladder = state.orders.filter(({ owner }) => !HONEST.has(owner)).slice(0, 8);
    const orders = [...ladder, ...state.orders.filter(({ owner }) => HONEST.has(owner))];
    const { best } = bestOf({ ...world, state: { ...state, orders } });
    return [...routeFaultsOf(world, route), ...worseThan(world, route, best)];
  });
});

test("an answer chosen from candidates that were thinned is not said to be proven", () => {
  const answer = answerOf(ladderWorld(4, 500));
  assert(answer.status === "success" && answer.isUnproven === true);
});

test("makers who back a part of their orders: no exchange is better, and no list", () => {
  let proven = 0;
  checkSeeds(runs(9), (seed) => {
    const world = sharedWorld(seed, 1 + (seed % 2), seed % 3 === 0 ? 9 : 4);
    const answer = answerOf(world);
    const route = bestRoute(answer);
    const faults = [...routeFaultsOf(world, route), ...exchangeFaults(world, route)];
    if (!isOneHop(world)) return faults;
    // Of routes of more hops, or of more orders, some are not.
    if (seed % 3 !== 0) faults.push(...proofFaults(answer));
    const comparison = compared(world, route);
    if (comparison.isProven) proven += 1;
    return [...faults, ...comparison.faults];
  });
  assert(proven > runs(1), `only ${proven} proven`);
});

test("of two hundred orders to choose from, no order more, less or other is better", () => {
  let found = 0;
  checkSeeds(runs(6), (seed) => {
    const world = broadWorld(seed);
    const route = quoted(world);
    if (route !== undefined) found += 1;
    return [...routeFaultsOf(world, route), ...exchangeFaults(world, route)];
  });
  assert(found > runs(4), `only ${found} found`);
});

test("a hop is asked for no more than the orders in the next one's slots can use", () => {
  const world = sharedWorld(1721, 2, 20);
  const route = quoted(world);
  assert(route !== undefined && route.bought >= 2091828894531n, `${route?.bought}`);
  assert.deepEqual([...routeFaultsOf(world, route), ...exchangeFaults(world, route)], []);
});

test("of a hop's selections of equal value the one of fewer orders is quoted", () => {
  const world = sharedWorld(20_075, 2, 20);
  const amount = 1n + (world.request.amount * 3n) / 5n;
  const asked = { ...world, request: { ...world.request, amount } };
  const route = quoted(asked);
  assert(route !== undefined);
  assert.deepEqual([route.sold, route.bought], [179n, 173n]);
  assert.equal(route.hops.flatMap(({ orders }) => orders).length, 4);
  assert.deepEqual(routeFaultsOf(asked, route), []);
});

test("orders that use up their maker's backing exactly are listed, however large the amounts", () => {
  for (let decimals = 0; decimals <= 30; decimals += 1) {
    const unit = 10n ** BigInt(decimals);
    const world = usedUpWorld(unit);
    const answer = answerOf(world);
    const route = bestRoute(answer);
    assert(route !== undefined, `${decimals} decimals`);
    assert.deepEqual(
      [...routeFaultsOf(world, route), ...proofFaults(answer)],
      [],
      `${decimals} decimals`,
    );
    const best = (285n * unit) / 13n;
    assert((best - route.bought) * EQUAL_PARTS <= best, `${decimals} decimals: ${route.bought}`);
  }
});

test("headroom that orders use up exactly bounds nothing, however large the amounts", () => {
  checkSeeds(runs(6), (seed) => {
    const { state, request, ordersMax } = broadWorld(seed);
    // Nearly as large as a trustline holds: no double tells the units apart.
    const most = state.orders.reduce((most, { amount }) => greater(most, amount), 1n);
    const times = 10n ** 18n / most;
    const orders = state.orders.map((order) => ({ ...order, amount: order.amount * times }));
    const paid = new Map<Address, bigint>();
    for (const { owner, amount, price } of orders) {
      paid.set(owner, (paid.get(owner) ?? 0n) + costUp(amount, price));
    }
    const holders = state.holders.map((one) => ({ ...one, balance: one.balance * times }));
    const amount = (request.amount * times) / 3n;
    const plenty: HostileWorld = {
      state: {
        ...state,
        ...{ orders, holders },
        allowances: state.allowances.map((one) => ({ ...one, amount: one.amount * times })),
      },
      request: { ...request, amount },
      ordersMax,
    };
    const limited = holders.map((one) =>
      one.asset === token(0) ? { ...one, limit: one.balance + (paid.get(one.holder) ?? 0n) } : one,
    );
    const world = { ...plenty, state: { ...plenty.state, holders: limited } };
    const route = quoted(world);
    return [...routeFaultsOf(world, route), ...worseThan(world, route, quoted(plenty))];
  });
});

test("a route is searched anew for fewer orders that come to the same", () => {
  const world = sharedWorld(20_095, 1, 4);
  const route = quoted(world);
  assert(route !== undefined);
  assert.deepEqual([route.sold, route.bought], [2366n, 2353n]);
  assert.equal(route.hops.flatMap(({ orders }) => orders).length, 4);
  assert.deepEqual(routeFaultsOf(world, route), []);
});

test("of what fits in a call the best is quoted", () => {
  let [near, found] = [0, 0];
  checkSeeds(runs(8), (seed) => {
    const world = cappedWorld(seed);
    const route = quoted(world);
    if (route === undefined) return isOneHop(world) ? compared(world, route).faults : [];
    found += 1;
    if (routeBytes(world.state, route) > CALL_BYTES_MAX - 800) near += 1;
    return [
      ...routeFaultsOf(world, route),
      ...exchangeFaults(world, route),
      ...(isOneHop(world) ? compared(world, route).faults : []),
    ];
  });
  assert(found > runs(5) && near > 0, `${found} found, ${near} near the cap`);
});

test("hops share the bytes of a call as well as its slots: no list of orders is better", () => {
  let [found, bound] = [0, 0];
  // Of these the best takes fewer bytes at one hop, which another one needs.
  const needBytes = [47, 55, 107, 195, 235, 243, 270];
  checkSeeds(runs(25), (at) => {
    const seed = needBytes[at - 1] ?? at;
    const hops = seed % 6 === 0 ? 3 : 1 + (seed % 2);
    const world = fewBytesWorld(seed, hops, hops === 3 ? 5 : 6);
    const { state, request, ordersMax } = world;
    const path = Array.from({ length: hops + 1 }, (_, at) => token(at));
    const demand = { ...request, ordersMax, endingsOnly: true };
    const best = exhaustiveRoute(state, path, demand);
    const answer = answerOf(world);
    const route = bestRoute(answer);
    if (best !== undefined) found += 1;
    const { callBytesMax: _, ...unbound } = state;
    const more = exhaustiveRoute(unbound, path, demand);
    if (more !== undefined && (best === undefined || isBetter(more, best, request.direction))) {
      bound += 1;
    }
    const oracle = best === undefined ? [] : worseThan(world, best, route);
    return [
      ...routeFaultsOf(world, route),
      ...worseThan(world, route, best),
      ...oracle.map((fault) => `the oracle: ${fault}`),
      ...proofFaults(answer),
    ];
  });
  assert(found > runs(12) && bound > runs(3), `${found} found, ${bound} bound by bytes`);
});
