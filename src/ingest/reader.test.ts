import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testContract } from "../../test/ingest/addresses.ts";
import { type BuiltLedger, buildChain, TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { FakeRpc } from "../../test/ingest/fake-rpc.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import { CREDIT_LEDGERS, type ReaderFault } from "./messages.ts";
import { Reader } from "./reader.ts";

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

type Rig = {
  readonly reader: Reader;
  readonly deltas: LedgerDelta[];
  readonly faults: ReaderFault[];
  /** Resolves once the condition holds; the test's own time limit is the end of patience. */
  until(condition: () => boolean): Promise<void>;
};

async function rig(rpc: FakeRpc, exchange: string = testContract(1)): Promise<Rig> {
  const url = await rpc.listen();
  closers.push(() => rpc.close());
  const deltas: LedgerDelta[] = [];
  const faults: ReaderFault[] = [];
  let wake: () => void = () => {};
  const reader = new Reader(
    { rpcUrls: [url], passphrase: TEST_PASSPHRASE, exchange },
    {
      delta: (delta) => {
        deltas.push(delta);
        wake();
      },
      loaded: () => wake(),
      status: () => wake(),
      failed: (fault) => {
        faults.push(fault);
        wake();
      },
      died: (cause) => {
        throw cause;
      },
      log: () => wake(),
    },
  );
  return {
    reader,
    deltas,
    faults,
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
  const { reader, deltas, until } = await rig(rpc);
  reader.start(2);
  await until(() => deltas.length === CREDIT_LEDGERS);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(deltas.length, CREDIT_LEDGERS);
  reader.acknowledge(CREDIT_LEDGERS); // all but the last one
  await until(() => deltas.length === 2 * CREDIT_LEDGERS - 1);
  for (let acknowledged = deltas.length; deltas.length < 200; acknowledged = deltas.length) {
    reader.acknowledge(acknowledged + 1);
    await until(() => deltas.length > acknowledged);
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
  blocked.reader.start(2);
  await blocked.until(() => blocked.deltas.length === CREDIT_LEDGERS);
  await blocked.reader.stop();
  assert.equal(blocked.deltas.length, CREDIT_LEDGERS);

  const polling = await rig(rpcWith(buildChain(2, 3)));
  polling.reader.start(2);
  await polling.until(() => polling.deltas.length === 3);
  await polling.reader.stop();
  assert.deepEqual(polling.faults, []);
});

test("says why it stopped", async () => {
  const chain = buildChain(2, 20);
  const { reader, faults, until } = await rig(rpcWith(chain));
  reader.start(11, { ledger: 10, hash: "99".repeat(32) });
  await until(() => faults.length > 0);
  assert.equal(faults[0]?.code, "reset");
  assert.equal(faults[0]?.ledger, 11);
  await reader.stop();
});

test("refuses a network without the exchange's contract", async () => {
  const rpc = new FakeRpc();
  rpc.add(...buildChain(2, 3));
  const { reader, faults, until } = await rig(rpc);
  reader.start(2);
  await until(() => faults.length > 0);
  assert.equal(faults[0]?.code, "wrong_contract");
  await reader.stop();
});
