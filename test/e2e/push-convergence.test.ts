// Many clients that connect, subscribe and unsubscribe at random while ledgers close: in the end each has what
// REST answers.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { devnetOptionsSchema } from "../../src/devnet/options.ts";
import { tradingScenario } from "../../src/devnet/trading-scenario.ts";
import { randomFrom } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";
import { PushMirror, type Subscription } from "./push-mirror.ts";

const CLIENTS = runs(20);
const SEED = 77;
const ACTIONS = runs(160);
/** A ledger closes every few of them, while the engine is at those before it. */
const ACTIONS_PER_LEDGER = 4;
const ACTION_MS = 20;
/** Ledgers until there is enough to choose from. */
const FIRST_LEDGERS = 30;
/** Accounts and markets that clients choose from. */
const CHOICES = 6;
const ATTEMPTS_MAX = 40;

let devnet: Devnet;
/** Ledgers close without transactions. */
let quiet = false;
let engine: EngineProcess;
let api: ApiClient;

before(async () => {
  const options = devnetOptionsSchema.parse({
    seed: "convergence",
    ledgerTime: 100,
    port: 0,
    ...SMALL_DEVNET,
  });
  const scenario = tradingScenario(options);
  devnet = await startDevnet(options, {
    ...scenario,
    traffic: (view) => (quiet ? [] : scenario.traffic(view)),
  });
  // The test closes its ledgers itself: as many on a slow machine as on a fast one.
  devnet.pause();
  while (devnet.tip.ledger < FIRST_LEDGERS) devnet.closeLedger();
  engine = new EngineProcess({
    rpcUrl: devnet.url,
    passphrase: devnet.network.passphrase,
    contract: devnet.network.exchange,
    dataDir: join(temporaryFolder(), "engine"),
  });
  api = new ApiClient(await engine.listening);
  await api.reached(FIRST_LEDGERS);
});

after(async () => {
  await stopAll(engine, devnet);
});

async function choices(): Promise<readonly Subscription[]> {
  const owners = new Set<string>(
    (await api.get("/order?limit=200")).map(({ owner }: Row) => owner),
  );
  const markets: string[] = (await api.get(`/markets?limit=${CHOICES}`)).map(
    ({ baseAsset, quoteAsset }: Row) => `${baseAsset}/${quoteAsset}`,
  );
  const flipped = markets.map((market) => market.split("/").reverse().join("/"));
  return [
    { channel: "contract" },
    { channel: "ticker" },
    { channel: "trades" },
    ...[...owners]
      .slice(0, CHOICES)
      .map((address): Subscription => ({ channel: "account", address })),
    ...markets.flatMap((market): Subscription[] => [
      { channel: "trades", market },
      { channel: "depth", market },
      { channel: "book", market },
      { channel: "candles", market, resolution: "5m" },
    ]),
    ...markets.flatMap((market): Subscription[] => {
      const [sellingAsset, buyingAsset] = market.split("/");
      const quote = { channel: "quote", sellingAsset, buyingAsset } as const;
      return [
        { ...quote, amount: "20000000" },
        { ...quote, amount: "300000000", direction: "strict_receive" },
        { ...quote, amount: "40000000", direct: "true" },
      ];
    }),
    ...flipped.map((market): Subscription => ({ channel: "depth", market, depth: 5, limit: 3 })),
  ];
}

test("what clients built from snapshots and updates is what REST answers", async () => {
  const { port } = new URL(api.url);
  const mirrors = await Promise.all(
    Array.from({ length: CLIENTS }, () => PushMirror.open(Number(port))),
  );
  const subscriptions = await choices();
  const random = randomFrom(SEED);
  for (let action = 0; action < ACTIONS; action += 1) {
    const mirror = mirrors[random(CLIENTS)];
    const subscription = subscriptions[random(subscriptions.length)];
    assert.ok(mirror !== undefined && subscription !== undefined);
    const dice = random(100);
    if (dice < 75) mirror.subscribe(subscription);
    else if (dice < 95) mirror.unsubscribe(subscription);
    else await mirror.reconnect();
    if (action % ACTIONS_PER_LEDGER === 0) devnet.closeLedger();
    await new Promise((resolve) => setTimeout(resolve, ACTION_MS));
  }
  quiet = true;
  await converged(mirrors);
  const topics = mirrors.reduce((sum, mirror) => sum + mirror.topics.size, 0);
  assert.ok(topics > 2 * CLIENTS, `${topics} topics`);
  for (const mirror of mirrors) {
    // The random walk stays below the limits.
    assert.deepEqual(mirror.errors, []);
    mirror.close();
  }
});

/**
 * Throttled updates need some seconds, and the clock goes on expiring orders meanwhile. A quote
 * leaves such orders out before their time and is told once a ledger, so it is compared as of a
 * ledger of its own, after which no token has to be asked what it brought.
 */
async function converged(mirrors: readonly PushMirror[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    devnet.closeLedger();
    await api.reached(devnet.tip.ledger);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    try {
      const answers = api.remembering();
      for (const mirror of mirrors) {
        assert.equal(mirror.waiting, 0, "answers are awaited");
        await mirror.compare(answers);
      }
      return;
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}
