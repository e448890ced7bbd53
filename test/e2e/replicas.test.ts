// Two replicas behind a balancer: a rolling restart and a kill under load cost no request, and push clients come back
// and miss nothing.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { LocalBook, PushClient } from "hopbook/client";
import { WebSocket } from "ws";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { Balancer } from "../support/balancer.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";

const NAMES = ["one", "other"] as const;
type Name = (typeof NAMES)[number];
/** Between two requests of a load, and between two looks. */
const PAUSE_MS = 40;
const WAIT_MS_MAX = 60_000;

const folder = temporaryFolder();
const engines = new Map<Name, EngineProcess>();
let devnet: Devnet;
let balancer: Balancer;

before(async () => {
  devnet = await startDevnet({ seed: "replicas", ledgerTime: 1000, port: 0, ...SMALL_DEVNET });
  // Markets, and trades in them.
  for (let ledger = 0; ledger < 30; ledger += 1) devnet.closeLedger();
  balancer = await Balancer.start();
});
after(async () => {
  for (const engine of engines.values()) engine.kill();
  balancer?.close();
  await stopAll(devnet);
});

/** Starts a replica on its folder; resolves once the balancer gives it requests. */
async function start(name: Name): Promise<void> {
  const { passphrase, exchange } = devnet.network;
  const engine = new EngineProcess({
    rpcUrl: devnet.url,
    passphrase,
    contract: exchange,
    dataDir: join(folder, name),
    // Above the balancer's interval.
    environment: { OPERATORS_PORT: "0", DRAIN_SECONDS: "1", READY_LAG: "600" },
  });
  engines.set(name, engine);
  const port = await engine.listening;
  const { operators } = engine;
  assert.ok(operators !== undefined);
  balancer.put(name, { port, operators });
  await balancer.until(name, true);
}

async function bothReached(ledger: number): Promise<void> {
  for (const engine of engines.values())
    await new ApiClient(await engine.listening).reached(ledger);
}

/** Asks for one after the other until told to stop. Resolves to what failed, and how many there were. */
async function load(paths: readonly string[], signal: AbortSignal) {
  const failed: string[] = [];
  let count = 0;
  for (; !signal.aborted; count += 1) {
    const path = paths[count % paths.length] ?? "/";
    try {
      const answer = await fetch(`http://127.0.0.1:${balancer.port}${path}`);
      const text = await answer.text();
      // 409 is a right answer of /quote: there is no route, or a busy machine had no time to find one.
      const isGood = answer.status === 200 || (answer.status === 409 && path.startsWith("/quote"));
      if (!isGood) failed.push(`${path}: ${answer.status} ${text}`);
    } catch (error) {
      failed.push(`${path}: ${error}`);
    }
    await delay(PAUSE_MS);
  }
  return { failed, count };
}

/** What a client keeps: the fills of every market by position, and one market's whole book. */
class Follower {
  readonly fills = new Map<bigint, Row>();
  readonly book = new LocalBook();
  readonly client: PushClient;
  /** Resolves once fills that a snapshot after a gap did not reach back to are fetched from REST. */
  missed: Promise<void> = Promise.resolve();
  readonly #api: ApiClient;

  constructor(market: string, api: ApiClient) {
    this.#api = api;
    this.client = new PushClient(`http://127.0.0.1:${balancer.port}`, { WebSocket });
    this.client.subscribe(
      { channel: "trades", market: "*" },
      {
        message: (message, { isGap }) => {
          if (isGap) {
            const known = new Set(this.fills.keys());
            this.missed = this.missed.then(() => this.#fetchUntil(known));
          }
          this.#take("trades" in message ? message.trades : [message.trade]);
        },
      },
    );
    this.client.subscribe(
      { channel: "book", market },
      { message: (message) => void this.book.apply(message) },
    );
  }

  #take(rows: readonly Row[]): void {
    for (const row of rows) if (row.type === "trade") this.fills.set(BigInt(row.id), row);
  }

  async #fetchUntil(known: ReadonlySet<bigint>): Promise<void> {
    for (let cursor = ""; ; ) {
      const rows: readonly Row[] = await this.#api.get(`/trades?limit=50&cursor=${cursor}`);
      this.#take(rows);
      if (rows.length === 0 || rows.some(({ id }) => known.has(BigInt(id)))) return;
      cursor = rows.at(-1)?.cursor;
    }
  }

  /** Resolves once it has a state of the connection that follows `openCount` others. */
  async isBack(openCount: number): Promise<void> {
    while (this.client.openCount <= openCount || !this.book.isComplete) await delay(PAUSE_MS);
  }
}

test("a rolling restart and a kill under load cost no request and no message", {
  timeout: 300_000,
}, async (t) => {
  for (const name of NAMES) await start(name);
  await bothReached(devnet.tip.ledger);
  const api = new ApiClient(balancer.port);
  const { ticker } = await api.get("/ticker/24h");
  const market: string = ticker[0].symbol;
  const [base, other] = market.split("/");
  const followers = NAMES.map(() => new Follower(market, api));
  t.after(() => {
    for (const { client } of followers) client.close();
  });
  await Promise.all(followers.map((each) => each.isBack(0)));
  const ending = new AbortController();
  t.after(() => ending.abort());
  const quote = `/quote?sellingAsset=${base}&buyingAsset=${other}&amount=1000000`;
  const loads = [
    ["/", "/trades?limit=50"],
    [`/depth?market=${market}`, "/order-history"],
    [quote],
  ].map((paths) => load(paths, ending.signal));

  for (const name of NAMES) {
    const counts = followers.map(({ client }) => client.openCount);
    await engines.get(name)?.stop();
    await start(name);
    await Promise.all(followers.map((each, at) => each.isBack((counts[at] ?? 0) - 1)));
  }
  // Killed, while it serves clients.
  const killed = NAMES[0];
  engines.get(killed)?.kill();
  await engines.get(killed)?.exited;
  await balancer.until(killed, false);
  await start(killed);
  await Promise.all(followers.map((each) => each.isBack(1)));

  devnet.pause();
  ending.abort();
  for (const { failed, count } of await Promise.all(loads)) {
    assert.deepEqual(failed, []);
    assert.ok(count > 0);
  }
  for (const name of NAMES) assert.ok((balancer.served.get(name) ?? 0) > 0, name);

  await bothReached(devnet.tip.ledger);
  const trades = (await api.all("/trades", 200)).filter(({ type }) => type === "trade");
  const ids = trades.map(({ id }) => BigInt(id)).sort(ascending);
  const deadline = performance.now() + WAIT_MS_MAX;
  for (const follower of followers) {
    const { fills, book } = follower;
    const told = () => [...fills.keys()].sort(ascending);
    const rows = () =>
      [book.orders("ask"), book.orders("bid")].map((side) => side.map(({ row }) => row));
    let served: Row;
    let expected: readonly bigint[];
    // The last messages may be on their way, and with them a gap to be filled, down to older fills than before; and
    // orders go on expiring.
    for (;;) {
      const { asks, bids } = await api.get(`/book?market=${market}&limit=5000`);
      served = [asks, bids];
      await follower.missed;
      const [from = 0n] = told();
      expected = ids.filter((id) => id >= from);
      const isSame = isDeepStrictEqual(told(), expected) && isDeepStrictEqual(rows(), served);
      if (isSame || performance.now() > deadline) break;
      await delay(PAUSE_MS);
    }
    assert.deepEqual(rows(), served);
    assert.deepEqual(told(), expected);
    assert.ok(expected.length > 0);
  }
});

function ascending(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
