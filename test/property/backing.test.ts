// The backing records against a plain recomputation from the whole ledger, over random streams of
// entry changes, orders, watchers, late answers, dropped steps and restarts.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BackingRecords } from "../../src/book/backing/backing-records.ts";
import type { BookChange } from "../../src/book/book-change.ts";
import { EVENTS_MAX_DEFAULT } from "../../src/book/shared-layout.ts";
import type { BackingStep } from "../../src/book/step.ts";
import type { Address } from "../../src/model/address.ts";
import type { Backing } from "../../src/model/backing.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import { type Order, orderId } from "../../src/model/order.ts";
import { position } from "../../src/model/position.ts";
import { atOnce } from "../../src/model/slice-turns.ts";
import { type Random, randomFrom } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";
import { backedOrders, backingRows } from "../support/start-orders.ts";
import { type BackingRows, textRows } from "../support/text-rows.ts";
import { LateReader } from "./backing-reader.ts";
import {
  EXCHANGE,
  eventsSettingOf,
  isBelowReserve,
  OWNERS,
  plainBacking,
  TOKENS,
  World,
  type WorldChange,
} from "./backing-world.ts";

const FIRST = 1000;
const ORDERS = 8;
const WATCHED_MAX = 2;
/** What the first versions kept of a record. */
const UPDATED_AND_ANSWER = 2;

test("every loaded record equals the ledger it is of, whatever comes when", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0x7fff_ffff }), (seed) => {
      const run = new Run(randomFrom(seed));
      for (let turn = 0; turn < 250; turn += 1) run.turn();
      run.finish();
    }),
    { numRuns: runs(12), includeErrorInReport: true },
  );
});

class Run {
  readonly #random: Random;
  readonly #world = new World(FIRST);
  readonly #closed = new Map<number, readonly WorldChange[]>();
  #rows: BackingRows = new Map();
  readonly #skips = new Map<string, number>();
  readonly #live = new Map<bigint, Order>();
  /** What the shared book and a client who watches everybody know. */
  readonly #book = new Map<string, Backing>();
  readonly #seen = new Map<string, Backing>();
  /** The network's limit in the shared book. */
  #eventsMax = EVENTS_MAX_DEFAULT;
  #records: BackingRecords;
  #reader: LateReader;
  #ledger = FIRST;
  #watching: Address[] = [];
  /** Watched as the visible state has it. */
  #watched = new Set<Address>();
  #stepRequested = false;

  constructor(random: Random) {
    this.#random = random;
    this.#reader = new LateReader(this.#world, this.#closed, FIRST);
    this.#records = this.#open();
    this.#closed.set(FIRST + 1, this.#world.close(random));
    this.#reader.decode();
    this.#step(this.#reader.deltas.splice(0));
  }

  turn(): void {
    switch (this.#random(9)) {
      case 0:
      case 1:
        this.#closed.set(this.#world.ledger + 1, this.#world.close(this.#random));
        break;
      case 2:
      case 3:
        if (this.#reader.hasMore) this.#reader.decode();
        break;
      case 4:
        this.#load();
        break;
      case 5:
        this.#watchOrUnwatch();
        break;
      case 6:
        if (this.#stepRequested) this.#step([]);
        break;
      default:
        if (this.#reader.deltas.length > 0) {
          this.#step(this.#reader.deltas.splice(0, 1 + this.#random(3)));
        }
    }
    if (this.#random(60) === 0) this.#restart();
  }

  /** Everything still in flight arrives: then nothing may be unknown. */
  finish(): void {
    for (let round = 0; round < 200; round += 1) {
      while (this.#reader.hasMore) this.#reader.decode();
      while (this.#reader.isWaitedFor) this.#load();
      if (this.#reader.deltas.length > 0) this.#step(this.#reader.deltas.splice(0), []);
      else if (this.#stepRequested) this.#step([], []);
      else if (!this.#reader.isWaitedFor) break;
    }
    for (const owner of OWNERS) {
      for (const token of TOKENS) {
        const backing = this.#records.backing(owner, token);
        if (backing !== undefined) assert.notEqual(backing.updated, undefined);
      }
    }
    for (const [key, backing] of this.#book) assert.notEqual(backing.updated, undefined, key);
    const setting = eventsSettingOf(this.#world, this.#ledger);
    assert.equal(this.#eventsMax, setting ?? EVENTS_MAX_DEFAULT);
  }

  #open(): BackingRecords {
    this.#stepRequested = false;
    const records = new BackingRecords({
      contract: EXCHANGE,
      watchedAccountsMax: WATCHED_MAX,
      idleLedgersMax: this.#random(4),
      track: (request) => this.#reader.request(request),
    });
    // Some starts are on the store of a version before.
    if (this.#random(3) === 0) this.#rows = textRows(this.#rows);
    const changes = this.#start(records, this.#rows);
    const others = new BackingRecords({
      contract: EXCHANGE,
      watchedAccountsMax: WATCHED_MAX,
      track: () => undefined,
    });
    assert.deepEqual(
      [...changes].sort(byOwnerAndAsset),
      [...this.#start(others, textRows(this.#rows, UPDATED_AND_ANSWER))].sort(byOwnerAndAsset),
      "the rows of records say what the entries do",
    );
    this.#book.clear();
    for (const change of changes) this.#applyToBook(change);
    records.onUpdates(() => {
      this.#stepRequested = true;
    });
    return records;
  }

  #start(records: BackingRecords, rows: BackingRows): readonly BookChange[] {
    return records.load({
      ledger: this.#ledger === FIRST ? undefined : this.#ledger,
      closeTime: this.#ledger * 5,
      markets: [],
      ...backedOrders(() => this.#live.values()),
      rows: (prefix) => backingRows(rows, prefix),
      skipped: (owner, asset) => this.#skips.get(`${owner}${asset}`),
    });
  }

  #restart(): void {
    const before = this.#shown().filter(([, { owner, asset }]) => this.#hasOrder(owner, asset));
    this.#reader = new LateReader(this.#world, this.#closed, this.#ledger);
    this.#watching = [];
    this.#watched = new Set();
    this.#seen.clear();
    const limit = this.#eventsMax;
    this.#eventsMax = EVENTS_MAX_DEFAULT;
    this.#records = this.#open();
    assert.equal(this.#eventsMax, limit, "a restart keeps the network's limit");
    assert.deepEqual(this.#shown(), before, "a restart shows what was shown");
    for (const [key, backing] of before) if (backing.updated) this.#seen.set(key, backing);
    this.#check();
  }

  #shown(): [string, Backing][] {
    return OWNERS.flatMap((owner) =>
      TOKENS.flatMap((token): [string, Backing][] => {
        const backing = this.#records.backing(owner, token);
        return backing === undefined ? [] : [[`${owner}${token}`, backing]];
      }),
    );
  }

  #load(): void {
    for (const load of this.#reader.load(this.#random)) this.#records.entriesLoaded(load);
  }

  #watchOrUnwatch(): void {
    const [first] = this.#watching;
    if (first !== undefined && this.#random(2) === 0) {
      this.#watching.shift();
      this.#records.unwatch(first);
      return;
    }
    const owner = pick(this.#random, OWNERS);
    const fits = new Set([...this.#watching, owner]).size <= WATCHED_MAX;
    assert.equal(this.#records.watch(owner), fits);
    if (fits) this.#watching.push(owner);
  }

  #step(deltas: readonly LedgerDelta[], orders = this.#orderChanges()): void {
    const ledger = deltas.at(-1)?.ledger ?? this.#ledger;
    const skips = this.#randomSkips(ledger);
    const step: BackingStep = { deltas, orders, skips };
    // A step whose commit failed leaves no trace.
    if (this.#random(4) === 0) atOnce(this.#records.preparing(step));
    this.#stepRequested = false;
    const watched = new Set(this.#watching);
    const prepared = atOnce(this.#records.preparing(step));
    const rows = new Map(this.#rows);
    for (const { key, value } of prepared.rows) {
      if (value === undefined) rows.delete(key);
      else rows.set(key, value);
    }
    this.#rows = rows;
    prepared.apply();
    this.#ledger = ledger;
    this.#watched = watched;
    for (const { before, after } of orders) {
      if (before !== undefined) this.#live.delete(before.id);
      if (after !== undefined) this.#live.set(after.id, after);
    }
    for (const change of prepared.changes) this.#applyToBook(change);
    const told = new Set<string>();
    const depths = new Set<Address>();
    for (const event of prepared.events) {
      assert(event.kind === "backing" || event.kind === "nextBudget");
      depths.add(event.asset);
      if (event.kind === "nextBudget") {
        const { asset } = event;
        assert(
          prepared.changes.some((each) => each.kind === "backing" && each.backing.asset === asset),
        );
        continue;
      }
      const key = `${event.owner}${event.asset}`;
      assert(!told.has(key), "at most once a step");
      told.add(key);
      if (event.backing === undefined) this.#seen.delete(key);
      else this.#seen.set(key, event.backing);
    }
    for (const change of prepared.changes) {
      if (change.kind !== "backing") continue;
      const { owner, asset } = change.backing;
      // Of an order that the step itself changed depth is told as well.
      const counts = [...this.#live.values()].some(
        (order) =>
          order.owner === owner &&
          [order.selling, order.buying].includes(asset) &&
          !orders.some(({ after }) => after?.id === order.id),
      );
      assert(!counts || depths.has(asset), "depth is told");
    }
    for (const { before, after } of orders) {
      const order = after ?? before;
      if (order === undefined || !this.#records.backing(order.owner, order.selling)) continue;
      assert(told.has(`${order.owner}${order.selling}`), "an order change is told");
    }
    this.#check();
  }

  #applyToBook(change: BookChange): void {
    if (change.kind === "backing") {
      this.#book.set(`${change.backing.owner}${change.backing.asset}`, change.backing);
    } else if (change.kind === "forget") this.#book.delete(`${change.owner}${change.asset}`);
    else if (change.kind === "eventsMax") this.#eventsMax = change.bytes;
  }

  #orderChanges(): BackingStep["orders"] {
    const changes = new Map<bigint, { before?: Order; after?: Order }[]>();
    for (let count = this.#random(4); count > 0; count -= 1) {
      const id = BigInt(this.#random(ORDERS));
      const before = this.#live.get(id);
      const after = this.#random(3) === 0 ? undefined : this.#randomOrder(id, before);
      if (before === undefined && after === undefined) continue;
      const isOther = before !== undefined && after !== undefined && before.cursor !== after.cursor;
      const change = { ...(before && { before }), ...(after && { after }) };
      changes.set(id, isOther ? [{ before }, { after }] : [change]);
    }
    return [...changes.values()].flat();
  }

  /** Another order under the same id now and then. */
  #randomOrder(id: bigint, before: Order | undefined): Order {
    const amount = BigInt(1 + this.#random(300));
    if (before !== undefined && this.#random(4) > 0) return { ...before, amount };
    const at = this.#random(TOKENS.length);
    const [selling, buying] = [TOKENS[at], TOKENS[(at + 1) % TOKENS.length]];
    assert(selling !== undefined && buying !== undefined);
    return {
      id: orderId(id),
      status: "ACTIVE",
      owner: pick(this.#random, OWNERS),
      selling,
      buying,
      price: 1n,
      quote: amount,
      amount,
      expires: 0,
      created: 0,
      updated: 0,
      cursor: position({
        ledger: this.#world.ledger,
        transaction: 1 + Number(id),
        operation: 1,
        index: this.#random(60_000),
      }),
    };
  }

  #randomSkips(ledger: number): BackingStep["skips"] {
    const [order] = this.#live.values();
    if (order === undefined || this.#random(5) > 0) return [];
    const skip = { owner: order.owner, asset: order.selling, time: ledger * 5 };
    this.#skips.set(`${skip.owner}${skip.asset}`, skip.time);
    return [skip];
  }

  #hasOrder(owner: Address, token: Address): boolean {
    return [...this.#live.values()].some(
      (order) => order.owner === owner && (order.selling === token || order.buying === token),
    );
  }

  #check(): void {
    const setting = eventsSettingOf(this.#world, this.#ledger);
    assert([setting, EVENTS_MAX_DEFAULT].includes(this.#eventsMax), "the limit is of the ledger");
    for (const owner of OWNERS) {
      const loaded: Backing[] = [];
      for (const token of TOKENS) {
        const backing = this.#records.backing(owner, token);
        const hasOrder = this.#hasOrder(owner, token);
        const isTracked = hasOrder || (this.#watched.has(owner) && this.#isTraded(token));
        assert.equal(backing !== undefined, isTracked, `${owner} ${token} tracked`);
        if (backing === undefined) continue;
        this.#checkRecord(backing);
        if (hasOrder) assert.deepEqual(this.#book.get(`${owner}${token}`), this.#next(backing));
        if (backing.updated !== undefined) {
          loaded.push(backing);
          assert.deepEqual(this.#seen.get(`${owner}${token}`), backing, "every change is told");
        }
        this.#checkShares(backing);
      }
      loaded.sort((a, b) => (a.asset < b.asset ? -1 : 1));
      assert.deepEqual(this.#records.accountBacking(owner), loaded);
    }
    for (const [key, backing] of this.#book) {
      if (backing.owner === EXCHANGE) this.#checkOwn(backing);
      else assert(this.#hasOrder(backing.owner, backing.asset), `${key} left the book`);
    }
  }

  /**
   * The shared book is for the next ledger: an allowance that ends with this one is over, and what
   * a call cannot move without failing as a whole is not authorized.
   */
  #next(backing: Backing): Backing {
    const { owner, asset, liveUntil, updated } = backing;
    const isOver = liveUntil === this.#ledger;
    const isShort =
      updated !== undefined && isBelowReserve(this.#world, this.#ledger, owner, asset);
    return {
      ...backing,
      ...(isOver ? { allowance: 0n, liveUntil: 0, budget: 0n } : {}),
      ...(isShort ? { authorized: false, budget: 0n } : {}),
    };
  }

  #checkOwn({ owner, asset, authorized, updated }: Backing): void {
    const plain = plainBacking(this.#world, this.#ledger, owner, asset);
    assert.equal(authorized, updated === undefined ? false : plain.authorized);
  }

  #isTraded(token: Address): boolean {
    return this.#book.has(`${EXCHANGE}${token}`);
  }

  #checkRecord(backing: Backing): void {
    const { owner, asset, updated, skipped, pending, ...values } = backing;
    assert.equal(pending, false);
    if (owner !== EXCHANGE && skipped !== undefined) {
      assert.equal(skipped, this.#skips.get(`${owner}${asset}`));
    }
    if (updated === undefined) {
      assert.deepEqual(values, {
        balance: 0n,
        allowance: 0n,
        liveUntil: 0,
        authorized: false,
        budget: 0n,
      });
      return;
    }
    assert(updated <= this.#ledger * 5);
    const { headroom, ...plain } = plainBacking(this.#world, this.#ledger, owner, asset);
    const expected = headroom === undefined ? plain : { ...plain, headroom };
    assert.deepEqual(values, expected, `${owner} ${asset} at ${this.#ledger}`);
  }

  #checkShares({ owner, asset, budget }: Backing): void {
    let left = budget;
    const expected = new Map<bigint, bigint>();
    const selling = [...this.#live.values()].filter(
      (order) => order.owner === owner && order.selling === asset,
    );
    for (const order of selling.sort((a, b) => (a.cursor < b.cursor ? -1 : 1))) {
      const share = left < order.amount ? left : order.amount;
      left -= share;
      expected.set(order.id, share);
      assert.equal(this.#records.orderBacking(order)?.backed, share);
    }
    const shares = this.#records.ordersBacked(owner, asset).flatMap((block) => block.shares);
    assert.deepEqual(
      shares.map(({ id, backed }) => [id, backed]),
      [...expected],
    );
  }
}

function byOwnerAndAsset(one: BookChange, other: BookChange): number {
  return nameOf(one) < nameOf(other) ? -1 : 1;
}

function nameOf(change: BookChange): string {
  if (change.kind !== "backing") return change.kind;
  return `${change.backing.owner}${change.backing.asset}`;
}

function pick<T>(random: Random, from: readonly T[]): T {
  const picked = from[random(from.length)];
  assert(picked !== undefined);
  return picked;
}
