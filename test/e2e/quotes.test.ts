// Quotes while ledgers come as fast as the devnet makes them: every answer is tried on the devnet's
// own contract, in the state of the ledger it names.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { QuoteDirection } from "../../src/router-worker/quote.ts";
import { describedFetch } from "../support/api/described-fetch.ts";
import { type Random, randomFrom } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";
import { PastStates } from "./past-state.ts";
import { quotedRoute } from "./quoted-route.ts";

const CLIENTS = 8;
/** With routes: how many have some follows from how fast the engine learns what stands behind new orders. */
const ANSWERS_MIN = runs(150);
/** Ledgers that answers are of. */
const LEDGERS_MIN = runs(12);
/** Answers that are tried. */
const CHECKED_MAX = runs(150);
/** Generous: machines that run tests can be slow. */
const DURATION_MS_MAX = 300_000;

let devnet: Devnet;
let engine: EngineProcess;
let api: ApiClient;

before(async () => {
  devnet = await startDevnet({ seed: "quotes", ledgerTime: 0, port: 0, manual: true });
  for (let ledger = 0; ledger < 40; ledger += 1) devnet.closeLedger();
  engine = new EngineProcess({
    rpcUrl: devnet.url,
    passphrase: devnet.network.passphrase,
    contract: devnet.network.exchange,
    dataDir: join(temporaryFolder(), "engine"),
  });
  api = new ApiClient(await engine.listening);
  await api.reached(devnet.tip.ledger);
  // Until it has, few quotes find makers who can fill.
  await until("the engine has loaded all backing", async () => {
    const orders: Row[] = await api.all("/order", 200);
    return orders.every(({ backing }) => backing.updated !== undefined);
  });
});

after(async () => {
  await stopAll(engine, devnet);
});

type Answer = { readonly direction: QuoteDirection; readonly body: Row };

test("what eight clients are quoted settles to the unit at the ledger that it names", async () => {
  const past = new PastStates(devnet);
  const sides = await sidesOf(api);
  const answers: Answer[] = [];
  const ledgers = new Set<number>();
  const end = Date.now() + DURATION_MS_MAX;
  const client = async (seed: number): Promise<void> => {
    const random = randomFrom(seed);
    let newest = 0;
    while ((answers.length < ANSWERS_MIN || ledgers.size < LEDGERS_MIN) && Date.now() < end) {
      const answer = await ask(api, sides, random);
      if (answer === undefined) continue;
      const { ledger } = answer.body;
      assert.ok(ledger >= newest, `ledger ${ledger} after ${newest}`);
      newest = ledger;
      if (triedPaths(answer.body).length === 0) continue;
      ledgers.add(ledger);
      answers.push(answer);
    }
  };
  devnet.resume();
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at + 1)));
  devnet.pause();
  assert.ok(answers.length >= ANSWERS_MIN, `${answers.length} answers`);
  assert.ok(ledgers.size >= LEDGERS_MIN, `of ${ledgers.size} ledgers`);
  let routes = 0;
  const faults: string[] = [];
  const step = Math.max(1, Math.floor(answers.length / CHECKED_MAX));
  for (let at = 0; at < answers.length; at += step) {
    const { direction, body } = answers[at] ?? assert.fail();
    for (const path of triedPaths(body)) {
      routes += 1;
      for (const fault of past.routeFaults(body.ledger, quotedRoute(path), direction)) {
        faults.push(`ledger ${body.ledger}: ${fault}: ${JSON.stringify(path)}`);
      }
    }
  }
  console.log({
    answers: answers.length,
    routes,
    ledgers: ledgers.size,
    tip: devnet.tip.ledger,
    faults: faults.length,
  });
  assert.deepEqual(faults.slice(0, 5), []);
});

/** But direct ones that buy a token which is only polled: they may take makers that it has yet to confirm. */
function triedPaths({ paths, buyingAsset }: Row): Row[] {
  return paths.filter(
    ({ path }: Row) => path.length > 1 || buyingAsset !== devnet.network.plainToken,
  );
}

/** Of every side with orders: the assets a taker sells and buys, and an order's amount. */
type Side = { readonly selling: string; readonly buying: string; readonly amount: bigint };

async function sidesOf(from: ApiClient): Promise<readonly Side[]> {
  const rows: Row[] = await from.get("/order?limit=200");
  return rows.map(({ selling, buying, amount }) => ({
    selling: buying,
    buying: selling,
    amount: BigInt(amount),
  }));
}

/** Undefined where a busy machine had no time for it. */
async function ask(
  from: ApiClient,
  sides: readonly Side[],
  random: Random,
): Promise<Answer | undefined> {
  const one = sides[random(sides.length)];
  const other = sides[random(sides.length)];
  assert.ok(one !== undefined && other !== undefined);
  const direction = random(2) === 0 ? "strict_send" : "strict_receive";
  const amount = 1n + (one.amount * BigInt(1 + random(400))) / 100n;
  const buying = one.selling === other.buying ? one.buying : other.buying;
  const direct = random(3) === 0 ? "&direct=1" : "";
  const path =
    `/quote?sellingAsset=${one.selling}&buyingAsset=${direct === "" ? buying : one.buying}` +
    `&amount=${amount}&direction=${direction}${direct}`;
  const response = await describedFetch(from.url + path);
  const body = (await response.json()) as Row;
  if (response.status === 409) {
    assert.match(body.error, /^Trading error\. /);
    return undefined;
  }
  assert.equal(response.status, 200, JSON.stringify(body));
  return { direction, body };
}
