import assert from "node:assert/strict";
import { test } from "node:test";
import type { BookChange } from "../../src/book/book-change.ts";
import type { BookCopy } from "../../src/book/shared-copy.ts";
import { FRONT_ORDERS } from "../../src/book/shared-layout.ts";
import { applyChange, writeState } from "../../src/book/shared-writer.ts";
import type { Address } from "../../src/model/address.ts";
import { type Order, orderId } from "../../src/model/order.ts";
import { position } from "../../src/model/position.ts";
import { PRICE_UNIT } from "../../src/model/settlement.ts";
import type { QuoteRequest } from "../../src/router-worker/quote.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { account, token } from "../support/addresses.ts";
import { bookStateOf, changesOfWorld, emptyCopy } from "../support/book-of-world.ts";
import { type Random, randomFrom } from "../support/random-ledgers.ts";
import {
  type QuoteWorldOptions,
  randomQuoteWorld,
  SMALL_WORLD,
} from "../support/random-quote-world.ts";
import { runs } from "../support/runs.ts";

const CHANGES_MAX = 600;

/** A change of an order or of a maker's backing; orders come and go. */
function randomChange(random: Random, world: readonly BookChange[], live: Set<bigint>): BookChange {
  const change = world[random(world.length)];
  assert(change !== undefined);
  if (change.kind === "backing") {
    const { backing } = change;
    const isOff = random(4) === 0;
    const budget = isOff ? 0n : (backing.budget * BigInt(random(5))) / 3n;
    const skipped = random(5) === 0 ? { skipped: 1_700_000_000 - random(1200) } : {};
    const pending = random(4) === 0;
    const authorized = !isOff && backing.authorized;
    return { kind: "backing", backing: { ...backing, budget, authorized, pending, ...skipped } };
  }
  assert(change.kind === "put");
  const { order } = change;
  if (live.has(order.id) && random(3) === 0) {
    live.delete(order.id);
    return { kind: "remove", id: order.id };
  }
  live.add(order.id);
  const amount = order.amount * BigInt(1 + random(3));
  const price = random(2) === 0 ? order.price : order.price + BigInt(random(2 ** 30));
  const expires = random(6) === 0 ? 1_700_000_000 + random(40) : 0;
  return { kind: "put", order: { ...order, amount, price, expires } };
}

/** A few orders a side; and sides of which most quotes see the front alone. */
const WORLDS: readonly QuoteWorldOptions[] = [
  { ...SMALL_WORLD, orders: 60, assets: 5 },
  { ...SMALL_WORLD, orders: 200, assets: 2, makers: 12, wild: false },
];

test("a search that has seen a book change answers as one that sees it for the first time", () => {
  let answers = 0;
  for (let seed = 1; seed <= runs(4); seed += 1) {
    const random = randomFrom(seed);
    const { state, request } = randomQuoteWorld(seed, WORLDS[seed % 2]);
    const world = changesOfWorld(state);
    const copies: readonly [BookCopy, BookCopy] = [
      emptyCopy(state.contract, CHANGES_MAX),
      emptyCopy(state.contract, CHANGES_MAX),
    ];
    const live = new Set(
      world.flatMap((change) => (change.kind === "put" ? [change.order.id] : [])),
    );
    const seasoned = new QuoteSearch(copies[0].view);
    let changes = world;
    let now = state.now;
    for (let step = 1; step <= 30; step += 1) {
      for (const copy of copies) {
        writeState(copy.view, step, { ...bookStateOf(state), ledger: state.ledger + step });
        for (const change of changes) applyChange(copy, change);
      }
      now += random(20);
      const { view } = copies[step % 2] ?? copies[0];
      const context = { now, skipWindow: 600, shouldStop: () => false };
      for (const direction of ["strict_send", "strict_receive"] as const) {
        const asked: QuoteRequest = {
          ...request,
          direction,
          amount: 1n + (request.amount * BigInt(random(40))) / 20n,
        };
        const fresh = new QuoteSearch(view).quote(view, asked, context);
        const got = seasoned.quote(view, asked, context);
        assert.deepEqual(got, fresh, `seed ${seed}, step ${step}`);
        if (got.status === "success") answers += 1;
      }
      changes = Array.from({ length: random(4) }, () => randomChange(random, world, live));
    }
  }
  assert(answers > runs(32), `only ${answers} answers`);
});

const SELLING = token(1);
const BUYING = token(0);
/** On both sides of where fronts end. */
const PLACES = FRONT_ORDERS + 4;
const UNITS = 1_000_000n;

/** Orders of a maker each, dearer by one part in a hundred from one to the next. */
function ladder(orders: number): readonly BookChange[] {
  return Array.from({ length: orders }, (_, at): readonly BookChange[] => {
    const owner = account(at);
    return [
      { kind: "put", order: orderAt(at, UNITS, owner) },
      backingOf(owner, SELLING, 1n << 60n),
      backingOf(owner, BUYING, 1n << 60n),
    ];
  }).flat();
}

function backingOf(owner: Address, asset: Address, budget: bigint): BookChange {
  const known = { owner, asset, updated: 1, authorized: true, pending: false, liveUntil: 9999 };
  return { kind: "backing", backing: { ...known, balance: budget, allowance: budget, budget } };
}

function orderAt(place: number, amount: bigint, owner: Address = account(place)): Order {
  return {
    id: orderId(BigInt(1 + place)),
    ...{ owner, selling: SELLING, buying: BUYING, status: "ACTIVE", amount, quote: amount },
    price: (PRICE_UNIT * BigInt(100 + place)) / 100n,
    ...{ expires: 0, created: 0, updated: 0 },
    cursor: position({ ledger: 1 + place, transaction: 1, operation: 1, index: 0 }),
  };
}

test("whatever changes at whatever place of a side, the next quote that reaches it shows it", () => {
  for (const orders of [FRONT_ORDERS - 1, FRONT_ORDERS, FRONT_ORDERS + 1, PLACES]) {
    const copy = emptyCopy(token(999), 3 * PLACES + 3);
    const { view } = copy;
    const seasoned = new QuoteSearch(view);
    let step = 0;
    const apply = (changes: readonly BookChange[]) => {
      step += 1;
      writeState(view, step, { ledger: step, closeTime: 1_700_000_000, frozen: false });
      for (const change of changes) applyChange(copy, change);
      const fresh = new QuoteSearch(view);
      for (let reached = 1; reached <= PLACES; reached += 1) {
        // Of half an order price by price is the best list, of nearly all of it the cheapest can be the break item.
        for (const left of [1n, UNITS / 2n]) {
          const request: QuoteRequest = {
            direction: "strict_receive",
            ...{ sellingAsset: BUYING, buyingAsset: SELLING, direct: false },
            amount: BigInt(reached) * UNITS - left,
          };
          const context = { now: 1_700_000_000, skipWindow: 600, shouldStop: () => false };
          const expected = fresh.quote(view, request, context);
          assert.deepEqual(
            seasoned.quote(view, request, context),
            expected,
            `${orders}, ${reached}`,
          );
        }
      }
    };
    apply(ladder(orders));
    for (let place = FRONT_ORDERS - 3; place < orders; place += 1) {
      apply([{ kind: "put", order: orderAt(place, UNITS + 7n) }]);
      apply([{ kind: "put", order: { ...orderAt(place, UNITS), price: PRICE_UNIT * 3n } }]);
      apply([{ kind: "put", order: orderAt(place, UNITS) }]);
      // It stays on its side, but cannot be filled.
      apply([backingOf(account(place), SELLING, 0n)]);
      apply([backingOf(account(place), SELLING, 1n << 60n)]);
      apply([{ kind: "remove", id: orderAt(place, UNITS).id }]);
      apply([{ kind: "put", order: orderAt(place, UNITS) }]);
    }
  }
});

test("a price that changes by less than a double tells changes what orders cost", () => {
  const copy = emptyCopy(token(999), 3 * PLACES + 3);
  const { view } = copy;
  const request: QuoteRequest = {
    direction: "strict_send",
    ...{ sellingAsset: BUYING, buyingAsset: SELLING, direct: false, amount: 8n },
  };
  const context = { now: 1_700_000_000, skipWindow: 600, shouldStop: () => false };
  const seasoned = new QuoteSearch(view);
  const small = { ...orderAt(0, 1n), price: PRICE_UNIT };
  const large = { ...orderAt(1, 5n), price: PRICE_UNIT };
  const step = (sequence: number, changes: readonly BookChange[]) => {
    writeState(view, sequence, { ledger: sequence, closeTime: 1_700_000_000, frozen: false });
    for (const change of changes) applyChange(copy, change);
    return seasoned.quote(view, request, context);
  };
  const backings = ladder(2).filter(({ kind }) => kind === "backing");
  const put = [small, large].map((order): BookChange => ({ kind: "put", order }));
  // Two units are left over, of which another one could be bought.
  assert.equal(step(1, [...put, ...backings]).status, "unfeasible");
  // One unit more for the large one, and the unit left over buys nothing.
  const dearer = step(2, [{ kind: "put", order: { ...large, price: PRICE_UNIT + 1n } }]);
  assert.equal(dearer.status, "success");
  assert.equal(step(3, [{ kind: "put", order: large }]).status, "unfeasible");
});
