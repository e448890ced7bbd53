// A local book against a plain list that gets the same changes, and its simulation against the plan of the
// exchange's own model.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { BookChange, BookChanges, BookRow, BookSnapshot } from "hopbook/api";
import { type BookSide, Direction, isDust, LocalBook } from "hopbook/client";
import type { Backings } from "../../src/devnet/contract/backing.ts";
import type { ExchangeHost } from "../../src/devnet/contract/host.ts";
import { planFills } from "../../src/devnet/contract/match.ts";
import { address } from "../../src/model/address.ts";
import { orderId } from "../../src/model/order.ts";

const P = 10n ** 18n;
const BASE = address("CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC");
const QUOTE = address("CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA");
const TOPIC = { topic: "book:B/Q", market: "B/Q" } as const;
const TIME = "2026-01-01 00:00:00";

function row(id: number, more: Partial<BookRow> = {}): BookRow {
  const amounts = { price: String(P), rprice: 1, amount: "10", quote: "10", backed: "10" };
  const times = { created: TIME, updated: TIME, cursor: String(1000 + id) };
  return { id: String(id), owner: "G1", ...amounts, ...times, ...more };
}

function snapshot(ledger: number, asks: readonly BookRow[], part = 1, parts = 1): BookSnapshot {
  return { type: "book", ...TOPIC, ledger, part, parts, asks, bids: [] };
}

function update(ledger: number, previous: number, changes: readonly BookChange[]): BookChanges {
  return { type: "changes", ...TOPIC, ledger, previous, changes };
}

describe("a local book", () => {
  it("is whole with the last part of a snapshot", () => {
    const book = new LocalBook();
    assert.equal(book.apply(snapshot(5, [row(1)], 1, 3)), "applied");
    assert.equal(book.isComplete, false);
    assert.equal(book.apply(snapshot(5, [row(2)], 2, 3)), "applied");
    assert.equal(book.apply(snapshot(5, [row(3)], 3, 3)), "applied");
    assert.deepEqual([book.isComplete, book.ledger, book.size], [true, 5, 3]);
    // A part that was missed: nothing of it is shown.
    const other = new LocalBook();
    other.apply(snapshot(5, [row(1)], 1, 3));
    assert.equal(other.apply(snapshot(5, [row(3)], 3, 3)), "gap");
    assert.deepEqual([other.isComplete, other.size, other.orders("ask").length], [false, 0, 0]);
  });

  it("takes changes that follow, passes over older ones and notices what it missed", () => {
    const book = new LocalBook();
    const ask = { side: "ask" } as const;
    assert.equal(book.apply(update(4, 3, [])), "gap");
    book.apply(snapshot(5, [row(1)]));
    // The market's last change may be long before the snapshot.
    assert.equal(book.apply(update(4, 3, [{ cause: "cancel", id: "9", ...ask }])), "stale");
    const created = { cause: "new", id: "2", order: row(2), ...ask } as const;
    assert.equal(book.apply(update(7, 3, [created])), "applied");
    assert.equal(book.apply(update(7, 7, [{ cause: "expire", id: "1", ...ask }])), "applied");
    assert.deepEqual([book.ledger, book.size, book.order("1")], [7, 1, undefined]);
    assert.equal(book.apply(update(9, 8, [])), "gap");
    assert.deepEqual([book.isComplete, book.size], [false, 0]);
    assert.equal(book.apply(update(10, 9, [])), "gap");
    assert.equal(book.apply(snapshot(10, [row(3)])), "applied");
    assert.equal(book.isComplete, true);
  });

  it("throws where a change names an order that is not there", () => {
    const book = new LocalBook();
    book.apply(snapshot(5, []));
    const gone = { cause: "cancel", id: "1", side: "ask" } as const;
    assert.throws(() => book.apply(update(6, 5, [gone])), /does not have: 1/);
  });

  it("counts in depth what can be taken", () => {
    const book = new LocalBook();
    // Of the maker's 14 the cheapest order that counts gets all it asks for, whatever is older.
    const told = { owner: "G2", budget: "14" };
    const asks = [
      row(1, { price: String(2n * P) }),
      row(2, { price: String(2n * P), ...told }),
      row(3, { price: String(P), backed: "4", ...told }),
      row(4, { price: "1" }),
      row(5, { price: String(4n * P), backed: "0", ...told }),
    ];
    const { backed: _, ...unknown } = row(6, { price: String(3n * P), owner: "G3" });
    const bids = [row(7, { price: String(P / 3n) })];
    book.apply({ ...snapshot(5, [...asks, unknown]), bids });
    assert.deepEqual(book.depth("ask"), [
      { price: P, amount: 10n, orders: 1 },
      { price: 2n * P, amount: 14n, orders: 2 },
    ]);
    assert.equal(book.best("ask"), P);
    assert.equal(book.best("bid"), P / 3n);
    assert.equal(book.depth("ask", 0).length, 0);
    const backing = { cause: "backing", side: "ask", id: "3", backed: "0", budget: "0" } as const;
    book.apply(update(6, 5, [backing, { ...backing, id: "2" }, { ...backing, id: "5" }]));
    assert.deepEqual(book.depth("ask"), [{ price: 2n * P, amount: 10n, orders: 1 }]);
  });

  const side = fc.constantFrom<BookSide>("ask", "bid");
  const price = fc.oneof(
    fc.bigInt(1n, 5n).map((of) => (of * P) / 3n),
    fc.bigInt(1n, P * P),
  );
  const amount = fc.oneof(fc.bigInt(1n, 50n), fc.bigInt(1n, 10n ** 20n));
  const operation = fc.record({
    id: fc.integer({ min: 1, max: 12 }),
    kind: fc.constantFrom("put", "gone", "backing"),
    side,
    price,
    amount,
    backedPercent: fc.integer({ min: 0, max: 100 }),
    owner: fc.constantFrom("G1", "G2", "G3"),
  });

  it("is the list that gets the same changes, whatever they are", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const book = new LocalBook();
        const plain = new Map<string, { readonly side: BookSide; readonly row: BookRow }>();
        book.apply(snapshot(1, []));
        for (const [at, { id: number, kind, ...of }] of operations.entries()) {
          const id = String(number);
          const known = plain.get(id);
          const backed = String((of.amount * BigInt(of.backedPercent)) / 100n);
          let change: BookChange;
          if (kind === "put" || known === undefined) {
            const amounts = { price: String(of.price), amount: String(of.amount), backed };
            const order = row(number, { owner: of.owner, ...amounts });
            const side = known?.side ?? of.side;
            change = { cause: known === undefined ? "new" : "update", id, side, order };
            plain.set(id, { side, row: order });
          } else if (kind === "gone") {
            change = { cause: "cancel", id, side: known.side };
            plain.delete(id);
          } else {
            change = { cause: "backing", id, side: known.side, backed };
            plain.set(id, { ...known, row: { ...known.row, backed } });
          }
          assert.equal(book.apply(update(at + 2, at + 1, [change])), "applied");
          for (const one of ["ask", "bid"] as const) {
            const rows = [...plain.values()].flatMap(({ side, row: of }) =>
              side === one ? of : [],
            );
            assert.deepEqual(
              book.orders(one).map((order) => order.row),
              rows.sort(better),
            );
          }
          for (const [known, { row: of }] of plain) assert.deepEqual(book.order(known)?.row, of);
        }
        assert.equal(book.size, plain.size);
      }),
    );
  });

  it("simulates what the exchange plans for the orders that it lists", () => {
    const taker = fc.record({
      side,
      direction: fc.constantFrom(Direction.sell, Direction.buy),
      amount,
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 15 }), taker, (operations, take) => {
        const book = new LocalBook();
        const sides: Record<BookSide, BookRow[]> = { ask: [], bid: [] };
        for (const [at, { side: of, owner, ...more }] of operations.entries()) {
          const backed = (more.amount * BigInt(more.backedPercent)) / 100n;
          const amounts = { amount: String(more.amount), backed: String(backed) };
          sides[of].push(row(at, { owner, price: String(more.price), ...amounts }));
        }
        book.apply({ ...snapshot(1, sides.ask), bids: sides.bid });
        const simulated = book.simulate(take);
        const planned = plan(book, take);
        assert.deepEqual(
          simulated.fills.map(({ order, sold, bought }) => [order.id, sold, bought]),
          planned.fills.map(({ id, sold, bought }) => [String(id), sold, bought]),
        );
        assert.deepEqual(
          [simulated.sold, simulated.bought, simulated.rest],
          [planned.sold, planned.bought, planned.left],
        );
        for (const { order, bought, left } of simulated.fills) {
          const kept = order.amount - bought;
          assert.equal(left, isDust(kept, order.price) ? 0n : kept);
        }
      }),
    );
  });
});

function better(a: BookRow, b: BookRow): number {
  const [one, other] = [BigInt(a.price), BigInt(b.price)];
  if (one !== other) return one < other ? -1 : 1;
  return Number(BigInt(a.cursor) - BigInt(b.cursor));
}

type Taker = { readonly side: BookSide; readonly direction: Direction; readonly amount: bigint };

/** The exchange model's plan for every order of the side, the best first. */
function plan(book: LocalBook, { side, direction, amount }: Taker) {
  const [selling, buying] = side === "ask" ? [BASE, QUOTE] : [QUOTE, BASE];
  const budgets = new Map<string, bigint>();
  const orders = new Map(
    book.orders(side).map((order) => {
      budgets.set(order.owner, (budgets.get(order.owner) ?? 0n) + (order.backed ?? 0n));
      const { owner, price, amount: left } = order;
      return [
        orderId(BigInt(order.id)),
        { owner, price, amount: left, selling, buying, expires: 0n },
      ] as const;
    }),
  );
  const host = { orders, closeTime: 0, now: 0 } as unknown as ExchangeHost;
  const backings = {
    take: ({ owner }: { readonly owner: string }, of: bigint) => {
      const left = (budgets.get(owner) ?? 0n) - of;
      if (left < 0n) return false;
      budgets.set(owner, left);
      return true;
    },
  } as unknown as Backings;
  const demand = {
    direction,
    selling: buying,
    buying: selling,
    amount,
    orders: [...orders.keys()],
  };
  return planFills(host, demand, backings);
}
