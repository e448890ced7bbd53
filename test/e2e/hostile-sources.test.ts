// What clients see while ledgers hold hostile data and sources give wrong answers, on a chain built by hand:
// an RPC and a lake whose answers a test changes.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accountKey, instanceKey } from "../../src/book/backing/ledger-keys.ts";
import { type Address, addressBytes } from "../../src/model/address.ts";
import { testAccount, testContract } from "../ingest/addresses.ts";
import { writeLake } from "../ingest/build-lake.ts";
import {
  type BuiltLedger,
  type BuiltTransaction,
  buildLedger,
  TEST_PASSPHRASE,
} from "../ingest/build-ledger.ts";
import { authorization, DEEP } from "../ingest/deep-values.ts";
import { FakeRpc, type Fault, type RpcRequest } from "../ingest/fake-rpc.ts";
import { scAddress, scI128, scSymbol, scVoid } from "../ingest/sc-values.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { untilOf } from "../support/until.ts";
import { ApiClient, type Row } from "./api-client.ts";
import {
  accountEntry,
  type BuiltOrder,
  fill,
  NATIVE,
  nativeInstance,
  newOrder,
  wasmInstance,
} from "./built-exchange.ts";
import { EngineProcess } from "./engine-process.ts";

const FIRST = 2;
const LEDGERS_FIRST = 20;
/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 90_000;

const exchange = testContract(1);
const gold = testContract(11);
const cash = testContract(12);
const stranger = testContract(13);
const maker = testAccount(21);
const taker = testAccount(22);
const payer = testAccount(23);
const HELD = 1_000_000n;
/** The minimum balance of an account. */
const RESERVE = 10_000_000n;
const HTML = { "content-type": "text/html" };
const PAGE = "<!DOCTYPE html><html><body>Not found</body></html>";

const folder = temporaryFolder();
const rpc = new FakeRpc();
let chain: BuiltLedger[] = [];
/** Instead of the lake's own answer. */
let bendLake: (exists: boolean, response: ServerResponse) => boolean = pageFor(() => true);
const lake = createServer((request, response) => {
  const path = join(folder, "lake", decodeURIComponent(request.url ?? ""));
  const exists = existsSync(path);
  if (bendLake(exists, response)) return;
  if (exists) response.end(readFileSync(path));
  else response.writeHead(404).end();
});
/** Instead of the RPC's own answer. */
let bend: (request: RpcRequest) => Fault | undefined = () => undefined;
/** By holder what a simulation ends with. */
const failures = new Map<Address, string>();
let engine: EngineProcess;
const until = untilOf(() => engine);
let api: ApiClient;

before(async () => {
  rpc.entries.set(instanceKey(NATIVE), nativeInstance());
  for (const of of [exchange, gold, cash]) rpc.entries.set(instanceKey(of), wasmInstance(of));
  rpc.fault = (request) => bend(request) ?? simulated(request);
  for (let at = 0; at < LEDGERS_FIRST; at += 1) extend(...(at === 0 ? [placing(order(1n))] : []));
  lake.listen(0, "127.0.0.1");
  engine = new EngineProcess({
    rpcUrl: await rpc.listen(),
    passphrase: TEST_PASSPHRASE,
    contract: exchange,
    dataDir: join(folder, "engine"),
    environment: {
      OPERATORS_PORT: "0",
      FROM_LEDGER: String(FIRST),
      LAKE: `http://127.0.0.1:${(lake.address() as AddressInfo).port}`,
    },
  });
  api = new ApiClient(await engine.listening);
});

after(async () => {
  await engine.stop();
  await rpc.close();
  lake.close();
  lake.closeAllConnections();
});

function pageFor(isBent: (exists: boolean) => boolean) {
  return (exists: boolean, response: ServerResponse): boolean => {
    if (isBent(exists)) response.writeHead(200, HTML).end(PAGE);
    return isBent(exists);
  };
}

/** Every simulated call gives HELD, except for holders with an answer of their own. */
function simulated({ id, method, params }: RpcRequest): Fault | undefined {
  if (method !== "simulateTransaction") return undefined;
  const transaction = Buffer.from((params as { transaction: string }).transaction, "base64");
  const { latest: latestLedger } = rpc;
  for (const [owner, error] of failures) {
    if (!transaction.includes(Buffer.from(addressBytes(owner)))) continue;
    return { body: JSON.stringify({ id, result: { latestLedger, error } }) };
  }
  const results = [{ xdr: scI128(HELD).toXdr("base64") }];
  return { body: JSON.stringify({ id, result: { latestLedger, results } }) };
}

function order(id: bigint, owner = maker, selling = gold): BuiltOrder {
  return { exchange, selling, buying: cash, id, owner };
}

function placing(...orders: readonly BuiltOrder[]): BuiltTransaction {
  const events = orders.map((each) => newOrder(each, 500n));
  return { source: maker, call: { contract: exchange, fn: "create", args: [] }, events };
}

/** A ledger in addition, which the RPC has. */
function extend(...transactions: readonly BuiltTransaction[]): BuiltLedger {
  const next = following(chain, transactions);
  chain.push(next);
  rpc.add(next);
  return next;
}

function following(
  ledgers: readonly BuiltLedger[],
  transactions: readonly BuiltTransaction[],
  closeTime?: number,
): BuiltLedger {
  const last = ledgers.at(-1);
  const sequence = last === undefined ? FIRST : last.sequence + 1;
  const time = closeTime === undefined ? {} : { closeTime };
  const previousHash = last?.hash ?? "ab".repeat(32);
  return buildLedger({ sequence, previousHash, transactions, ...time });
}

const tip = (): number => chain.at(-1)?.sequence ?? 0;
const shown = (): Promise<void> => api.reached(tip(), WAIT_MS_MAX);

function logged(pattern: RegExp): boolean {
  return engine.log.some(({ msg }) => pattern.test(msg ?? ""));
}

async function backing(owner: Address, asset: Address): Promise<Row> {
  return api.get(`/backing?owner=${owner}&asset=${asset}`);
}

async function ids(): Promise<string[]> {
  return (await api.all("/order", 200)).map(({ id }) => id);
}

test("a lake that answers all with a web page costs nothing where the RPC has the ledgers", async () => {
  await shown();
  assert.deepEqual(await ids(), ["1"]);
  assert.ok(logged(/\.config\.json answers with a web page \(HTTP 200\)/));
  assert.ok(!logged(/no \.config\.json|undecodable|cannot be decoded/));
});

test("calls as deep as the network lets through keep no fill away", async () => {
  const transactions: BuiltTransaction[] = [];
  const forms: readonly Partial<BuiltTransaction>[] = [
    {},
    { failure: "trapped" },
    { feeSource: payer },
    { feeSource: payer, failure: "resourceLimitExceeded" },
  ];
  for (const form of forms) {
    for (const value of Object.values(DEEP)) {
      for (const contract of [exchange, stranger]) {
        const call = { contract, fn: "trade", args: [value] };
        transactions.push({ source: taker, call, ...form });
      }
    }
    const call = { contract: stranger, fn: "f", args: [] };
    const auth = [
      authorization(150, scVoid()),
      authorization(1, Object.values(DEEP)[0] ?? scVoid()),
    ];
    transactions.push({ source: taker, call, auth, ...form });
  }
  const bought = { source: taker, call: { contract: exchange, fn: "trade", args: [] } };
  extend(...transactions, { ...bought, events: [fill(order(1n), taker, 100n, 400n)] });
  await shown();
  const [trade] = await api.get("/trades");
  assert.deepEqual([trade.order, trade.bought, trade.left], ["1", "100", "400"]);
  assert.equal((await api.all("/failures", 500)).length, 2 * Object.keys(DEEP).length);
});

test("one answer that holds a ledger of another network sets nothing aside", async () => {
  const foreign = following([...chain.slice(0, -1), strayOf(chain)], [placing(order(99n))]);
  let told = 0;
  bend = ({ id, method, params }) => {
    if (told > 0 || method !== "getLedgers") return undefined;
    if ((params as { startLedger: number }).startLedger !== foreign.sequence) return undefined;
    told += 1;
    const metadataXdr = Buffer.from(foreign.bytes).toString("base64");
    const ledgers = [{ sequence: foreign.sequence, hash: foreign.hash, metadataXdr }];
    const result = { ledgers, oldestLedger: FIRST, latestLedger: foreign.sequence, cursor: "" };
    return { body: JSON.stringify({ jsonrpc: "2.0", id, result }) };
  };
  await until("it is asked for", () => told > 0);
  bend = () => undefined;
  extend(placing(order(2n)));
  await shown();
  assert.deepEqual(await ids(), ["1", "2"]);
  assert.ok(!logged(/set aside/));
});

/** What another network has in place of the newest ledger. */
function strayOf(ledgers: readonly BuiltLedger[]): BuiltLedger {
  return following(ledgers.slice(0, -1), [], 1_600_000_000);
}

for (const [max, code, message] of [
  [10, -32001, "request exceeded processing limit threshold"],
  [3, -32602, "limit must not exceed 3"],
] as const) {
  test(`a server that answers large pages with "${message}" is asked for smaller ones`, async () => {
    let refused = 0;
    bend = ({ id, method, params }) => {
      if (method !== "getLedgers") return undefined;
      const { pagination } = params as { pagination: { limit: number } };
      if (pagination.limit <= max) return undefined;
      refused += 1;
      return { body: JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }) };
    };
    for (let at = 0; at < 40; at += 1) extend();
    await shown();
    assert.ok(refused > 0);
    bend = () => undefined;
  });
}

test("a key that the server cannot answer costs nobody beside it, and loads once it can", async () => {
  const makers = Array.from({ length: 6 }, (_, at) => testAccount(40 + at));
  const bad = makers[2];
  assert(bad !== undefined);
  for (const owner of makers)
    rpc.entries.set(accountKey(owner), accountEntry(owner, RESERVE + HELD));
  let isWell = false;
  bend = ({ id, method, params }) => {
    const { keys = [] } = (params ?? {}) as { readonly keys?: readonly string[] };
    if (isWell || method !== "getLedgerEntries" || !keys.includes(accountKey(bad)))
      return undefined;
    const error = { code: -32603, message: "could not query captive core: (404)" };
    return { body: JSON.stringify({ jsonrpc: "2.0", id, error }) };
  };
  extend(placing(...makers.map((owner, at) => order(10n + BigInt(at), owner, NATIVE))));
  await shown();
  for (const owner of makers) {
    if (owner === bad) continue;
    await until(
      `${owner} is loaded`,
      async () => (await backing(owner, NATIVE)).updated !== undefined,
    );
    assert.equal((await backing(owner, NATIVE)).balance, String(HELD));
  }
  assert.equal((await backing(bad, NATIVE)).updated, undefined);
  isWell = true;
  await until("the key is asked for again", async () => {
    const { updated, balance } = await backing(bad, NATIVE);
    return updated !== undefined && balance === String(HELD);
  });
  bend = () => undefined;
});

test("what the token itself fails with is a balance of 0, what its server fails with is none", async () => {
  const [poor, broken, queued] = [testAccount(51), testAccount(52), testAccount(53)];
  const owners = [poor, broken, queued] as const;
  extend(placing(...owners.map((owner, at) => order(20n + BigInt(at), owner))));
  await shown();
  for (const owner of owners) {
    await until(
      `${owner} is loaded`,
      async () => (await backing(owner, gold)).updated !== undefined,
    );
  }
  failures.set(poor, "HostError: Error(Contract, #13)");
  failures.set(broken, "HostError: Error(WasmVm, InvalidAction)");
  failures.set(queued, "preflight queue full");
  const topics = (to: Address) => [scSymbol("transfer"), scAddress(taker), scAddress(to)];
  const events = owners.map((to) => ({ contract: gold, topics: topics(to), data: scI128(1n) }));
  extend({ source: taker, call: { contract: gold, fn: "transfer", args: [] }, events });
  await shown();
  for (const owner of [poor, broken]) {
    await until(`${owner} has nothing`, async () => {
      const { balance, pending } = await backing(owner, gold);
      return balance === "0" && pending === undefined;
    });
  }
  assert.equal((await api.get("/order/20")).backed, "0");
  const kept = await backing(queued, gold);
  assert.deepEqual([kept.balance, kept.pending], [String(HELD), true]);
  failures.clear();
  await until("it is asked again", async () => (await backing(queued, gold)).pending === undefined);
});

test("a lake that refuses is said to, and read once it lets in, a web page for what it lacks", async () => {
  const last = tip();
  bendLake = (_exists, response) => {
    response.writeHead(403).end();
    return true;
  };
  // The RPC begins after what is wanted.
  for (let at = 0; at < 6; at += 1) extend(...(at === 2 ? [placing(order(30n))] : []));
  rpc.oldest = last + 5;
  await until("it is told", () =>
    logged(/the lake refuses: HTTP 403 for http:\/\/127.0.0.1:\d+\//),
  );
  await until("the gap is told", () => logged(new RegExp(`ledgers ${last + 1} to ${last + 4}`)));
  assert.ok(!logged(/has no \.config\.json/));
  const ready = await fetch(`${engine.operators}/readyz`);
  assert.equal(ready.status, 503);
  assert.match(await ready.text(), new RegExp(`ledgers ${last + 1} to ${last + 4} are missing`));
  assert.equal((await api.get("/")).ledger, last);

  const layout = { ledgersPerBatch: 1, batchesPerPartition: 64 };
  const plan = { directory: join(folder, "lake"), layout, passphrase: TEST_PASSPHRASE };
  await writeLake(plan, chain.slice(0, -1));
  bendLake = pageFor((exists) => !exists);
  await shown();
  extend(placing(order(31n)));
  await shown();
  assert.ok((await ids()).includes("30") && (await ids()).includes("31"));
  assert.ok(!logged(/undecodable|cannot be decoded|set aside/));
});

test("a fork that left our chain for good is followed, with nothing of ours and all that both have", async () => {
  const common = chain.slice();
  await shown();
  const before = await Promise.all([api.all("/trades", 500), api.get("/order/1")]);
  const bought = { source: taker, call: { contract: exchange, fn: "trade", args: [] } };
  for (let at = 0; at < 3; at += 1) {
    const events = [fill(order(1n), taker, 10n, 390n - 10n * BigInt(at))];
    extend(...(at === 0 ? [placing(order(70n))] : []), { ...bought, events });
  }
  await shown();
  assert.ok((await ids()).includes("70"));

  const listening = engine.listensAgain();
  const branch = [...common];
  for (let at = 0; at < 5; at += 1) {
    branch.push(following(branch, at === 1 ? [placing(order(71n))] : [], 1_800_000_000 + at));
  }
  chain = branch;
  rpc.ledgers.clear();
  rpc.oldest = 0;
  rpc.add(...branch);
  api = new ApiClient(await listening);
  assert.ok(logged(/the network began anew/));
  await shown();
  extend(placing(order(72n)));
  await shown();
  const live = await ids();
  assert.ok(!live.includes("70") && live.includes("71") && live.includes("72"));
  const [trades, first] = before;
  assert.deepEqual(await api.all("/trades", 500), trades);
  assert.equal((await api.get("/order/1")).amount, first.amount);
});
