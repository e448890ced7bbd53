import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { writeLake } from "../../../test/ingest/build-lake.ts";
import {
  type BuiltLedger,
  buildChain,
  TEST_PASSPHRASE,
} from "../../../test/ingest/build-ledger.ts";
import { FakeRpc, FakeTimer } from "../../../test/ingest/fake-rpc.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { IngestError } from "../ingest-error.ts";
import { LedgerFeed } from "../ledger-feed.ts";
import { LedgerPages } from "../ledger-pages.ts";
import type { ChainLink, SourceStatus } from "../ledger-source.ts";
import { SourceSet } from "../source-set.ts";
import { batchKey, CONFIG_KEY, type LakeLayout } from "./lake-layout.ts";
import { LakeReader } from "./lake-reader.ts";

const closers: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

const SINGLE: LakeLayout = { ledgersPerBatch: 1, batchesPerPartition: 10 };
const BATCHES: LakeLayout = { ledgersPerBatch: 8, batchesPerPartition: 2 };

function folder(): string {
  return temporaryFolder();
}

type Common = ReturnType<typeof common>;
function common(lake: string) {
  const statuses: SourceStatus[] = [];
  const logs: string[] = [];
  const timer = new FakeTimer();
  return {
    lake,
    passphrase: TEST_PASSPHRASE,
    timer,
    statuses,
    logs,
    log: (_level: string, message: string) => void logs.push(message),
    onStatus: (status: SourceStatus) => void statuses.push(status),
  };
}

/** Of a lake, and of RPCs where there are some. */
function feedOf(options: Common, urls: readonly string[] = []): LedgerFeed {
  const { passphrase, timer, log } = options;
  const set = new SourceSet({ urls, passphrase, timer, log });
  const pages = new LedgerPages({ set, lake: new LakeReader(options), timer });
  return new LedgerFeed({ ...options, pages, proofMs: 30_000 });
}

function taker(source: LedgerFeed, from: number, previous?: ChainLink) {
  const abort = new AbortController();
  const stream = source.ledgers({
    from,
    signal: abort.signal,
    ...(previous === undefined ? {} : { previous }),
  });
  const buffered: number[] = [];
  return async (count: number): Promise<number[]> => {
    while (buffered.length < count) {
      const { value, done } = await stream.next();
      if (done === true) break;
      buffered.push(...value.map(({ sequence }) => sequence));
    }
    return buffered.splice(0, count);
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function hasCode(code: string, words: RegExp) {
  return (thrown: unknown): boolean => {
    assert.ok(thrown instanceof IngestError, String(thrown));
    assert.equal(thrown.code, code);
    assert.match(thrown.message, words);
    return true;
  };
}

for (const [name, layout, extension] of [
  ["one ledger a batch", SINGLE, ".xdr.zst"],
  ["several, under the old extension", BATCHES, ".xdr.zstd"],
] as const) {
  test(`reads a directory in order and follows it as it grows: ${name}`, async () => {
    const chain = buildChain(2, 70);
    const plan = { directory: folder(), layout, passphrase: TEST_PASSPHRASE, extension };
    await writeLake(plan, chain.slice(0, 40));
    const options = common(plan.directory);
    const take = taker(feedOf(options), 2);
    const there = layout.ledgersPerBatch === 1 ? 41 : 39;
    assert.deepEqual(await take(there - 1), range(2, there));
    let grown: Promise<void> | undefined;
    options.timer.onSleep = () => {
      grown ??= writeLake(plan, chain);
    };
    assert.deepEqual(await take(71 - there), range(there + 1, 71));
    await grown;
    assert.ok(options.statuses.every(({ state }) => state === "following"));
  });
}

async function serve(directory: string): Promise<string> {
  const server = createServer((request, response) => {
    try {
      response.end(
        readFileSync(join(directory, decodeURIComponent(request.url ?? "").replace("/lake/", ""))),
      );
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/lake`;
}

test("reads over HTTP, from the middle of a batch", async () => {
  const chain = buildChain(2, 70);
  const directory = folder();
  await writeLake({ directory, layout: BATCHES, passphrase: TEST_PASSPHRASE }, chain);
  const previous = { ledger: 20, hash: chain[18]?.hash ?? "" };
  const take = taker(feedOf(common(await serve(directory))), 21, previous);
  assert.deepEqual(await take(40), range(21, 60));
});

test("real objects, with a configuration and without", async () => {
  // Seen from dist/src/ingest/lake, where this runs.
  const lake = fileURLToPath(new URL("../../../../test/fixtures/lake/", import.meta.url));
  const options = { ...common(join(lake, "testbucket")) };
  const config = JSON.parse(readFileSync(join(lake, "testbucket/.config.json"), "utf8"));
  const reader = new LakeReader({ ...options, passphrase: config.networkPassphrase });
  const { signal } = new AbortController();
  const sequences: number[] = [];
  for (const ledger of [997, 998, 999]) {
    for (const { sequence } of (await reader.read(ledger, signal)) ?? []) sequences.push(sequence);
  }
  assert.deepEqual(sequences, [997, 998, 999]);
  assert.equal(await reader.read(1_000, signal), undefined);
  await assert.rejects(
    new LakeReader(options).read(997, signal),
    hasCode("wrong_network", /Test Network of the Decoder/),
  );
  // An old object has no configuration beside it: the usual layout is taken.
  const old = folder();
  const key = `${batchKey({ ledgersPerBatch: 1, batchesPerPartition: 64_000 }, 53_312_000)}.xdr.zstd`;
  mkdirSync(dirname(join(old, key)), { recursive: true });
  writeFileSync(join(old, key), readFileSync(join(lake, "FCD285FF--53312000.xdr.zstd")));
  const found = await new LakeReader(common(old)).read(53_312_000, signal);
  assert.deepEqual(
    found?.map(({ sequence }) => sequence),
    [53_312_000],
  );
});

test("a layout that was wrong is read again while objects are not found by it", async () => {
  const chain = buildChain(2, 30);
  for (const first of [{ status: 404 }, { status: 200, body: configOf(BATCHES) }]) {
    const directory = folder();
    await writeLake({ directory, layout: SINGLE, passphrase: TEST_PASSPHRASE }, chain);
    const options = common(directory);
    const began = options.timer.time;
    const { url, asked } = await serveBent(directory, (key) =>
      key === CONFIG_KEY && options.timer.time - began < 300_000 ? first : undefined,
    );
    assert.deepEqual(await taker(feedOf({ ...options, lake: url }), 2)(30), range(2, 31));
    const configs = asked.filter((key) => key === CONFIG_KEY).length;
    assert.ok(configs > 1 && configs < 10, `${configs} requests`);
    assert.ok(options.logs.length <= 1, options.logs.join("\n"));
  }
});

function configOf(layout: LakeLayout): string {
  return JSON.stringify({ networkPassphrase: TEST_PASSPHRASE, compression: "zstd", ...layout });
}

test("an object that claims to hold more than its ledgers can is not unpacked", async () => {
  const directory = folder();
  const plan = { directory, layout: SINGLE, passphrase: TEST_PASSPHRASE };
  await writeLake(plan, buildChain(2, 3));
  // A frame of a kilobyte that unpacks to a gigabyte is refused by what its head says.
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0x40, 0, 0, 0, 0]);
  writeFileSync(
    join(directory, `${batchKey(SINGLE, 3)}.xdr.zst`),
    Buffer.concat([head, Buffer.alloc(1000)]),
  );
  const reader = new LakeReader(common(directory));
  assert.equal((await reader.read(2, new AbortController().signal))?.length, 1);
  await assert.rejects(reader.read(3, new AbortController().signal), /cannot be read/);
});

test("a hole is named, and waited for until it is filled", async () => {
  const chain = buildChain(2, 60);
  const directory = folder();
  const plan = { directory, layout: SINGLE, passphrase: TEST_PASSPHRASE };
  await writeLake(plan, chain);
  for (const ledger of range(20, 45))
    rmSync(join(directory, `${batchKey(SINGLE, ledger)}.xdr.zst`));
  const options = common(directory);
  const take = taker(feedOf(options), 2);
  assert.deepEqual(await take(18), range(2, 19));
  const told = () => options.statuses.filter(({ state }) => state === "gap").length;
  let grown: Promise<void> | undefined;
  options.timer.onSleep = (now) => {
    if (told() > 0 && now - 1_800_000_000_000 > 600_000) grown ??= writeLake(plan, chain);
  };
  assert.deepEqual(await take(42), range(20, 61));
  await grown;
  const gap = options.statuses.find(({ state }) => state === "gap");
  assert.ok(gap?.state === "gap" && gap.first === 20 && gap.last === 45);
});

test("finds how far a lake goes", async () => {
  const directory = folder();
  await writeLake({ directory, layout: BATCHES, passphrase: TEST_PASSPHRASE }, buildChain(2, 100));
  const reader = new LakeReader(common(directory));
  const { signal } = new AbortController();
  assert.equal(await reader.lastFrom(2, signal), 95);
  assert.equal(await reader.lastFrom(90, signal), 95);
  assert.equal(await reader.lastFrom(200, signal), undefined);
});

test("a damaged object is read again, another history is a reset once it is proven", async () => {
  const chain = buildChain(2, 20);
  const directory = folder();
  await writeLake({ directory, layout: SINGLE, passphrase: TEST_PASSPHRASE }, chain);
  const path = join(directory, `${batchKey(SINGLE, 10)}.xdr.zst`);
  renameSync(path, `${path}.whole`);
  writeFileSync(path, readFileSync(`${path}.whole`).subarray(0, 60));
  const options = common(directory);
  const take = taker(feedOf(options), 2);
  assert.deepEqual(await take(8), range(2, 9));
  options.timer.onSleep = () => writeFileSync(path, readFileSync(`${path}.whole`));
  assert.deepEqual(await take(12), range(10, 21));
  assert.ok(options.statuses.some(({ state }) => state === "unreachable"));

  const later = common(directory);
  const began = later.timer.time;
  const foreign = taker(feedOf(later), 12, { ledger: 11, hash: "12".repeat(32) });
  await assert.rejects(foreign(1), hasCode("reset", /ledger 11 is .* there, and was 1212/));
  assert.ok(later.timer.time - began >= 30_000);
  assert.ok(later.statuses.some(({ state }) => state === "behind"));
});

async function chained(
  options: Common,
  ledgers: readonly BuiltLedger[],
): Promise<{ readonly rpc: FakeRpc; readonly source: LedgerFeed }> {
  const rpc = new FakeRpc();
  rpc.add(...ledgers);
  const url = await rpc.listen();
  closers.push(() => rpc.close());
  return { rpc, source: feedOf(options, [url]) };
}

test("the chain goes from the lake to the RPC without a hole", async () => {
  const chain = buildChain(2, 100);
  const directory = folder();
  await writeLake({ directory, layout: BATCHES, passphrase: TEST_PASSPHRASE }, chain.slice(0, 60));
  const { rpc, source } = await chained(common(directory), chain.slice(40));
  assert.deepEqual(await taker(source, 2)(100), range(2, 101));
  const asked = rpc.requests.filter(({ method }) => method === "getLedgers");
  assert.deepEqual(asked[0]?.params, { startLedger: 56, pagination: { limit: 4 } });
});

test("a hole of the RPC is filled from the lake, and the RPC goes on after it", async () => {
  const chain = buildChain(2, 100);
  const directory = folder();
  const plan = { directory, layout: SINGLE, passphrase: TEST_PASSPHRASE };
  await writeLake(plan, chain.slice(0, 20));
  const options = common(directory);
  const { rpc, source } = await chained(options, chain.slice(20, 50));
  const take = taker(source, 2);
  assert.deepEqual(await take(50), range(2, 51));
  rpc.oldest = 80;
  rpc.add(...chain.slice(78));
  let grown: Promise<void> | undefined;
  options.timer.onSleep = () => {
    grown ??= writeLake(plan, chain.slice(0, 90));
  };
  assert.deepEqual(await take(50), range(52, 101));
  await grown;
});

test("between a lake and an RPC that both lack a ledger there is a gap", async () => {
  const chain = buildChain(2, 100);
  const directory = folder();
  await writeLake({ directory, layout: SINGLE, passphrase: TEST_PASSPHRASE }, chain.slice(0, 20));
  const options = common(directory);
  const { rpc, source } = await chained(options, chain.slice(30));
  const take = taker(source, 2);
  assert.deepEqual(await take(20), range(2, 21));
  options.timer.onSleep = () => {
    const { statuses } = options;
    const gaps = statuses.flatMap((status) => (status.state === "gap" ? [status] : []));
    if (gaps.length < 3) return;
    assert.ok(gaps.every(({ first, last }) => first === 22 && last === 31));
    rpc.oldest = 22;
    rpc.add(...chain);
  };
  assert.deepEqual(await take(10), range(22, 31));
});

type LakeAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The lake of a directory, but for what `bend` answers instead. */
async function serveBent(
  directory: string,
  bend: (key: string, exists: boolean) => LakeAnswer | undefined,
): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const key = decodeURIComponent(request.url ?? "").replace("/lake/", "");
    asked.push(key);
    const { authorization } = request.headers;
    assert.equal(authorization, `Basic ${Buffer.from("user:secret").toString("base64")}`);
    const path = join(directory, key);
    const bent = bend(key, existsSync(path));
    if (bent !== undefined) response.writeHead(bent.status, bent.headers).end(bent.body);
    else if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  return { url: `http://user:secret@127.0.0.1:${port}/lake`, asked };
}

const PAGE = "<!DOCTYPE html><html><body>Not found</body></html>";
const HTML = { "content-type": "text/html" };

test("what a lake answers is told with its status and URL, and never taken for a ledger", async () => {
  const chain = buildChain(2, 60);
  const directory = folder();
  await writeLake({ directory, layout: SINGLE, passphrase: TEST_PASSPHRASE }, chain.slice(0, 20));
  for (const [answer, words, isForAll] of [
    [
      { status: 403 },
      /the lake refuses: HTTP 403 for http:\/\/127.0.0.1:\d+\/lake\/.config.json/,
      true,
    ],
    [{ status: 401 }, /refuses: HTTP 401/, true],
    [{ status: 503 }, /does not answer: HTTP 503 for .*\.config\.json/, true],
    [{ status: 429, headers: { "retry-after": "30" } }, /HTTP 429/, true],
    [{ status: 200, headers: HTML, body: PAGE }, /\.config\.json answers with a web page/, true],
    [{ status: 200, body: PAGE }, /\.config\.json answers with a web page/, true],
    [{ status: 200, headers: HTML, body: PAGE }, /--22\.xdr\.zst answers with a web page/, false],
    [{ status: 200, body: PAGE }, /--22\.xdr\.zst answers with a web page/, false],
    [{ status: 502, body: PAGE }, /HTTP 502 for .*--22\.xdr\.zst/, false],
    // A single object that is refused where others are not is one that is not there.
    [{ status: 403 }, undefined, false],
  ] as const) {
    const { url } = await serveBent(directory, (_key, exists) =>
      isForAll || !exists ? answer : undefined,
    );
    const options = common(url);
    const { source } = await chained(options, isForAll ? chain : chain.slice(10));
    assert.deepEqual(await taker(source, 2)(60), range(2, 61));
    const told = options.logs.join("\n");
    if (words !== undefined) assert.match(told, words);
    assert.doesNotMatch(told, /secret|has no .config|undecodable|cannot be decoded/);
    assert.ok(options.statuses.every(({ state }) => state === "following"));
  }
});

test("a lake alone that fails is asked ever more seldom, and read on once it is well", async () => {
  const chain = buildChain(2, 30);
  const directory = folder();
  await writeLake({ directory, layout: SINGLE, passphrase: TEST_PASSPHRASE }, chain);
  for (const answer of [{ status: 403 }, { status: 500 }, { status: 200, body: PAGE }]) {
    let isWell = false;
    const { url, asked } = await serveBent(directory, () => (isWell ? undefined : answer));
    const options = common(url);
    const began = options.timer.time;
    options.timer.onSleep = (now) => {
      if (now - began > 600_000) isWell = true;
    };
    const take = taker(feedOf(options), 2);
    assert.deepEqual(await take(1), [2]);
    assert.ok(asked.length < 80, `${asked.length} requests`);
    const state = options.statuses.find((status) => status.state === "unreachable");
    assert.match(JSON.stringify(state), /HTTP \d+/);
    assert.deepEqual(await take(29), range(3, 31));
  }
});
