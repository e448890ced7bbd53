// What must hold of every call of the exchange contract, whatever the world it meets.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  crossfillParameters,
  Direction,
  swapParameters,
  TradeKind,
  tradeParameters,
} from "../../src/devnet/contract/call.ts";
import type { ContractEvent, OrderEntry } from "../../src/devnet/contract/host.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import type { Address } from "../../src/model/address.ts";
import type { OrderId } from "../../src/model/order.ts";
import {
  costUp,
  greater,
  I128_MAX,
  invertPriceDown,
  isDust,
  outputDown,
} from "../../src/model/settlement.ts";
import { runs } from "../support/runs.ts";
import {
  buildWorld,
  EXCHANGE,
  type ExchangeCall,
  type SeededWorld,
  type WorldSeed,
  worldAndCall,
} from "./exchange-world.ts";

const RUNS = { numRuns: runs(100) };

type Run = {
  readonly before: SeededWorld;
  readonly after: SeededWorld;
  readonly events: readonly ContractEvent[];
  /** Values returned; absent where the call failed. */
  readonly returned?: readonly Value[];
};

/** Makes the call on one of two equal worlds. */
function run(seed: WorldSeed, call: ExchangeCall): Run {
  const [before, after] = [buildWorld(seed), buildWorld(seed)];
  const outcome = after.memory.invoke([call.trader], EXCHANGE, call.fn, call.args);
  const events = after.memory.events.map(({ event }) => event);
  if (!outcome.ok) return { before, after, events };
  assert(outcome.value.type === "vec");
  return { before, after, events, returned: outcome.value.value };
}

function integers(values: readonly Value[]): readonly bigint[] {
  return values.flatMap((value) => (value.type === "i128" ? [value.value] : []));
}

function balances(world: SeededWorld): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>();
  for (const [token, { holdings }] of world.tokens) {
    for (const [holder, { balance }] of holdings) found.set(`${token}/${holder}`, balance);
  }
  return found;
}

function balanceOf(world: SeededWorld, token: Address, holder: Address): bigint {
  return balances(world).get(`${token}/${holder}`) ?? 0n;
}

/** Everything the world holds, one line each, whatever the order of its Maps. */
function state({ memory, tokens }: SeededWorld): readonly string[] {
  const lines = orderLines(memory.orders);
  for (const [token, { holdings, allowances }] of tokens) {
    for (const [holder, { balance, authorized, limit }] of holdings) {
      lines.push(`${token} ${holder} ${balance} ${authorized} ${limit}`);
    }
    for (const [key, { amount, liveUntil }] of allowances) {
      lines.push(`${token} ${key} ${amount} ${liveUntil}`);
    }
  }
  return lines.sort();
}

function orderLines(orders: ReadonlyMap<OrderId, OrderEntry>): string[] {
  return [...orders]
    .map(([id, { owner, selling, buying, amount, price, expires }]) =>
      [id, owner, selling, buying, amount, price, expires].join(" "),
    )
    .sort();
}

test("tokens are neither made nor lost, and nothing stays with the contract", () => {
  const property = fc.property(worldAndCall, ([seed, call]) => {
    const { before, after } = run(seed, call);
    for (const [token, { holdings }] of after.tokens) {
      const sum = (world: SeededWorld): bigint => {
        const held = world.tokens.get(token)?.holdings.values() ?? [];
        return [...held].reduce((total, { balance }) => total + balance, 0n);
      };
      assert.equal(sum(after), sum(before));
      assert.equal(holdings.get(EXCHANGE)?.balance ?? 0n, 0n);
    }
  });
  fc.assert(property, RUNS);
});

test("a failing call changes nothing and emits nothing", () => {
  const property = fc.property(worldAndCall, ([seed, call]) => {
    const { before, after, events, returned } = run(seed, call);
    fc.pre(returned === undefined);
    assert.deepEqual(state(after), state(before));
    assert.deepEqual(events, []);
  });
  fc.assert(property, RUNS);
});

test("nobody delivers more than balance and allowance cover", () => {
  const property = fc.property(worldAndCall, ([seed, call]) => {
    for (const { holdings, allowances } of run(seed, call).after.tokens.values()) {
      for (const { balance, limit } of holdings.values()) {
        assert(balance >= 0n && balance <= (limit ?? I128_MAX));
      }
      for (const { amount } of allowances.values()) assert(amount >= 0n);
    }
  });
  fc.assert(property, RUNS);
});

test("a trade is never worse than its limit, and takes no more than asked for", () => {
  const property = fc.property(worldAndCall, ([seed, call]) => {
    fc.pre(call.fn === "trade");
    const { before, after, events, returned } = run(seed, call);
    if (returned === undefined) return;
    const { direction, kind, amount, price, trader, selling, buying } = tradeParameters.read(
      call.args,
    );
    const [sold = 0n, bought = 0n] = integers(returned);
    const done = direction === Direction.sell ? sold : bought;
    assert(done <= amount);
    const priceMax = direction === Direction.sell ? invertPriceDown(price) : price;
    const fills = events.filter((event) => event.kind === "trade");
    if (kind === TradeKind.fillOrKill && done < amount) {
      // Only a sale's rest that buys nothing at the highest price filled.
      const prices = fills.map(({ order }) => before.memory.orders.get(order)?.price ?? 0n);
      const worst = prices.reduce(greater, 0n);
      assert(direction === Direction.sell && worst > 0n);
      assert.equal(outputDown(amount - done, worst), 0n);
    }
    for (const fill of fills) assert(fill.sold <= costUp(fill.bought, priceMax));
    assert.equal(
      fills.reduce((sum, fill) => sum + fill.sold, 0n),
      sold,
    );
    if (fills.some(({ maker }) => maker === trader)) return;
    const change = (token: Address): bigint =>
      balanceOf(after, token, trader) - balanceOf(before, token, trader);
    assert.deepEqual([change(selling), change(buying)], [-sold, bought]);
  });
  fc.assert(property, RUNS);
});

test("a swap keeps to its bounds and its hops join without a rest", () => {
  const property = fc.property(worldAndCall, ([seed, call]) => {
    fc.pre(call.fn === "swap");
    const { events, returned } = run(seed, call);
    if (returned === undefined) return;
    const { direction, sellingAmount, buyingAmount, selling, path } = swapParameters.read(
      call.args,
    );
    const [sold = 0n, bought = 0n] = integers(returned);
    assert(sold <= sellingAmount);
    assert(direction === Direction.buy ? bought === buyingAmount : bought >= buyingAmount);
    let [asset, paid] = [selling, sold];
    for (const hop of path) {
      const fills = events.filter(
        (event) => event.kind === "trade" && event.selling === asset && event.buying === hop.asset,
      );
      const [hopSold, hopBought] = sumFills(fills);
      assert.equal(hopSold, paid);
      [asset, paid] = [hop.asset, hopBought];
    }
    assert.equal(paid, bought);
  });
  fc.assert(property, RUNS);
});

function sumFills(events: readonly ContractEvent[]): readonly [sold: bigint, bought: bigint] {
  return events.reduce<readonly [bigint, bigint]>(
    ([sold, bought], event) =>
      event.kind === "trade" ? [sold + event.sold, bought + event.bought] : [sold, bought],
    [0n, 0n],
  );
}

test("a crossfill pays the order's owner its price and leaves the caller no loss", () => {
  const property = fc.property(worldAndCall, ([seed, call]) => {
    fc.pre(call.fn === "crossfill");
    const { before, events, returned } = run(seed, call);
    if (returned === undefined) return;
    const { takerOrder } = crossfillParameters.read(call.args);
    const [paid = 0n, delivered = 0n, kept = 0n] = integers(returned);
    assert(kept >= 0n);
    const order = before.memory.orders.get(takerOrder);
    assert(order !== undefined && paid <= order.amount);
    if (paid === 0n) return;
    const own = events.at(-1);
    assert(own?.kind === "trade" && own.order === takerOrder);
    assert.equal(own.sold, costUp(paid, order.price));
    assert.equal(own.bought, paid);
    assert.equal(delivered, own.sold + kept);
  });
  fc.assert(property, RUNS);
});

/** The orders as an indexer would know them: the orders before, changed by the events alone. */
function followEvents(
  orders: ReadonlyMap<OrderId, OrderEntry>,
  events: readonly ContractEvent[],
): ReadonlyMap<OrderId, OrderEntry> {
  const known = new Map(orders);
  for (const event of events) {
    if (event.kind === "new") {
      const { owner, selling, buying, amount, price, expires } = event;
      known.set(event.id, { owner, selling, buying, amount, price, expires });
    } else if (event.kind === "mod") {
      const order = known.get(event.id);
      assert(order !== undefined);
      const { amount, price, expires } = event;
      if (amount === 0n) known.delete(event.id);
      else known.set(event.id, { ...order, amount, price, expires });
    } else if (event.kind === "trade") {
      const order = known.get(event.order);
      assert(order !== undefined);
      assert(event.left === 0n || event.left === order.amount - event.bought);
      assert(event.left > 0n || isDust(order.amount - event.bought, order.price));
      if (event.left === 0n) known.delete(event.order);
      else known.set(event.order, { ...order, amount: event.left });
    }
  }
  return known;
}

test("the events alone tell what became of every order", () => {
  const property = fc.property(worldAndCall, ([seed, call]) => {
    const { before, after, events } = run(seed, call);
    const known = followEvents(before.memory.orders, events);
    assert.deepEqual(orderLines(known), orderLines(after.memory.orders));
  });
  fc.assert(property, RUNS);
});
