// A local book over the channel of an engine that is killed and started again, once with a reader who falls behind: in
// the end of every ledger it is what REST lists, and a replay from any ledger comes to the same.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { LocalBook, PushClient, stream } from "hopbook/client";
import WebSocket from "ws";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { eventsOf, startRecordedDevnet } from "../support/recorded-devnet.ts";
import { runs } from "../support/runs.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { EngineProcess, FLAGS } from "./engine-process.ts";

const LEDGERS = runs(5);
/** After so many ledgers the engine is killed. */
const KILL_EVERY = 4;
const OPTIONS = {
  seed: "local books",
  manual: true,
  port: 0,
  ledgerTime: 0,
  startTime: 1_800_000_000,
  makers: 5,
  takers: 5,
  levels: 3,
  transactionsPerLedger: 8,
} as const;

const run = promisify(execFile);
const dataDir = join(temporaryFolder(), "engine");
let devnet: Devnet;
let engine: EngineProcess;
let api: ApiClient;

async function startEngine(): Promise<void> {
  engine = new EngineProcess({
    rpcUrl: devnet.url,
    passphrase: devnet.network.passphrase,
    contract: devnet.network.exchange,
    dataDir,
  });
  api = new ApiClient(await engine.listening);
}

function hasOrders(): boolean {
  return eventsOf(devnet).some(({ event }) => event.kind === "new");
}

before(async () => {
  devnet = await startRecordedDevnet(OPTIONS);
  await startEngine();
  for (let ledger = 0; ledger < 4 || !hasOrders(); ledger += 1) {
    devnet.closeLedger();
  }
  await api.reached(devnet.tip.ledger);
});

after(async () => {
  await stopAll(engine, devnet);
});

/** Connects to wherever the engine listens now. */
class Socket extends WebSocket {
  constructor() {
    super(`${api.url.replace("http", "ws")}/ws`);
  }
}

const byId = (rows: readonly Row[]): Row[] => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

function rowsOf(book: LocalBook): Row[] {
  return byId([...book.orders("ask"), ...book.orders("bid")].map(({ row }) => row));
}

/** The market's rows of GET /order, without what a row of a book leaves out. */
async function served(market: string): Promise<Row[]> {
  const [base, quote] = market.split("/");
  const rows: Row[] = [];
  for (;;) {
    const cursor = rows.at(-1)?.cursor ?? "";
    const page = await api.get(`/order?asset=${base}&asset=${quote}&limit=200&cursor=${cursor}`);
    rows.push(...page);
    if (page.length < 200) break;
  }
  return byId(
    rows.map(({ status: _status, selling: _selling, buying: _buying, backing, ...row }) => {
      if (backing === undefined || BigInt(row.backed) >= BigInt(row.amount)) return row;
      const least = BigInt(backing.balance) < BigInt(backing.allowance) ? "balance" : "allowance";
      return { ...row, budget: backing.authorized ? backing[least] : "0" };
    }),
  );
}

test("a local book is what REST lists, over kills, reconnects and a reader who falls behind", async (t) => {
  const [first] = await api.get("/markets?limit=1");
  const market = `${first.baseAsset}/${first.quoteAsset}`;
  const book = new LocalBook();
  const client = new PushClient("http://engine", { WebSocket: Socket });
  t.after(() => client.close());
  let connection = 0;
  client.subscribe(
    { channel: "book", market },
    {
      message: (message, { isSnapshot }) => {
        assert.notEqual(book.apply(message), "gap");
        if (isSnapshot) connection = client.openCount;
      },
    },
  );
  const slow = new LocalBook();
  const ended = new AbortController();
  t.after(() => ended.abort());
  // One message may wait for it: whatever comes meanwhile makes it begin anew.
  const late = stream(client, { channel: "book", market }, { waitingMax: 1, signal: ended.signal });
  const takesLate = (async () => {
    for await (const { message } of late) {
      slow.apply(message);
      await delay(20);
    }
  })();
  const { completeFrom }: Row = await api.get(`/order-events?market=${market}&limit=1`);
  for (let ledger = 1; ledger <= LEDGERS; ledger += 1) {
    devnet.closeLedger();
    if (ledger % KILL_EVERY === 0) {
      engine.kill();
      await engine.exited;
      await startEngine();
      client.retryNow();
    }
    await api.reached(devnet.tip.ledger);
    let differs = "";
    await until(
      () => differs,
      async () => {
        const rows = await served(market);
        differs = `after ${ledger} ledgers: ${rows.length} orders, ${book.size} of them told`;
        const isSame = (of: LocalBook) => of.isComplete && isDeepStrictEqual(rowsOf(of), rows);
        return connection === client.openCount && isSame(book) && isSame(slow);
      },
    );
  }
  assert.ok(client.openCount > 1 && book.size > 0);
  const script = fileURLToPath(new URL("../../src/replay.js", import.meta.url));
  const tip = devnet.tip.ledger;
  for (const from of [completeFrom - 1, tip]) {
    const args = [script, "--data-dir", dataDir, "--market", market, "--from", String(from)];
    const { stdout } = await run(process.execPath, [...FLAGS, ...args], { maxBuffer: 2 ** 28 });
    const replayed = new LocalBook();
    for (const line of stdout.trim().split("\n")) {
      assert.equal(replayed.apply(JSON.parse(line)), "applied");
    }
    assert.deepEqual(rowsOf(replayed), await served(market), `from ledger ${from}`);
  }
  ended.abort();
  await takesLate;
});
