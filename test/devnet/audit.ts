// Reads a chain of ledgers with the SDK alone and checks what any reader relies on: hashes that
// link, transactions that join, changes that follow one from the other.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  FeeBumpTransaction,
  GeneralizedTransactionSet,
  LedgerCloseMeta,
  type LedgerCloseMetaV2Wire,
  LedgerEntry,
  type LedgerEntryChangeWire,
  type LedgerEntryDataWire,
  LedgerHeader,
  LedgerKey,
  type LedgerKeyWire,
  Transaction,
  type TransactionEnvelopeWire,
  type TransactionMetaV4Wire,
  TransactionResultSet,
} from "@stellar/stellar-sdk/xdr";
import type { Chain } from "../../src/devnet/ledger/chain.ts";
import { xdrBytes } from "../../src/devnet/ledger/xdr-writer.ts";

export function sha256(...parts: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Every so many ledgers the slow way through the SDK's classes is taken as well. */
const CLASSES_EVERY = 8;

/** Decodes a v2 meta and asserts that it encodes back to the same bytes. */
export function decodeLedger(xdr: Uint8Array): LedgerCloseMetaV2Wire {
  const wire = LedgerCloseMeta.schema.decode(xdr);
  assert.ok(Buffer.from(LedgerCloseMeta.schema.encode(wire)).equals(xdr));
  if (wire.v === 2 && wire.v2.ledgerHeader.header.ledgerSeq % CLASSES_EVERY === 0) {
    assert.ok(Buffer.from(LedgerCloseMeta.fromXdr(xdr).toXdr()).equals(xdr));
  }
  assert.equal(wire.v, 2);
  if (wire.v !== 2) throw new Error("no v2 meta");
  return wire.v2;
}

export function metaOf(ledger: LedgerCloseMetaV2Wire, at: number): TransactionMetaV4Wire {
  const meta = ledger.txProcessing[at]?.txApplyProcessing;
  if (meta?.v !== 4) throw new Error("no v4 meta");
  return meta.v4;
}

/** The header's own hash, its link and the hashes of what the ledger holds. */
export function assertHeader(ledger: LedgerCloseMetaV2Wire, previousHash: string): string {
  const { hash, header } = ledger.ledgerHeader;
  assert.equal(hex(hash), sha256(LedgerHeader.schema.encode(header)));
  assert.equal(hex(header.previousLedgerHash), previousHash);
  assert.equal(
    hex(header.scpValue.txSetHash),
    sha256(GeneralizedTransactionSet.schema.encode(ledger.txSet)),
  );
  const results = ledger.txProcessing.map(({ result }) => result);
  assert.equal(
    hex(header.txSetResultHash),
    sha256(TransactionResultSet.schema.encode({ results })),
  );
  return hex(hash);
}

export function envelopes(ledger: LedgerCloseMetaV2Wire): TransactionEnvelopeWire[] {
  if (ledger.txSet.v !== 1) throw new Error("no generalized transaction set");
  return ledger.txSet.v1TxSet.phases.flatMap((phase) =>
    phase.v === 0
      ? phase.v0Components.flatMap(({ txsMaybeDiscountedFee }) => txsMaybeDiscountedFee.txs)
      : phase.parallelTxsComponent.executionStages.flat(2),
  );
}

export function transactionHash(envelope: TransactionEnvelopeWire, passphrase: string): string {
  const networkId = Buffer.from(sha256(Buffer.from(passphrase)), "hex");
  const type = Buffer.alloc(4);
  type.writeUInt32BE(envelope.type);
  if (envelope.type === 2) {
    return sha256(networkId, type, Transaction.schema.encode(envelope.v1.tx));
  }
  if (envelope.type === 5) {
    return sha256(networkId, type, FeeBumpTransaction.schema.encode(envelope.feeBump.tx));
  }
  throw new Error(`an envelope of type ${envelope.type}`);
}

/** Every result has its envelope, and the reverse. */
export function assertJoin(ledger: LedgerCloseMetaV2Wire, passphrase: string): void {
  const sent = envelopes(ledger).map((envelope) => transactionHash(envelope, passphrase));
  const applied = ledger.txProcessing.map(({ result }) => hex(result.transactionHash));
  assert.deepEqual(sent.toSorted(), applied.toSorted());
}

/** All entry changes of a ledger in the order the network made them. */
export function changesOf(ledger: LedgerCloseMetaV2Wire): LedgerEntryChangeWire[] {
  const metas = ledger.txProcessing.map((_, at) => metaOf(ledger, at));
  return [
    ...ledger.txProcessing.flatMap(({ feeProcessing }) => feeProcessing),
    ...metas.flatMap((meta) => [
      ...meta.txChangesBefore,
      ...meta.operations.flatMap(({ changes }) => changes),
      ...meta.txChangesAfter,
    ]),
    ...ledger.txProcessing.flatMap(({ postTxApplyFeeProcessing }) => postTxApplyFeeProcessing),
  ];
}

export function keyOf(data: LedgerEntryDataWire): string {
  return base64(keyWire(data));
}

function base64(key: LedgerKeyWire): string {
  return Buffer.from(LedgerKey.schema.encode(key)).toString("base64");
}

function keyWire(data: LedgerEntryDataWire): LedgerKeyWire {
  if (data.type === 0) return { type: 0, account: { accountId: data.account.accountId } };
  if (data.type === 1) {
    const { accountId, asset } = data.trustLine;
    return { type: 1, trustLine: { accountId, asset } };
  }
  if (data.type === 2) {
    const { sellerId, offerId } = data.offer;
    return { type: 2, offer: { sellerId, offerId } };
  }
  if (data.type === 6) {
    const { contract, key, durability } = data.contractData;
    return { type: 6, contractData: { contract, key, durability } };
  }
  if (data.type === 9) return { type: 9, ttl: { keyHash: data.ttl.keyHash } };
  throw new Error(`an entry of type ${data.type}`);
}

/** What an audit is compared with: the chain's own entries by key (base64) as LedgerEntry XDR (hex). */
export function entriesOf(chain: Chain): Map<string, string> {
  return new Map(
    [...chain.state.entries()].map(([key, { xdr }]) => [
      xdrBytes(key).toString("base64"),
      xdrBytes(xdr).toString("hex"),
    ]),
  );
}

/**
 * Entries by key (base64) as LedgerEntry XDR (hex). Applies a ledger's changes and evictions, and
 * asserts that every value before is the one known, and every entry written names this ledger.
 */
export function applyChanges(entries: Map<string, string>, ledger: LedgerCloseMetaV2Wire): void {
  const sequence = ledger.ledgerHeader.header.ledgerSeq;
  for (const change of changesOf(ledger)) {
    switch (change.type) {
      case 0: {
        const key = keyOf(change.created.data);
        assert.equal(entries.has(key), false, `created twice: ${key}`);
        assert.equal(change.created.lastModifiedLedgerSeq, sequence);
        entries.set(key, hex(LedgerEntry.schema.encode(change.created)));
        break;
      }
      case 1: {
        assert.equal(change.updated.lastModifiedLedgerSeq, sequence);
        entries.set(keyOf(change.updated.data), hex(LedgerEntry.schema.encode(change.updated)));
        break;
      }
      case 2:
        assert.equal(entries.delete(base64(change.removed)), true);
        break;
      case 3: {
        const before = hex(LedgerEntry.schema.encode(change.state));
        assert.equal(entries.get(keyOf(change.state.data)), before);
        break;
      }
      case 4:
        throw new Error("the devnet restores nothing");
    }
  }
  for (const key of ledger.evictedKeys) assert.equal(entries.delete(base64(key)), true);
}
