import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
import type { ChainLink, LedgerSource, SourceStatus } from "../ledger-source.ts";
import { RpcSource } from "../rpc-source.ts";
import { ChainedSource } from "./chained-source.ts";
import { batchKey, type LakeLayout } from "./lake-layout.ts";
import { LakeReader } from "./lake-reader.ts";
import { LakeSource } from "./lake-source.ts";

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

function taker(source: LedgerSource, from: number, previous?: ChainLink) {
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
    const take = taker(new LakeSource(options), 2);
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
  const take = taker(new LakeSource(common(await serve(directory))), 21, previous);
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

test("a hole is named, waited for and refused in the end", async () => {
  const chain = buildChain(2, 60);
  const directory = folder();
  const plan = { directory, layout: SINGLE, passphrase: TEST_PASSPHRASE };
  await writeLake(plan, chain);
  for (const ledger of range(20, 45))
    rmSync(join(directory, `${batchKey(SINGLE, ledger)}.xdr.zst`));
  const options = common(directory);
  const take = taker(new LakeSource(options), 2);
  assert.deepEqual(await take(18), range(2, 19));
  await assert.rejects(take(1), hasCode("gap", /ledgers 20 to 45 are missing/));
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

test("a damaged object is read again, a foreign one is a reset", async () => {
  const chain = buildChain(2, 20);
  const directory = folder();
  await writeLake({ directory, layout: SINGLE, passphrase: TEST_PASSPHRASE }, chain);
  const path = join(directory, `${batchKey(SINGLE, 10)}.xdr.zst`);
  renameSync(path, `${path}.whole`);
  writeFileSync(path, readFileSync(`${path}.whole`).subarray(0, 60));
  const options = common(directory);
  const take = taker(new LakeSource(options), 2);
  assert.deepEqual(await take(8), range(2, 9));
  options.timer.onSleep = () => writeFileSync(path, readFileSync(`${path}.whole`));
  assert.deepEqual(await take(12), range(10, 21));
  assert.ok(options.statuses.some(({ state }) => state === "unreachable"));

  const foreign = taker(new LakeSource(common(directory)), 12, {
    ledger: 11,
    hash: "12".repeat(32),
  });
  await assert.rejects(foreign(1), hasCode("reset", /names .* as its predecessor/));
});

async function chained(
  options: Common,
  ledgers: readonly BuiltLedger[],
): Promise<{ readonly rpc: FakeRpc; readonly source: ChainedSource }> {
  const rpc = new FakeRpc();
  rpc.add(...ledgers);
  const url = await rpc.listen();
  closers.push(() => rpc.close());
  const source = new ChainedSource({
    ...options,
    lake: new LakeSource(options),
    rpc: new RpcSource({ ...options, urls: [url] }),
  });
  return { rpc, source };
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
  const { source } = await chained(common(directory), chain.slice(30));
  const take = taker(source, 2);
  assert.deepEqual(await take(20), range(2, 21));
  await assert.rejects(take(1), hasCode("gap", /ledgers 22 to 31/));
});
