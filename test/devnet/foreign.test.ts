import assert from "node:assert/strict";
import { test } from "node:test";
import { startDevnet } from "../../src/devnet/devnet.ts";
import { hex } from "../../src/devnet/ledger/hash.ts";
import { assertHeader, assertJoin, changesOf, decodeLedger, metaOf } from "./audit.ts";

const PASSPHRASE = "Foreign test";
const LEDGER_BYTES = 400_000;

test("ledgers filled with transactions of others have the size asked for and still join", async (t) => {
  const devnet = await startDevnet({
    seed: "foreign",
    passphrase: PASSPHRASE,
    port: 0,
    manual: true,
    startTime: 1_800_000_000,
    ledgerBytes: LEDGER_BYTES,
  });
  t.after(() => devnet.stop());
  let hash = hex(devnet.tip.hash);
  for (let at = 0; at < 3; at += 1) {
    const closed = devnet.closeLedger();
    assert.ok(Math.abs(closed.meta.length - LEDGER_BYTES) < 0.05 * LEDGER_BYTES);
    const ledger = decodeLedger(closed.meta);
    hash = assertHeader(ledger, hash);
    assertJoin(ledger, PASSPHRASE);
    const { ledgerSeq } = ledger.ledgerHeader.header;
    for (const change of changesOf(ledger)) {
      if (change.type === 1) assert.equal(change.updated.lastModifiedLedgerSeq, ledgerSeq);
    }
    // The exchange's own transactions keep their places among the others.
    for (const { order, envelope } of closed.transactions) {
      const placed = ledger.txProcessing[order - 1]?.result.transactionHash;
      assert.equal(hex(placed ?? new Uint8Array()), hex(envelope.hash));
    }
    const kinds = new Set<number>();
    ledger.txProcessing.forEach((_, index) => {
      for (const { events } of metaOf(ledger, index).operations) {
        for (const { body } of events) {
          for (const topic of body.v0.topics) if (topic.type === 18) kinds.add(topic.address.type);
        }
      }
    });
    assert.deepEqual([...kinds].toSorted(), [0, 3, 4]);
  }
});
