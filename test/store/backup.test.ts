import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Exchange } from "../../src/book/exchange.ts";
import { backupStore, restoreStore } from "../../src/store/backup.ts";
import { storeFolder } from "../../src/store/data-folder.ts";
import { lockFolder } from "../../src/store/folder-lock.ts";
import { exchangeIdentity } from "../support/exchange.ts";
import { naiveAnswers } from "../support/naive-exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ALL = { limit: 1_000_000 };
const LEDGER_EVENTS = 50;
const ledgers = randomLedgers(randomFrom(8), 60, LEDGER_EVENTS);

function openIn(dataDir: string): Promise<Exchange> {
  const path = storeFolder(dataDir);
  return Exchange.open({ ...exchangeIdentity, path, clock: () => CHAIN_START * 1000 });
}

/** A data folder with some ledgers, closed. */
async function filled(count = 5): Promise<string> {
  const dataDir = join(temporaryFolder(), "data");
  const exchange = await openIn(dataDir);
  for (const delta of ledgers.slice(0, count)) await exchange.apply(delta);
  await exchange.close();
  return dataDir;
}

test("a copy made while ledgers are stored holds one of them whole, and goes on from it", async () => {
  const dataDir = await filled(20);
  const lock = await lockFolder(dataDir);
  const exchange = await openIn(dataDir);
  const backup = join(temporaryFolder(), "backups", "today");
  let copied = false;
  const copying = backupStore(dataDir, backup).finally(() => {
    copied = true;
  });
  let applied = 20;
  for (; applied < 50 && !copied; applied += 1) {
    await exchange.apply(ledgers[applied] ?? assert.fail("too few ledgers"));
  }
  const { ledger, bytes, contract } = await copying;
  await exchange.close();
  lock.release();
  assert.deepEqual(readdirSync(backup), ["store"]);
  assert.deepEqual(readdirSync(storeFolder(backup)), ["data.mdb"]);
  assert.equal(contract, exchangeIdentity.contract);
  assert.ok(bytes <= readFileSync(join(storeFolder(dataDir), "data.mdb")).length);

  const restored = join(temporaryFolder(), "restored");
  assert.equal((await restoreStore(backup, restored)).ledger, ledger);
  const again = await openIn(restored);
  const held = ledgers.findIndex((delta) => delta.ledger === ledger) + 1;
  assert.ok(held >= 20 && held <= applied, `${held} ledgers`);
  const expect = (count: number) => {
    const naive = naiveAnswers(ledgers.slice(0, count), CHAIN_START);
    assert.deepEqual(again.state.history.trades({}, ALL), naive.trades);
    assert.deepEqual(again.state.history.liveOrders({ assets: [] }, ALL), naive.live);
  };
  expect(held);
  for (const delta of ledgers.slice(held)) await again.apply(delta);
  expect(ledgers.length);
  await again.close();
});

test("where something is, no copy is made and nothing is changed", async () => {
  const dataDir = await filled();
  const other = await filled(2);
  const before = readFileSync(join(storeFolder(other), "data.mdb"));
  await assert.rejects(backupStore(dataDir, other), { code: "not_empty" });
  await assert.rejects(restoreStore(dataDir, other), { code: "not_empty" });
  await assert.rejects(backupStore(dataDir, dataDir), { code: "not_empty" });
  assert.deepEqual(readFileSync(join(storeFolder(other), "data.mdb")), before);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "notes"), "");
  await assert.rejects(restoreStore(dataDir, folder), { code: "not_empty" });
  assert.deepEqual(readdirSync(folder), ["notes"]);
});

test("a copy that was cut short does not stand in the way of the next", async () => {
  const dataDir = await filled();
  const to = temporaryFolder();
  mkdirSync(join(to, "store.unfinished"));
  appendFileSync(join(to, "store.unfinished", "data.mdb"), "half");
  assert.equal((await backupStore(dataDir, to)).ledger, ledgers[4]?.ledger);
  assert.deepEqual(readdirSync(to), ["store"]);
});

test("what is missing, foreign or damaged makes no copy", async () => {
  const folder = temporaryFolder();
  const to = join(folder, "to");
  await assert.rejects(backupStore(join(folder, "none"), to), { code: "unavailable" });
  await assert.rejects(restoreStore(join(folder, "none"), to), { code: "unavailable" });
  mkdirSync(storeFolder(folder));
  writeFileSync(join(storeFolder(folder), "data.mdb"), "something else ".repeat(1000));
  await assert.rejects(backupStore(folder, to), { code: "foreign" });
  await assert.rejects(restoreStore(folder, to), { code: "foreign" });

  const damaged = await filled();
  const file = join(storeFolder(damaged), "data.mdb");
  writeFileSync(file, readFileSync(file).fill(7, 8192));
  await assert.rejects(backupStore(damaged, to), { code: "damaged" });
  await assert.rejects(restoreStore(damaged, to), { code: "damaged" });
  assert.ok(!existsSync(to) || readdirSync(to).length === 0, "nothing is left behind");
});

test("a folder that an engine runs on is no backup", async () => {
  const dataDir = await filled();
  const lock = await lockFolder(dataDir);
  await assert.rejects(restoreStore(dataDir, join(temporaryFolder(), "to")), { code: "in_use" });
  lock.release();
});
