import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "lmdb";
import { account, token } from "../../test/support/addresses.ts";
import { eventPosition, ledgerHash } from "../../test/support/ledgers.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { orderId } from "../model/order.ts";
import { I128_MAX } from "../model/settlement.ts";
import { SCHEMA_VERSION } from "./identity.ts";
import type { OrderRecord } from "./order-record.ts";
import { setAside } from "./set-aside.ts";
import type { StepRecord } from "./step-record.ts";
import { Store } from "./store.ts";
import type { StoreErrorCode } from "./store-error.ts";
import { META_CURSOR, META_IDENTITY } from "./tables.ts";

const IDENTITY = { networkPassphrase: "a test network", contract: token(100) };
const ALL = { limit: 100_000 };

function order(ledger: number, at: number): OrderRecord {
  return {
    ...{ id: orderId((1n << 100n) + BigInt(ledger * 1000 + at)), state: "live", expires: 0 },
    ...{ owner: account(at % 50), selling: token(1), buying: token(2), price: 10n ** 36n },
    ...{ quote: (1n << 127n) - 1n, amount: 5n, created: 1_700_000_000, changed: 1_700_000_000 },
    cursor: eventPosition(ledger, at),
  };
}

function step(ledger: number, orders: readonly OrderRecord[]): StepRecord {
  return {
    cursor: { ledger, hash: ledgerHash(ledger), closeTime: 5, protocol: 27, baseReserve: 1 },
    horizon: { time: 0, cursor: eventPosition(0, 0) },
    orders: orders.map((after) => ({ after })),
    ...{
      trades: [],
      failures: [],
      markets: [],
      skips: [],
      candles: [],
      backing: [],
      orderEvents: [],
    },
  };
}

async function fullStore(): Promise<string> {
  const path = join(temporaryFolder(), "store");
  const store = await Store.open(path, IDENTITY);
  const orders = Array.from({ length: 3000 }, (_, at) => order(7, at));
  await store.commit(step(7, orders));
  await store.close();
  return path;
}

function rejects(path: string, code: StoreErrorCode, identity = IDENTITY): Promise<void> {
  return assert.rejects(Store.open(path, identity), { name: "StoreError", code });
}

test("what is committed is read after a renewal and after a restart, at full width", async () => {
  const path = join(temporaryFolder(), "store");
  let store = await Store.open(path, IDENTITY);
  assert.equal(store.cursor(), undefined);
  await store.commit(step(7, [order(7, 0), order(7, 1)]));
  assert.equal(store.cursor(), undefined, "a commit shows nothing by itself");
  assert.deepEqual(store.history.liveOrders({ assets: [] }, ALL), []);
  store.renew();
  for (let start = 0; start < 2; start += 1) {
    assert.deepEqual(store.cursor(), step(7, []).cursor);
    assert.deepEqual(store.onChain(order(7, 0).id), order(7, 0));
    assert.equal(store.history.liveOrders({ assets: [] }, ALL).length, 2);
    await store.close();
    store = await Store.open(path, IDENTITY);
  }
  await store.close();
});

test("a configuration is read as it was stored, whatever the contract made it", async () => {
  const store = await Store.open(join(temporaryFolder(), "store"), IDENTITY);
  const amounts = [0n, I128_MAX, -I128_MAX - 1n];
  let ledger = 7;
  for (const marketListingFee of amounts) {
    for (const minTradeSize of amounts) {
      const numbers = { listingMinDays: 0xffff_ffff, ledgerTime: 0xffff_ffff };
      const parties = { safetyAdmin: account(1), oracle: token(1) };
      const config = { ...numbers, ...parties, marketListingFee, minTradeSize };
      const frozen = minTradeSize === 0n;
      await store.commit({ ...step(ledger, []), contract: { frozen, config } });
      store.renew();
      assert.deepEqual(store.contract(), { frozen, config, markets: [] });
      ledger += 1;
    }
  }
  await store.close();
});

test("a step of more records than a call takes arguments is stored", async () => {
  const store = await Store.open(join(temporaryFolder(), "store"), IDENTITY);
  const value = new Uint8Array();
  const backing = Array.from({ length: 200_000 }, (_, at) => ({ key: `x${at}`, value }));
  await store.commit({ ...step(7, []), backing });
  store.renew();
  assert.equal([...store.backingRows().withPrefix("x")].length, backing.length);
  await store.close();
});

test("a step with a record that cannot be stored leaves nothing behind", async () => {
  const store = await Store.open(join(temporaryFolder(), "store"), IDENTITY);
  const bad = { ...order(7, 1), amount: -1n, owner: account(900) };
  await assert.rejects(store.commit(step(7, [order(7, 0), bad])), RangeError);
  store.renew();
  assert.equal(store.cursor(), undefined);
  assert.deepEqual(store.history.liveOrders({ assets: [] }, ALL), []);
  await store.commit(step(7, [order(7, 0), { ...bad, amount: 1n }]));
  store.renew();
  const [, second] = store.history.liveOrders({ owner: account(900), assets: [] }, ALL);
  assert.equal(second, undefined);
  assert.equal(store.history.liveOrders({ owner: account(900), assets: [] }, ALL).length, 1);
  await store.close();
});

test("a store of another network, contract or version is refused and left as it is", async () => {
  const path = await fullStore();
  await rejects(path, "other_network", { ...IDENTITY, networkPassphrase: "another" });
  await rejects(path, "other_contract", { ...IDENTITY, contract: token(101) });
  const store = await Store.open(path, IDENTITY);
  store.renew();
  assert.equal(store.history.liveOrders({ assets: [] }, ALL).length, 3000);
  await store.close();
  for (const [schema, code] of [
    [SCHEMA_VERSION - 1, "earlier_schema"],
    [SCHEMA_VERSION + 1, "later_schema"],
  ] as const) {
    const identity = { program: "hopbook", ...IDENTITY, schema };
    await writeMeta(path, META_IDENTITY, JSON.stringify(identity));
    await rejects(path, code);
  }
  await writeMeta(path, META_IDENTITY, "{");
  await rejects(path, "damaged");
});

test("a store in which nothing was stored yet becomes that of another network", async () => {
  const path = join(temporaryFolder(), "store");
  await (await Store.open(path, { ...IDENTITY, networkPassphrase: "mistyped" })).close();
  const store = await Store.open(path, IDENTITY);
  await store.commit(step(7, [order(7, 0)]));
  await store.close();
  await rejects(path, "other_network", { ...IDENTITY, networkPassphrase: "mistyped" });
});

test("a cursor that is no ledger is refused", async () => {
  const path = await fullStore();
  // A close time in the place of the ledger, as a field of 10 bytes.
  await writeMeta(path, META_CURSOR, Buffer.from("8080808080808080800120", "hex"));
  await rejects(path, "damaged");
});

test("files that are no store, or a part of one, end with an error and not with a crash", async () => {
  const whole = await fullStore();
  const good = readFileSync(join(whole, "data.mdb"));
  const noise = Buffer.from(good);
  for (let at = 8192; at < noise.length; at += 1) noise[at] = (at * 7919 + (at >> 8)) & 255;
  const cases: readonly (readonly [StoreErrorCode, Buffer])[] = [
    ["foreign", Buffer.from("a text file, long enough for a page ".repeat(1000))],
    ["foreign", Buffer.from("short")],
    ["foreign", good.subarray(0, 4096)],
    ["damaged", good.subarray(0, good.length / 2)],
    ["damaged", noise],
  ];
  for (const [code, bytes] of cases) {
    const path = join(temporaryFolder(), "store");
    mkdirSync(path);
    writeFileSync(join(path, "data.mdb"), bytes);
    await rejects(path, code);
    assert.deepEqual(readFileSync(join(path, "data.mdb")), bytes, "left as it is");
  }
});

test("damage after a store was closed in order is found", async () => {
  const path = await fullStore();
  const file = join(path, "data.mdb");
  const damaged = readFileSync(file).fill(7, 8192);
  writeFileSync(file, damaged);
  await rejects(path, "damaged");
});

test("a database of another program is refused", async () => {
  const path = join(temporaryFolder(), "store");
  const other = open({ path, noSubdir: false, maxDbs: 4 });
  await other.openDB({ name: "meta" }).put("hello", "world");
  await other.openDB({ name: "users" }).put("hello", "world");
  await other.close();
  await rejects(path, "foreign");
});

test("an empty file and a missing folder become a new store; a file in the way does not", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a", "store");
  await (await Store.open(path, IDENTITY)).close();
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "empty", "data.mdb"), "");
  await (await Store.open(join(folder, "empty"), IDENTITY)).close();
  writeFileSync(join(folder, "file"), "");
  await rejects(join(folder, "file"), "unavailable");
});

test("a copy of a closed store is that store", async () => {
  const path = await fullStore();
  const copy = join(temporaryFolder(), "store");
  mkdirSync(copy);
  copyFileSync(join(path, "data.mdb"), join(copy, "data.mdb"));
  const store = await Store.open(copy, IDENTITY);
  assert.equal(store.history.liveOrders({ assets: [] }, ALL).length, 3000);
  await store.close();
});

test("a store that is set aside is kept, and makes room for a new one", async () => {
  const path = await fullStore();
  const aside = await setAside(path, () => Date.UTC(2024, 0, 2, 3, 4, 5));
  assert.equal(aside, `${path}-set-aside-20240102T030405`);
  assert.ok(existsSync(join(aside, "data.mdb")) && !existsSync(path));
  const store = await Store.open(path, IDENTITY);
  assert.equal(store.cursor(), undefined);
  await store.close();
});

async function writeMeta(path: string, key: Buffer, value: string | Buffer): Promise<void> {
  const root = open<Buffer, Buffer>({ path, noSubdir: false, overlappingSync: false });
  const options = { name: "meta", keyEncoding: "binary", encoding: "binary" } as const;
  await root.openDB<Buffer, Buffer>(options).put(key, Buffer.from(value));
  await root.close();
}

test("a page shows an order as it is, however often it was read before", async () => {
  const store = await Store.open(join(temporaryFolder(), "store"), IDENTITY);
  const before = order(7, 0);
  const page = () => store.history.liveOrders({ assets: [] }, ALL).map(({ amount }) => amount);
  await store.commit(step(7, [before]));
  store.renew();
  for (let read = 0; read < 3; read += 1) assert.deepEqual(page(), [5n]);
  const filled = { ...before, amount: 2n };
  await store.commit({ ...step(8, []), orders: [{ before, after: filled }] });
  assert.deepEqual(page(), [5n], "not shown yet");
  store.renew();
  for (let read = 0; read < 3; read += 1) assert.deepEqual(page(), [2n]);
  const gone: OrderRecord = { ...filled, state: "canceled" };
  await store.commit({ ...step(9, []), orders: [{ before: filled, after: gone }] });
  store.renew();
  assert.deepEqual(page(), []);
  const [archived] = store.history.orders({}, ALL);
  assert.deepEqual([archived?.status, archived?.amount], ["CANCELED", 2n]);
  await store.close();
});
