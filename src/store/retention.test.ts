import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { account, token } from "../../test/support/addresses.ts";
import { eventPosition, ledgerHash } from "../../test/support/ledgers.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Address } from "../model/address.ts";
import type { NewOrderEvent } from "../model/order-event.ts";
import type { Swap } from "../model/trade.ts";
import { storedIds } from "./address-ids.ts";
import { identityBytes } from "./identity.ts";
import { OrderEvents } from "./order-events.ts";
import { Retention } from "./retention.ts";
import { Snapshot } from "./snapshot.ts";
import type { StepRecord } from "./step-record.ts";
import type { Write } from "./step-writes.ts";
import { Store } from "./store.ts";
import { openEnvironment } from "./tables.ts";

const IDENTITY = { networkPassphrase: "a test network", contract: token(100) };
const DAY = 86_400;
const ALL = { limit: 10_000 };

function swap(ledger: number, at: number): Swap {
  const assets = { soldAsset: token(1), boughtAsset: token(2) };
  const id = eventPosition(ledger, at);
  const trader = account(at % 3);
  return { type: "swap", id, trader, ...assets, sold: 1n, bought: 1n, timestamp: ledger * DAY };
}

/** A ledger that closed on the day of its number. */
function step(ledger: number, trades: readonly Swap[]): StepRecord {
  const hash = ledgerHash(ledger);
  const none = { orders: [], failures: [], markets: [], skips: [], candles: [], backing: [] };
  return {
    ...none,
    cursor: { ledger, hash, closeTime: ledger * DAY, protocol: 27, baseReserve: 1 },
    horizon: { time: 0, cursor: eventPosition(0, 0) },
    trades,
    orderEvents: [],
  };
}

test("what a store kept before goes a slice a commit, over restarts, with its index entries", async () => {
  const path = join(temporaryFolder(), "store");
  const trades = Array.from({ length: 450 }, (_, at) => swap(7, at));
  const before = await Store.open(path, IDENTITY);
  await before.commit(step(7, trades));
  await before.commit(step(9, [swap(9, 0)]));
  await before.close();
  for (const [at, left] of [251, 51, 1, 1].entries()) {
    const store = await Store.open(path, IDENTITY, { keepHistory: 3 * DAY });
    // Two days after ledger 7 it is kept, three days after it is not.
    if (at === 0) {
      await store.commit(step(9, []));
      store.renew();
      assert.equal(store.history.trades({}, ALL).length, 451);
    }
    await store.commit(step(10 + (at > 2 ? 1 : 0), []));
    store.renew();
    assert.equal(store.history.trades({}, ALL).length, left);
    const traders = [account(0), account(1), account(2)];
    const each = traders.map((trader) => store.history.trades({ trader }, ALL).length);
    assert.equal(
      each.reduce((sum, count) => sum + count, 0),
      left,
    );
    await store.close();
  }
});

test("what a commit drops is put together a few rows at a time", async () => {
  const path = join(temporaryFolder(), "store");
  const before = await Store.open(path, IDENTITY, { pendingOrderEvents: 0 });
  const trades = Array.from({ length: 450 }, (_, at) => swap(7, at));
  const orderEvents = trades.map((_, at): NewOrderEvent => {
    const ledger = { ledger: 8, timestamp: 8 * DAY };
    return { type: "budget", ...ledger, owner: account(at), asset: token(1), budget: 1n };
  });
  await before.commit(step(7, trades));
  await before.commit({ ...step(8, []), orderEvents });
  await before.close();
  const { root, tables } = openEnvironment(path, () => undefined, identityBytes(IDENTITY));
  const snapshot = new Snapshot(root);
  const parts = { tables, snapshot, ids: storedIds(tables, snapshot) };
  const kept = { keepSeconds: DAY, pendingEvents: undefined };
  const events = new OrderEvents(parts, kept);
  const retention = new Retention(parts, events, DAY);
  const dropped: Write[] = [];
  const portions = (writing: Generator<void, void>): readonly number[] => {
    const counts: number[] = [];
    let written = dropped.length;
    for (let isOver = false; !isOver; written = dropped.length) {
      isOver = writing.next().done === true;
      counts.push(dropped.length - written);
    }
    return counts;
  };
  assert.ok(Math.max(...portions(retention.writes(dropped, step(20, [])))) <= 16 * 4);
  assert.equal(dropped.length, 200 * 4, "a trade and its entries by pair, account, and both");
  dropped.length = 0;
  assert.ok(Math.max(...portions(events.writes(dropped, step(20, [])))) <= 16);
  assert.ok(dropped.length > 200, `${dropped.length}`);
  snapshot.release();
  await root.close();
});

test("order events stay listed where the commit before the one that drops is not shown", async () => {
  const path = join(temporaryFolder(), "store");
  const options = { keepOrderEvents: 3 * DAY, pendingOrderEvents: 0 };
  const store = await Store.open(path, IDENTITY, options);
  const listed = (owner: Address) =>
    store.orderEvents.list({ owner }, ALL).map(({ ledger }) => ledger);
  const commit = (ledger: number, owner: Address) => {
    const at = { ledger, timestamp: ledger * DAY };
    const event: NewOrderEvent = { ...at, type: "budget", owner, asset: token(1), budget: 1n };
    return store.commit({ ...step(ledger, []), orderEvents: [event] });
  };
  await commit(1, account(1));
  store.renew();
  await commit(3, account(1));
  await commit(4, account(2));
  store.renew();
  await commit(5, account(2));
  store.renew();
  assert.deepEqual([listed(account(1)), listed(account(2))], [[3], [5, 4]]);
  await store.close();
});
