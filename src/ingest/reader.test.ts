import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testContract } from "../../test/ingest/addresses.ts";
import { writeLake } from "../../test/ingest/build-lake.ts";
import { type BuiltLedger, buildChain, TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { FakeRpc } from "../../test/ingest/fake-rpc.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { ChainLink, SourceStatus } from "./ledger-source.ts";
import { CREDIT_LEDGERS, type ReaderFault } from "./messages.ts";
import { Reader, type ReaderListener } from "./reader.ts";
import { SourceBoard } from "./source-board.ts";

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

type Rig = {
  readonly reader: Reader;
  start(this: void, from: number, previous?: ChainLink): void;
  readonly deltas: LedgerDelta[];
  readonly faults: ReaderFault[];
  readonly statuses: SourceStatus[];
  /** Resolves once the condition holds; the test's own time limit is the end of patience. */
  until(condition: () => boolean): Promise<void>;
};

async function rig(rpc: FakeRpc, lake?: string): Promise<Rig> {
  const exchange = testContract(1);
  const url = await rpc.listen();
  closers.push(() => rpc.close());
  const deltas: LedgerDelta[] = [];
  const faults: ReaderFault[] = [];
  const statuses: SourceStatus[] = [];
  let wake: () => void = () => {};
  const reader = new Reader({
    rpcUrls: [url],
    passphrase: TEST_PASSPHRASE,
    exchange,
    catchUpThreads: 2,
    board: new SourceBoard(2).memory,
    proofMs: 50,
    ...(lake === undefined ? {} : { lake }),
  });
  const listener: ReaderListener = {
    delta: (delta) => {
      deltas.push(delta);
      wake();
    },
    loaded: () => wake(),
    status: (status) => {
      statuses.push(status);
      wake();
    },
    rpcFailed: () => undefined,
    oddity: () => undefined,
    failed: (fault) => {
      faults.push(fault);
      wake();
    },
    died: (cause) => {
      throw cause;
    },
    log: () => wake(),
  };
  return {
    reader,
    start: (from, previous) => reader.start(listener, from, previous),
    deltas,
    faults,
    statuses,
    until: async (condition) => {
      while (!condition()) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

function rpcWith(ledgers: readonly BuiltLedger[]): FakeRpc {
  const rpc = new FakeRpc();
  rpc.add(...ledgers);
  // The exchange's instance: its existence is checked at the start.
  rpc.entries.get = () => "AAAA";
  return rpc;
}

test("hands over ledgers in order, waits for acknowledgements, and stops when told", async () => {
  const chain = buildChain(2, 200);
  const rpc = rpcWith(chain);
  const { reader, start, deltas, until } = await rig(rpc);
  start(2);
  /** Until so many are there; more than the credit are never in flight. */
  const reaches = (count: number, acknowledged: number) =>
    until(() => {
      assert.ok(deltas.length - acknowledged <= CREDIT_LEDGERS, `${deltas.length} ledgers`);
      return deltas.length >= count;
    });
  await reaches(CREDIT_LEDGERS, 0);
  reader.acknowledge(CREDIT_LEDGERS); // all but the last one
  await reaches(2 * CREDIT_LEDGERS - 1, CREDIT_LEDGERS - 1);
  for (let acknowledged = deltas.length; deltas.length < 200; acknowledged = deltas.length) {
    reader.acknowledge(acknowledged + 1);
    await reaches(acknowledged + 1, acknowledged);
  }
  assert.deepEqual(
    deltas.map(({ ledger, hash, previousHash }) => [ledger, hash, previousHash]),
    chain.map(({ sequence, hash }, index) => [
      sequence,
      hash,
      chain[index - 1]?.hash ?? "00".repeat(32),
    ]),
  );
  await reader.stop();
});

test("stops at once while it waits for acknowledgements or for the next ledger", async () => {
  const blocked = await rig(rpcWith(buildChain(2, 100)));
  blocked.start(2);
  await blocked.until(() => blocked.deltas.length === CREDIT_LEDGERS);
  await blocked.reader.stop();
  assert.equal(blocked.deltas.length, CREDIT_LEDGERS);

  const polling = await rig(rpcWith(buildChain(2, 3)));
  polling.start(2);
  await polling.until(() => polling.deltas.length === 3);
  await polling.reader.stop();
  assert.deepEqual(polling.faults, []);
});

/** Far behind for a reader at its start. */
const LONG_CHAIN = buildChain(2, 1_300);

test("far behind, ledgers come in order from several threads, out of a lake and an RPC", async () => {
  const chain = LONG_CHAIN;
  const lake = temporaryFolder();
  const layout = { ledgersPerBatch: 64, batchesPerPartition: 4 };
  await writeLake({ directory: lake, layout, passphrase: TEST_PASSPHRASE }, chain.slice(0, 700));
  const rpc = rpcWith(chain.slice(600));
  const { reader, start, deltas, statuses, until } = await rig(rpc, lake);
  start(2);
  for (let done = 0; done < 1_300; done = deltas.length) {
    await until(() => deltas.length > done);
    reader.acknowledge(deltas.at(-1)?.ledger ?? 0);
  }
  assert.deepEqual(
    deltas.map(({ ledger, hash }) => [ledger, hash]),
    chain.map(({ sequence, hash }) => [sequence, hash]),
  );
  // More than one page at a time was asked for, and the RPC only for what the lake lacks.
  const pages = rpc.requests.filter(({ method }) => method === "getLedgers");
  const starts = pages.map(({ params }) => (params as { startLedger: number }).startLedger);
  assert.ok(
    starts.every((start) => start >= 640),
    String(starts),
  );
  const next = buildChain(1_302, 1, chain.at(-1)?.hash);
  rpc.add(...next);
  await until(() => deltas.length === 1_301);
  assert.equal(statuses.at(-1)?.state, "following");
  await reader.stop();
});

test("what cannot be had while catching up is judged as at any other time", async () => {
  const chain = LONG_CHAIN;
  const bytes = Uint8Array.from(chain[900]?.bytes ?? []);
  // The count of evicted keys, of which there is none.
  new DataView(bytes.buffer).setInt32(bytes.length - 4, 1);
  const broken = chain.map((ledger, index) => (index === 900 ? { ...ledger, bytes } : ledger));
  const rpc = rpcWith(broken);
  const { reader, start, deltas, statuses, faults, until } = await rig(rpc);
  const stopped = () => statuses.find(({ state }) => state === "stopped");
  start(2);
  for (let done = 0; stopped() === undefined; done = deltas.length) {
    await until(() => deltas.length > done || stopped() !== undefined);
    reader.acknowledge(deltas.at(-1)?.ledger ?? 0);
  }
  assert.equal(deltas.length, 900);
  assert.match(JSON.stringify(stopped()), /RPC 127.0.0.1:\d+: ledger 902 \(protocol 23\)/);
  // No stop is final: it goes on once a sound answer comes.
  rpc.add(...chain.slice(900, 901));
  await until(() => deltas.length > 900);
  assert.deepEqual(faults, []);
  await reader.stop();
});

test("stops at once while it catches up", async () => {
  const { reader, start, deltas, until } = await rig(rpcWith(LONG_CHAIN));
  start(2);
  await until(() => deltas.length > 0);
  await reader.stop();
  assert.ok(deltas.length <= CREDIT_LEDGERS);
});

test("says why it stopped", async () => {
  const chain = buildChain(2, 20);
  const { reader, start, faults, until } = await rig(rpcWith(chain));
  start(11, { ledger: 10, hash: "99".repeat(32) });
  await until(() => faults.length > 0);
  assert.equal(faults[0]?.code, "reset");
  assert.equal(faults[0]?.ledger, 11);
  await reader.stop();
});

test("a contract that one answer lacks is asked for again", async () => {
  const rpc = rpcWith(buildChain(2, 3));
  let told = 0;
  rpc.fault = ({ id, method }) => {
    if (method !== "getLedgerEntries" || told > 0) return undefined;
    told += 1;
    return { body: JSON.stringify({ id, result: { entries: [], latestLedger: 4 } }) };
  };
  const { reader, start, deltas, until } = await rig(rpc);
  start(2);
  await until(() => deltas.length === 3);
  assert.equal(told, 1);
  await reader.stop();
});

test("refuses a network without the exchange's contract", async () => {
  const rpc = new FakeRpc();
  rpc.add(...buildChain(2, 3));
  const { reader, start, faults, until } = await rig(rpc);
  start(2);
  await until(() => faults.length > 0);
  assert.equal(faults[0]?.code, "wrong_contract");
  await reader.stop();
});
