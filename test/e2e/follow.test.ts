// The whole engine against a devnet: what the API serves is what the exchange did, field by field,
// also where the engine was killed again and again on the way.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { randomFrom } from "../support/random-ledgers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";
import { expectedRows } from "./expected-rows.ts";

const LEDGERS = 300;
const KILLS = 20;
const KILL_SEED = 2026;
/** Between the start of the process and its end: from before it listens to well after. */
const KILL_AFTER_MS = { min: 100, max: 900 };

const ATTEMPTS_MAX = 10;

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

async function killOften(): Promise<void> {
  const random = randomFrom(KILL_SEED);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { min, max } = KILL_AFTER_MS;
    await new Promise((resolve) => setTimeout(resolve, min + random(max - min)));
    killed.kill();
    await killed.exited;
    killed = startEngine("killed");
  }
}

before(async () => {
  devnet = await startDevnet({ seed: "end to end", ledgerTime: 50, port: 0 });
  steady = startEngine("steady");
  killed = startEngine("killed");
  const closed = new Promise<void>((resolve) => {
    devnet.onClosed(({ tip }) => {
      if (tip.ledger >= LEDGERS) resolve();
    });
  });
  await Promise.all([closed, killOften()]);
  devnet.pause();
  api = new ApiClient(await steady.listening);
  await api.reached(devnet.tip.ledger);
});

after(async () => {
  await Promise.all([steady.stop(), killed.stop()]);
  await devnet.stop();
});

/**
 * An order may expire between two requests: then the comparison is made again, at another second.
 */
async function settled(compare: (now: number) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await compare(Math.floor(Date.now() / 1000));
      return;
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || attempt === ATTEMPTS_MAX) throw error;
    }
    // Well after the full second at which the engine moves orders by its clock.
    await new Promise((resolve) => setTimeout(resolve, 1200 - (Date.now() % 1000)));
  }
}

test("every live and archived order, trade and swap is the exchange's own", () =>
  settled(async (now) => {
    const live = await api.all("/order", 200);
    const archived = await api.all("/order-history", 500);
    const trades = await api.all("/trades", 500);
    const expected = expectedRows(devnet.record.events, now);
    assert.ok(expected.live.length > 100 && expected.archived.length > 100);
    assert.ok(expected.trades.some(({ crossfill }) => crossfill) && expected.trades.length > 100);
    const bare = live.map(({ backed, backing, ...row }: Row) => row);
    assert.deepEqual(bare, expected.live);
    assert.deepEqual(archived, expected.archived);
    assert.deepEqual(trades, expected.trades);
  }));

test("verify finds every live order on the ledger as it is served", async () => {
  const script = fileURLToPath(new URL("../../src/verify.js", import.meta.url));
  const args = [script, "--url", api.url, "--rpc", devnet.url];
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
  const owners = new Set((await api.all("/order", 200)).map(({ owner }: Row) => owner));
  const same = (what: string, load: (from: ApiClient) => Promise<unknown>) =>
    settled(async () => {
      const [left, right] = await Promise.all([load(api), load(other)]);
      assert.deepEqual(comparable(right), comparable(left), what);
    });
  await same("/order", (from) => from.all("/order", 200));
  for (const path of ["/order-history", "/trades", "/failures"]) {
    await same(path, (from) => from.all(path, 500));
  }
  for (const path of ["/contract", ...[...owners].map((owner) => `/account/${owner}`)]) {
    await same(path, (from) => from.get(path));
  }
});

/**
 * When a backing record was last loaded depends on when the engine ran. Of a token that keeps its
 * own books even the allowance's end does: only an approval that was seen as it happened tells it.
 */
function comparable(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: Row) => {
    if (typeof value !== "object" || value === null) return value;
    if ("liveUntil" in value) {
      const { updated, ...rest } = value;
      assert.equal(typeof updated, "string", key);
      if (value.asset === devnet.network.plainToken) delete rest.liveUntil;
      return rest;
    }
    if (value.selling === devnet.network.plainToken) delete value.backing?.liveUntil;
    return value;
  });
}
