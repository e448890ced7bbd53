import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainOrder } from "../../../test/support/plain-order.ts";
import { address } from "../../model/address.ts";
import type { Order } from "../../model/order.ts";
import { OrderShares } from "./order-shares.ts";

const owner = address("GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5");
const asset = address("CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC");

function order(id: number, age: number, amount: bigint): Order {
  return plainOrder(id, age, { owner, selling: asset, buying: asset, amount });
}

const of = { owner, asset };

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
  assert.deepEqual(shares.shares("r", 15n, of).flat(), [[5n, 10n]]);
  for (const each of [young, old]) shares.change("r", undefined, each);
  assert.deepEqual(shares.shares("r", 15n, of).flat(), [
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
        assert.deepEqual(shares.shares("r", budget, of).flat(), expected);
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
