import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainOrder } from "../../test/support/plain-order.ts";
import { address } from "../model/address.ts";
import type { Order } from "../model/order.ts";
import { OrderShares } from "./order-shares.ts";

const owner = address("GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5");
const asset = address("CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC");

function order(id: number, age: number, amount: bigint): Order {
  return plainOrder(id, age, { owner, selling: asset, buying: asset, amount });
}

const of = { owner, asset };

/** What each order gets, by its id. */
function sharesOf(shares: OrderShares, budget: bigint) {
  return shares
    .shares("r", budget, of)
    .flatMap((block) => block.shares.map(({ id, backed }) => [id, backed] as const));
}

/** `live`: the orders that everybody sees, oldest first. */
function sharesIn(live: () => readonly Order[]): OrderShares {
  const shares = new OrderShares(2);
  shares.ordersSelling = live;
  return shares;
}

test("an order gets its amount, not the budget; a budget that just covers it is enough", () => {
  const only = order(1, 1, 500_000_000n);
  const shares = sharesIn(() => [only]);
  assert.equal(shares.share("r", 10_000_000_000n, only), 500_000_000n);
  assert.equal(shares.share("r", 500_000_000n, only), 500_000_000n);
  assert.equal(shares.share("r", 499_999_999n, only), 499_999_999n);
  assert.equal(shares.share("r", 0n, only), 0n);
});

test("the oldest order is served first, whatever the order of arrival", () => {
  const [old, middle, young] = [order(9, 1, 10n), order(5, 2, 10n), order(7, 3, 10n)];
  const live = [middle];
  const shares = sharesIn(() => live);
  assert.deepEqual(sharesOf(shares, 15n), [[5n, 10n]]);
  for (const each of [young, old]) shares.change("r", undefined, each);
  assert.deepEqual(sharesOf(shares, 15n), [
    [9n, 10n],
    [5n, 5n],
    [7n, 0n],
  ]);
  assert.equal(shares.share("r", 15n, order(1, 4, 10n)), 0n, "an order that is not live");
  const others = sharesIn(() => []);
  assert.equal(others.share("r", 15n, old), 0n);
});

test("shares follow every change of orders and budget", () => {
  const step = fc.record({
    id: fc.integer({ min: 0, max: 12 }),
    amount: fc.bigInt({ min: 0n, max: 20n }),
    budget: fc.bigInt({ min: 0n, max: 100n }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const live = new Map<number, Order>();
      const oldestFirst = () => [...live.values()].sort((a, b) => Number(a.cursor - b.cursor));
      const shares = sharesIn(oldestFirst);
      for (const { id, amount, budget } of steps) {
        const before = live.get(id);
        const after = amount === 0n ? undefined : order(id, 20 - id, amount);
        if (after === undefined) live.delete(id);
        else live.set(id, after);
        shares.change("r", before, after);
        let left = budget;
        const expected = oldestFirst().map((each) => {
          const share = left < each.amount ? left : each.amount;
          left -= share;
          return [each.id, share] as const;
        });
        // Nobody asks after some of the steps: a record begins with what is there by then.
        if (budget % 3n === 0n) continue;
        assert.deepEqual(sharesOf(shares, budget), expected);
        for (const each of live.values()) {
          assert.equal(shares.share("r", budget, each), new Map(expected).get(each.id));
        }
      }
    }),
  );
});

test("a change makes anew what a few blocks say, however many orders there are", () => {
  const live = Array.from({ length: 1000 }, (_, at) => order(at, at + 1, 10n));
  const shares = sharesIn(() => live);
  let said = new Set<unknown>();
  const saidAnew = (budget: bigint): number => {
    const before = said;
    said = new Set(shares.shares("r", budget, of));
    return [...said].filter((block) => !before.has(block)).length;
  };
  assert.equal(saidAnew(5000n), 500);
  assert.equal(saidAnew(5000n), 0, "nothing changed");
  const filled = { ...order(100, 101, 10n), amount: 4n };
  shares.change("r", order(100, 101, 10n), filled);
  assert.equal(saidAnew(4994n), 1, "its own: those behind it get what they got");
  assert.equal(saidAnew(4997n), 1, "the one in which the budget ends");
  shares.change("r", filled, undefined);
  assert.equal(saidAnew(4997n), 2, "its own, and the one in which the budget ends");
  shares.change("r", undefined, order(5000, 5000, 1n));
  assert.equal(saidAnew(4997n), 1, "the last");
});

test("a maker's orders are read in portions before anybody asks, and not again", () => {
  const live = Array.from({ length: 5000 }, (_, at) => order(at, at + 1, 10n));
  for (const each of [
    () => live.toReversed(),
    () => live.toSorted((a, b) => Number((a.id % 7n) - (b.id % 7n))),
  ]) {
    const shares = new OrderShares();
    shares.ordersSelling = () => assert.fail("read at once");
    let read = 0;
    let most = 0;
    shares.eachSelling = function* () {
      for (const one of each()) {
        read += 1;
        yield one;
      }
    };
    let before = 0;
    for (const _ of shares.keepInPortions("r", of)) {
      most = Math.max(most, read - before);
      before = read;
    }
    assert.deepEqual([read, most], [5000, 256]);
    assert.equal(shares.share("r", 20_005n, order(2000, 2001, 10n)), 5n);
    assert.equal([...shares.keepInPortions("r", of)].length, 0, "it is there");
    assert.deepEqual(
      sharesOf(shares, 20_005n).map(([id, backed]) => [id, backed]),
      live.map(({ id }, at) => [id, at < 2000 ? 10n : at === 2000 ? 5n : 0n]),
    );
  }
});

test("what is read in portions is right whoever asks or changes an order meanwhile", () => {
  const act = fc.record({
    what: fc.constantFrom("portion", "portion", "change", "ask", "keep", "begin"),
    id: fc.integer({ min: 0, max: 700 }),
    amount: fc.bigInt({ min: 0n, max: 20n }),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const live = new Map<number, Order>();
      for (let id = 0; id < 600; id += 1) live.set(id, order(id, 701 - id, 10n));
      const oldestFirst = () => [...live.values()].sort((a, b) => Number(a.cursor - b.cursor));
      const shares = sharesIn(oldestFirst);
      let changes = 0;
      shares.eachSelling = function* () {
        const begun = changes;
        for (const one of oldestFirst().reverse()) {
          assert.equal(changes, begun, "the list that is walked has changed");
          yield one;
        }
      };
      let portions = shares.keepInPortions("r", of);
      for (const { what, id, amount } of acts) {
        if (what === "portion") portions.next();
        else if (what === "begin") portions = shares.keepInPortions("r", of);
        else if (what === "keep") shares.keep("r", of);
        else if (what === "change") {
          const before = live.get(id);
          const after = amount === 0n ? undefined : order(id, 701 - id, amount);
          if (before === undefined && after === undefined) continue;
          if (after === undefined) live.delete(id);
          else live.set(id, after);
          changes += 1;
          shares.change("r", before, after);
        } else check();
      }
      while (portions.next().done === false);
      check();

      function check(): void {
        let left = 3000n;
        const expected = oldestFirst().map((each) => {
          const share = left < each.amount ? left : each.amount;
          left -= share;
          return [each.id, share] as const;
        });
        assert.deepEqual(sharesOf(shares, 3000n), expected);
      }
    }),
  );
});

test("what was said of orders stays as it was said", () => {
  const live = [order(1, 1, 10n), order(2, 2, 10n)];
  const shares = sharesIn(() => live);
  const said = shares.shares("r", 15n, of);
  shares.change("r", live[0], { ...(live[0] as Order), amount: 1n });
  shares.change("r", live[1], undefined);
  assert.deepEqual(
    said.flatMap((block) => block.shares.map(({ backed }) => backed)),
    [10n, 5n],
  );
});
