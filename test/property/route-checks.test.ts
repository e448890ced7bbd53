// What the router is held to is held to something itself: the table of a call's bytes to XDR and to
// what was measured, the oracle for one hop to every list there is, the exchanges to planted ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ContractEvent,
  ContractEventBody,
  ContractEventType,
  ContractEventV0,
  ContractId,
  ExtensionPoint,
  type ScVal,
} from "@stellar/stellar-sdk/xdr";
import type { Token } from "../../src/book/backing/ledger-keys.ts";
import { type Address, addressBytes } from "../../src/model/address.ts";
import type { RouteQuote } from "../../src/router-worker/quote.ts";
import {
  scAddress,
  scI128,
  scString,
  scSymbol,
  scU32,
  scU64,
  scU128,
  scVec,
} from "../ingest/sc-values.ts";
import { account, token } from "../support/addresses.ts";
import { bestSelection } from "../support/best-selection.ts";
import { type CalledHop, callBytes } from "../support/call-bytes.ts";
import { exhaustiveRoute } from "../support/exhaustive-route.ts";
import {
  cappedWorld,
  floodWorld,
  type HostileWorld,
  ladderWorld,
  sharedWorld,
  wideWorld,
} from "../support/hostile-worlds.ts";
import { betterExchange } from "../support/one-exchange.ts";
import { randomQuoteWorld, SMALL_WORLD } from "../support/random-quote-world.ts";
import { runs } from "../support/runs.ts";

const CONTRACT = token(999);
const TRADER = account(999);
const EMPTY = { contract: CONTRACT, now: 0, ledger: 0, frozen: false };

function tokensOf(...codes: readonly (string | Token)[]): ReadonlyMap<Address, Token> {
  return new Map(
    codes.map((code, at) => {
      const issued: Token =
        typeof code === "string" ? { kind: "issued", code, issuer: account(900) } : code;
      return [token(at), issued];
    }),
  );
}

function bytesOf(tokens: ReadonlyMap<Address, Token>, hops: readonly CalledHop[], rest = false) {
  return callBytes({ ...EMPTY, orders: [], holders: [], allowances: [], tokens }, hops, rest);
}

/** So many fills of different accounts at each hop. */
function hopsOf(...fills: readonly number[]): readonly CalledHop[] {
  return fills.map((count, hop) => ({
    ...{ selling: token(hop), buying: token(hop + 1) },
    makers: Array.from({ length: count }, (_, at) => account(100 * hop + at)),
  }));
}

const NATIVE: Token = { kind: "native" };

test("the bytes of a call are those that were measured on the network's host", () => {
  // The trades were measured without an approval (148 + 44 + S) and a return value (56).
  const trade = (tokens: ReadonlyMap<Address, Token>, fills: number, name: number) =>
    bytesOf(tokens, hopsOf(fills)) - (148 + 44 + name) - 56;
  assert.equal(trade(tokensOf("ABCD", "EFGH"), 20, 72), 16_644);
  assert.equal(trade(tokensOf("ABCD", "EFGH"), 19, 72), 15_824);
  assert.equal(trade(tokensOf(NATIVE, "ABCDEFGHIJKL"), 20, 16), 15_692);
  // The swaps without an approval.
  const swap = (tokens: ReadonlyMap<Address, Token>, name: number) =>
    bytesOf(tokens, hopsOf(7, 7, 6)) - (148 + 44 + name);
  assert.equal(swap(tokensOf("ABCD", "EFGH", "IJKL", "MNOP"), 72), 16_832);
  assert.equal(swap(tokensOf(NATIVE, "EFGH", "IJKL", "MNOP"), 16), 16_440);
});

test("the bytes of a call are those of its events as XDR", () => {
  const contractMaker = token(500);
  const issuer = account(900);
  for (let length = 1; length <= 12; length += 1) {
    const code = "ABCDEFGHIJKL".slice(0, length);
    const tokens = tokensOf(NATIVE, code, code, { kind: "other" });
    const names = new Map([
      [token(0), "native"],
      [token(1), `${code}:${issuer}`],
      [token(2), `${code}:${issuer}`],
    ]);
    // Two fills of one maker, one of a contract, one of the issuer.
    const makers = [account(1), account(1), contractMaker, issuer];
    const hops = [0, 1, 2].map((hop) => ({
      ...{ selling: token(hop), buying: token(hop + 1) },
      makers,
    }));
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [0, 2],
      [0, 3],
      [1, 3],
    ] as const) {
      const called = hops.slice(from, to);
      const isLimit = called.length === 1 && length % 2 === 0;
      const wanted = eventsOf(called, names, issuer, isLimit);
      assert.equal(bytesOf(tokens, called, isLimit), wanted, `${code}, hops ${from} to ${to}`);
    }
  }
});

/** The bytes of the events and the return value of the call, written as XDR. */
function eventsOf(
  hops: readonly CalledHop[],
  names: ReadonlyMap<Address, string>,
  issuer: Address,
  keepsRest: boolean,
): number {
  const [first, last] = [hops[0], hops.at(-1)];
  assert(first !== undefined && last !== undefined);
  const nameOf = (asset: Address) => {
    const name = names.get(asset);
    return name === undefined ? [] : [scString(name)];
  };
  const transfer = (asset: Address, from: Address, to: Address): number => {
    const isIssued = names.get(asset)?.endsWith(issuer) === true;
    const [fn, parties] =
      isIssued && from === issuer
        ? ["mint", [to]]
        : isIssued && to === issuer
          ? ["burn", [from]]
          : ["transfer", [from, to]];
    return eventBytes([scSymbol(fn), ...parties.map(scAddress), ...nameOf(asset)], scI128(1n));
  };
  let bytes = eventBytes(
    [scSymbol("approve"), scAddress(TRADER), scAddress(CONTRACT), ...nameOf(first.selling)],
    scVec(scI128(1n), scU32(1)),
  );
  for (const hop of hops) {
    const taker = hop === first ? TRADER : CONTRACT;
    const pair = [scAddress(hop.selling), scAddress(hop.buying)];
    for (const maker of hop.makers) {
      const amounts = [scI128(1n), scI128(1n), scI128(1n)];
      const data = scVec(scU128(1n), scAddress(taker), scAddress(maker), ...amounts);
      bytes += eventBytes([scSymbol("trade"), ...pair], data);
    }
    for (const maker of new Set(hop.makers)) {
      bytes += transfer(hop.buying, maker, CONTRACT) + transfer(hop.selling, taker, maker);
    }
  }
  bytes += transfer(last.buying, CONTRACT, TRADER);
  const ends = [scAddress(first.selling), scAddress(last.buying)];
  if (hops.length > 1) {
    const data = scVec(scAddress(TRADER), scI128(1n), scI128(1n));
    return bytes + eventBytes([scSymbol("swap"), ...ends], data) + 52;
  }
  if (!keepsRest) return bytes + 56;
  const rest = scVec(scU128(1n), scAddress(TRADER), scI128(1n), scI128(1n), scU64(0n));
  return bytes + eventBytes([scSymbol("new"), ...ends], rest) + 72;
}

function eventBytes(topics: readonly ScVal[], data: ScVal): number {
  const body = ContractEventBody.v0(new ContractEventV0({ topics: [...topics], data }));
  const contractId = new ContractId(addressBytes(CONTRACT));
  const type = ContractEventType.fromName("contract");
  const event = new ContractEvent({ ext: ExtensionPoint.v0(), contractId, type, body });
  return event.toXDR().length;
}

test("the oracle for one hop finds what trying every list finds", () => {
  let found = 0;
  for (let seed = 1; seed <= runs(120); seed += 1) {
    const options = { ...SMALL_WORLD, assets: 2, makers: 1 + (seed % 8) };
    const { state, request, ordersMax } = randomQuoteWorld(seed, options);
    const path = [request.sellingAsset, request.buyingAsset];
    const demand = { ...request, ordersMax: Math.min(4, ordersMax), endingsOnly: true };
    const wanted = exhaustiveRoute(state, path, demand);
    const pair = { selling: request.sellingAsset, buying: request.buyingAsset };
    const { best, isProven } = bestSelection(state, pair, demand, 1_000_000);
    assert(isProven);
    assert.equal(best?.bought, wanted?.bought, `seed ${seed}`);
    assert.equal(best?.sold, wanted?.sold, `seed ${seed}`);
    if (wanted !== undefined) found += 1;
  }
  assert(found > runs(30), `only ${found}`);
});

test("a better exchange is found where one order is in another's place, and none of the best", () => {
  let [planted, told] = [0, 0];
  for (let seed = 1; seed <= runs(60); seed += 1) {
    const world = sharedWorld(seed, 1, 3);
    const { state, request } = world;
    const pair = { selling: request.sellingAsset, buying: request.buyingAsset };
    const { best, isProven } = bestSelection(state, pair, { ...request, ordersMax: 3 }, 5000);
    const [orders] = best?.orders ?? [];
    if (!isProven || best === undefined || orders === undefined) continue;
    const route = routeOf(world, { ...best, orders });
    assert.doesNotMatch(betterExchange(state, request, route, 3) ?? "", /\+/, `seed ${seed}`);
    // Another, dearer list: the best one without an order of the best.
    const without = { ...state, orders: state.orders.filter(({ id }) => id !== orders[0]) };
    const worse = bestSelection(without, pair, { ...request, ordersMax: 3 }, 5000).best;
    const [others] = worse?.orders ?? [];
    if (worse === undefined || others === undefined) continue;
    planted += 1;
    const given = routeOf(world, { ...worse, orders: others });
    if (betterExchange(state, request, given, 3) !== undefined) told += 1;
  }
  assert(planted > runs(15), `only ${planted} planted`);
  assert(told > planted / 2, `${told} of ${planted} told`);
});

function routeOf(
  { request }: HostileWorld,
  found: { sold: bigint; bought: bigint; orders: readonly RouteQuote["hops"][0]["orders"][0][] },
): RouteQuote {
  const { sold, bought, orders } = found;
  const pair = { selling: request.sellingAsset, buying: request.buyingAsset };
  return { sold, bought, hops: [{ ...pair, orders, worstPrice: 1n }] };
}

test("hostile worlds are the same for a seed, and what they are called", () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    assert.deepEqual(wideWorld(seed), wideWorld(seed));
    const ids = cappedWorld(seed).state.orders.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  }
  const amounts = Array.from({ length: 200 }, (_, at) => wideWorld(at + 1).request.amount);
  assert(amounts.some((amount) => amount > 1n << 100n) && amounts.some((amount) => amount < 10n));
  assert.equal(floodWorld(1, 3000, "many").state.orders.length >= 3024, true);
  const [rung] = ladderWorld(1, 500).state.orders;
  const budget = ladderWorld(1, 500).state.holders.find(({ holder }) => holder === rung?.owner);
  assert(rung !== undefined && budget !== undefined && budget.balance < 4n * rung.amount);
});
