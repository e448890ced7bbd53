// A devnet in its own process that is killed goes on where it was.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startDevnet } from "../../src/devnet/devnet.ts";
import { createFixture } from "../../src/devnet/fixture.ts";
import { hex } from "../../src/devnet/ledger/hash.ts";
import { spawnDevnet } from "../../src/devnet/spawn.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { assertHeader, decodeLedger } from "./audit.ts";

const PASSPHRASE = "Restart test";
/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 60_000;

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "restart-test-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

async function latestLedger(url: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" });
  const response = await fetch(url, { method: "POST", body });
  return ((await response.json()) as { result: { latestLedger: number } }).result.latestLedger;
}

test("a devnet killed in mid-flight goes on with the chain it served", async (t) => {
  const directory = temporary(t);
  const options = {
    seed: "restart",
    passphrase: PASSPHRASE,
    port: 0,
    ledgerTime: 20,
    directory,
    ...SMALL_DEVNET,
  };
  let served = 0;
  for (const ledgers of [40, 20]) {
    const spawned = await spawnDevnet(options);
    const deadline = performance.now() + WAIT_MS_MAX;
    let latest = await latestLedger(spawned.url);
    assert.ok(latest >= served, `${latest} after ${served}`);
    while (latest < served + ledgers) {
      assert.ok(performance.now() < deadline, `${latest} after ${served}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      latest = await latestLedger(spawned.url);
    }
    served = latest;
    spawned.kill();
    assert.equal(await spawned.exited, null);
  }
  const devnet = await startDevnet({ ...options, manual: true });
  t.after(() => devnet.stop());
  assert.ok(devnet.tip.ledger >= served);
  const closed = devnet.closeLedger();
  assert.equal(closed.transactions.length > 0, true);
  let hash = hex(decodeLedger(devnet.ledgerMeta(2)).ledgerHeader.header.previousLedgerHash);
  for (let ledger = 2; ledger <= devnet.tip.ledger; ledger += 1) {
    hash = assertHeader(decodeLedger(devnet.ledgerMeta(ledger)), hash);
  }
});

test("a torn last record is cut off, and its ledger closed again", async (t) => {
  const directory = temporary(t);
  const fixture = createFixture("torn", PASSPHRASE);
  const options = {
    seed: "torn",
    passphrase: PASSPHRASE,
    port: 0,
    manual: true,
    startTime: 1_800_000_000,
    directory,
  };
  const start = () => startDevnet(options, fixture.scenario);
  const first = await start();
  for (let at = 0; at < 5; at += 1) first.closeLedger();
  const { ledger, hash } = first.tip;
  await first.stop();
  const [segment] = readdirSync(directory).filter((name) => name.endsWith(".log"));
  const path = join(directory, segment ?? "");
  truncateSync(path, statSync(path).size - 100);
  const torn = await start();
  assert.equal(torn.tip.ledger, ledger - 1);
  torn.closeLedger();
  assert.deepEqual(torn.tip.hash, hash);
  await torn.stop();
  appendFileSync(path, Buffer.alloc(1_000, 7));
  const trailing = await start();
  assert.equal(trailing.tip.ledger, ledger);
  await trailing.stop();
});

test("a directory of another chain is refused with what differs", async (t) => {
  const directory = temporary(t);
  const fixture = createFixture("mine", PASSPHRASE);
  const options = { passphrase: PASSPHRASE, port: 0, manual: true, directory };
  const first = await startDevnet({ ...options, seed: "mine" }, fixture.scenario);
  await first.stop();
  await assert.rejects(
    startDevnet({ ...options, seed: "other" }, fixture.scenario),
    /holds a chain with seed "mine", not "other"/,
  );
});

test("a directory that another process has open is refused", async (t) => {
  const directory = temporary(t);
  const fixture = createFixture("locked", PASSPHRASE);
  const options = { seed: "locked", passphrase: PASSPHRASE, port: 0, manual: true, directory };
  const first = await startDevnet(options, fixture.scenario);
  await assert.rejects(startDevnet(options, fixture.scenario), /is in use by the process \d+/);
  await first.stop();
  const second = await startDevnet(options, fixture.scenario);
  await second.stop();
});

test("a process that cannot start says why", async () => {
  await assert.rejects(spawnDevnet({ port: 70_000 }), /the devnet could not start: .*port/s);
});
