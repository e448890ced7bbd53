import assert from "node:assert/strict";
import { copyFile, cp, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { account, token } from "../../test/support/addresses.ts";
import { exchangeOptions } from "../../test/support/exchange.ts";
import { eventPosition, type NewEvent, nextLedger } from "../../test/support/ledgers.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";
import { canonicalPair } from "../model/address.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import { type Order, orderId } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import { PRICE_UNIT } from "../model/settlement.ts";
import { isStepInWork } from "../model/slice-turns.ts";
import { History } from "../store/history.ts";
import type { StepRecord } from "../store/step-record.ts";
import { Store } from "../store/store.ts";
import type { DomainEvent } from "./domain-event.ts";
import { Exchange, type ExchangeOptions } from "./exchange.ts";
import type { Step } from "./step.ts";
import type { UnknownOrder } from "./step-meter.ts";

const START = 1_700_000_000;
const ALL = { limit: 100_000 };
const ID = orderId((1n << 128n) - 1n);
const NEW: NewEvent = {
  ...{ kind: "new", id: ID, owner: account(1), selling: token(1), buying: token(2) },
  ...{ price: PRICE_UNIT, amount: 1000n, expires: 0 },
};

function fillOf(id: typeof ID, bought: bigint, left: bigint): NewEvent {
  return {
    ...{ kind: "trade", order: id, taker: account(2), maker: account(1), sold: bought, bought },
    ...{ soldAsset: token(2), boughtAsset: token(1), left, crossfill: false },
  };
}

function mod(amount: bigint, expires: number): NewEvent {
  return { kind: "mod", id: ID, price: PRICE_UNIT, amount, expires };
}

/** An exchange on a chain of its own, told what happens ledger by ledger. */
async function chainOf(clock: { now: number }, more: Partial<ExchangeOptions> = {}) {
  const options = exchangeOptions(clock, more);
  const exchange = await Exchange.open(options);
  const steps: Step[] = [];
  exchange.state.onStep((step) => void steps.push(step));
  let last: { ledger: number; hash: string } = { ledger: 99, hash: "00".repeat(32) };
  return {
    exchange,
    steps,
    options,
    make(closeTime: number, ...events: NewEvent[]): LedgerDelta {
      const delta = nextLedger(last, closeTime, events);
      last = delta;
      return delta;
    },
    async close(closeTime: number, ...events: NewEvent[]): Promise<void> {
      await exchange.apply(this.make(closeTime, ...events));
    },
    /** The order's messages of all steps: action, status and amount after it. */
    actions(): readonly string[] {
      return steps.flatMap(({ events }) => events.flatMap(actionOf));
    },
    history: () => exchange.state.history.orders({}, ALL).map(brief),
  };
}

function actionOf(event: DomainEvent): readonly string[] {
  if (event.kind !== "order") return [];
  return [`${event.action} ${event.order.status} ${event.order.amount}`];
}

function brief({ status, amount, quote, updated }: Order) {
  return { status, amount, quote, updated: updated - START };
}

test("an order is filled in part, updated, and filled", async () => {
  const chain = await chainOf({ now: START * 1000 });
  await chain.close(START, NEW);
  await chain.close(START + 5, fillOf(ID, 300n, 700n));
  await chain.close(START + 10, mod(2000n, 0));
  const [live] = chain.exchange.state.history.liveOrders({ assets: [] }, ALL);
  assert.deepEqual(live && brief(live), {
    status: "ACTIVE",
    amount: 2000n,
    quote: 1000n,
    updated: 10,
  });
  await chain.close(START + 15, fillOf(ID, 2000n, 0n));
  assert.deepEqual(chain.history(), [{ status: "FILLED", amount: 0n, quote: 1000n, updated: 15 }]);
  assert.equal(chain.exchange.state.history.liveOrder(ID), undefined);
  assert.deepEqual(chain.actions(), [
    "new ACTIVE 1000",
    "fill ACTIVE 700",
    "update ACTIVE 2000",
    "filled FILLED 0",
  ]);
  await chain.exchange.close();
});

test("an order asked for by its id again and again is shown as it is now", async () => {
  const chain = await chainOf({ now: START * 1000 });
  const amounts = () =>
    Array.from({ length: 4 }, () => [
      chain.exchange.state.history.liveOrder(ID)?.amount,
      ...chain.exchange.state.history.liveOrders({ assets: [] }, ALL).map(({ amount }) => amount),
    ]).flat();
  await chain.close(START, NEW);
  assert.deepEqual(amounts(), new Array(8).fill(1000n));
  await chain.close(START + 5, fillOf(ID, 300n, 700n));
  assert.deepEqual(amounts(), new Array(8).fill(700n));
  await chain.close(START + 10, mod(0n, 0));
  assert.deepEqual(amounts(), new Array(4).fill(undefined));
  // An archived order that is kept as a row of a page is none that lives.
  for (let at = 0; at < 3; at += 1) assert.equal(chain.history().length, 1);
  assert.equal(chain.exchange.state.history.liveOrder(ID), undefined);
  await chain.close(START + 15, { ...NEW, amount: 77n } as NewEvent);
  assert.deepEqual(amounts(), new Array(8).fill(77n));
  await chain.exchange.close();
});

test("a fill tells both sides", async () => {
  const chain = await chainOf({ now: START * 1000 });
  await chain.close(START, NEW);
  await chain.close(START + 5, { ...fillOf(ID, 300n, 700n), sold: 299n } as NewEvent);
  const [order, trade] = chain.steps[1]?.events ?? [];
  assert.ok(order?.kind === "order" && trade?.kind === "trade");
  assert.deepEqual(order.fill, {
    ...{ sold: 300n, bought: 299n, taker: account(2), trade: eventPosition(101, 0) },
    ...{ ts: START + 5, crossfill: false },
  });
  assert.equal(trade.trade.id, eventPosition(101, 0));
  assert.deepEqual(new Set([trade.market.base, trade.market.quote]), new Set([token(1), token(2)]));
  await chain.exchange.close();
});

test("removal archives what was left, and the id can be used again", async () => {
  const chain = await chainOf({ now: START * 1000 });
  await chain.close(START, NEW);
  await chain.close(START + 5, mod(0n, 0), { ...NEW, amount: 77n } as NewEvent);
  assert.deepEqual(chain.history(), [
    { status: "CANCELED", amount: 1000n, quote: 1000n, updated: 5 },
  ]);
  assert.equal(chain.exchange.state.history.liveOrder(ID)?.amount, 77n);
  assert.deepEqual(
    chain.steps[1]?.changes.map(({ kind }) => kind),
    ["remove", "put"],
  );
  await chain.exchange.close();
});

test("an order expires in the second of its expiration, not before", async () => {
  const clock = { now: START * 1000 };
  const chain = await chainOf(clock);
  await chain.close(START, { ...NEW, expires: START + 30 } as NewEvent);
  clock.now = (START + 30) * 1000 - 1;
  await chain.exchange.tick();
  assert.equal(chain.exchange.state.markets.orderCount, 1);
  clock.now += 1;
  await chain.exchange.tick();
  assert.equal(chain.exchange.state.markets.orderCount, 0);
  assert.deepEqual(chain.history(), [
    { status: "EXPIRED", amount: 1000n, quote: 1000n, updated: 30 },
  ]);
  assert.deepEqual(chain.actions(), ["new ACTIVE 1000", "expire EXPIRED 1000"]);
  await chain.exchange.close();
});

test("the clock alone moves the ticker's window, and has read what leaves it when somebody asks", async (t) => {
  const fills = 2500;
  const clock = { now: START * 1000 };
  const chain = await chainOf(clock);
  await chain.close(START, { ...NEW, amount: 10_000n } as NewEvent);
  const traded = Array.from({ length: fills }, (_, at) => fillOf(ID, 1n, BigInt(9999 - at)));
  // Of a bucket of five minutes that begins with them.
  await chain.close(START + 100, ...traded);
  const { tradesFrom } = History.prototype;
  let read = 0;
  t.mock.method(History.prototype, "tradesFrom", function (this: History, ...of) {
    const trades = tradesFrom.apply(this, of);
    read += trades.length;
    return trades;
  } satisfies typeof tradesFrom);
  clock.now += (86_400 + 90) * 1000;
  for (let second = 0; second < 5; second += 1) {
    clock.now += 1000;
    await chain.exchange.tick();
  }
  assert.ok(read >= fills, `${read} by the clock`);
  read = 0;
  assert.equal(chain.exchange.state.marketData.dayTotals().fills, fills);
  assert.equal(read, 0);
  clock.now += 5000;
  assert.equal(chain.exchange.state.marketData.dayTotals().fills, 0);
  await chain.exchange.close();
});

test("revival takes the row out of the archive, with its cursor", async () => {
  const clock = { now: (START + 40) * 1000 };
  const chain = await chainOf(clock);
  await chain.close(START, { ...NEW, expires: START + 30 } as NewEvent);
  assert.equal(chain.history().length, 0, "the clock has not been applied yet");
  await chain.exchange.tick();
  assert.equal(chain.history().length, 1);
  await chain.close(START + 45, mod(900n, 0));
  assert.deepEqual(chain.history(), []);
  const order = chain.exchange.state.history.liveOrder(ID);
  assert.equal(order?.cursor, eventPosition(100, 0));
  assert.deepEqual(order && brief(order), {
    status: "ACTIVE",
    amount: 900n,
    quote: 1000n,
    updated: 45,
  });
  assert.equal(chain.actions().at(-1), "update ACTIVE 900");
  await chain.exchange.close();
});

test("removal of an expired order turns its row into CANCELED", async () => {
  const chain = await chainOf({ now: (START + 40) * 1000 });
  await chain.close(START, { ...NEW, expires: START + 30 } as NewEvent);
  await chain.exchange.tick();
  await chain.close(START + 45, mod(0n, START + 30));
  assert.deepEqual(chain.history(), [
    { status: "CANCELED", amount: 1000n, quote: 1000n, updated: 45 },
  ]);
  await chain.exchange.close();
});

test("a new order under an expired id leaves the row for good", async () => {
  const chain = await chainOf({ now: (START + 40) * 1000 });
  await chain.close(START, { ...NEW, expires: START + 30 } as NewEvent);
  await chain.exchange.tick();
  await chain.close(START + 45, NEW);
  await chain.close(START + 50, mod(0n, 0));
  assert.deepEqual(chain.history(), [
    { status: "CANCELED", amount: 1000n, quote: 1000n, updated: 50 },
    { status: "EXPIRED", amount: 1000n, quote: 1000n, updated: 30 },
  ]);
  await chain.exchange.close();
});

test("a clock that is ahead archives an order once, and its fills still count", async () => {
  const clock = { now: (START + 35) * 1000 };
  const chain = await chainOf(clock);
  await chain.close(START, { ...NEW, expires: START + 30 } as NewEvent);
  await chain.exchange.tick();
  await chain.close(START + 20, fillOf(ID, 400n, 600n));
  assert.deepEqual(chain.history(), [
    { status: "EXPIRED", amount: 600n, quote: 1000n, updated: 30 },
  ]);
  await chain.close(START + 25, fillOf(ID, 600n, 0n));
  assert.deepEqual(chain.history(), [{ status: "FILLED", amount: 0n, quote: 1000n, updated: 25 }]);
  assert.equal(chain.exchange.state.history.trades({}, ALL).length, 2);
  assert.deepEqual(chain.actions().slice(2), ["fill EXPIRED 600", "filled FILLED 0"]);
  await chain.exchange.close();
});

test("a clock that is behind gives way when the id is taken again", async () => {
  const chain = await chainOf({ now: START * 1000 });
  await chain.close(START, { ...NEW, expires: START + 30 } as NewEvent);
  await chain.close(START + 45, { ...NEW, amount: 5n } as NewEvent);
  assert.deepEqual(chain.history(), [
    { status: "EXPIRED", amount: 1000n, quote: 1000n, updated: 30 },
  ]);
  assert.deepEqual(chain.actions(), ["new ACTIVE 1000", "expire EXPIRED 1000", "new ACTIVE 5"]);
  assert.deepEqual(
    chain.steps[1]?.changes.map(({ kind }) => kind),
    ["remove", "put"],
  );
  await chain.exchange.close();
});

test("a wild clock expires thousands of orders and brings them back", async () => {
  const clock = { now: START * 1000 };
  const chain = await chainOf(clock);
  const orders = Array.from({ length: 2500 }, (_, at): NewEvent => {
    return { ...NEW, id: orderId(BigInt(at)), expires: START + 100 + (at % 3) } as NewEvent;
  });
  await chain.close(START, ...orders);
  const before = chain.exchange.state.history.liveOrders({ assets: [] }, ALL);
  clock.now = (START + 1_000_000) * 1000;
  await chain.exchange.tick();
  assert.equal(chain.exchange.state.markets.orderCount, 0);
  assert.equal(chain.history().length, 2500);
  clock.now = (START + 5) * 1000;
  await chain.exchange.tick();
  assert.deepEqual(chain.exchange.state.history.liveOrders({ assets: [] }, ALL), before);
  assert.deepEqual(chain.history(), []);
  await chain.exchange.close();
});

test("ledgers do not wait for a clock that has thousands of orders to move", async () => {
  const clock = { now: START * 1000 };
  const chain = await chainOf(clock);
  const orders = Array.from({ length: 2500 }, (_, at): NewEvent => {
    return { ...NEW, id: orderId(BigInt(at)), expires: START + 100 } as NewEvent;
  });
  await chain.close(START, ...orders);
  clock.now = (START + 200) * 1000;
  const done: string[] = [];
  const ticking = chain.exchange.tick().then(() => done.push("clock"));
  const applying = chain.close(START + 205, NEW).then(() => done.push("ledger"));
  await Promise.all([ticking, applying]);
  assert.deepEqual(done, ["ledger", "clock"]);
  assert.equal(chain.exchange.state.markets.orderCount, 1);
  await chain.exchange.close();
});

test("ledgers do not wait for trades that are read ahead, and these are no step's work", async () => {
  const clock = { now: START * 1000 };
  const chain = await chainOf(clock);
  await chain.close(START, { ...NEW, amount: 100_000n } as NewEvent);
  // More than a slice has time for, in one bucket of the ticker, and all of them next to leave the day.
  const fills = Array.from({ length: 3000 }, (_, at) => fillOf(ID, 1n, 99_999n - BigInt(at)));
  const bucket = START + 300 - (START % 300);
  await chain.close(bucket, ...fills);
  clock.now = (bucket + 86_399) * 1000;
  const isTicked = { value: false };
  const tick = async (): Promise<void> => {
    isTicked.value = false;
    await chain.exchange.tick();
    isTicked.value = true;
  };
  // The step above has had its time of this turn.
  await nextTurn();
  const ticking = tick();
  const applying = chain.close(bucket + 86_399);
  await nextTurn();
  assert.ok(isTicked.value, "one slice");
  await Promise.all([ticking, applying]);
  const rest = tick();
  while (!isTicked.value) {
    await nextTurn();
    assert.ok(!isStepInWork());
  }
  await rest;
  clock.now += 10_000;
  assert.equal(chain.exchange.state.marketData.dayTotals().fills, 0);
  await chain.exchange.close();
});

test("a listener that fails keeps nobody from the next step", async () => {
  const chain = await chainOf({ now: START * 1000 });
  chain.exchange.state.onStep(() => assert.fail("a listener"));
  const seen: number[] = [];
  chain.exchange.state.onStep(({ ledger }) => void seen.push(ledger));
  await chain.close(START, NEW);
  await chain.close(START + 5);
  assert.deepEqual(seen, [100, 101]);
  await chain.exchange.close();
});

test("a step is shown once the one before it is told", async (t) => {
  const commit = t.mock.method(Store.prototype, "commit");
  const chain = await chainOf({ now: START * 1000 }, { toldMsMax: 120_000 });
  const seen: string[] = [];
  let told = (): void => undefined;
  chain.exchange.state.onStep(({ ledger }) => {
    seen.push(`${ledger}`);
    return new Promise((resolve) => {
      told = () => {
        seen.push(`told ${ledger}`);
        resolve();
      };
    });
  });
  await chain.close(START, NEW);
  const second = chain.close(START + 5);
  const third = chain.close(START + 10, mod(500n, 0));
  const storing = await until("a commit of ledger 102", () =>
    commit.mock.calls.find(({ arguments: [record] }) => record.cursor?.ledger === 102),
  );
  await storing.result;
  // What is stored is shown within the turn if nothing holds it.
  await nextTurn();
  told();
  await Promise.all([second, third]);
  assert.deepEqual(seen, ["100", "told 100", "102"]);
  told();
  await chain.exchange.close();
});

test("a step is in work while it is stored, too", async (t) => {
  const chain = await chainOf({ now: START * 1000 });
  const commit = Store.prototype.commit;
  const inWork: boolean[] = [];
  t.mock.method(Store.prototype, "commit", async function (this: Store, record: StepRecord) {
    await nextTurn();
    inWork.push(isStepInWork());
    await commit.call(this, record);
  });
  await chain.close(START, NEW);
  assert.deepEqual(inWork, [true]);
  await chain.exchange.close();
});

test("a step is shown after a bound where the one before it is never told", async () => {
  const chain = await chainOf({ now: START * 1000 }, { toldMsMax: 1 });
  const seen: number[] = [];
  chain.exchange.state.onStep(({ ledger }) => {
    seen.push(ledger);
    return ledger === 102 ? new Promise(() => undefined) : undefined;
  });
  for (let at = 0; at < 3; at += 1) await chain.close(START + 5 * at);
  // The listener never tells step 102: the next is shown after the bound.
  await chain.close(START + 15, NEW);
  assert.deepEqual(seen, [100, 101, 102, 103]);
  await chain.exchange.close();
});

test("events about unknown orders change none and are told; the trade is recorded", async () => {
  const unknown: UnknownOrder[] = [];
  const meter = {
    stepped: () => undefined,
    commitFailed: () => undefined,
    unknownOrder: (event: UnknownOrder) => unknown.push(event),
  };
  const chain = await chainOf({ now: START * 1000 }, { meter });
  await chain.close(START, mod(5n, 0), fillOf(ID, 4n, 0n), { kind: "skip", id: ID });
  assert.deepEqual(
    unknown,
    (["mod", "trade", "skip"] as const).map((event) => ({ event, order: ID, ledger: 100 })),
  );
  assert.equal(chain.exchange.state.history.trades({}, ALL).length, 1);
  assert.deepEqual(chain.history(), []);
  await chain.exchange.close();
});

test("a market is one, in canonical order, whichever way it is refreshed", async () => {
  const chain = await chainOf({ now: START * 1000 });
  const { base, quote } = canonicalPair(token(1), token(2));
  await chain.close(START, { kind: "refresh", base: quote, quote: base });
  await chain.close(START + 5, { kind: "refresh", base, quote });
  const market = { pair: { base, quote }, created: START, refreshed: START + 5 };
  assert.deepEqual(chain.exchange.state.contract.markets, [market]);
  assert.equal(chain.exchange.state.marketData.ticker().markets.length, 1);
  await chain.exchange.close();
});

test("order events outlast a time that runs backwards", async () => {
  const chain = await chainOf({ now: START * 1000 });
  await chain.close(START + 100, NEW);
  await chain.close(START, fillOf(ID, 300n, 700n), mod(500n, 0));
  await chain.exchange.close();
  const exchange = await Exchange.open(chain.options);
  const events = exchange.state.orderEvents.list({ order: ID }, ALL);
  assert.deepEqual(
    events.map((event) => event.type === "order" && [event.cause, event.order.amount]),
    [
      ["update", 500n],
      ["fill", 700n],
      ["new", 1000n],
    ],
  );
  await exchange.close();
});

test("an error in the middle of a ledger leaves nothing of it; the next try applies it once", async () => {
  const chain = await chainOf({ now: START * 1000 });
  await chain.close(START, NEW);
  const good = chain.make(START + 5, fillOf(ID, 1n, 999n), fillOf(ID, 2n, 997n), mod(500n, 0));
  const broken = {
    ...good,
    get events(): LedgerDelta["events"] {
      const [first, second] = good.events;
      assert.ok(first && second);
      return Object.defineProperty([first, second, first], 2, {
        get: () => assert.fail("the third event"),
      });
    },
  };
  await assert.rejects(chain.exchange.apply(broken), /the third event/);
  assert.equal(chain.exchange.state.ledger, 100);
  assert.equal(chain.exchange.state.history.liveOrder(ID)?.amount, 1000n);
  assert.deepEqual(chain.exchange.state.history.trades({}, ALL), []);
  await chain.exchange.apply(good);
  assert.equal(chain.exchange.state.history.trades({}, ALL).length, 2);
  assert.equal(chain.exchange.state.history.liveOrder(ID)?.amount, 500n);
  await chain.exchange.close();
});

test("one bad ledger among many waiting stops there, and the ones before it count", async () => {
  const chain = await chainOf({ now: START * 1000 });
  const first = chain.make(START, NEW);
  const bad = chain.make(START + 5, fillOf(ID, 1n, -1n));
  const after = chain.make(START + 10, fillOf(ID, 2n, 998n));
  const results = await Promise.allSettled(
    [first, bad, after].map((one) => chain.exchange.apply(one)),
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected"],
  );
  assert.equal(chain.exchange.state.ledger, 100);
  assert.equal(chain.exchange.state.history.liveOrder(ID)?.amount, 1000n);
  await chain.exchange.close();
});

test("a ledger that does not follow the last one is refused", async () => {
  const chain = await chainOf({ now: START * 1000 });
  await chain.close(START, NEW);
  const next = chain.make(START + 5);
  await assert.rejects(chain.exchange.apply({ ...next, ledger: 105 }), { code: "gap" });
  await assert.rejects(chain.exchange.apply({ ...next, ledger: 100 }), { code: "gap" });
  await assert.rejects(chain.exchange.apply({ ...next, previousHash: "ab".repeat(32) }), {
    code: "fork",
  });
  await chain.exchange.apply(next);
  assert.equal(chain.exchange.state.cursor?.hash, next.hash);
  await chain.exchange.close();
});

test("6,000 new orders and 5,000 fills in one ledger are all there, page by page", async () => {
  const chain = await chainOf({ now: START * 1000 });
  const ids = Array.from({ length: 6000 }, (_, at) => orderId((1n << 120n) + BigInt(at)));
  const orders = ids.map((id): NewEvent => ({ ...NEW, id }) as NewEvent);
  const fills = ids.slice(0, 5000).map((id, at) => fillOf(id, 10n, at % 2 === 0 ? 0n : 990n));
  await chain.close(START, ...orders, ...fills);
  assert.equal(chain.exchange.state.markets.orderCount, 3500);
  assert.equal(chain.history().length, 2500);
  const seen = new Set<Position>();
  let before: Position | undefined;
  for (;;) {
    const page = chain.exchange.state.history.trades(
      {},
      { limit: 500, ...(before !== undefined && { before }) },
    );
    if (page.length === 0) break;
    for (const { id } of page) seen.add(id);
    before = page.at(-1)?.id;
  }
  assert.equal(seen.size, 5000);
  await chain.exchange.close();
});

test("closing finishes or drops what waits, and a new start goes on from there", async () => {
  const clock = { now: START * 1000 };
  const chain = await chainOf(clock);
  const deltas = [chain.make(START, NEW), chain.make(START + 5), chain.make(START + 10)];
  const waiting = Promise.allSettled(deltas.map((delta) => chain.exchange.apply(delta)));
  await chain.exchange.close();
  const results = await waiting;
  const applied = results.filter(({ status }) => status === "fulfilled").length;
  await assert.rejects(chain.exchange.apply(chain.make(START)), { code: "closed" });
  const again = await Exchange.open(chain.options);
  assert.equal(again.state.ledger, applied === 0 ? undefined : 99 + applied);
  for (const delta of deltas.slice(applied)) await again.apply(delta);
  assert.equal(again.state.ledger, 102);
  assert.equal(again.state.markets.orderCount, 1);
  await again.close();
});

test("the store is opened once at a start: starts that end at once are counted", async () => {
  const chain = await chainOf({ now: START * 1000 });
  await chain.close(START, NEW);
  const { path } = chain.options;
  // What a kill leaves: the file as it is, without a note that it was closed in order.
  const killed = join(temporaryFolder(), "store");
  await mkdir(killed);
  await copyFile(join(path, "data.mdb"), join(killed, "data.mdb"));
  await chain.exchange.close();
  for (const starts of ["1", "2"]) {
    const again = await Exchange.open({ ...chain.options, path: killed });
    assert.equal(again.state.markets.orderCount, 1);
    assert.equal(await readFile(join(killed, "starts-since-closed"), "utf8"), starts);
    const files = await readdir(killed);
    const left = join(temporaryFolder(), "left");
    await cp(killed, left, { recursive: true });
    await again.close();
    await rm(killed, { recursive: true });
    await cp(left, killed, { recursive: true });
    assert.ok(!files.includes("closed-in-order"));
  }
});
