// Stores of earlier schemas are migrated with their whole history, whatever happens meanwhile.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Exchange } from "../../src/book/exchange.ts";
import { canonicalPair, type Pair } from "../../src/model/address.ts";
import { type Candle, RESOLUTIONS } from "../../src/model/candle.ts";
import { orderId } from "../../src/model/order.ts";
import { SCHEMA_VERSION } from "../../src/store/identity.ts";
import { finishMigration, migrateStore } from "../../src/store/migration.ts";
import { openPastStore } from "../../src/store/past-store.ts";
import { SCHEMA_STEPS } from "../../src/store/schema-steps.ts";
import { putBack } from "../../src/store/set-aside.ts";
import { FLAGS } from "../e2e/engine-process.ts";
import { account, token } from "../support/addresses.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { nextLedger } from "../support/ledgers.ts";
import { countedFills, lowestTerms, naiveCandles } from "../support/naive-market-data.ts";
import { randomFrom } from "../support/random-ledgers.ts";
import { ALL, listsOf, plain, putStore } from "./stored-by-version.ts";

const CHILD = fileURLToPath(new URL("./migrate-child.js", import.meta.url));
const TIMEOUT_MS = 60_000;
const TOKENS = [0, 1, 2, 3].map((number) => token(number));
const FIRST = SCHEMA_STEPS[0]?.from ?? 0;

function folderOfSchema(schema: number) {
  const clock = { now: 0 };
  const options = exchangeOptions(clock);
  const dataDir = join(options.path, "..");
  const stored = putStore(schema, dataDir);
  clock.now = stored.closeTime * 1000;
  const migrate = (more: { freeBytes?: () => Promise<number>; sliceRows?: number } = {}) =>
    migrateStore(dataDir, { clock: options.clock, ...more });
  return { ...stored, clock, options, dataDir, migrate };
}

test("there is a step from every schema since the first, and a store that it was tried on", () => {
  assert.deepEqual(
    SCHEMA_STEPS.map(({ from }) => from),
    Array.from({ length: SCHEMA_VERSION - FIRST }, (_, at) => FIRST + at),
  );
  const fixtures = readdirSync(new URL("../../../test/fixtures/store/", import.meta.url));
  for (const { from } of SCHEMA_STEPS) {
    assert.ok(fixtures.includes(`schema-${from}.mdb.gz`), `schema ${from}`);
  }
});

for (const { from } of SCHEMA_STEPS) {
  test(`a store of schema ${from} is migrated with its history, which goes on`, async () => {
    const { last, closeTime, lists, clock, options, dataDir, migrate } = folderOfSchema(from);
    assert.ok(lists.trades.length > 20 && lists.orders.length > 20 && lists.live.length > 0);
    await assert.rejects(Exchange.open(options), { code: "earlier_schema" });
    const aside = await migrate({ sliceRows: 2 });
    assert.ok(aside !== undefined);
    assert.deepEqual(readdirSync(dataDir).sort(), ["store", aside.slice(dataDir.length + 1)]);
    const exchange = await Exchange.open(options);
    assert.equal(exchange.state.ledger, last.ledger);
    assert.deepEqual(listsOf(exchange), lists);
    await compareCandles(exchange, dataDir);

    // Fills in the same candles and in later ones, of every market.
    const random = randomFrom(3);
    let [follows, time] = [last, closeTime];
    for (let count = 0; count < 60; count += 1) {
      time += [5, 60, 400, 4000, 90_000][random(5)] ?? 5;
      const first = random(4);
      const fill = {
        kind: "trade",
        ...{ order: orderId(1n), taker: account(1), maker: account(2), left: 0n },
        ...{ soldAsset: token(first), boughtAsset: token((first + 1 + random(3)) % 4) },
        ...{ sold: BigInt(1 + random(1000)), bought: BigInt(1 + random(1000)), crossfill: false },
      } as const;
      const delta = nextLedger(follows, time, [fill]);
      await exchange.apply(delta);
      follows = delta;
    }
    clock.now = time * 1000;
    await compareCandles(exchange, dataDir);
    const trades = exchange.state.history.trades({}, ALL).slice(-lists.trades.length);
    assert.deepEqual(plain(trades), lists.trades);
    await exchange.close();
  });
}

test("a kill at any stage loses nothing: the next start migrates, or ends what was begun", async () => {
  for (const stage of ["copied", "rows", "whole", "set-aside"]) {
    const { lists, options, dataDir, migrate } = folderOfSchema(FIRST);
    const old = readFileSync(join(options.path, "data.mdb"));
    const { signal, stderr } = spawnSync(process.execPath, [...FLAGS, CHILD, dataDir, stage], {
      encoding: "utf8",
      timeout: TIMEOUT_MS,
    });
    assert.equal(signal, "SIGKILL", stderr);
    await finishMigration(dataDir);
    if (stage !== "set-aside") {
      assert.deepEqual(readFileSync(join(options.path, "data.mdb")), old, stage);
      await migrate();
    }
    const exchange = await Exchange.open(options);
    assert.deepEqual(listsOf(exchange), lists, stage);
    await compareCandles(exchange, dataDir);
    await exchange.close();
    const [store, aside, ...others] = readdirSync(dataDir).sort();
    assert.deepEqual([store, others], ["store", []], stage);
    // The old store as it was, for whoever wants to go back.
    assert.deepEqual(readFileSync(join(dataDir, `${aside}`, "data.mdb")), old, stage);
    await putBack(dataDir, () => options.clock() + 1000);
    assert.deepEqual(readFileSync(join(options.path, "data.mdb")), old, stage);
  }
});

test("where the disk has no room for the copy, the store stays as it is and the error says so", async () => {
  const { options, dataDir, migrate } = folderOfSchema(FIRST);
  const old = readFileSync(join(options.path, "data.mdb"));
  await assert.rejects(migrate({ freeBytes: async () => 2 * old.length - 1 }), {
    code: "unavailable",
    message: /needs 0\.5 MB of free disk, and 0\.5 MB are free$/,
  });
  assert.deepEqual(readdirSync(dataDir), ["store"]);
  assert.deepEqual(readFileSync(join(options.path, "data.mdb")), old);
  assert.ok((await migrate({ freeBytes: async () => 2 * old.length })) !== undefined);
});

test("a damaged store is not migrated, and stays as it is", async () => {
  const { options } = folderOfSchema(FIRST);
  const file = join(options.path, "data.mdb");
  const bytes = readFileSync(file);
  // The first page after the two heads.
  bytes.fill(0, 2 * 4096, 12 * 4096);
  writeFileSync(file, bytes);
  await assert.rejects(Exchange.open(options), { code: "damaged" });
  assert.deepEqual(readFileSync(file), bytes);
});

/** Every stored candle of every market against the trades. */
async function compareCandles(exchange: Exchange, dataDir: string): Promise<void> {
  const fills = countedFills([...exchange.state.history.trades({}, ALL)].reverse());
  const store = await openPastStore(dataDir);
  let compared = 0;
  for (const market of TOKENS.flatMap((one, at) =>
    TOKENS.slice(at + 1).map((other): Pair => canonicalPair(one, other)),
  )) {
    for (const resolution of RESOLUTIONS) {
      const window = { from: 0, to: 2 ** 40, resolution };
      const stored = store.candles.between(market, resolution, 0, window.to);
      assert.deepEqual(stored.map(summary), naiveCandles(fills, market, window));
      compared += stored.length;
    }
  }
  assert.ok(compared > 100);
  await store.close();
}

function summary(candle: Candle) {
  const { open, high, low, close } = candle;
  return {
    ...candle,
    ...{ open: lowestTerms(open), high: lowestTerms(high) },
    ...{ low: lowestTerms(low), close: lowestTerms(close) },
  };
}
