import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyCopy } from "../../../test/support/book-of-world.ts";
import { plainOrder } from "../../../test/support/plain-order.ts";
import { readDepth } from "../../../test/support/read-depth.ts";
import { backedOrders, backingRows } from "../../../test/support/start-orders.ts";
import { type BackingRows, textRows } from "../../../test/support/text-rows.ts";
import { type Address, accountAddress, contractAddress } from "../../model/address.ts";
import type { TrackingRequest } from "../../model/entry-tracking.ts";
import type { ExchangeEvent, LedgerDelta, TrackedEntry } from "../../model/ledger-delta.ts";
import type { Order } from "../../model/order.ts";
import { position } from "../../model/position.ts";
import { atOnce } from "../../model/slice-turns.ts";
import type { BookChange } from "../book-change.ts";
import { applyChange, writeState } from "../shared-writer.ts";
import type { BackingStep, PreparedBacking } from "../step.ts";
import { BackingRecords } from "./backing-records.ts";
import type { PollWork } from "./custom-tokens.ts";
import { accountKey, allowanceKey, balanceKey, instanceKey, trustlineKey } from "./ledger-keys.ts";

const account = (number: number) => accountAddress(new Uint8Array(32).fill(number));
const contract = (number: number) => contractAddress(new Uint8Array(32).fill(number));
const exchange = contract(1);
const xlm = contract(2);
const usd = contract(3);
const odd = contract(4);
const issuer = account(10);
const maker = account(11);
const asset = { code: "USD", issuer };
const lineKey = trustlineKey(maker, asset);
const grantKey = allowanceKey(usd, maker, exchange);

const line = (balance: bigint, flags = 1): TrackedEntry => ({
  kind: "trustline",
  balance,
  limit: 10_000n,
  sellingLiabilities: 0n,
  buyingLiabilities: 0n,
  flags,
});
const grant = (amount: bigint, liveUntil: number): TrackedEntry => ({
  kind: "allowance",
  amount,
  liveUntil,
});

function order(number: number, selling: Address, buying: Address, amount: bigint): Order {
  return plainOrder(number, number, { owner: maker, selling, buying, amount });
}

/** The records over a ledger whose entries a test sets; the reader answers when told to. */
class Bench {
  readonly entries = new Map<string, TrackedEntry>([
    [instanceKey(xlm), { kind: "token", asset: "native" }],
    [instanceKey(usd), { kind: "token", asset: `USD:${issuer}` }],
    [instanceKey(odd), { kind: "token" }],
    [lineKey, line(1000n)],
    [grantKey, grant(800n, 500)],
    [allowanceKey(xlm, maker, exchange), grant(1n << 80n, 500)],
    [
      accountKey(maker),
      {
        kind: "account",
        balance: 5000n,
        sellingLiabilities: 0n,
        buyingLiabilities: 0n,
        subentries: 1,
        sponsoring: 0,
        sponsored: 0,
        flags: 0,
      },
    ],
  ]);
  rows: BackingRows = new Map();
  readonly work: PollWork[] = [];
  readonly tokens: Address[] = [];
  readonly followed = new Set<string>();
  records: BackingRecords;
  /** What the shared book began with. */
  loaded: readonly BookChange[] = [];
  /** How many orders of a maker were read at once. */
  readonly read: number[] = [];
  ledger = 100;
  #wanted: { request: number; key: string }[] = [];
  #orders: Order[] = [];

  constructor() {
    this.records = this.open();
  }

  open(): BackingRecords {
    this.records = new BackingRecords({
      contract: exchange,
      watchedAccountsMax: 2,
      track: (request) => this.#track(request),
      polls: () => ({
        work: (work) => this.work.push(work),
        reached: () => undefined,
        stop: () => undefined,
      }),
    });
    this.loaded = this.records.load({
      ledger: this.ledger === 100 ? undefined : this.ledger,
      closeTime: this.ledger * 5,
      markets: [],
      ...this.#startOrders(),
      rows: (prefix) => backingRows(this.rows, prefix),
      skipped: () => undefined,
    });
    return this.records;
  }

  /** One ledger: its entry changes are those of `changed`. */
  close(
    step: Partial<LedgerDelta> & Partial<Omit<BackingStep, "deltas">> = {},
    changed: Readonly<Record<string, TrackedEntry | undefined>> = {},
  ): PreparedBacking {
    this.ledger += 1;
    const { orders = [], skips = [], ...parts } = step;
    const entries = Object.entries(changed).map(([key, entry]) => {
      if (entry === undefined) this.entries.delete(key);
      else this.entries.set(key, entry);
      return entry === undefined ? { key } : { key, entry };
    });
    const followed = entries.filter(({ key }) => this.followed.has(key));
    const delta = this.delta({ entries: followed, ...parts });
    return this.step({ deltas: [delta], orders, skips });
  }

  /** Of the ledger as it is. */
  delta(parts: Partial<LedgerDelta>): LedgerDelta {
    return {
      ledger: this.ledger,
      hash: "",
      previousHash: "",
      closeTime: this.ledger * 5,
      protocol: 23,
      baseReserve: 100,
      events: [],
      failures: [],
      entries: [],
      tokenEvents: [],
      ...parts,
    };
  }

  step(step: BackingStep = { deltas: [], orders: [], skips: [] }): PreparedBacking {
    const prepared = atOnce(this.records.preparing(step));
    const rows = new Map(this.rows);
    for (const { key, value } of prepared.rows) {
      if (value === undefined) rows.delete(key);
      else rows.set(key, value);
    }
    this.rows = rows;
    prepared.apply();
    for (const { before, after } of step.orders) {
      this.#orders = this.#orders.filter((each) => each.id !== before?.id);
      if (after !== undefined) this.#orders.push(after);
    }
    return prepared;
  }

  /** The reader answers all that is asked for, and what follows from that; `ahead` in ledgers. */
  load({ ahead = 0 } = {}): void {
    while (this.#wanted.length > 0) {
      for (const { request, key } of this.#wanted.splice(0)) {
        const entry = this.entries.get(key);
        const entries = [entry === undefined ? { key } : { key, entry }];
        this.records.entriesLoaded({ request, ledger: this.ledger + ahead, entries });
      }
      this.step();
    }
  }

  /** The maker's orders, of the numbers 1 and up, all known. */
  place(...orders: readonly Order[]): PreparedBacking {
    const placed = this.close({ orders: orders.map((after) => ({ after })) });
    this.load();
    return placed;
  }

  #startOrders(): ReturnType<typeof backedOrders> {
    const start = backedOrders(() => this.#orders);
    return {
      ...start,
      ordersSelling: (owner, asset) => {
        const orders = start.ordersSelling(owner, asset);
        this.read.push(orders.length);
        return orders;
      },
    };
  }

  #track(request: TrackingRequest): void {
    if (request.kind === "tokens") this.tokens.splice(0, this.tokens.length, ...request.tokens);
    if (request.kind === "untrack") for (const key of request.keys) this.followed.delete(key);
    if (request.kind !== "track") return;
    for (const key of request.keys) {
      this.followed.add(key);
      if (request.load) this.#wanted.push({ request: request.request, key });
    }
  }
}

test("a record is unknown until its entries are loaded, and then as the ledger has it", () => {
  const bench = new Bench();
  bench.close({ orders: [{ after: order(1, usd, xlm, 500n) }] });
  assert.deepEqual(bench.records.backing(maker, usd), {
    owner: maker,
    asset: usd,
    balance: 0n,
    allowance: 0n,
    liveUntil: 0,
    authorized: false,
    budget: 0n,
    pending: false,
  });
  assert.deepEqual(bench.records.accountBacking(maker), []);
  assert.equal(bench.records.orderBacking(order(1, usd, xlm, 500n))?.backed, 0n);
  bench.load();
  assert.deepEqual(bench.records.backing(maker, usd), {
    owner: maker,
    asset: usd,
    balance: 1000n,
    allowance: 800n,
    liveUntil: 500,
    authorized: true,
    budget: 800n,
    headroom: 9000n,
    updated: 505,
    pending: false,
  });
  assert.equal(bench.records.backing(maker, xlm)?.balance, 5000n - 300n);
  assert.deepEqual(
    bench.records.accountBacking(maker).map((each) => each.asset),
    [xlm, usd].sort(),
  );
  assert.equal(bench.records.backing(issuer, usd), undefined);
  assert.equal(bench.records.backing(exchange, usd), undefined, "the contract's own is not shown");
});

test("records that are not loaded are counted, the contract's own among them", () => {
  const bench = new Bench();
  bench.close({ orders: [{ after: order(1, usd, xlm, 500n) }] });
  assert.equal(bench.records.unloaded, 4);
  bench.load();
  assert.equal(bench.records.unloaded, 0);
  bench.close({ orders: [{ after: order(2, odd, xlm, 5n) }] });
  assert.equal(bench.records.unloaded, 2);
  bench.load();
  assert.equal(bench.records.unloaded, 1, "a custom token has not answered");
  bench.close({ orders: [{ before: order(2, odd, xlm, 5n) }] });
  assert.equal(bench.records.unloaded, 0);
});

test("an answer of a ledger still to come waits for it", () => {
  const bench = new Bench();
  bench.place(order(1, usd, xlm, 500n));
  const other = account(12);
  const key = trustlineKey(other, asset);
  bench.close({ orders: [{ after: { ...order(2, usd, xlm, 5n), owner: other } }] });
  const before = bench.ledger;
  bench.entries.set(key, line(70n));
  bench.load({ ahead: 2 });
  bench.close({}, { [key]: line(10n) });
  assert.equal(bench.records.backing(other, usd)?.updated, undefined);
  bench.close();
  assert.equal(bench.records.backing(other, usd)?.balance, 70n, "the answer includes the change");
  assert.equal(bench.records.backing(other, usd)?.updated, (before + 2) * 5);
});

test("revoked authorization takes the budget at once, and restoring brings it back", () => {
  const bench = new Bench();
  const placed = order(1, usd, xlm, 500n);
  bench.place(placed);
  assert.equal(bench.records.orderBacking(placed)?.backed, 500n);
  const revoked = bench.close({}, { [lineKey]: line(1000n, 2) });
  const record = bench.records.backing(maker, usd);
  assert.deepEqual([record?.authorized, record?.budget, record?.balance], [false, 0n, 1000n]);
  assert.equal(bench.records.orderBacking(placed)?.backed, 0n);
  const restored = bench.close({}, { [lineKey]: line(1000n) });
  assert.equal(bench.records.orderBacking(placed)?.backed, 500n);
  for (const step of [revoked, restored]) {
    assert.deepEqual(
      step.events.map(({ kind }) => kind),
      ["backing"],
    );
    assert.deepEqual(step.changes.length, 1);
  }
});

test("whatever moves the money away shows in the same ledger", () => {
  const placed = order(1, usd, xlm, 500n);
  for (const [what, key, entry] of [
    ["a payment or clawback", lineKey, line(120n)],
    ["a removed trustline", lineKey, undefined],
    ["an approve", grantKey, grant(120n, 400)],
    ["a revoked approve", grantKey, grant(0n, 0)],
  ] as const) {
    const bench = new Bench();
    bench.place(placed);
    const left = entry?.kind === "allowance" ? entry.amount : entry === undefined ? 0n : 120n;
    const { events } = bench.close({}, { [key]: entry });
    assert.equal(bench.records.orderBacking(placed)?.backed, left, what);
    assert.equal(events.length, 1, what);
  }
});

test("an allowance lapses after its last ledger though nothing tells so", () => {
  const bench = new Bench();
  bench.entries.set(grantKey, grant(800n, 103));
  const placed = order(1, usd, xlm, 500n);
  bench.place(placed);
  bench.close();
  assert.equal(bench.ledger, 102);
  const last = bench.close();
  assert.equal(bench.records.orderBacking(placed)?.backed, 500n);
  assert.deepEqual(
    last.events,
    [{ kind: "nextBudget", asset: usd }],
    "for depth; accounts are told later",
  );
  const [change] = last.changes;
  assert(change?.kind === "backing");
  assert.deepEqual(
    [change.backing.budget, change.backing.asset],
    [0n, usd],
    "for quotes it is over",
  );
  const { changes, events } = bench.close();
  assert.equal(bench.records.orderBacking(placed)?.backed, 0n);
  assert.equal(bench.records.backing(maker, usd)?.liveUntil, 0);
  assert.deepEqual([changes.length, events.length], [1, 1]);
  // Its eviction later says nothing new.
  assert.equal(bench.close({}, { [grantKey]: undefined }).changes.length, 0);
});

test("a new base reserve changes every native balance", () => {
  const bench = new Bench();
  bench.place(order(1, xlm, usd, 10_000n));
  assert.equal(bench.records.backing(maker, xlm)?.budget, 4700n);
  bench.close({ baseReserve: 1000 });
  assert.equal(bench.records.backing(maker, xlm)?.budget, 2000n);
  bench.close({ baseReserve: 10_000 });
  assert.equal(bench.records.backing(maker, xlm)?.budget, 0n);
});

test("the last order of a maker takes the record along; entries stay followed for a while", () => {
  const bench = new Bench();
  const placed = order(1, usd, xlm, 500n);
  bench.place(placed);
  const { changes, events } = bench.close({ orders: [{ before: placed }] });
  assert.equal(bench.records.backing(maker, usd), undefined);
  assert.deepEqual(changes.map(({ kind }) => kind).sort(), ["forget", "forget"]);
  assert(events.every((each) => each.kind === "backing" && each.backing === undefined));
  bench.close({}, { [lineKey]: line(77n) });
  bench.close({ orders: [{ after: order(2, usd, xlm, 500n) }] });
  assert.equal(bench.records.backing(maker, usd)?.balance, 77n, "known without asking");
  bench.close({ orders: [{ before: order(2, usd, xlm, 500n) }] });
  assert(bench.followed.has(lineKey));
  for (let count = 0; count < 121; count += 1) bench.close();
  assert(!bench.followed.has(lineKey));
  assert(![...bench.rows.keys()].some((key) => key.includes(lineKey)));
});

test("a skip is shown with its time until the maker's record ends", () => {
  const bench = new Bench();
  const placed = order(1, usd, xlm, 500n);
  bench.place(placed);
  const skips = [{ owner: maker, asset: usd, time: 510 }];
  const { changes } = bench.close({ skips });
  assert.equal(bench.records.backing(maker, usd)?.skipped, 510);
  assert.equal(bench.records.backing(maker, usd)?.updated, 505);
  assert.equal(changes.length, 1);
});

test("a watched account has a record in every traded token, within the limit of accounts", async () => {
  const bench = new Bench();
  bench.place(order(1, usd, xlm, 500n));
  const watcher = account(40);
  assert.equal(bench.records.watch(watcher), true);
  assert.equal(bench.records.watch(watcher), true, "a second look at the same account");
  assert.equal(bench.records.watch(account(41)), true);
  assert.equal(bench.records.watch(account(42)), false, "one account too many");
  let isLoaded = false;
  const loaded = bench.records.loaded(watcher, 60_000).then(() => {
    isLoaded = true;
  });
  const { changes } = bench.step();
  assert.equal(changes.length, 0, "quotes need no record of one who has no orders");
  await Promise.resolve();
  assert.equal(isLoaded, false);
  bench.load();
  await loaded;
  assert.deepEqual(
    bench.records.accountBacking(watcher).map((each) => [each.asset, each.authorized]),
    [
      [xlm, false],
      [usd, false],
    ].sort(),
  );
  const refresh: ExchangeEvent = {
    kind: "refresh",
    position: position({ ledger: 1, transaction: 1, operation: 1, index: 0 }),
    base: xlm,
    quote: odd,
  };
  bench.close({ events: [refresh] });
  bench.load();
  assert.notEqual(bench.records.backing(watcher, odd), undefined, "a market that opens later");
  bench.records.unwatch(watcher);
  bench.step();
  assert.notEqual(bench.records.backing(watcher, usd), undefined, "somebody still watches");
  bench.records.unwatch(watcher);
  const { events } = bench.step();
  assert.equal(bench.records.backing(watcher, usd), undefined);
  assert.equal(events.length, 3);
});

test("waiting for records ends with the time given", async () => {
  const bench = new Bench();
  bench.close({ orders: [{ after: order(1, usd, xlm, 500n) }] });
  await bench.records.loaded(maker, 5);
  assert.equal(bench.records.backing(maker, usd)?.updated, undefined);
});

test("a custom token is asked, and pending until an answer is confirmed", () => {
  const bench = new Bench();
  const placed = order(1, odd, xlm, 50n);
  bench.place(placed);
  assert.deepEqual(bench.tokens, [odd]);
  assert.deepEqual(
    bench.work.flatMap(({ poll }) => poll),
    [{ owner: maker, asset: odd }],
  );
  assert.equal(bench.records.backing(maker, odd)?.updated, undefined);
  bench.records.tokenAnswered({
    owner: maker,
    asset: odd,
    balance: 40n,
    allowance: 30n,
    ledger: bench.ledger,
  });
  bench.step();
  assert.deepEqual(bench.records.backing(maker, odd), {
    owner: maker,
    asset: odd,
    balance: 40n,
    allowance: 30n,
    liveUntil: 0xffff_ffff,
    authorized: true,
    budget: 30n,
    updated: bench.ledger * 5,
    pending: false,
  });
  bench.work.length = 0;
  const event = { token: odd, addresses: [maker, account(50)] };
  const { events } = bench.close({ tokenEvents: [event] });
  const since = bench.ledger;
  assert.deepEqual(
    bench.work.flatMap(({ poll }) => poll),
    [{ owner: maker, asset: odd, since }],
  );
  assert.equal(bench.records.backing(maker, odd)?.pending, true);
  assert.equal(bench.records.orderBacking(placed)?.backed, 30n, "the last answer stands meanwhile");
  assert.equal(events.length, 1);
  const answer = { owner: maker, asset: odd, balance: 20n, allowance: 30n, ledger: bench.ledger };
  bench.records.tokenAnswered(answer);
  bench.step();
  assert.equal(bench.records.backing(maker, odd)?.pending, true);
  assert.equal(bench.records.orderBacking(placed)?.backed, 20n);
  bench.records.tokenAnswered({ ...answer, confirms: since });
  bench.step();
  assert.equal(bench.records.backing(maker, odd)?.pending, false);
});

test("an answer confirms the event it was asked for, not a later one", () => {
  const bench = new Bench();
  bench.place(order(1, odd, xlm, 50n));
  const event = { token: odd, addresses: [maker] };
  bench.close({ tokenEvents: [event] });
  const since = bench.ledger;
  bench.close({ tokenEvents: [event] });
  const answer = { owner: maker, asset: odd, balance: 20n, allowance: 30n, ledger: bench.ledger };
  bench.records.tokenAnswered({ ...answer, confirms: since });
  bench.step();
  assert.equal(bench.records.backing(maker, odd)?.pending, true);
});

test("an answer of a ledger that is not reached yet waits for it", () => {
  const bench = new Bench();
  const placed = order(1, odd, xlm, 50n);
  bench.place(placed);
  const ledger = bench.ledger + 2;
  const answer = { owner: maker, asset: odd, balance: 40n, allowance: 30n, ledger };
  bench.records.tokenAnswered(answer);
  bench.step();
  assert.equal(bench.records.orderBacking(placed)?.backed, 0n);
  bench.close();
  bench.records.tokenAnswered({ ...answer, balance: 20n });
  assert.equal(bench.records.orderBacking(placed)?.backed, 0n);
  bench.close();
  assert.equal(bench.records.orderBacking(placed)?.backed, 20n, "the newer of the two");
});

test("fills that name a maker count as events of a token that tells nothing", () => {
  const bench = new Bench();
  const placed = order(1, odd, xlm, 50n);
  bench.place(placed);
  const trade: ExchangeEvent = {
    kind: "trade",
    position: position({ ledger: 2, transaction: 1, operation: 1, index: 0 }),
    order: placed.id,
    taker: account(50),
    maker,
    soldAsset: xlm,
    boughtAsset: odd,
    sold: 1n,
    bought: 1n,
    left: 49n,
    crossfill: false,
  };
  bench.close({ events: [trade], orders: [{ before: placed, after: { ...placed, amount: 49n } }] });
  assert.equal(bench.records.backing(maker, odd)?.pending, true);
  assert.equal(bench.records.backing(maker, xlm)?.pending, false, "the ledger itself tells");
});

test("an approve tells until when an allowance lives; the lapse is seen and asked about", () => {
  const bench = new Bench();
  const placed = order(1, odd, xlm, 50n);
  bench.place(placed);
  const event = { token: odd, addresses: [maker, exchange], liveUntil: 104 };
  bench.close({ tokenEvents: [event] });
  const answer = { owner: maker, asset: odd, balance: 40n, allowance: 30n, ledger: bench.ledger };
  bench.records.tokenAnswered({ ...answer, confirms: bench.ledger });
  bench.step();
  assert.equal(bench.records.backing(maker, odd)?.liveUntil, 104);
  while (bench.ledger < 104) bench.close();
  assert.equal(bench.records.orderBacking(placed)?.backed, 30n);
  bench.work.length = 0;
  bench.close();
  assert.equal(bench.records.orderBacking(placed)?.backed, 0n);
  assert.equal(bench.records.backing(maker, odd)?.pending, true);
  assert.equal(bench.work.flatMap(({ poll }) => poll).length, 1);
});

test("an approval is remembered without an order, across orders and restarts", () => {
  const bench = new Bench();
  bench.place(order(1, usd, odd, 50n));
  const other = account(12);
  const event = { token: odd, addresses: [other, exchange], liveUntil: 110 };
  bench.close({ tokenEvents: [event, { ...event, addresses: [account(13), account(14)] }] });
  const theirs = { ...order(2, odd, xlm, 50n), owner: other };
  const answer = { owner: other, asset: odd, balance: 40n, allowance: 30n, ledger: bench.ledger };
  const liveUntil = () => {
    bench.records.tokenAnswered(answer);
    bench.step();
    return bench.records.backing(other, odd)?.liveUntil;
  };
  bench.close({ orders: [{ after: theirs }] });
  assert.equal(liveUntil(), 110);
  bench.close({ orders: [{ before: theirs }] });
  bench.open();
  bench.close({ orders: [{ after: theirs }] });
  bench.load();
  assert.equal(liveUntil(), 110);
  while (bench.ledger <= 110) bench.close();
  assert.equal(bench.records.backing(other, odd)?.budget, 0n);
  assert.equal([...bench.rows.keys()].filter((key) => key.startsWith("approval")).length, 0);
});

test("an approval counts that came before the token was traded; one of an asset is not kept", () => {
  const bench = new Bench();
  const approvals = () => [...bench.rows.keys()].filter((key) => key.startsWith("approval"));
  bench.place(order(1, usd, xlm, 50n));
  const event = { token: odd, addresses: [maker, exchange], liveUntil: 400 };
  bench.close({ tokenEvents: [event, { ...event, token: usd }] });
  assert.equal(approvals().length, 1);
  bench.place(order(2, odd, xlm, 50n));
  bench.records.tokenAnswered({
    owner: maker,
    asset: odd,
    balance: 40n,
    allowance: 30n,
    ledger: bench.ledger,
  });
  bench.step();
  assert.equal(bench.records.backing(maker, odd)?.liveUntil, 400);
});

test("a restart knows every record as of its ledger, answers of tokens and what awaits one included", () => {
  const bench = new Bench();
  bench.place(order(1, usd, xlm, 500n), order(2, odd, usd, 50n));
  const polls = () => bench.work.splice(0).flatMap(({ poll }) => poll);
  const restartsTheSame = () => {
    const shown = () => [...bench.records.accountBacking(maker), bench.records.backing(maker, odd)];
    const before = shown();
    polls();
    bench.open();
    assert.deepEqual(shown(), before);
    return before.at(-1)?.pending;
  };
  // An event before the first answer.
  bench.close({ tokenEvents: [{ token: odd, addresses: [maker] }] });
  assert.equal(restartsTheSame(), true);
  assert.deepEqual(polls(), [{ owner: maker, asset: odd, since: bench.ledger }]);
  const answer = { owner: maker, asset: odd, balance: 40n, allowance: 30n, ledger: bench.ledger };
  bench.records.tokenAnswered({ ...answer, confirms: bench.ledger });
  bench.step();
  bench.close({}, { [lineKey]: line(120n) });
  assert.equal(restartsTheSame(), false);
  // Whatever it did without an event is found out.
  assert.deepEqual(polls(), [{ owner: maker, asset: odd }]);
  bench.close({ tokenEvents: [{ token: odd, addresses: [maker] }] });
  assert.equal(restartsTheSame(), true);
  assert.deepEqual(polls(), [{ owner: maker, asset: odd, since: bench.ledger }]);
  // Rows of versions that did not keep whether an answer is confirmed.
  bench.records.tokenAnswered({ ...answer, confirms: bench.ledger });
  bench.step();
  bench.rows = textRows(bench.rows, 10);
  bench.open();
  assert.equal(bench.records.backing(maker, odd)?.pending, true);
  bench.close({}, { [lineKey]: line(7n) });
  assert.equal(bench.records.backing(maker, usd)?.balance, 7n, "followed from its ledger on");
});

test("the shared book is told each token's kind with its records, after a restart as before", () => {
  const bench = new Bench();
  const changes: BookChange[] = [];
  const step = bench.step.bind(bench);
  bench.step = (input) => {
    const prepared = step(input);
    changes.push(...prepared.changes);
    return prepared;
  };
  bench.place(order(1, usd, xlm, 500n));
  const kinds = (told: readonly BookChange[]) => {
    const last = new Map<Address, unknown>();
    for (const change of told) {
      if (change.kind === "backing") last.set(change.backing.asset, change.token);
    }
    return [last.get(xlm), last.get(usd)];
  };
  const wanted = [{ kind: "native" }, { kind: "issued", code: "USD", issuer }];
  assert.deepEqual(kinds(changes), wanted);
  bench.open();
  assert.deepEqual(kinds(bench.loaded), wanted);
});

test("the contract itself is followed in every token traded, for quotes alone", () => {
  const bench = new Bench();
  const key = balanceKey(usd, exchange);
  bench.entries.set(accountKey(issuer), { ...issuerAccount, flags: 1 });
  bench.close({ orders: [{ after: order(1, usd, xlm, 500n) }] });
  const own = new Map<Address, boolean | undefined>();
  const note = ({ changes }: PreparedBacking) => {
    for (const change of changes) {
      if (change.kind !== "backing" || change.backing.owner !== exchange) continue;
      own.set(change.backing.asset, change.backing.authorized);
    }
  };
  const step = bench.step.bind(bench);
  bench.step = (input) => {
    const prepared = step(input);
    note(prepared);
    return prepared;
  };
  bench.load();
  assert.deepEqual([own.get(usd), own.get(xlm)], [false, true]);
  bench.close({}, { [key]: { kind: "balance", amount: 0n, authorized: true } });
  assert.equal(own.get(usd), true);
});

const issuerAccount = {
  kind: "account",
  balance: 0n,
  sellingLiabilities: 0n,
  buyingLiabilities: 0n,
  subentries: 0,
  sponsoring: 0,
  sponsored: 0,
} as const;

test("orders of a short account that sell or receive XLM cannot be taken; it is shown as it was", () => {
  const bench = new Bench();
  const eur = contract(5);
  bench.entries.set(instanceKey(eur), { kind: "token", asset: `EUR:${issuer}` });
  bench.entries.set(trustlineKey(maker, { code: "EUR", issuer }), line(0n));
  const pairs = [[usd, xlm] as const, [xlm, usd] as const, [usd, eur] as const];
  const orders = pairs.map(([sold, bought], at) => {
    return { ...order(at + 1, sold, bought, 200n), price: 10n ** 18n };
  });
  let copy = emptyCopy(exchange, 32);
  let sequence = 0;
  const publish = (changes: readonly BookChange[]) => {
    sequence += 1;
    writeState(copy.view, sequence, { ledger: bench.ledger, closeTime: 0, frozen: false });
    for (const change of changes) applyChange(copy, change);
  };
  const step = bench.step.bind(bench);
  bench.step = (input) => {
    const prepared = step(input);
    publish([
      ...prepared.changes,
      ...orders.map((each): BookChange => ({ kind: "put", order: each })),
    ]);
    return prepared;
  };
  /** Levels of USD for XLM that sell XLM and USD, and of USD for EUR. */
  const depth = () => {
    const read = (quote: Address) =>
      readDepth(copy.view, { market: { base: usd, quote }, depth: 100, limit: 5 }, 0);
    return [read(xlm).bids.length, read(xlm).asks.length, read(eur).asks.length];
  };
  const known = bench.entries.get(accountKey(maker));
  assert(known?.kind === "account");
  const holds = (spendable: bigint, baseReserve = 100n) => ({
    [accountKey(maker)]: { ...known, balance: 3n * baseReserve + spendable },
  });

  bench.place(...orders);
  assert.deepEqual(depth(), [1, 1, 1]);
  bench.close({}, holds(0n));
  const shown = bench.records.accountBacking(maker);
  assert.deepEqual(depth(), [0, 1, 1], "it may still receive");
  const { events } = bench.close({}, holds(-1n));
  assert.deepEqual(depth(), [0, 0, 1]);
  assert.deepEqual(events, [{ kind: "nextBudget", asset: xlm }], "for depth");
  assert.deepEqual(bench.records.accountBacking(maker), shown);

  // A restart begins with the rows, and one over rows of an older form with the entries.
  const restart = () => {
    copy = emptyCopy(exchange, 32);
    bench.open();
    const puts = orders.map((each): BookChange => ({ kind: "put", order: each }));
    publish([...puts, ...bench.loaded]);
    return depth();
  };
  assert.deepEqual(restart(), [0, 0, 1]);
  bench.rows = textRows(bench.rows, 9);
  assert.deepEqual(restart(), [0, 0, 1]);

  bench.close({}, holds(500n));
  assert.deepEqual(depth(), [1, 1, 1]);
  bench.close({ baseReserve: 300 });
  assert.deepEqual(depth(), [0, 0, 1], "the network's reserve rose");
  bench.close();
  assert.deepEqual(depth(), [1, 1, 1]);
});

test("a step that is dropped leaves nothing behind", () => {
  const bench = new Bench();
  const placed = order(1, usd, xlm, 500n);
  bench.place(placed);
  const before = bench.records.accountBacking(maker);
  const dropped = atOnce(
    bench.records.preparing({ deltas: [], orders: [{ before: placed }], skips: [] }),
  );
  assert.deepEqual(bench.records.accountBacking(maker), before);
  assert.equal(bench.records.orderBacking(placed)?.backed, 500n);
  bench.close({}, { [lineKey]: line(1n) });
  assert.equal(bench.records.orderBacking(placed)?.backed, 1n);
  assert.throws(() => dropped.apply(), /of the visible state/);
  assert.equal(bench.records.orderBacking(placed)?.backed, 1n);
});

test("whoever asks first about one of a maker's many orders has not all of them read", async () => {
  const bench = new Bench();
  const orders = Array.from({ length: 1000 }, (_, at) => order(at + 1, usd, xlm, 1n));
  for (let at = 0; at < orders.length; at += 100) bench.place(...orders.slice(at, at + 100));
  assert.ok(Math.max(...bench.read) < 300, `${bench.read} read at once`);
  bench.read.length = 0;
  const backed = (at: number) => bench.records.orderBacking(orders[at] as Order)?.backed;
  assert.deepEqual([backed(0), backed(799), backed(800)], [1n, 1n, 0n]);
  assert.deepEqual(bench.read, []);
  // A start reads them before anybody asks.
  bench.open();
  await bench.records.restored(new AbortController().signal);
  assert.deepEqual(bench.read, [1000, 0], "what sells the one token, and the other");
  bench.read.length = 0;
  assert.deepEqual([backed(0), backed(799), backed(800)], [1n, 1n, 0n]);
  assert.deepEqual(bench.read, []);
});

test("a step of thousands of orders is computed in portions, and is what it is at once", () => {
  const bench = new Bench();
  bench.place(order(1, usd, xlm, 500n));
  const orders = Array.from({ length: 2000 }, (_, at) => {
    const owner = accountAddress(
      new Uint8Array(32)
        .fill(9)
        .fill(at >> 8, 0, 1)
        .fill(at, 1, 2),
    );
    return { after: { ...order(2 + at, usd, xlm, 5n), owner } };
  });
  const step = { deltas: [], orders, skips: [] };
  const work = bench.records.preparing(step);
  let portions = 0;
  let next = work.next();
  for (; next.done !== true; next = work.next()) portions += 1;
  // References, entries to follow, records, rows.
  assert.ok(portions > (4 * orders.length) / 16, `${portions} portions`);
  const { rows, changes, events } = atOnce(bench.records.preparing(step));
  assert.deepEqual(
    [next.value.rows, next.value.changes, next.value.events],
    [rows, changes, events],
  );
  bench.step(step);
  assert.deepEqual(bench.records.orderBacking(order(1, usd, xlm, 500n))?.backed, 500n);
  bench.load();
  // What every native balance depends on.
  const reserve = bench.records.preparing({
    ...step,
    orders: [],
    deltas: [bench.delta({ baseReserve: 7 })],
  });
  let reservePortions = 0;
  while (reserve.next().done !== true) reservePortions += 1;
  // Twice as many records are looked at, and the native ones computed and compared.
  assert.ok(reservePortions > (3 * orders.length) / 16, `${reservePortions} portions`);
});

test("a token's entry that says what it said is no change", () => {
  const bench = new Bench();
  bench.place(order(1, usd, xlm, 500n), order(2, odd, xlm, 5n));
  const { rows } = bench.close({}, { [instanceKey(odd)]: { kind: "token" } });
  assert.deepEqual(rows, []);
});
