import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AccountEntry,
  AccountEntryExt,
  LedgerEntryData,
  LedgerKey,
  LedgerKeyAccount,
  PublicKey,
} from "@stellar/stellar-sdk/xdr";
import { testAccount } from "../../test/ingest/addresses.ts";
import { TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { FakeRpc } from "../../test/ingest/fake-rpc.ts";
import { addressBytes } from "../model/address.ts";
import type { EntriesLoaded } from "../model/entry-tracking.ts";
import { RpcError } from "./json-rpc.ts";
import type { Timer } from "./ledger-source.ts";
import type { LoadedEntries } from "./rpc-answers.ts";
import { KEYS_PER_REQUEST, type LoadEntries, rpcEntryLoader } from "./rpc-entries.ts";
import { SourceSet } from "./source-set.ts";
import { Tracker } from "./tracker.ts";

function accountKey(number: number): string {
  const accountId = PublicKey.publicKeyTypeEd25519(addressBytes(testAccount(number)));
  return LedgerKey.account(new LedgerKeyAccount({ accountId })).toXdr("base64");
}

function accountData(number: number, balance: bigint): string {
  const entry = new AccountEntry({
    accountId: PublicKey.publicKeyTypeEd25519(addressBytes(testAccount(number))),
    balance,
    seqNum: 1n,
    numSubEntries: 0,
    inflationDest: null,
    flags: 0,
    homeDomain: "",
    thresholds: new Uint8Array(4),
    signers: [],
    ext: AccountEntryExt.v0(),
  });
  return LedgerEntryData.account(entry).toXdr("base64");
}

type Rig = {
  readonly tracker: Tracker;
  readonly delivered: EntriesLoaded[];
  readonly asked: (readonly string[])[];
  readonly faults: unknown[];
  /** Lets every answer that is on its way arrive. */
  settle(): Promise<void>;
};

function rig(answer: LoadEntries): Rig {
  const delivered: EntriesLoaded[] = [];
  const asked: (readonly string[])[] = [];
  const faults: unknown[] = [];
  const tracker = new Tracker({
    load: (keys, signal) => {
      asked.push(keys);
      return answer(keys, signal);
    },
    deliver: (loaded) => delivered.push(loaded),
    fail: (thrown) => faults.push(thrown),
    timer: turnTimer(),
    log: () => {},
    signal: new AbortController().signal,
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  };
  return { tracker, delivered, asked, faults, settle };
}

/** A sleep takes a turn of the loop; time passes in sleeps alone. */
function turnTimer(onSleep: (ms: number) => void = () => {}): Timer {
  let time = 0;
  return {
    now: () => time,
    sleep: (ms) => {
      onSleep(ms);
      time += ms;
      return new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function track(keys: readonly string[], request = 1, load = true) {
  return { kind: "track", request, keys, load } as const;
}

const balances = (answer: EntriesLoaded | undefined): unknown[] =>
  answer?.entries.map(({ entry }) => (entry?.kind === "account" ? entry.balance : undefined)) ?? [];

test("answers every key once, absent entries included, as of the ledger they were read at", async () => {
  const { tracker, delivered, settle } = rig(async () => ({
    ledger: 105,
    entries: [{ key: accountKey(1), data: accountData(1, 50n), modified: 1 }],
  }));
  tracker.passed(100);
  tracker.track(track([accountKey(1), accountKey(2)], 7));
  tracker.passed(104);
  await settle();
  assert.equal(delivered.length, 0, "no answer counts as newer than ledgers that have closed");
  tracker.passed(105);
  await settle();
  assert.equal(delivered.length, 1);
  assert.deepEqual([delivered[0]?.request, delivered[0]?.ledger], [7, 105]);
  assert.deepEqual(balances(delivered[0]), [50n, undefined]);
  assert.ok(tracker.keys.has(accountKey(1)) && tracker.keys.has(accountKey(2)));
});

test("an answer older than the start of following is asked for again", async () => {
  const ledgers = [98, 99, 100];
  let turn = 0;
  const { tracker, delivered, asked, settle } = rig(async () => {
    const ledger = ledgers[turn] ?? 0;
    turn += 1;
    return {
      ledger,
      entries: [{ key: accountKey(1), data: accountData(1, BigInt(ledger)), modified: 1 }],
    };
  });
  tracker.passed(100);
  tracker.track(track([accountKey(1)]));
  await settle();
  assert.equal(asked.length, 3);
  assert.equal(delivered.length, 1);
  assert.equal(delivered[0]?.ledger, 100);
  assert.deepEqual(balances(delivered[0]), [100n]);
});

test("an answer from before a later ledger is good for a key followed since earlier", async () => {
  let release: (entries: LoadedEntries) => void = () => {};
  const { tracker, delivered, settle } = rig(() => new Promise((resolve) => (release = resolve)));
  tracker.passed(100);
  tracker.track(track([accountKey(1)]));
  await settle();
  tracker.passed(101);
  tracker.passed(102);
  release({ ledger: 100, entries: [] });
  await settle();
  assert.deepEqual(delivered, [{ request: 1, ledger: 100, entries: [{ key: accountKey(1) }] }]);
});

test("an answer with entries of other keys is none", async () => {
  const [one, other] = [accountKey(1), accountKey(2)];
  const entry = (key: string, number: number) => {
    return { key, data: accountData(number, 7n), modified: 1 };
  };
  const answers = [
    [entry(one, 2)],
    [entry(other, 1)],
    [entry(other, 2)],
    [entry(one, 1), entry(other, 2)],
    [{ ...entry(one, 1), key: Buffer.from(one, "base64").toString("hex") }],
    [entry(one, 1)],
  ];
  const count = answers.length;
  const { tracker, delivered, asked, settle } = rig(async () => {
    return { ledger: 100, entries: answers.shift() ?? [] };
  });
  tracker.passed(100);
  tracker.track({ kind: "track", request: 1, keys: [one], load: true });
  for (let turn = 0; turn < 100 && delivered.length === 0; turn += 1) await settle();
  assert.equal(asked.length, count);
  assert.deepEqual(delivered.map(balances), [[7n]]);
});

test("asks in batches, one at a time, and tries again after a failure of the RPC", async () => {
  let fail = true;
  let running = 0;
  const { tracker, delivered, asked, faults, settle } = rig(async () => {
    running += 1;
    assert.equal(running, 1);
    await Promise.resolve();
    running -= 1;
    if (fail) {
      fail = false;
      throw new RpcError("unreachable", "gone");
    }
    return { ledger: 100, entries: [] };
  });
  tracker.passed(100);
  const keys = Array.from({ length: 450 }, (_, index) => accountKey(index));
  tracker.track(track(keys));
  await settle();
  assert.deepEqual(
    asked.map(({ length }) => length),
    [KEYS_PER_REQUEST, 200, 200, 50],
  );
  assert.deepEqual(
    delivered.flatMap(({ entries }) => entries.map(({ key }) => key)),
    keys,
  );
  assert.deepEqual(faults, []);
});

test("nothing is loaded far behind the tip, nor without being asked to, nor once untracked", async () => {
  const { tracker, delivered, asked, settle } = rig(async () => ({ ledger: 1_000, entries: [] }));
  tracker.passed(100);
  tracker.sawTip(1_000);
  tracker.track(track([accountKey(1), accountKey(2)], 1));
  tracker.track(track([accountKey(3)], 2, false));
  tracker.untrack([accountKey(2)]);
  await settle();
  assert.deepEqual(asked, []);
  tracker.passed(990);
  await settle();
  tracker.passed(1_000);
  await settle();
  assert.deepEqual(asked[0], [accountKey(1)]);
  assert.deepEqual(delivered, [{ request: 1, ledger: 1_000, entries: [{ key: accountKey(1) }] }]);
  assert.ok(tracker.keys.has(accountKey(3)));
  assert.ok(!tracker.keys.has(accountKey(2)));
});

test("two requests for one key are both answered, with one question", async () => {
  const { tracker, delivered, asked, settle } = rig(async () => ({ ledger: 1_000, entries: [] }));
  tracker.sawTip(1_000);
  tracker.track(track([accountKey(1)], 1));
  tracker.track(track([accountKey(1)], 2));
  tracker.passed(1_000);
  await settle();
  assert.deepEqual(asked, [[accountKey(1)]]);
  assert.deepEqual(
    delivered.map(({ request }) => request),
    [1, 2],
  );
});

test("a key that is given up while its answer is on its way is not answered", async () => {
  const { tracker, delivered, asked, settle } = rig(async () => ({ ledger: 1_000, entries: [] }));
  tracker.passed(1_000);
  tracker.track(track([accountKey(1), accountKey(2)]));
  tracker.untrack([accountKey(1)]);
  await settle();
  assert.equal(asked.length, 1);
  assert.deepEqual(
    delivered.map(({ entries }) => entries),
    [[{ key: accountKey(2) }]],
  );
});

test("a tip, or an answer's ledger, that is too high is forgotten", async () => {
  let ledger = 4_000_000_000;
  const { tracker, delivered, settle } = rig(async () => ({ ledger, entries: [] }));
  tracker.passed(100);
  tracker.sawTip(4_000_000_000);
  tracker.track(track([accountKey(1)]));
  await settle();
  tracker.sawTip(101);
  await settle();
  assert.equal(delivered.length, 0);
  ledger = 100;
  await settle();
  assert.deepEqual(
    delivered.map((loaded) => loaded.ledger),
    [100],
  );
});

const refusal = () => new RpcError("refused", "could not query captive core");

test("a key that fails a whole batch is found, and costs the others nothing", async () => {
  const bad = accountKey(3);
  let isWell = false;
  const { tracker, delivered, asked, settle } = rig(async (keys) => {
    if (keys.includes(bad) && !isWell) throw refusal();
    return { ledger: 100, entries: [] };
  });
  tracker.passed(100);
  const keys = Array.from({ length: 20 }, (_, index) => accountKey(index));
  tracker.track(track(keys));
  await settle();
  const loaded = () => new Set(delivered.flatMap(({ entries }) => entries.map(({ key }) => key)));
  assert.deepEqual([...loaded()].sort(), keys.filter((key) => key !== bad).sort());
  assert.ok(asked.length < 60, `${asked.length} requests`);
  isWell = true;
  await settle();
  assert.ok(loaded().has(bad));
});

test("a server that fails for every key is not asked for each of them", async () => {
  const pauses: number[] = [];
  let isWell = false;
  const delivered: EntriesLoaded[] = [];
  let asked = 0;
  const tracker = new Tracker({
    load: async () => {
      asked += 1;
      if (!isWell) throw refusal();
      return { ledger: 100, entries: [] };
    },
    deliver: (loaded) => delivered.push(loaded),
    fail: (thrown) => assert.fail(String(thrown)),
    timer: turnTimer((ms) => pauses.push(ms)),
    log: () => {},
    signal: new AbortController().signal,
  });
  tracker.passed(100);
  const keys = Array.from({ length: 150 }, (_, index) => accountKey(index));
  tracker.track(track(keys));
  for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate);
  assert.ok(asked < pauses.length + 12, `${asked} requests, ${pauses.length} pauses`);
  assert.ok(Math.max(...pauses) >= 8_000);
  isWell = true;
  for (let turn = 0; turn < 60; turn += 1) await new Promise(setImmediate);
  const loaded = new Set(delivered.flatMap(({ entries }) => entries.map(({ key }) => key)));
  assert.equal(loaded.size, keys.length);
});

test("entries are asked of the server that has what is known, and by whoever answers the key", async () => {
  const bad = accountKey(3);
  for (const fault of ["old", "of the future", "refusing a key", "garbage"]) {
    const [first, second] = [new FakeRpc(), new FakeRpc()];
    const urls = [await first.listen(), await second.listen()];
    first.latest = fault === "old" ? 50 : fault === "of the future" ? 4_000_000_000 : 100;
    second.latest = 100;
    first.fault = ({ id, method, params }) => {
      if (method !== "getLedgerEntries") return undefined;
      const { keys } = params as { readonly keys: readonly string[] };
      if (fault === "garbage") {
        const entries = [{ key: bad, xdr: "AAAA", lastModifiedLedgerSeq: 1 }];
        return { body: JSON.stringify({ id, result: { latestLedger: 100, entries } }) };
      }
      if (fault !== "refusing a key" || !keys.includes(bad)) return undefined;
      return { body: JSON.stringify({ id, error: { code: -32603, message: "no answer (404)" } }) };
    };
    const timer = turnTimer();
    const set = new SourceSet({ urls, passphrase: TEST_PASSPHRASE, timer, log: () => {} });
    const loaded = new Set<string>();
    const keys = Array.from({ length: 6 }, (_, index) => accountKey(index));
    const abort = new AbortController();
    await new Promise<void>((resolve, reject) => {
      const tracker = new Tracker({
        load: rpcEntryLoader(set, timer),
        stale: (source) => set.reject(source, "entries"),
        deliver: ({ ledger, entries }) => {
          assert.equal(ledger, 100);
          for (const { key } of entries) loaded.add(key);
          if (loaded.size === keys.length) resolve();
        },
        fail: reject,
        timer,
        log: () => {},
        signal: abort.signal,
      });
      tracker.passed(100);
      tracker.track(track(keys));
    });
    abort.abort();
    assert.ok(first.requests.length < 40, `${fault}: ${first.requests.length} requests`);
    await Promise.all([first.close(), second.close()]);
  }
});
