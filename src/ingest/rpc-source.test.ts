import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type BuiltLedger, buildChain, TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { FakeRpc, FakeTimer } from "../../test/ingest/fake-rpc.ts";
import { IngestError } from "./ingest-error.ts";
import type { RpcLimits } from "./json-rpc.ts";
import type { ChainLink, SourceStatus } from "./ledger-source.ts";
import { LEDGERS_LIMITS } from "./page-size.ts";
import { RpcSource } from "./rpc-source.ts";

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

async function rpcWith(...ledgers: readonly BuiltLedger[]): Promise<FakeRpc & { url: string }> {
  const rpc = new FakeRpc();
  rpc.add(...ledgers);
  const url = await rpc.listen();
  closers.push(() => rpc.close());
  return Object.assign(rpc, { url });
}

type Run = {
  readonly timer: FakeTimer;
  readonly statuses: SourceStatus[];
  readonly logs: string[];
  /** The next `count` ledgers. */
  take(count: number): Promise<number[]>;
  stop(): void;
};

function follow(
  rpcs: readonly { readonly url: string }[],
  from: number,
  previous?: ChainLink,
  limits?: RpcLimits,
): Run {
  const timer = new FakeTimer();
  const statuses: SourceStatus[] = [];
  const logs: string[] = [];
  const abort = new AbortController();
  const source = new RpcSource({
    urls: rpcs.map(({ url }) => url),
    passphrase: TEST_PASSPHRASE,
    timer,
    log: (_level, message) => logs.push(message),
    onStatus: (status) => statuses.push(status),
    ...(limits === undefined ? {} : { limits }),
  });
  const stream = source.ledgers({
    from,
    signal: abort.signal,
    ...(previous === undefined ? {} : { previous }),
  });
  const buffered: number[] = [];
  return {
    timer,
    statuses,
    logs,
    async take(count) {
      while (buffered.length < count) {
        const { value, done } = await stream.next();
        if (done === true) break;
        buffered.push(...value.map(({ sequence }) => sequence));
      }
      return buffered.splice(0, count);
    },
    stop: () => abort.abort(),
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function hasCode(code: string, ...words: readonly string[]) {
  return (thrown: unknown): boolean => {
    assert.ok(thrown instanceof IngestError);
    assert.equal(thrown.code, code);
    for (const word of words) assert.match(thrown.message, new RegExp(word));
    return true;
  };
}

test("delivers every ledger in order, and polls at the tip without an error", async () => {
  const chain = buildChain(10, 40);
  const rpc = await rpcWith(...chain.slice(0, 30));
  const run = follow([rpc], 10);
  assert.deepEqual(await run.take(30), range(10, 39));
  let sleeps = 0;
  run.timer.onSleep = () => {
    sleeps += 1;
    if (sleeps % 4 === 0) {
      const next = chain[rpc.latest - 9];
      if (next !== undefined) rpc.add(next);
    }
  };
  assert.deepEqual(await run.take(10), range(40, 49));
  assert.deepEqual(new Set(run.statuses.map(({ state }) => state)), new Set(["following"]));
  assert.equal(run.statuses.at(-1)?.ledger, 49);
  assert.deepEqual(run.logs, []);
});

test("a refusal without numbers is judged by getHealth", async () => {
  const chain = buildChain(10, 6);
  const rpc = await rpcWith(...chain.slice(0, 5));
  rpc.fault = ({ id, method, params }) =>
    method === "getLedgers" && (params as { startLedger: number }).startLedger > rpc.latest
      ? { body: JSON.stringify({ id, error: { code: -32600, message: "no such ledger" } }) }
      : undefined;
  const run = follow([rpc], 10);
  assert.deepEqual(await run.take(5), range(10, 14));
  run.timer.onSleep = () => rpc.add(...chain.slice(5));
  assert.deepEqual(await run.take(1), [15]);
  assert.equal(run.logs.length, 0);
});

test("ledgers missing for a minute are waited for, and nothing after them is delivered", async () => {
  const chain = buildChain(10, 10);
  const rpc = await rpcWith(...chain.slice(0, 4), ...chain.slice(8));
  const run = follow([rpc], 10);
  assert.deepEqual(await run.take(4), range(10, 13));
  const began = run.timer.time;
  run.timer.onSleep = (now) => {
    if (now - began > 60_000) rpc.add(...chain.slice(4, 8));
  };
  assert.deepEqual(await run.take(6), range(14, 19));
  assert.ok(run.timer.time - began > 60_000);
  const gap = run.statuses.find(({ state }) => state === "gap");
  assert.ok(gap?.state === "gap");
  assert.deepEqual([gap.ledger, gap.first, gap.last], [13, 14, 17]);
});

test("refuses when what it needs is no longer served by anyone", async () => {
  const chain = buildChain(10, 20);
  const rpc = await rpcWith(...chain.slice(10));
  const run = follow([rpc], 15, { ledger: 14, hash: chain[4]?.hash ?? "" });
  await assert.rejects(run.take(1), hasCode("gap", "ledgers 15 to 19", "oldest one kept is 20"));
});

test("a second URL fills what the first no longer keeps", async () => {
  const chain = buildChain(10, 20);
  const short = await rpcWith(...chain.slice(10));
  const long = await rpcWith(...chain);
  const run = follow([short, long], 15, { ledger: 14, hash: chain[4]?.hash ?? "" });
  assert.deepEqual(await run.take(15), range(15, 29));
});

test("a network that began anew is told from its close time, or from lasting health", async () => {
  const old = buildChain(822_271, 1, "11".repeat(32), 1_700_000_000);
  const fresh = buildChain(2, 1_199, undefined, 1_800_000_000);
  const previous = { ledger: 822_271, hash: old[0]?.hash ?? "" };
  const rpc = await rpcWith(...fresh);
  const told = follow([rpc], 822_272, { ...previous, closeTime: 1_700_000_000 });
  await assert.rejects(told.take(1), hasCode("reset", "822271", "ends at 1200"));

  // Close to ours, with no time to compare: it takes as long as a healthy server can lag.
  const near = await rpcWith(...buildChain(2, 99, undefined, 1_500_000_000));
  const waited = follow([near], 151, { ledger: 150, hash: "22".repeat(32) });
  const began = waited.timer.time;
  await assert.rejects(waited.take(1), hasCode("reset"));
  assert.ok(waited.timer.time - began >= 40_000);
});

test("a server that is merely late is waited for", async () => {
  const chain = buildChain(2, 60);
  const rpc = await rpcWith(...chain.slice(0, 30));
  rpc.healthy = false;
  const run = follow([rpc], 51, {
    ledger: 50,
    hash: chain[48]?.hash ?? "",
    closeTime: 1_700_000_048,
  });
  const began = run.timer.time;
  run.timer.onSleep = (now) => {
    if (now - began > 100_000) {
      rpc.healthy = true;
      rpc.add(...chain.slice(30));
    }
  };
  assert.deepEqual(await run.take(11), range(51, 61));
});

test("a ledger that does not name ours as its predecessor is a reset", async () => {
  const other = buildChain(2, 60, "33".repeat(32));
  const rpc = await rpcWith(...other);
  const run = follow([rpc], 31, { ledger: 30, hash: "44".repeat(32) });
  await assert.rejects(run.take(1), hasCode("reset", "names .* as its predecessor"));
});

test("of two RPCs that disagree, the one that continues our chain is believed", async () => {
  const chain = buildChain(2, 60);
  const wrong = await rpcWith(...buildChain(2, 60, "33".repeat(32)));
  const right = await rpcWith(...chain);
  const run = follow([wrong, right], 31, { ledger: 30, hash: chain[28]?.hash ?? "" });
  assert.deepEqual(await run.take(31), range(31, 61));
});

test("damaged answers are asked for again, and nothing of them is delivered twice", async () => {
  const chain = buildChain(10, 30);
  const rpc = await rpcWith(...chain);
  const whole = (id: unknown, from: number): string => {
    const ledgers = chain
      .filter(({ sequence }) => sequence >= from)
      .slice(0, 3)
      .map(({ sequence, bytes }) => ({
        sequence,
        metadataXdr: Buffer.from(bytes).toString("base64"),
      }));
    return JSON.stringify({ id, result: { ledgers, oldestLedger: 10, latestLedger: 39 } });
  };
  const faults: ((id: unknown, from: number) => ReturnType<FakeRpc["fault"]>)[] = [
    () => ({ cut: true }),
    () => ({ status: 503, body: "busy" }),
    () => ({ body: "<html>" }),
    (id, from) => ({ body: whole(id, from).slice(0, 400) }),
    (id, from) => ({ body: whole("another", from).replace(String(id), "x") }),
    (id) => ({ body: JSON.stringify({ id, result: { ledgers: "none" } }) }),
    // Out of order, and a ledger under another's number.
    (id, from) => ({ body: whole(id, from + 1) }),
    (id, from) => ({
      body: whole(id, from + 1).replace(`"sequence":${from + 1},`, `"sequence":${from},`),
    }),
    // One bit of a header.
    (id, from) => ({ body: whole(id, from).replace(/AAAAF/, "AAAAG") }),
    (id, from) => ({ body: whole(id, from).replace(/[A-Za-z0-9]{8}"/, '"') }),
  ];
  let turn = 0;
  rpc.fault = ({ id, method, params }) => {
    if (method !== "getLedgers") return undefined;
    turn += 1;
    if (turn % 2 === 0) return undefined;
    return faults[(turn >> 1) % faults.length]?.(
      id,
      (params as { startLedger: number }).startLedger,
    );
  };
  const run = follow([rpc], 10);
  assert.deepEqual(await run.take(30), range(10, 39));
});

test("goes on with the next URL while one is down", async () => {
  const chain = buildChain(10, 30);
  const down = await rpcWith(...chain);
  const up = await rpcWith(...chain);
  down.fault = () => ({ status: 500, body: "" });
  const run = follow([down, up], 10);
  const began = run.timer.time;
  assert.deepEqual(await run.take(30), range(10, 39));
  assert.equal(run.timer.time, began);
});

test("a URL that stays silent is left for another, and large pages for smaller ones", async () => {
  const chain = buildChain(10, 30);
  const silent = await rpcWith(...chain);
  const slow = await rpcWith(...chain);
  silent.fault = ({ method }) => (method === "getLedgers" ? { silent: true } : undefined);
  // It gets a single ledger done in time, no more.
  slow.fault = ({ method, params }) =>
    method === "getLedgers" && (params as { pagination: { limit: number } }).pagination.limit > 1
      ? { silent: true }
      : undefined;
  const limits = { ...LEDGERS_LIMITS, timeoutMs: 40 };
  const run = follow([silent, slow], 10, undefined, limits);
  assert.deepEqual(await run.take(6), range(10, 15));
  const unreachable = run.statuses.filter(({ state }) => state === "unreachable");
  assert.match(JSON.stringify(unreachable), /no answer within 40 ms/);
});

test("a page too large for its limit is asked for in parts; a ledger too large is refused", async () => {
  const chain = buildChain(10, 30);
  const rpc = await rpcWith(...chain);
  const ledgerBytes = Math.ceil(((chain[0]?.bytes.length ?? 0) * 4) / 3);
  const some = { ...LEDGERS_LIMITS, bytesMax: ledgerBytes * 2 };
  assert.deepEqual(await follow([rpc], 10, undefined, some).take(30), range(10, 39));
  const none = { ...LEDGERS_LIMITS, bytesMax: ledgerBytes };
  await assert.rejects(
    follow([rpc], 10, undefined, none).take(1),
    hasCode("too_large", "ledger 10"),
  );
});

test("asks a dead source ever more seldom, and says so", async () => {
  const rpc = await rpcWith(...buildChain(10, 3));
  rpc.fault = () => ({ cut: true });
  const run = follow([rpc], 10);
  const began = run.timer.time;
  run.timer.onSleep = (now) => {
    if (now - began > 600_000) rpc.fault = () => undefined;
  };
  assert.deepEqual(await run.take(3), range(10, 12));
  assert.ok(rpc.requests.length < 60, `${rpc.requests.length} requests in ten minutes`);
  assert.ok(run.statuses.some(({ state }) => state === "unreachable"));
});

test("refuses a network of another name", async () => {
  const rpc = await rpcWith(...buildChain(10, 3));
  rpc.passphrase = "Public Global Stellar Network ; September 2015";
  const run = follow([rpc], 10);
  await assert.rejects(run.take(1), hasCode("wrong_network", "Public Global"));
});

test("a ledger whose head stays unreadable stops the source with its number", async () => {
  const chain = buildChain(10, 3);
  const rpc = await rpcWith(...chain);
  const bytes = Uint8Array.from(chain[1]?.bytes ?? []);
  bytes[7] = 9; // Its extension's version
  rpc.add({ sequence: 11, hash: "", bytes });
  const run = follow([rpc], 10);
  assert.deepEqual(await run.take(1), [10]);
  await assert.rejects(run.take(1), hasCode("undecodable", "ledger 11"));
});

test("ends without an error when it is stopped while waiting", async () => {
  const rpc = await rpcWith(...buildChain(10, 3));
  const run = follow([rpc], 10);
  assert.deepEqual(await run.take(3), range(10, 12));
  run.timer.onSleep = () => run.stop();
  assert.deepEqual(await run.take(1), []);
});
