// Answers of every odd form: ledgers are read on by another source, and by the only one once it is well;
// meanwhile it is asked ever more seldom, little is said about it, and nothing is taken for another history.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testAccount, testContract } from "../../test/ingest/addresses.ts";
import { buildChain, TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { FakeRpc, FakeTimer, type Fault, type RpcRequest } from "../../test/ingest/fake-rpc.ts";
import { scI128 } from "../../test/ingest/sc-values.ts";
import { RpcError } from "./json-rpc.ts";
import { LedgerFeed } from "./ledger-feed.ts";
import { LedgerPages } from "./ledger-pages.ts";
import type { SourceStatus } from "./ledger-source.ts";
import { rpcEntryLoader } from "./rpc-entries.ts";
import { TokenSimulator } from "./simulate.ts";
import { SourceSet } from "./source-set.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON as it was to be answered; the table bends it.
type Json = any;
type Bend = (sound: string, request: RpcRequest) => Fault | undefined;

const chain = buildChain(10, 30);
const FIRST_MS = 20_000;
const { signal } = new AbortController();

const always =
  (fault: Fault): Bend =>
  () =>
    fault;
const answering = (answer: object): Bend => always({ body: JSON.stringify({ id: 1, ...answer }) });
const json =
  (change: (answer: Json, request: RpcRequest) => Json): Bend =>
  (sound, request) => {
    const answer = JSON.parse(sound);
    return { body: JSON.stringify(change(answer, request) ?? answer) };
  };
/** The result of getLedgers changed; any other answer is sound. */
const page = (change: (result: Json, request: RpcRequest) => void): Bend =>
  json((answer, request) => {
    if (request.method === "getLedgers" && answer.result !== undefined) {
      change(answer.result, request);
    }
  });
const numbered = (field: string, text: string): Bend => {
  const pattern = new RegExp(`"${field}":\\d+`, "g");
  return (sound) => ({ body: sound.replace(pattern, `"${field}":${text}`) });
};
const foreign = buildChain(10, 30, "cd".repeat(32), 1_600_000_000);

/** Of any method. */
const FORMS: Record<string, Bend> = {
  "a list": json((answer) => [answer]),
  "a result of null": answering({ result: null }),
  "a result that is a list": answering({ result: [] }),
  "a result that is a text": answering({ result: "ok" }),
  "neither result nor error": answering({}),
  "an error beside the result": json((answer) => ({
    ...answer,
    error: { code: -32603, message: "no", data: { deep: [1] } },
  })),
  "an error without a message": answering({ error: { code: -32603 } }),
  "an error that is a number": answering({ error: 5 }),
  "an error that is a text": answering({ error: "overloaded" }),
  "an error of an unknown code": answering({ error: { code: "x", message: "no" } }),
  "an answer to another request": json((answer) => ({ ...answer, id: -7 })),
  "JSON null": always({ body: "null" }),
  "JSON of great depth": always({ body: "[".repeat(100_000) + "]".repeat(100_000) }),
  "JSON cut short": (sound) => ({ body: sound.slice(0, sound.length / 2) }),
  nothing: always({ body: "" }),
  "a mark of byte order": (sound) => ({ body: `\ufeff${sound}` }),
  "a web page": always({ body: "<html></html>", headers: { "content-type": "text/html" } }),
  "what is no gzip": (sound) => ({ body: sound, headers: { "content-encoding": "gzip" } }),
  "a longer body than there is": (sound) => ({
    body: sound,
    headers: { "content-length": String(Buffer.byteLength(sound) - 5) },
  }),
  "a connection that is cut": always({ cut: true }),
  "a redirect in a circle": always({ status: 307, body: "", headers: { location: "/again" } }),
  "a redirect to nowhere": always({
    status: 302,
    body: "",
    headers: { location: "http://127.0.0.1:1/" },
  }),
  "a redirect to a file": always({
    status: 308,
    body: "",
    headers: { location: "file:///etc/passwd" },
  }),
  "a large error page": always({ status: 418, body: "x".repeat(1 << 20) }),
};
/** Of ledgers. */
const PAGES: Record<string, Bend> = {
  "no list of ledgers": page((result) => {
    result.ledgers = null;
  }),
  "no ledgers": page((result) => {
    result.ledgers = [];
  }),
  "ledgers that are no objects": page((result) => {
    result.ledgers = [1, "x", null];
  }),
  "ledgers without numbers": page((result) => {
    for (const ledger of result.ledgers) delete ledger.sequence;
  }),
  "the oldest ledgers, whatever is asked for": page((result) => {
    result.ledgers = [
      { sequence: 10, metadataXdr: Buffer.from(chain[0]?.bytes ?? []).toString("base64") },
    ];
  }),
  "a page without its first ledger": page((result) => {
    result.ledgers = result.ledgers.slice(1);
  }),
  "bodies of other ledgers": page((result) => {
    for (const ledger of result.ledgers) ledger.sequence += 1;
  }),
  "bodies that are null": page((result) => {
    for (const ledger of result.ledgers) ledger.metadataXdr = null;
  }),
  "empty bodies": page((result) => {
    for (const ledger of result.ledgers) ledger.metadataXdr = "";
  }),
  "bodies that are no base64": page((result) => {
    for (const ledger of result.ledgers) ledger.metadataXdr = "$$$$";
  }),
  "sound ledgers of another network": page((result) => {
    for (const ledger of result.ledgers) {
      const { bytes = [] } = foreign[ledger.sequence - 10] ?? {};
      ledger.metadataXdr = Buffer.from(bytes).toString("base64");
    }
  }),
  "no latest ledger": page((result) => {
    delete result.latestLedger;
  }),
  "no oldest ledger": page((result) => {
    delete result.oldestLedger;
  }),
};
for (const status of [201, 204, 400, 401, 403, 404, 413, 429, 500, 502, 503, 504, 599]) {
  FORMS[`status ${status}`] = always({ status, body: "" });
}
const NUMBERS = ["-1", "1.5", "4294967296", "1e400", "null", '"x"', '"1e3"', "[]", "true"];
for (const text of NUMBERS) {
  for (const field of ["sequence", "latestLedger", "oldestLedger"]) {
    PAGES[`${field} ${text}`] = numbered(field, text);
  }
}

/** Of entries and simulations. */
const ANSWERS: Record<string, Bend> = {
  "entries that are no list": json(({ result }) => {
    if (result.entries !== undefined) result.entries = "x";
    delete result.results;
  }),
  "entries without their XDR": json(({ result }) => {
    for (const entry of result.entries ?? []) delete entry.xdr;
    result.results &&= [{}];
  }),
  "entries last changed never": json(({ result }) => {
    for (const entry of result.entries ?? []) entry.lastModifiedLedgerSeq = -1;
    result.results &&= [{ xdr: 5 }];
  }),
  "values cut short": json(({ result }) => {
    for (const entry of result.entries ?? []) entry.key = 5;
    for (const value of result.results ?? []) value.xdr = value.xdr.slice(0, 8);
  }),
  "no results": json(({ result }) => {
    delete result.entries;
    if (result.results === undefined) result.latestLedger = null;
    else result.results = [];
  }),
  "an error of the server": json(({ result }) => {
    if (result.entries !== undefined) delete result.latestLedger;
    result.error = "preflight queue full";
  }),
};

for (const urls of [1, 2]) {
  test(`ledgers are read on whatever a source answers, ${urls} URLs`, async () => {
    const bends = { ...FORMS, ...PAGES };
    for (const [what, bend] of Object.entries(bends)) await follow(what, bend, urls);
  });
}

test("entries and simulations are right whatever the first of two sources answers", async () => {
  const numbers = NUMBERS.map((text) => [`latestLedger ${text}`, numbered("latestLedger", text)]);
  const bends = { ...FORMS, ...ANSWERS, ...Object.fromEntries(numbers) };
  for (const [what, bend] of Object.entries<Bend>(bends)) await ask(what, bend);
});

async function ask(what: string, bend: Bend): Promise<void> {
  const rpcs = [new FakeRpc(), new FakeRpc()];
  const timer = new FakeTimer();
  const began = timer.time;
  const listened = await Promise.all(rpcs.map((rpc) => rpc.listen()));
  after(() => Promise.all(rpcs.map((rpc) => rpc.close())));
  const log = (): void => undefined;
  const set = new SourceSet({ urls: listened, passphrase: TEST_PASSPHRASE, timer, log });
  for (const [at, rpc] of rpcs.entries()) {
    rpc.add(...chain.slice(0, 10));
    rpc.entries.set("AAAA", "AAAB");
    const results = [{ xdr: scI128(5n).toXdr("base64") }];
    rpc.fault = (request) => {
      const { id, method } = request;
      const result = { latestLedger: 19, results };
      const isCall = method === "simulateTransaction";
      const sound = isCall ? JSON.stringify({ jsonrpc: "2.0", id, result }) : rpc.reply(request);
      return at === 0 && method !== "getNetwork" ? bend(sound, request) : { body: sound };
    };
  }
  const load = rpcEntryLoader(set, timer);
  const spender = testContract(1);
  const options = { set, timer, passphrase: TEST_PASSPHRASE, spender, signal };
  const simulator = new TokenSimulator(options);
  const loaded = await untilAnswered(timer, () => load(["AAAA"], signal));
  assert.deepEqual(loaded.entries, [{ key: "AAAA", data: "AAAB", modified: 1 }], what);
  assert.equal(loaded.ledger, 19, what);
  const held = await untilAnswered(timer, () => simulator.read(testAccount(2), testContract(3)));
  assert.deepEqual([held.balance, held.allowance, held.ledger], [5n, 5n, 19], what);
  assert.ok(timer.time - began < 30_000, what);
}

/** As those who ask do: again after a second, and whatever the source rests. */
async function untilAnswered<T>(timer: FakeTimer, run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (thrown) {
      assert.ok(thrown instanceof RpcError, String(thrown));
      await timer.sleep(1_000, signal);
    }
  }
}

/** Ten ledgers from a sound source, then it is bent: for a while where it is the only one. */
async function follow(what: string, bend: Bend, urls: number): Promise<void> {
  const rpcs = Array.from({ length: urls }, () => new FakeRpc());
  const timer = new FakeTimer();
  const statuses: SourceStatus[] = [];
  const logs: string[] = [];
  const log = (_level: string, message: string) => void logs.push(message);
  const listened = await Promise.all(rpcs.map((rpc) => rpc.listen()));
  after(() => Promise.all(rpcs.map((rpc) => rpc.close())));
  const set = new SourceSet({ urls: listened, passphrase: TEST_PASSPHRASE, timer, log });
  const onStatus = (status: SourceStatus) => void statuses.push(status);
  const feed = new LedgerFeed({
    pages: new LedgerPages({ set, timer }),
    timer,
    log,
    onStatus,
    proofMs: 300_000,
  });
  const [bent] = rpcs;
  assert.ok(bent !== undefined);
  for (const rpc of rpcs) rpc.add(...chain.slice(0, 10));
  const stream = feed.ledgers({ from: 10, signal });
  const taken: number[] = [];
  const take = async (count: number): Promise<void> => {
    while (taken.length < count) {
      const { value = [] } = await stream.next();
      taken.push(...value.map(({ sequence }) => sequence));
    }
  };
  await take(10);
  const began = timer.time;
  let asked = 0;
  bent.fault = (request) => {
    if (urls === 1 && timer.time - began > FIRST_MS) return undefined;
    asked += 1;
    return bend(bent.reply(request), request);
  };
  for (const rpc of rpcs) rpc.add(...chain.slice(10));
  await take(30);
  assert.deepEqual(
    taken,
    chain.map(({ sequence }) => sequence),
    what,
  );
  const tookMs = timer.time - began;
  assert.ok(tookMs < (urls === 1 ? 3 * FIRST_MS : 30_000), `${what}: ${tookMs} ms`);
  // A redirect is followed twenty times before it is a failure.
  assert.ok(asked > 0 && asked < 240, `${what}: ${asked} requests`);
  assert.ok(logs.length < 30, `${what}: ${logs.length} lines`);
}
