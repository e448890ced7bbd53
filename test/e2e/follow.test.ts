// The whole engine against a devnet: what the API serves is what the exchange did, field by field,
// also where the engine was killed again and again on the way.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { randomFrom } from "../support/random-ledgers.ts";
import { eventsOf, startRecordedDevnet } from "../support/recorded-devnet.ts";
import { runs } from "../support/runs.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { comparable } from "./comparable.ts";
import { EngineProcess, FLAGS } from "./engine-process.ts";
import { expectedRows } from "./expected-rows.ts";
import { settled } from "./settled.ts";

/** Ledgers closed at first, which fill the books. */
const LEDGERS = 45;
const KILLS = runs(3);
const KILL_SEED = 2026;
/** Closed after each start, the kill among them. */
const LEDGERS_A_START = 15;

/** List endpoints with their largest page. */
const LISTS = { "/order": 200, "/order-history": 500, "/trades": 500, "/failures": 500 };
/** A time before the first trade. */
const HOUR_AGO = Math.floor(Date.now() / 1000) - 3600;

const folder = temporaryFolder();
let devnet: Devnet;
let steady: EngineProcess;
let killed: EngineProcess;
let api: ApiClient;

function startEngine(name: string): EngineProcess {
  return new EngineProcess({
    rpcUrl: devnet.url,
    passphrase: devnet.network.passphrase,
    contract: devnet.network.exchange,
    dataDir: join(folder, name),
  });
}

/** Closes ledgers, each of which the engines may ask for at once. */
async function closeLedgers(count: number): Promise<void> {
  for (let closed = 0; closed < count; closed += 1) {
    devnet.closeLedger();
    await nextTurn();
  }
}

async function killOften(): Promise<void> {
  const random = randomFrom(KILL_SEED);
  for (let kill = 0; kill < KILLS; kill += 1) {
    // From before it listens to well after.
    if (random(4) > 0) {
      const client = new ApiClient(await killed.listening);
      if (random(3) > 0) await client.reached(devnet.tip.ledger - random(LEDGERS_A_START));
    }
    const before = random(LEDGERS_A_START);
    await closeLedgers(before);
    killed.kill();
    await killed.exited;
    killed = startEngine("killed");
    await closeLedgers(LEDGERS_A_START - before);
  }
}

before(async () => {
  devnet = await startRecordedDevnet({ seed: "end to end", manual: true, port: 0 });
  steady = startEngine("steady");
  killed = startEngine("killed");
  await closeLedgers(LEDGERS);
  await killOften();
  api = new ApiClient(await steady.listening);
  await api.reached(devnet.tip.ledger);
});

after(async () => {
  await stopAll(steady, killed, devnet);
});

test("every live and archived order, trade and swap is the exchange's own", () =>
  settled(async (now) => {
    const live = await api.all("/order", 200);
    const archived = await api.all("/order-history", 500);
    const trades = await api.all("/trades", 500);
    const expected = expectedRows(eventsOf(devnet), now);
    assert.ok(expected.live.length > 100 && expected.archived.length > 100);
    assert.ok(expected.trades.some(({ crossfill }) => crossfill) && expected.trades.length > 100);
    const bare = live.map(({ backed, backing, ...row }: Row) => row);
    assert.deepEqual(bare, expected.live);
    assert.deepEqual(archived, expected.archived);
    assert.deepEqual(trades, expected.trades);
  }));

test("verify finds every live order on the ledger as it is served", async () => {
  const script = fileURLToPath(new URL("../../src/verify.js", import.meta.url));
  const args = [...FLAGS, script, "--url", api.url, "--rpc", devnet.url];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const [, checked, differ] = /^([0-9]+) orders checked, ([0-9]+) differ$/m.exec(stdout) ?? [];
  assert.ok(Number(checked) > 100, stdout);
  assert.equal(differ, "0", stdout);
  const market = /^([0-9]+) candles and ([0-9]+) tickers checked against the trades, 0 differ$/m;
  const [, candles, tickers] = market.exec(stdout) ?? [];
  assert.ok(Number(candles) > 10 && Number(tickers) > 1, stdout);
});

test("an engine that was killed again and again serves the same", async () => {
  const other = new ApiClient(await killed.listening);
  await other.reached(devnet.tip.ledger);
  const same = (what: string, load: (from: ApiClient) => Promise<unknown>) =>
    settled(async () => {
      const [left, right] = await Promise.all([load(api), load(other)]);
      assert.deepEqual(comparable(right), comparable(left), what);
    });
  for (const [path, limit] of Object.entries(LISTS)) {
    await same(path, (from) => from.all(path, limit));
  }
  const orders: Row[] = await api.all("/order", 200);
  const owners = new Set<string>(orders.map(({ owner }) => owner));
  const [order] = orders;
  const markets: Row[] = await api.all("/markets", 1000);
  assert.ok(owners.size > 1 && markets.length > 1);
  const paths = [
    "/",
    "/contract",
    "/ticker/24h",
    `/backing?owner=${order.owner}&asset=${order.selling}`,
    ...[...owners].map((owner) => `/account/${owner}`),
    ...markets.flatMap(({ baseAsset: base, quoteAsset: quote }) => [
      `/depth?market=${base}/${quote}`,
      `/depth?market=${quote}/${base}&step=0.01&depth=100`,
      `/candles?market=${base}/${quote}&from=${HOUR_AGO}&resolution=300`,
      `/candles?market=${quote}/${base}&from=${HOUR_AGO}&resolution=3600`,
      `/quote?sellingAsset=${quote}&buyingAsset=${base}&amount=100000000`,
      `/quote?sellingAsset=${base}&buyingAsset=${quote}&amount=100000000&direction=strict_receive`,
    ]),
  ];
  for (const path of paths) await same(path, (from) => from.get(path));
});
