// History from a data lake: from the contract's first ledger on, although the RPC keeps only the
// newest, and with every failed call, as another decoder finds them in the same ledgers.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { KeyTable } from "../../src/ingest/key-table.ts";
import type { Address } from "../../src/model/address.ts";
import { utcText } from "../../src/model/clock.ts";
import type { Failure } from "../../src/model/failure.ts";
import { eventsOf, startRecordedDevnet } from "../support/recorded-devnet.ts";
import { sdkDecoder } from "../support/sdk-decoder.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";
import { expectedRows } from "./expected-rows.ts";
import { settled } from "./settled.ts";

const LEDGERS = 90;
const RETENTION = 20;
const WAIT_MS_MAX = 60_000;

const folder = temporaryFolder();
const failures: Failure[] = [];
let devnet: Devnet;
let engine: EngineProcess;
let api: ApiClient;

before(async () => {
  devnet = await startRecordedDevnet({
    seed: "history",
    manual: true,
    port: 0,
    retention: RETENTION,
    lakeDirectory: join(folder, "lake"),
    // The newest ledgers are in no object yet: the RPC has to go on where the lake ends.
    lakeLedgersPerBatch: 8,
    lakeBatchesPerPartition: 4,
    makers: 6,
    takers: 6,
    levels: 3,
    transactionsPerLedger: 8,
  });
  const { exchange, passphrase } = devnet.network;
  const decode = sdkDecoder({ exchange, passphrase });
  const nothing = { keys: new KeyTable(), tokens: new Set<Address>() };
  devnet.onClosed(({ tip: { ledger } }) => {
    failures.push(...decode(devnet.ledgerMeta(ledger), ledger, nothing).delta.failures);
  });
  closeLedgers(LEDGERS);
  engine = new EngineProcess({
    rpcUrl: devnet.url,
    passphrase,
    contract: exchange,
    dataDir: join(folder, "engine"),
    environment: { LAKE: join(folder, "lake") },
  });
  api = new ApiClient(await engine.listening);
  await api.reached(devnet.tip.ledger, WAIT_MS_MAX);
});

after(async () => {
  await stopAll(engine, devnet);
});

function closeLedgers(count: number): void {
  for (let closed = 0; closed < count; closed += 1) devnet.closeLedger();
}

test("begins where the contract does, and goes over to the RPC without a hole", async () => {
  closeLedgers(5);
  await api.reached(devnet.tip.ledger, WAIT_MS_MAX);
  await settled(async (now) => {
    const expected = expectedRows(eventsOf(devnet), now);
    assert.deepEqual(await api.all("/order-history", 500), expected.archived);
    assert.deepEqual(await api.all("/trades", 500), expected.trades);
  });
  assert.ok(eventsOf(devnet).length > 100);
  assert.ok(engine.log.some(({ msg }) => /the contract begins at ledger \d+/.test(msg ?? "")));
});

test("every failed call is listed, newest first, and found by function and by account", async () => {
  const rows = failures.map(failureRow).reverse();
  assert.deepEqual(await api.all("/failures", 7), rows);
  for (const shown of [
    rows.some(({ caught }) => caught === true),
    rows.some(({ caught }) => caught === undefined),
    rows.some(({ transfer }) => transfer !== undefined),
    rows.some(({ error }) => error?.name !== undefined),
    rows.some(({ takerOrder }) => takerOrder !== undefined),
  ]) {
    assert.ok(shown);
  }
  for (const fn of new Set(rows.map((row) => row.fn))) {
    const found = await api.get(`/failures?limit=500&fn=${fn}`);
    assert.deepEqual(
      found,
      rows.filter((row) => row.fn === fn),
    );
  }
  const accounts = rows.flatMap(({ caller, transfer }) => [caller, transfer?.from, transfer?.to]);
  for (const account of new Set(accounts.filter((one) => one !== undefined))) {
    const found = await api.get(`/failures?limit=500&account=${account}`);
    const concerned = ({ caller, transfer }: Row): boolean =>
      [caller, transfer?.from, transfer?.to].includes(account);
    assert.deepEqual(found, rows.filter(concerned));
  }
});

/** As the API document has it. */
function failureRow(failure: Failure): Row {
  const { id, ledger, txHash, fn, caller, result, reason, error, transfer } = failure;
  return {
    type: "failure",
    id: String(id),
    txHash,
    ledger,
    timestamp: utcText(failure.timestamp),
    fn,
    caller,
    orders: failure.orders.map(String),
    ...(failure.takerOrder === undefined ? {} : { takerOrder: String(failure.takerOrder) }),
    result,
    ...(failure.caught ? { caught: true } : {}),
    reason,
    ...(error === undefined ? {} : { error }),
    ...(transfer === undefined
      ? {}
      : { transfer: { ...transfer, amount: String(transfer.amount) } }),
    cursor: String(id),
  };
}
