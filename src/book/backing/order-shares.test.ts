import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { address } from "../../model/address.ts";
import { type Order, orderId } from "../../model/order.ts";
import { position } from "../../model/position.ts";
import { OrderShares } from "./order-shares.ts";

const owner = address("GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5");
const asset = address("CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC");

function order(id: number, age: number, amount: bigint): Order {
  return {
    id: orderId(BigInt(id)),
    status: "ACTIVE",
    owner,
    selling: asset,
    buying: asset,
    price: 1n,
    quote: amount,
    amount,
    expires: 0,
    created: 0,
    updated: 0,
    cursor: position({ ledger: age, transaction: 1, operation: 1, index: 0 }),
  };
}

test("an order gets its amount, not the budget; a budget that just covers it is enough", () => {
  const shares = new OrderShares();
  const only = order(1, 1, 500_000_000n);
  shares.change("r", undefined, only);
  assert.equal(shares.share("r", 10_000_000_000n, only), 500_000_000n);
  assert.equal(shares.share("r", 500_000_000n, only), 500_000_000n);
  assert.equal(shares.share("r", 499_999_999n, only), 499_999_999n);
  assert.equal(shares.share("r", 0n, only), 0n);
});

test("the oldest order is served first, whatever the order of arrival", () => {
  const shares = new OrderShares();
  const [old, middle, young] = [order(9, 1, 10n), order(5, 2, 10n), order(7, 3, 10n)];
  for (const each of [young, old, middle]) shares.change("r", undefined, each);
  assert.deepEqual(
    [...shares.shares("r", 15n)],
    [
      [9n, 10n],
      [5n, 5n],
      [7n, 0n],
    ],
  );
  assert.equal(shares.share("r", 15n, order(1, 4, 10n)), 0n, "an order that is not live");
  assert.equal(shares.share("other", 15n, old), 0n);
});

test("shares follow every change of orders and budget", () => {
  const step = fc.record({
    id: fc.integer({ min: 0, max: 12 }),
    amount: fc.bigInt({ min: 0n, max: 20n }),
    budget: fc.bigInt({ min: 0n, max: 100n }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = new OrderShares();
      const live = new Map<number, Order>();
      for (const { id, amount, budget } of steps) {
        const before = live.get(id);
        const after = amount === 0n ? undefined : order(id, 20 - id, amount);
        if (after === undefined) live.delete(id);
        else live.set(id, after);
        shares.change("r", before, after);
        let left = budget;
        const expected = [...live.values()]
          .sort((a, b) => Number(a.cursor - b.cursor))
          .map((each) => {
            const share = left < each.amount ? left : each.amount;
            left -= share;
            return [each.id, share] as const;
          });
        assert.deepEqual([...shares.shares("r", budget)], expected);
        for (const each of live.values()) {
          assert.equal(shares.share("r", budget, each), new Map(expected).get(each.id));
        }
      }
    }),
  );
});
