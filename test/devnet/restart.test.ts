// A devnet in its own process that is killed goes on where it was.
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Asset, contract, rpc, type Transaction, TransactionBuilder } from "@stellar/stellar-sdk";
import { startDevnet } from "../../src/devnet/devnet.ts";
import { hex } from "../../src/devnet/ledger/hash.ts";
import { spawnDevnet } from "../../src/devnet/spawn.ts";
import { openRoot, openTable, tableNames } from "../../src/store/tables.ts";
import { createFixture } from "../support/devnet/fixture.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { signed, Trader } from "../support/trader.ts";
import { until } from "../support/until.ts";
import { assertHeader, decodeLedger } from "./audit.ts";

const PASSPHRASE = "Restart test";

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

test("a devnet killed in mid-flight goes on with the chain it served, and with the authorizations used in it", async (t) => {
  const options = {
    seed: "restart",
    passphrase: PASSPHRASE,
    port: 0,
    ledgerTime: 200,
    directory: temporary(t),
    ...SMALL_DEVNET,
  };
  const network = { url: "", passphrase: PASSPHRASE, exchange: "" };
  const [payer, owner] = [new Trader(network), new Trader(network)];
  const first = await spawnDevnet(options);
  t.after(() => first.kill());
  network.url = first.url;
  const used = await sendAuthorized(payer, owner);
  const served = await latestLedger(first.url);
  first.kill();
  assert.equal(await first.exited, null);
  const second = await spawnDevnet({ ...options, ledgerTime: 50 });
  t.after(() => second.kill());
  network.url = second.url;
  const latest = await latestLedger(second.url);
  assert.ok(latest >= served, `${latest} after ${served}`);
  await checkRemembered(payer, used);
  await reached(second.url, served + 20);
  second.kill();
  assert.equal(await second.exited, null);
  const devnet = await startDevnet({ ...options, manual: true });
  t.after(() => devnet.stop());
  assert.ok(devnet.tip.ledger >= served + 20);
  const closed = devnet.closeLedger();
  assert.equal(closed.transactions.length > 0, true);
  let hash = hex(decodeLedger(devnet.ledgerMeta(2)).ledgerHeader.header.previousLedgerHash);
  for (let ledger = 2; ledger <= devnet.tip.ledger; ledger += 1) {
    hash = assertHeader(decodeLedger(devnet.ledgerMeta(ledger)), hash);
  }
});

async function reached(url: string, ledger: number): Promise<void> {
  await until(`ledger ${ledger} is not reached`, async () => (await latestLedger(url)) >= ledger);
}

/** A call that one account pays for and another one's signed entry authorizes, once applied. */
async function sendAuthorized(payer: Trader, owner: Trader): Promise<Transaction> {
  await Promise.all([payer, owner].map(({ server, address }) => server.fundAddress(address)));
  const args = {
    from: owner.address,
    spender: payer.address,
    amount: 5n,
    expiration_ledger: 100_000,
  };
  const token = Asset.native().contractId(PASSPHRASE);
  const assembled = await payer.prepare("approve", args, token);
  const { signAuthEntry } = contract.basicNodeSigner(owner.key, PASSPHRASE);
  // Longer than usual: ledgers are short here.
  await assembled.signAuthEntries({ expiration: 100_000, address: owner.address, signAuthEntry });
  await assembled.simulate();
  const transaction = await signed(assembled);
  assert.equal((await payer.submit(transaction)).status, "SUCCESS");
  return transaction;
}

/** After a kill: what was reported stands, and what was signed for one call is good for no other. */
async function checkRemembered(payer: Trader, used: Transaction): Promise<void> {
  const found = await payer.server.getTransaction(Buffer.from(used.hash()).toString("hex"));
  assert.equal(found.status, "SUCCESS");
  const account = await payer.server.getAccount(payer.address);
  assert.equal(account.sequenceNumber(), used.sequence);
  const envelope = used.toEnvelope();
  assert.ok(envelope.type === "envelopeTypeTx");
  const { operations, ext } = envelope.value.tx;
  const [operation] = operations;
  assert.ok(operation !== undefined && ext.type === "sorobanData");
  const again = new TransactionBuilder(account, { fee: used.fee, networkPassphrase: PASSPHRASE })
    .addOperation(operation)
    .setSorobanData(ext.value)
    .setTimeout(300)
    .build();
  const simulated = await payer.server.simulateTransaction(again);
  assert.ok(rpc.Api.isSimulationError(simulated));
  assert.match(simulated.error, /HostError: Error\(Auth, ExistingValue\)/);
  assert.equal((await payer.submit(payer.sign(again))).status, "FAILED");
}

test("a directory with a damaged, another program's or an earlier version's file is refused", async (t) => {
  const directory = temporary(t);
  const fixture = createFixture("torn", PASSPHRASE);
  const options = { seed: "torn", passphrase: PASSPHRASE, port: 0, manual: true, directory };
  const start = () => startDevnet(options, fixture.scenario);
  const first = await start();
  for (let at = 0; at < 5; at += 1) first.closeLedger();
  const { ledger } = first.tip;
  await first.stop();
  const path = join(directory, "data.mdb");
  const whole = readFileSync(path);
  truncateSync(path, whole.length / 2);
  await assert.rejects(start(), /is damaged/);
  writeFileSync(path, Buffer.alloc(whole.length, 7));
  await assert.rejects(start(), /is not a Hopbook store/);
  writeFileSync(path, whole);
  const again = await start();
  assert.equal(again.tip.ledger, ledger);
  await again.stop();
  writeFileSync(join(directory, "chain.json"), "{}");
  await assert.rejects(start(), /holds a chain with format 2, not 3/);
});

test("a directory with the engine's store is refused, and left as it is", async (t) => {
  const directory = temporary(t);
  const root = openRoot(directory, { readOnly: false });
  await openTable(root, "live").put(Buffer.from([1]), Buffer.from([1]));
  await root.close();
  const fixture = createFixture("engine", PASSPHRASE);
  const options = { passphrase: PASSPHRASE, port: 0, manual: true, directory };
  await assert.rejects(startDevnet(options, fixture.scenario), /a database that is no devnet's/);
  const after = openRoot(directory, { readOnly: true });
  assert.deepEqual(tableNames(after), ["live"]);
  await after.close();
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
  await assert.rejects(
    startDevnet(options, fixture.scenario),
    /is in use by a running devnet, process \d+/,
  );
  await first.stop();
  const second = await startDevnet(options, fixture.scenario);
  await second.stop();
});

test("a start that fails leaves the directory to the next one", async (t) => {
  const directory = temporary(t);
  const fixture = createFixture("failed", PASSPHRASE);
  const options = { seed: "failed", passphrase: PASSPHRASE, manual: true, directory };
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await assert.rejects(startDevnet({ ...options, port }, fixture.scenario), /EADDRINUSE/);
  const devnet = await startDevnet({ ...options, port: 0 }, fixture.scenario);
  await devnet.stop();
});

test("a start that its scenario makes fail leaves nothing open, and no directory of its own", async (t) => {
  const directory = temporary(t);
  const inside = temporary(t);
  const outside = tmpdir();
  process.env.TMPDIR = inside;
  t.after(() => {
    process.env.TMPDIR = outside;
  });
  const { scenario } = createFixture("broken", PASSPHRASE);
  const options = { seed: "broken", passphrase: PASSPHRASE, port: 0, manual: true };
  const broken = (): never => {
    throw new Error("broken scenario");
  };
  for (const part of [{ genesis: broken }, { faucet: broken }]) {
    const failing = { ...scenario, ...part };
    await assert.rejects(startDevnet(options, failing), /broken scenario/);
    assert.deepEqual(readdirSync(inside), []);
    await assert.rejects(startDevnet({ ...options, directory }, failing), /broken scenario/);
  }
  const devnet = await startDevnet({ ...options, directory }, scenario);
  await devnet.stop();
});

test("a process that cannot start says why", async () => {
  await assert.rejects(spawnDevnet({ port: 70_000 }), /the devnet could not start: .*port/s);
});
