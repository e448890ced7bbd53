import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testContract } from "../../test/ingest/addresses.ts";
import {
  type BuiltLedger,
  buildChain,
  buildLedger,
  TEST_PASSPHRASE,
} from "../../test/ingest/build-ledger.ts";
import { FakeRpc, FakeTimer } from "../../test/ingest/fake-rpc.ts";
import type { Address } from "../model/address.ts";
import { IngestError } from "./ingest-error.ts";
import type { RpcLimits } from "./json-rpc.ts";
import { KeyTable } from "./key-table.ts";
import { LedgerFeed } from "./ledger-feed.ts";
import { LedgerPages } from "./ledger-pages.ts";
import type { ChainLink, SourceStatus } from "./ledger-source.ts";
import { LEDGERS_LIMITS } from "./page-size.ts";
import { SourceSet } from "./source-set.ts";
import { walkDecoder } from "./walk-decoder.ts";

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

const PROOF_MS = 30_000;

type Run = {
  readonly feed: LedgerFeed;
  readonly set: SourceSet;
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
  mayBeginLater = false,
): Run {
  const timer = new FakeTimer();
  const statuses: SourceStatus[] = [];
  const logs: string[] = [];
  const abort = new AbortController();
  const log = (_level: string, message: string) => void logs.push(message);
  const set = new SourceSet({
    urls: rpcs.map(({ url }) => url),
    passphrase: TEST_PASSPHRASE,
    timer,
    log,
    random: () => 0.5,
  });
  const feed = new LedgerFeed({
    pages: new LedgerPages({ set, timer, ...(limits === undefined ? {} : { limits }) }),
    timer,
    log,
    onStatus: (status) => statuses.push(status),
    proofMs: PROOF_MS,
  });
  const stream = feed.ledgers({
    from,
    mayBeginLater,
    signal: abort.signal,
    ...(previous === undefined ? {} : { previous }),
  });
  const buffered: number[] = [];
  return {
    feed,
    set,
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

test("an empty store that was to begin at a ledger that nobody has begins anew", async () => {
  const chain = buildChain(10, 6);
  for (const isPage of [false, true]) {
    for (const from of [5, 4_000_000_000]) {
      const rpc = await rpcWith(...chain);
      rpc.fault = ({ id, method }) => {
        if (!isPage || method !== "getLedgers") return undefined;
        const result = { ledgers: [], oldestLedger: 10, latestLedger: 15 };
        return { body: JSON.stringify({ id, result }) };
      };
      const run = follow([rpc], from, undefined, undefined, true);
      await assert.rejects(run.take(1), hasCode("gap"));
    }
  }
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

test("what nobody serves any more is asked for ever more seldom, and taken once it is there", async () => {
  const chain = buildChain(10, 30);
  const rpc = await rpcWith(...chain.slice(10));
  const other = await rpcWith(...chain.slice(14));
  const run = follow([rpc, other], 15, { ledger: 14, hash: chain[4]?.hash ?? "" });
  const began = run.timer.time;
  let asked = 0;
  run.timer.onSleep = (now) => {
    if (now - began < 600_000 || asked > 0) return;
    asked = rpc.requests.length + other.requests.length;
    rpc.oldest = 10;
    rpc.add(...chain);
  };
  assert.deepEqual(await run.take(15), range(15, 29));
  assert.ok(asked > 0 && asked < 200, `${asked} requests in ten minutes`);
  const gaps = run.statuses.filter(({ state }) => state === "gap");
  assert.match(JSON.stringify(gaps[0]), /ledgers 15 to (19|23) are missing: the oldest ledger/);
});

test("a second URL fills what the first no longer keeps", async () => {
  const chain = buildChain(10, 20);
  const short = await rpcWith(...chain.slice(10));
  const long = await rpcWith(...chain);
  const run = follow([short, long], 15, { ledger: 14, hash: chain[4]?.hash ?? "" });
  assert.deepEqual(await run.take(15), range(15, 29));
});

/** Whatever is shown for shorter than that is no other network. */
async function isReset(run: Run, ...words: readonly string[]): Promise<void> {
  const began = run.timer.time;
  await assert.rejects(run.take(1), hasCode("reset", ...words));
  const took = run.timer.time - began;
  assert.ok(took >= PROOF_MS && took < 2 * PROOF_MS, `${took} ms`);
  assert.ok(run.statuses.every(({ state }) => state === "behind" || state === "unreachable"));
}

test("a network that began anew is told from its close time, by every source, over time", async () => {
  const previous = { ledger: 822_271, hash: "11".repeat(32), closeTime: 1_700_000_000 };
  const fresh = buildChain(2, 119, undefined, 1_800_000_000);
  const rpc = await rpcWith(...fresh);
  const other = await rpcWith(...fresh.slice(0, 100));
  await isReset(follow([rpc], 822_272, previous), "822271", "ends at 120");
  await isReset(follow([rpc, other], 822_272, previous), "822271");
  // One that is down, or of another network, has no say.
  const down = await rpcWith(...fresh);
  down.fault = () => ({ cut: true });
  const wrong = await rpcWith(...fresh);
  wrong.passphrase = "Another";
  await isReset(follow([down, rpc, wrong], 822_272, previous), "822271");
});

test("lower numbers alone are no new network, for however long they are served", async () => {
  const chain = buildChain(2, 60);
  const lagging = await rpcWith(...chain.slice(0, 30));
  const previous = { ledger: 50, hash: chain[48]?.hash ?? "", closeTime: 1_700_000_048 };
  const run = follow([lagging], 51, previous);
  const began = run.timer.time;
  run.timer.onSleep = (now) => {
    if (now - began > 120_000) lagging.add(...chain.slice(30));
  };
  assert.deepEqual(await run.take(11), range(51, 61));
  assert.ok(run.statuses.some(({ state }) => state === "behind"));
  // With one source that began anew and one that lags there is no proof either.
  const fresh = await rpcWith(...buildChain(2, 20, undefined, 1_800_000_000));
  const late = await rpcWith(...chain.slice(0, 30));
  const divided = follow([fresh, late], 51, previous);
  const from = divided.timer.time;
  divided.timer.onSleep = (now) => {
    if (now - from > 90_000) late.add(...chain.slice(30));
  };
  assert.deepEqual(await divided.take(11), range(51, 61));
});

test("a server of a balancer that lags costs nothing, whichever answers it gives", async () => {
  const chain = buildChain(2, 80);
  for (const every of [2, 3]) {
    for (const methods of [["getLedgers"], ["getLedgers", "getHealth", "getNetwork"]]) {
      const rpc = await rpcWith(...chain.slice(0, 59));
      const old = await rpcWith(...chain.slice(0, 20));
      let turn = 0;
      rpc.fault = (request) => {
        turn += 1;
        if (!methods.includes(request.method) || turn % every !== 0) return undefined;
        return { body: old.reply(request) };
      };
      const previous = { ledger: 50, hash: chain[48]?.hash ?? "", closeTime: 1_700_000_048 };
      const run = follow([rpc], 51, previous);
      run.timer.onSleep = () => rpc.add(...chain.slice(rpc.latest - 1, rpc.latest));
      const began = run.timer.time;
      assert.deepEqual(await run.take(30), range(51, 80));
      assert.ok(run.timer.time - began < 60_000, `${run.timer.time - began} ms`);
    }
  }
});

test("a ledger of another history in some answers is asked for again", async () => {
  const chain = buildChain(2, 60);
  const other = await rpcWith(...buildChain(2, 60, "33".repeat(32)));
  for (const times of [1, 5]) {
    const rpc = await rpcWith(...chain);
    let left = times;
    rpc.fault = (request) => {
      if (request.method !== "getLedgers" || left === 0) return undefined;
      left -= 1;
      return { body: other.reply(request) };
    };
    const run = follow([rpc], 31, { ledger: 30, hash: chain[28]?.hash ?? "" });
    assert.deepEqual(await run.take(31), range(31, 61));
  }
});

test("another network at the only URL is waited out, and its word is no proof", async () => {
  const chain = buildChain(2, 60);
  const rpc = await rpcWith(...chain);
  const other = await rpcWith(...buildChain(2, 60, "33".repeat(32), 1_800_000_000));
  other.passphrase = "Another";
  let isOther = false;
  rpc.fault = (request) => (isOther ? { body: other.reply(request) } : undefined);
  const previous = { ledger: 30, hash: chain[28]?.hash ?? "", closeTime: 1_700_000_028 };
  for (const atStart of [true, false]) {
    isOther = atStart;
    const run = follow([rpc], 31, previous);
    if (!atStart) assert.deepEqual(await run.take(4), range(31, 34));
    isOther = true;
    const began = run.timer.time;
    run.timer.onSleep = (now) => {
      if (now - began > 300_000) isOther = false;
    };
    const left = atStart ? 31 : 27;
    assert.deepEqual(await run.take(left), range(62 - left, 61));
    assert.ok(run.statuses.some((status) => /Another/.test(JSON.stringify(status))));
  }
});

test("a fork that left ours is proven by our own last ledger", async () => {
  const ours = buildChain(2, 40);
  const fork = buildChain(29, 60, ours[26]?.hash, 1_700_000_100);
  const previous = { ledger: 31, hash: ours[29]?.hash ?? "", closeTime: 1_700_000_029 };
  for (const kept of [2, 31, 32]) {
    const rpc = await rpcWith(...ours.slice(0, 27), ...fork.slice(0, 20));
    rpc.oldest = kept;
    await isReset(follow([rpc], 32, previous), kept === 32 ? "names" : "ledger 31 is");
  }
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
  const pageOf = (id: unknown, of: readonly BuiltLedger[]): string => {
    const ledgers = of.map(({ sequence, bytes }) => ({
      sequence,
      metadataXdr: Buffer.from(bytes).toString("base64"),
    }));
    return JSON.stringify({ id, result: { ledgers, oldestLedger: 10, latestLedger: 39 } });
  };
  const whole = (id: unknown, from: number): string =>
    pageOf(id, chain.filter(({ sequence }) => sequence >= from).slice(0, 3));
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
    // Sound in itself, but of a time that no ledger closes at.
    (id, sequence) => {
      const previousHash = chain[sequence - 11]?.hash ?? "00".repeat(32);
      const closeTime = Number.MAX_SAFE_INTEGER;
      return { body: pageOf(id, [buildLedger({ sequence, previousHash, closeTime })]) };
    },
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

test("a page too large for its limit is asked for in parts; a ledger too large is told", async () => {
  const chain = buildChain(10, 30);
  const rpc = await rpcWith(...chain);
  const ledgerBytes = Math.ceil(((chain[0]?.bytes.length ?? 0) * 4) / 3);
  const some = { ...LEDGERS_LIMITS, bytesMax: ledgerBytes * 2 };
  assert.deepEqual(await follow([rpc], 10, undefined, some).take(30), range(10, 39));
  const none = { ...LEDGERS_LIMITS, bytesMax: ledgerBytes };
  const run = follow([rpc], 10, undefined, none);
  run.timer.onSleep = (now) => {
    if (now - 1_800_000_000_000 > 60_000) run.stop();
  };
  assert.deepEqual(await run.take(1), []);
  assert.match(JSON.stringify(run.statuses.at(-1)), /longer than/);
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

function damagedBy(bytes: Uint8Array, how: string): string {
  const copy = Buffer.from(bytes);
  if (how === "cut short") return copy.subarray(0, copy.length - 8).toString("base64");
  if (how === "too long") return Buffer.concat([copy, Buffer.alloc(8)]).toString("base64");
  if (how === "overwritten") copy.fill(0xff, copy.length / 2, copy.length / 2 + 64);
  if (how === "of an unknown version") copy.writeInt32BE(99, 0);
  return copy.toString("base64");
}

const DAMAGES = ["cut short", "too long", "overwritten", "of an unknown version"];

test("a ledger that cannot be read is asked for again, from every source", async () => {
  const chain = buildChain(10, 20);
  for (const how of DAMAGES) {
    for (const sources of [1, 2]) {
      const rpc = await rpcWith(...chain);
      const sound = sources === 1 ? [] : [await rpcWith(...chain)];
      const bad = { ...(chain[5] as BuiltLedger) };
      rpc.add({ ...bad, bytes: Buffer.from(damagedBy(bad.bytes, how), "base64") });
      const run = follow([rpc, ...sound], 10);
      const taken: number[] = [];
      const decode = walkDecoder({ exchange: testContract(1), passphrase: TEST_PASSPHRASE });
      let [from, previous] = [10, undefined as ChainLink | undefined];
      let repaired = false;
      run.timer.onSleep = () => {
        const stops = run.statuses.filter(({ state }) => state === "stopped").length;
        if (sources > 1 || stops < 3) return;
        repaired = true;
        rpc.add(bad);
      };
      // As the reader does: from the ledger that it refused.
      while (taken.length < 20) {
        const { signal } = new AbortController();
        const request = previous === undefined ? { from, signal } : { from, previous, signal };
        reading: for await (const piece of run.feed.ledgers(request)) {
          for (const raw of piece) {
            try {
              const followed = { keys: new KeyTable(), tokens: new Set<Address>() };
              const { delta } = decode(raw.bytes, raw.sequence, followed);
              taken.push(delta.ledger);
              from = delta.ledger + 1;
              previous = delta;
            } catch (thrown) {
              run.feed.refuse(raw, thrown);
              break reading;
            }
          }
          if (taken.length >= 20) break;
        }
      }
      assert.deepEqual(taken, range(10, 29), how);
      assert.equal(repaired, sources === 1);
      const stop = run.statuses.find(({ state }) => state === "stopped");
      assert.equal(stop !== undefined, sources === 1, how);
      if (stop !== undefined) assert.match(JSON.stringify(stop), /RPC 127.0.0.1:\d+: .*ledger 15/);
    }
  }
});

test("pages in any order, with every ledger twice, are read", async () => {
  const chain = buildChain(10, 30);
  for (const bend of [
    (ledgers: object[]) => ledgers.toReversed(),
    (ledgers: object[]) => ledgers.flatMap((ledger) => [ledger, ledger]),
    (ledgers: object[]) => [...ledgers, ...ledgers].toReversed(),
  ]) {
    const rpc = await rpcWith(...chain);
    rpc.fault = (request) => {
      if (request.method !== "getLedgers") return undefined;
      const answer = JSON.parse(rpc.reply(request)) as { result?: { ledgers: object[] } };
      if (answer.result !== undefined) answer.result.ledgers = bend(answer.result.ledgers);
      return { body: JSON.stringify(answer) };
    };
    const run = follow([rpc], 10);
    assert.deepEqual(await run.take(30), range(10, 39));
    assert.ok(run.statuses.every(({ state }) => state === "following"));
  }
});

test("a tip that nothing confirms is forgotten, from whichever answer it came", async () => {
  const chain = buildChain(10, 40);
  for (const [method, ahead, every] of [
    ["getLedgers", 4_000_000_000, 7],
    ["getLedgers", 1_000, 1],
    ["getHealth", 1_000, 1],
  ] as const) {
    const rpc = await rpcWith(...chain.slice(0, 20));
    let turn = 0;
    rpc.fault = (request) => {
      if (request.method !== method) return undefined;
      turn += 1;
      const answer = JSON.parse(rpc.reply(request)) as { result?: { latestLedger: number } };
      const isLie = turn % every === 0 && answer.result !== undefined;
      if (isLie && answer.result !== undefined) {
        answer.result.latestLedger = Math.min(0xffff_ffff, answer.result.latestLedger + ahead);
      }
      return { body: JSON.stringify(answer) };
    };
    const run = follow([rpc], 10);
    let sleeps = 0;
    run.timer.onSleep = () => {
      sleeps += 1;
      if (sleeps % 4 === 0) rpc.add(...chain.slice(rpc.latest - 9, rpc.latest - 8));
    };
    assert.deepEqual(await run.take(40), range(10, 49));
    const last = run.statuses.findLast(({ state }) => state === "following");
    run.timer.onSleep = () => {
      sleeps += 1;
      if (sleeps > 200) run.stop();
    };
    sleeps = 0;
    await run.take(1);
    const { statuses } = run;
    assert.ok(last !== undefined);
    const following = statuses.filter((status) => status.state === "following");
    assert.deepEqual(following.at(-1), { state: "following", ledger: 49, tip: 49 });
    assert.ok(statuses.every(({ state }) => state === "following" || state === "behind"));
  }
});

/** Two sources; the first gets ledgers as `first` says, the second every one. */
async function race(first: (ledger: number) => boolean, ledgers = 40) {
  const chain = buildChain(10, 20 + ledgers);
  const slow = await rpcWith(...chain.slice(0, 20));
  const good = await rpcWith(...chain.slice(0, 20));
  const run = follow([slow, good], 10);
  assert.deepEqual(await run.take(20), range(10, 29));
  const began = run.timer.time;
  run.timer.onSleep = (now) => {
    const due = 20 + Math.floor((now - began) / 2_000);
    const closed = chain.slice(0, due);
    good.add(...closed.slice(good.latest - 9));
    slow.add(...closed.slice(slow.latest - 9).filter(({ sequence }) => first(sequence)));
  };
  assert.deepEqual(await run.take(ledgers), range(30, 29 + ledgers));
  return { run, slow, good, tookMs: run.timer.time - began };
}

test("of two sources the one is followed whose ledgers come", async () => {
  for (const [what, first] of [
    ["frozen", () => false],
    ["frozen after a while", (ledger: number) => ledger < 40],
  ] as const) {
    const { run, slow, tookMs } = await race(first);
    assert.ok(tookMs < 40 * 2_000 + 35_000, `${what}: ${tookMs} ms`);
    assert.equal(run.statuses.at(-1)?.ledger, 69);
    assert.ok(
      run.logs.some((line) => line.startsWith(`RPC ${new URL(slow.url).host} is behind`)),
      run.logs.join(),
    );
    assert.equal(run.set.board.state(0, run.timer.time), "behind");
    assert.equal(run.set.pick("entries"), 1, "nobody asks it for anything");
  }
});

test("an answer that never comes, or never ends, is left for another source", async () => {
  const chain = buildChain(10, 30);
  for (const fault of [{ silent: true }, { halts: true }]) {
    const hung = await rpcWith(...chain);
    const good = await rpcWith(...chain);
    hung.fault = ({ method }) => (method === "getLedgers" ? fault : undefined);
    const limits = { ...LEDGERS_LIMITS, timeoutMs: 60_000, idleMs: 40 };
    const run = follow([hung, good], 10, undefined, limits);
    assert.deepEqual(await run.take(30), range(10, 39));
    assert.match(JSON.stringify(run.statuses), /no answer within 40 ms/);
  }
});

test("a provider that limits requests is not asked for as long as it says", async () => {
  const chain = buildChain(10, 30);
  const rpc = await rpcWith(...chain.slice(0, 10));
  const run = follow([rpc], 10);
  assert.deepEqual(await run.take(10), range(10, 19));
  const began = run.timer.time;
  let refused = 0;
  rpc.fault = () => {
    refused += 1;
    return { status: 429, headers: { "retry-after": "10" }, body: "" };
  };
  run.timer.onSleep = (now) => {
    if (now - began < 10_000) return;
    rpc.fault = () => undefined;
    rpc.add(...chain);
  };
  assert.deepEqual(await run.take(20), range(20, 39));
  assert.equal(refused, 1);
  assert.ok(run.timer.time - began >= 10_000);
});

test("silence of all sources is told as such", async () => {
  const rpc = await rpcWith(...buildChain(10, 3));
  const run = follow([rpc], 10);
  assert.deepEqual(await run.take(3), range(10, 12));
  run.timer.onSleep = (now) => {
    if (now - 1_800_000_000_000 > 60_000) run.stop();
  };
  assert.deepEqual(await run.take(1), []);
  assert.equal(run.statuses.at(-1)?.state, "behind");
});

test("pages shrink where a server wants it, and only there", async () => {
  const chain = buildChain(10, 150);
  const refusals: readonly ((id: unknown) => ReturnType<FakeRpc["fault"]>)[] = [
    (id) => ({
      body: JSON.stringify({
        id,
        error: { code: -32001, message: "request exceeded processing limit threshold" },
      }),
    }),
    (id) => ({
      body: JSON.stringify({ id, error: { code: -32602, message: "limit must not exceed 3" } }),
    }),
    (id) => ({
      status: 400,
      body: JSON.stringify({ id, error: { code: -32602, message: "limit must not exceed 3" } }),
    }),
    () => ({ status: 413, body: "" }),
    () => ({ status: 504, body: "<html>" }),
  ];
  for (const refuse of refusals) {
    const rpc = await rpcWith(...chain);
    rpc.fault = ({ id, method, params }) => {
      const { pagination } = (params ?? {}) as { pagination?: { limit: number } };
      return method === "getLedgers" && (pagination?.limit ?? 0) > 3 ? refuse(id) : undefined;
    };
    const run = follow([rpc], 10);
    const began = run.timer.time;
    assert.deepEqual(await run.take(150), range(10, 159));
    assert.ok(run.timer.time - began < 30_000, `${run.timer.time - began} ms`);
    const pages = rpc.requests.filter(({ method }) => method === "getLedgers").length;
    assert.ok(pages < 90, `${pages} pages`);
  }
});

test("ends without an error when it is stopped while waiting", async () => {
  const rpc = await rpcWith(...buildChain(10, 3));
  const run = follow([rpc], 10);
  assert.deepEqual(await run.take(3), range(10, 12));
  run.timer.onSleep = () => run.stop();
  assert.deepEqual(await run.take(1), []);
});
