import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Applied,
  MemoryNetwork,
  outcomeName,
} from "../../../test/support/devnet/memory-network.ts";
import { allowanceKey, MemoryToken } from "../../../test/support/devnet/memory-token.ts";
import { type Address, accountAddress } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { invertPriceDown } from "../../model/settlement.ts";
import { Direction, TradeKind, tradeParameters } from "../contract/call.ts";
import { ErrorCode } from "../contract/error-code.ts";
import { deriveOrderId } from "../contract/order-id.ts";
import { buildCast } from "./cast.ts";
import { contractPrice, usdAt } from "./price-walk.ts";
import { SCALES } from "./scale.ts";
import { Traffic } from "./traffic.ts";
import { isLive } from "./view.ts";
import type { Market } from "./world.ts";

const START = 1_800_000_000;

function network(seed: string): MemoryNetwork {
  return new MemoryNetwork(buildCast({ seed, scale: SCALES.small }), START);
}

function close(of: MemoryNetwork, ledgers: number): readonly Applied[] {
  return Array.from({ length: ledgers }, () => of.close()).flat();
}

function open(seed: string): MemoryNetwork {
  const opened = network(seed);
  close(opened, opened.traffic.genesisLedgers);
  return opened;
}

function text(applied: readonly Applied[]): string {
  return JSON.stringify(applied, (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

test("the same seed gives the same transactions, another seed others", () => {
  const [one, same, other] = [network("1"), network("1"), network("2")];
  const ledgers = one.traffic.genesisLedgers + 20;
  const transactions = text(close(one, ledgers));
  assert.equal(text(close(same, ledgers)), transactions);
  assert.notEqual(text(close(other, ledgers)), transactions);
});

test("traffic that starts in the middle goes on as if it had never stopped", () => {
  const running = open("3");
  close(running, 25);
  const { addresses, world } = running;
  const restarted = new Traffic({
    cast: buildCast({ seed: "3", scale: SCALES.small }),
    addresses,
    firstLedger: 2,
    freezes: true,
  });
  const view = { ...running.view(), ledger: world.ledger + 1 };
  const again = restarted.intents(view);
  assert(again.length > 0);
  assert.deepEqual(again, running.traffic.intents(view));
});

test("a past that nobody looks at closely has little traffic", () => {
  const running = open("10");
  const thin = Array.from({ length: 20 }, (_, at) => {
    const view = { ...running.view(), ledger: running.world.ledger + 1 + at };
    return running.traffic.intents(view, true).length;
  });
  // What comes last may bring several, and stewardship is beside it.
  assert(Math.min(...thin) >= 1 && Math.max(...thin) <= 6);
});

test("after the opening every market is open and nearly every slot has its order", () => {
  const { traffic, world } = open("4");
  const { markets } = traffic.world;
  assert.equal(markets.length, SCALES.small.markets);
  assert.equal(world.markets.size, markets.length);
  const slots = markets.reduce((sum, market) => sum + slotsOf(market).length, 0);
  assert(world.orders.size > 0.95 * slots && world.orders.size <= slots);
});

function slotsOf({ quoters }: Market): readonly { readonly id: bigint }[] {
  return quoters.flatMap(({ slots }) => [...slots.ask, ...slots.bid]);
}

test("steady flow keeps the books full and mostly uncrossed", () => {
  const running = open("5");
  const before = running.world.orders.size;
  close(running, 300);
  assert(running.world.orders.size > 0.7 * before);
  const crossed = running.traffic.world.markets.filter((market) => isCrossed(running, market));
  assert(crossed.length <= SCALES.small.markets / 4);
});

/** Makers' orders alone: takers leave careless orders on purpose. */
function isCrossed({ world }: MemoryNetwork, { quoters }: Market): boolean {
  const best = (side: "ask" | "bid"): bigint | undefined => {
    const prices = quoters
      .flatMap(({ slots }) => slots[side])
      .flatMap(({ id }) => {
        const order = world.orders.get(id);
        const live = order?.expires === 0n || (order?.expires ?? 0n) > BigInt(world.now);
        return order !== undefined && live ? [order.price] : [];
      });
    return prices.sort((one, other) => (one < other ? -1 : 1))[0];
  };
  const [ask, bid] = [best("ask"), best("bid")];
  return ask !== undefined && bid !== undefined && ask * bid < 10n ** 36n;
}

test("an exchange that is not to be frozen is not, and all else is the same", () => {
  const scale = { ...SCALES.small, transactionsPerLedger: 0 };
  const [frozen, never] = [true, false].map((freezes) => {
    const opened = new MemoryNetwork(buildCast({ seed: "7", scale }), START, freezes);
    close(opened, opened.traffic.genesisLedgers);
    return close(opened, 400).map(({ intent }) =>
      intent.kind === "call" ? intent.fn : intent.kind,
    );
  });
  assert.deepEqual(frozen?.slice(-2), ["freeze", "freeze"]);
  assert.deepEqual(never, frozen.slice(0, -2));
});

test("without traffic every price is fresh at every time of the day, with it some are not", () => {
  const stale = [SCALES.small.transactionsPerLedger, 0].map((transactionsPerLedger) => {
    const scale = { ...SCALES.small, transactionsPerLedger };
    const { traffic } = new MemoryNetwork(buildCast({ seed: "1", scale }), START);
    const times = Array.from({ length: 288 }, (_, at) => START + 300 * at);
    return traffic.world.assets.filter(({ token }) =>
      times.some((now) => (traffic.oraclePriceAt(token, now)?.timestamp ?? 0) < now - 300),
    ).length;
  });
  assert.deepEqual(stale, [2, 0]);
});

test("every function succeeds, and fails in every way there is", () => {
  const functions = ["trade", "update", "crossfill", "swap", "requote", "subsidize", "run"];
  const admin = ["freeze", "delegate", "set_oracle", "set_floor", "set_ledger_time"];
  const kinds = ["payment", "approve", "changeTrust", "setTrustLineFlags", "clawback"];
  const missing = new Set([
    ...[...functions, ...admin, ...kinds].map((fn) => `${fn} ok`),
    ...[...Object.values(ErrorCode), 9, 10, 11, 13].map(String),
    ...["auth", "invalid", "run_then_fail 1"],
  ]);
  const running = open("6");
  for (let ledgers = 0; ledgers < 900 && missing.size > 0; ledgers += 1) {
    for (const { intent, outcome } of running.close()) {
      const name = outcomeName(outcome);
      missing.delete(`${intent.kind === "call" ? intent.fn : intent.kind} ${name}`);
      missing.delete(name);
    }
  }
  assert.deepEqual([...missing], []);
});

const USER = accountAddress(new Uint8Array(32).fill(9));

/** A user with plenty of both assets sells one of them at `part` of its fair price: below 1, cheap. */
function placeAsUser(
  of: MemoryNetwork,
  market: Market,
  terms: {
    readonly side: "ask" | "bid";
    readonly part: number;
    readonly amount: bigint;
    readonly nonce?: number;
    readonly user?: Address;
  },
): OrderId {
  const { world, addresses, tokens } = of;
  const { side, part, amount, nonce = 0, user = USER } = terms;
  const [sold, bought] = side === "ask" ? [market.base, market.quote] : [market.quote, market.base];
  for (const { token } of [sold, bought]) {
    const { holdings, allowances } = tokens.get(token) ?? new MemoryToken();
    holdings.set(user, { balance: PLENTY, authorized: true, sellingLiabilities: 0n });
    const key = allowanceKey({ owner: user, spender: addresses.exchange });
    allowances.set(key, { amount: PLENTY, liveUntil: world.ledger + 10_000 });
  }
  const fair = usdAt(sold.walk, world.now) / usdAt(bought.walk, world.now);
  const args = tradeParameters.write({
    direction: Direction.sell,
    kind: TradeKind.limit,
    trader: user,
    amount,
    selling: sold.token,
    buying: bought.token,
    price: contractPrice(fair * part),
    orders: [],
    nonce: BigInt(nonce),
    expires: 0n,
  });
  const outcome = world.invoke([user], addresses.exchange, "trade", args);
  assert.equal(outcomeName(outcome), "ok");
  return deriveOrderId(user, BigInt(nonce));
}

const PLENTY = 10n ** 17n;

/** The market with the most quoters. */
function busyMarket(of: MemoryNetwork): Market {
  const [market] = [...of.traffic.world.markets].sort(
    (one, other) => other.quoters.length - one.quoters.length,
  );
  assert(market !== undefined);
  return market;
}

test("takers fill a user's orders where they are the best, whatever unbacked ones stand before", () => {
  const running = open("8");
  const market = busyMarket(running);
  const amount = 10n ** 9n;
  // Of somebody who spends it all after ordering.
  const broke = accountAddress(new Uint8Array(32).fill(8));
  for (let nonce = 0; nonce < 40; nonce += 1) {
    placeAsUser(running, market, { side: "ask", part: 0.998, amount, nonce, user: broke });
  }
  running.tokens.get(market.base.token)?.holdings.set(broke, {
    balance: 0n,
    authorized: true,
    sellingLiabilities: 0n,
  });
  const ids = (["ask", "bid"] as const).map((side, nonce) =>
    placeAsUser(running, market, { side, part: 1, amount, nonce }),
  );
  const { orders } = running.world;
  for (let ledgers = 0; ledgers < 300 && ids.some((id) => orders.has(id)); ledgers += 1) {
    close(running, 1);
  }
  assert.deepEqual(
    ids.map((id) => orders.get(id)?.amount ?? 0n),
    [0n, 0n],
  );
});

test("makers quote around a user's order near the market, and mind none far off", () => {
  const running = open("9");
  const market = busyMarket(running);
  const amount = PLENTY / 2n;
  const id = placeAsUser(running, market, { side: "bid", part: 0.95, amount });
  const far = placeAsUser(running, market, { side: "bid", part: 0.5, amount, nonce: 1 });
  close(running, 80);
  const { orders } = running.world;
  const bid = orders.get(id);
  assert(bid !== undefined && orders.has(far));
  const live = (side: "ask" | "bid") =>
    market.quoters
      .flatMap(({ slots }) => slots[side])
      .flatMap((slot) => orders.get(slot.id) ?? [])
      .filter((order) => isLive(order, running.world));
  const asks = live("ask");
  const crossing = asks.filter(({ price }) => price <= invertPriceDown(bid.price));
  assert(asks.length > 5 && crossing.length < asks.length / 5);
  assert(live("bid").length > 5);
});
