// What clients see while the network misbehaves: ledgers that are missing for a while or for good,
// and a test network that begins anew.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { describedFetch } from "../support/api/described-fetch.ts";
import { eventsOf, startRecordedDevnet } from "../support/recorded-devnet.ts";
import { RpcRelay } from "../support/rpc-relay.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { untilOf } from "../support/until.ts";
import { ApiClient } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";
import { expectedRows } from "./expected-rows.ts";
import { settled } from "./settled.ts";

const LEDGERS = 40;
const RETENTION = 50;
/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 60_000;

const folder = temporaryFolder();
let devnet: Devnet;
/** What the engine takes for the network's RPC. */
let relay: RpcRelay;
let engine: EngineProcess;
const until = untilOf(() => engine);
let api: ApiClient;

before(async () => {
  devnet = await startNetwork();
  relay = await RpcRelay.start(devnet.url);
  await start();
});

after(async () => {
  await stopAll(engine, relay, devnet);
});

function startNetwork(): Promise<Devnet> {
  return startRecordedDevnet({
    seed: "network faults",
    manual: true,
    port: 0,
    retention: RETENTION,
    makers: 6,
    takers: 6,
    levels: 3,
    transactionsPerLedger: 8,
  });
}

async function start(): Promise<void> {
  engine = new EngineProcess({
    rpcUrl: relay.url,
    passphrase: devnet.network.passphrase,
    contract: devnet.network.exchange,
    dataDir: join(folder, "engine"),
  });
  api = new ApiClient(await engine.listening);
}

/** Another chain under the same passphrase and address, with other hashes: its genesis is of a later second. */
async function beginAnew(): Promise<void> {
  const { closeTime } = devnet.tip;
  // Its port may be another test's from now on.
  relay.target = undefined;
  await devnet.stop();
  await until("the clock moves on", () => Math.floor(Date.now() / 1000) > closeTime);
  devnet = await startNetwork();
  relay.target = devnet.url;
}

function closeLedgers(count: number): void {
  for (let closed = 0; closed < count; closed += 1) devnet.closeLedger();
}

function logged(pattern: RegExp): boolean {
  return engine.log.some(({ msg }) => pattern.test(msg ?? ""));
}

/** All that the API lists is what the devnet's record of its events gives, up to some ledger. */
function checkRows(events = eventsOf(devnet)): Promise<void> {
  return settled(async (now) => {
    const expected = expectedRows(events, now);
    assert.ok(expected.live.length > 10);
    const live = await api.all("/order", 200);
    assert.deepEqual(
      live.map(({ backed, backing, ...row }) => row),
      expected.live,
    );
    assert.deepEqual(await api.all("/order-history", 500), expected.archived);
    assert.deepEqual(await api.all("/trades", 500), expected.trades);
  });
}

test("nothing after ledgers that are missing is shown before they are there", async () => {
  closeLedgers(LEDGERS);
  await api.reached(devnet.tip.ledger);
  const before = [...eventsOf(devnet)];
  const last = devnet.tip.ledger;
  relay.missing = { from: last + 1, to: last + 4 };
  closeLedgers(8);
  await until("the gap is told", () => logged(new RegExp(`ledgers ${last + 1} to ${last + 4}`)));
  assert.equal((await api.get("/")).ledger, last);
  await checkRows(before);
  relay.missing = undefined;
  await api.reached(devnet.tip.ledger, WAIT_MS_MAX);
  await checkRows();
});

test("a network that begins anew has its old data set aside and is read from its start", async () => {
  const before = await api.all("/trades", 500);
  // The engine listens on another port when it begins anew: none was asked for.
  const port = engine.listensAgain();
  await beginAnew();
  api = new ApiClient(await port);
  assert.ok(logged(/set aside/));
  assert.equal((await api.get("/")).status, "loading");
  const path = `/quote?sellingAsset=${devnet.network.plainToken}&buyingAsset=XLM&amount=100`;
  assert.equal((await describedFetch(api.url + path)).status, 409);
  assert.deepEqual(await api.all("/trades", 500), []);

  closeLedgers(LEDGERS);
  await api.reached(devnet.tip.ledger, WAIT_MS_MAX);
  await checkRows();
  assert.ok(before.length > 0);
});

test("ledgers that nobody serves any more are told, and read once they are served again", async () => {
  const last = devnet.tip.ledger;
  const before = [...eventsOf(devnet)];
  await engine.stop();
  closeLedgers(2 * RETENTION);
  await start();
  await until("the gap is told", () =>
    logged(new RegExp(`ledgers ${last + 1} to \\d+ are missing: the oldest ledger`)),
  );
  assert.equal((await api.get("/")).ledger, last);
  await checkRows(before);
});
