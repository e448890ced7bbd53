import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { ClosedRecord } from "../../src/devnet/ledger/chain.ts";
import { hex } from "../../src/devnet/ledger/hash.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import {
  applyChanges,
  assertHeader,
  assertJoin,
  decodeLedger,
  entriesOf,
  metaOf,
} from "./audit.ts";

const PASSPHRASE = "Traffic test";
/** The prelude of the small scale and some trading. */
const LEDGERS = 45;
const RESUMED = 30;

function start(directory?: string): Promise<Devnet> {
  return startDevnet({
    seed: "traffic test",
    passphrase: PASSPHRASE,
    port: 0,
    manual: true,
    startTime: 1_800_000_000,
    ...SMALL_DEVNET,
    transactionsPerLedger: 10,
    ...(directory === undefined ? {} : { directory }),
  });
}

function closeSeveral(devnet: Devnet, ledgers: number): ClosedRecord[] {
  return Array.from({ length: ledgers }, () => devnet.closeLedger());
}

test("the traffic's ledgers decode, link, join and add up to the state", async (t) => {
  const devnet = await start();
  t.after(() => devnet.stop());
  const entries = entriesOf(devnet.chain);
  let hash = hex(devnet.tip.hash);
  let failed = 0;
  const bumps = new Set<number | undefined>();
  for (const closed of closeSeveral(devnet, LEDGERS)) {
    assert.deepEqual(closed.rejected, []);
    const ledger = decodeLedger(closed.meta);
    hash = assertHeader(ledger, hash);
    assertJoin(ledger, PASSPHRASE);
    applyChanges(entries, ledger);
    for (const { ok, order, envelope } of closed.transactions) {
      const code = ledger.txProcessing[order - 1]?.result.result.result.code;
      const bumped = envelope.innerHash !== undefined;
      assert.equal(code, ok ? (bumped ? 1 : 0) : bumped ? -13 : -1);
      bumps.add(code);
      if (!ok) {
        assert.deepEqual(metaOf(ledger, order - 1).operations, []);
        failed += 1;
      }
    }
  }
  assert.deepEqual(entries, entriesOf(devnet.chain));
  assert.ok(failed > 0, "no call failed");
  assert.deepEqual([...bumps].toSorted(), [-1, -13, 0, 1]);
});

test("the same seed and start give the same ledgers, whether or not the devnet restarts", async () => {
  const directory = mkdtempSync(join(tmpdir(), "devnet-test-"));
  const whole = await start();
  const hashes = closeSeveral(whole, RESUMED).map(({ tip }) => hex(tip.hash));
  await whole.stop();
  const resumed: string[] = [];
  for (let part = 0; part < 3; part += 1) {
    const devnet = await start(directory);
    resumed.push(...closeSeveral(devnet, RESUMED / 3).map(({ tip }) => hex(tip.hash)));
    await devnet.stop();
  }
  assert.deepEqual(resumed, hashes);
  rmSync(directory, { recursive: true });
});
