// Valid ledgers of everything that the protocol's schema knows, with sizes and counts at their bounds: each
// is read, and by both decoders alike.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  InnerTransactionResultResult,
  LedgerCloseMeta,
  OperationMeta,
  TransactionEnvelope,
  TransactionMeta,
  TransactionResultMeta,
  TransactionResultMetaV1,
  TransactionResultResult,
} from "@stellar/stellar-sdk/xdr";
import { testAccount, testContract } from "../../test/ingest/addresses.ts";
import { batchOf } from "../../test/ingest/build-lake.ts";
import { diagnostics, TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { occurringIn } from "../../test/ingest/occurring.ts";
import {
  scAddress,
  scBool,
  scI128,
  scMap,
  scSymbol,
  scU32,
  scU64,
  scU128,
  scVec,
} from "../../test/ingest/sc-values.ts";
import { randomFrom } from "../../test/support/random-ledgers.ts";
import { RandomXdr, word } from "../../test/support/random-xdr.ts";
import { runs } from "../../test/support/runs.ts";
import { decodeMeta, ledgerHead } from "../../test/support/sdk-decoder.ts";
import { transactionHash } from "../../test/support/transaction-hash.ts";
import { addressBytes } from "../model/address.ts";
import type { Schema } from "../model/xdr-schema.ts";
import { KeyTable } from "./key-table.ts";
import { BatchReader } from "./lake/ledger-batch.ts";
import { readLedgerHead } from "./ledger-header.ts";
import { networkId } from "./transaction-result.ts";
import { walkDecoder } from "./walk-decoder.ts";

const exchange = testContract(1);
const token = testContract(2);
const maker = testAccount(3);
const IDS = [exchange, token, testContract(4), maker, testAccount(5)].map(addressBytes);
const WORDS =
  "new mod skip trade swap refresh freeze config approve transfer fn_call crossfill error Balance Allowance amount authorized live_until_ledger METADATA name".split(
    " ",
  );
/** Bytes, of each. */
const ENVELOPE_ROOM = 3_000;
const PROCESSING_ROOM = 9_000;
const RESULT_ROOM = 1_500;
const LEDGER_ROOM = 60_000;
const ROOM = {
  "*.ledgerHeader": 1_000,
  "*.txSet": 8_000,
  "*.upgradesProcessing": 4_000,
  "*.scpInfo": 2_000,
  "*.evictedKeys": 2_000,
  "*.operations": 2_500,
  "*.feeProcessing": 1_000,
  "*.postTxApplyFeeProcessing": 1_000,
  "*.txChangesBefore": 800,
  "*.txChangesAfter": 800,
  "*.sorobanMeta": 2_000,
  "*.events": 1_000,
  "*.diagnosticEvents": 1_000,
  TransactionResult: RESULT_ROOM,
};
/** Until everything had its turn. */
const ROUNDS_MAX = 1_000;
/** Of TransactionResultCode. */
const TX_SUCCESS = 0;
const TX_FAILED = -1;
const options = { exchange, passphrase: TEST_PASSPHRASE };
const network = networkId(TEST_PASSPHRASE);

/** Values with a meaning, which chance alone would hardly make. */
const args = [scAddress(maker), scU128(1n), scVec(scU128(2n)), scI128(3n)];
const READY_DIAGNOSTICS = [
  diagnostics.call(undefined, exchange, "trade", args),
  diagnostics.call(exchange, token, "transfer", [
    scAddress(maker),
    scAddress(exchange),
    scI128(3n),
  ]),
  diagnostics.call(token, exchange, "crossfill", args),
  diagnostics.returned(token, "trade"),
].map((event) => event.toXdr());
const READY_RETURN = diagnostics.returned(exchange, "trade").toXdr();
const READY_EVENTS = [
  diagnostics.emitted(
    {
      contract: exchange,
      topics: [scSymbol("mod")],
      data: scVec(scU128(1n), scI128(5n), scI128(6n), scU64(0n)),
    },
    true,
  ),
  diagnostics.emitted(
    {
      contract: token,
      topics: [scSymbol("approve"), scAddress(maker), scAddress(exchange)],
      data: scVec(scI128(5n), scU32(900)),
    },
    true,
  ),
].map(({ event }) => event.toXdr());
const READY_VALUES = [
  scMap({ amount: scI128(7n), authorized: scBool(true), clawback: scBool(false) }),
  scMap({ amount: scI128(7n), live_until_ledger: scU32(900) }),
].map((value) => value.toXdr());
const READY_KEYS = ["Balance", "Allowance"].map((name) =>
  scVec(scSymbol(name), scAddress(maker)).toXdr(),
);

/** A ledger after the other; each transaction's result names its envelope, as the network sees to. */
class RandomLedgers {
  readonly xdr: RandomXdr;
  #envelopes: { readonly bytes: Uint8Array; readonly hash: Uint8Array | undefined }[] = [];
  #processed = 0;
  #isOfContract = false;
  /** Of the exchange, in this transaction. */
  #openCalls = 0;

  constructor(seed: number) {
    const random = randomFrom(seed);
    const ready = (values: readonly Uint8Array[], odds: number) => () =>
      random(odds) === 0 ? values[random(values.length)] : undefined;
    this.xdr = new RandomXdr({
      random,
      ids: IDS,
      words: WORDS,
      bytesMax: ROOM,
      rules: {
        TransactionEnvelope: (xdr) => this.#envelope(xdr),
        "LedgerCloseMetaV0.txProcessing": (xdr) => this.#processing(xdr, TransactionResultMeta),
        "LedgerCloseMetaV1.txProcessing": (xdr) => this.#processing(xdr, TransactionResultMeta),
        "LedgerCloseMetaV2.txProcessing": (xdr) => this.#processing(xdr, TransactionResultMetaV1),
        "TransactionResultPair.transactionHash": () => this.#next?.hash,
        TransactionMeta: (xdr) => this.#meta(xdr),
        // A call's transaction has no other operation: to it belong the events of this form.
        "TransactionMetaV3.operations": (xdr) => this.#operations(xdr),
        "TransactionMetaV3.sorobanMeta": () => (this.#isOfContract ? undefined : word(0)),
        TransactionResultResult: (xdr) => outcome(xdr, TransactionResultResult),
        InnerTransactionResultResult: (xdr) => outcome(xdr, InnerTransactionResultResult),
        DiagnosticEvent: (xdr) => this.#diagnostic(xdr),
        ContractEvent: ready(READY_EVENTS, 2),
        "ContractDataEntry.key": ready(READY_KEYS, 3),
        "ContractDataEntry.val": ready(READY_VALUES, 3),
        "LedgerKeyContractData.key": ready(READY_KEYS, 3),
      },
    });
  }

  next(): Uint8Array {
    this.#envelopes = [];
    this.#processed = 0;
    return this.xdr.value(LedgerCloseMeta.schema, LEDGER_ROOM);
  }

  get #next() {
    return this.#envelopes[this.#processed];
  }

  #envelope(xdr: RandomXdr): Uint8Array {
    const bytes = xdr.value(TransactionEnvelope.schema, xdr.isFull ? 0 : ENVELOPE_ROOM);
    const hash = transactionHash(network, TransactionEnvelope.fromXdr(bytes));
    this.#envelopes.push({
      bytes,
      hash: hash === undefined ? undefined : Buffer.from(hash, "hex"),
    });
    return bytes;
  }

  #processing(xdr: RandomXdr, { schema }: { readonly schema: Schema }): Uint8Array {
    // Applied in another order than that of the set.
    this.#envelopes.sort((a, b) => Buffer.compare(a.hash ?? a.bytes, b.hash ?? b.bytes));
    const all = this.#envelopes.map(() => {
      this.#openCalls = 0;
      const bytes = xdr.value(schema, PROCESSING_ROOM);
      this.#processed += 1;
      return bytes;
    });
    return Buffer.concat([word(all.length), ...all]);
  }

  /** Of the oldest envelopes those of that time, which knew no contracts. */
  #meta(xdr: RandomXdr): Uint8Array | undefined {
    if (this.#next?.hash !== undefined) return undefined;
    return xdr.arm(TransactionMeta.schema, xdr.random(3), PROCESSING_ROOM);
  }

  /** No call returns that did not begin. */
  #diagnostic(xdr: RandomXdr): Uint8Array | undefined {
    const at = xdr.random(READY_DIAGNOSTICS.length * 2);
    if (at < READY_DIAGNOSTICS.length) {
      if (at === 0) this.#openCalls += 1;
      return READY_DIAGNOSTICS[at];
    }
    if (this.#openCalls === 0 || xdr.random(3) > 0) return undefined;
    this.#openCalls -= 1;
    return READY_RETURN;
  }

  #operations(xdr: RandomXdr): Uint8Array | undefined {
    this.#isOfContract = xdr.random(2) === 0;
    return this.#isOfContract ? xdr.list(OperationMeta.schema, 1) : undefined;
  }
}

/** Of most codes nothing else is told: those with results more often than they. */
function outcome(xdr: RandomXdr, { schema }: { readonly schema: Schema }): Uint8Array | undefined {
  const code = [TX_SUCCESS, TX_FAILED][xdr.random(6)];
  return code === undefined ? undefined : xdr.arm(schema, code, RESULT_ROOM);
}

test("ledgers of whatever the schema knows are read by both decoders alike", () => {
  const seed = Number(process.env.SEED ?? 1);
  const ledgers = new RandomLedgers(seed);
  const decode = walkDecoder(options);
  const batches = new BatchReader();
  const seen = { events: 0, failures: 0, entries: 0, tokenEvents: 0 };
  const isComplete = () => ledgers.xdr.missing(LedgerCloseMeta.schema).length === 0;
  for (let round = 0; round < runs(30) || (!isComplete() && round < ROUNDS_MAX); round += 1) {
    const bytes = ledgers.next();
    const meta = LedgerCloseMeta.fromXdr(bytes);
    const keys = new KeyTable();
    for (const key of occurringIn(meta).keys) keys.add(key);
    const followed = { keys, tokens: new Set([token]) };
    const expected = decodeMeta(meta, options, followed);
    const what = `SEED=${seed}, round ${round}`;
    assert.deepEqual(decode(bytes, 7, followed), expected, what);
    assert.deepEqual(readLedgerHead(bytes, 7), ledgerHead(meta.value.ledgerHeader), what);
    const [unpacked] = batches.read(batchOf(7, [{ bytes }])).ledgers;
    assert.ok(unpacked !== undefined && Buffer.compare(unpacked, bytes) === 0, what);
    seen.events += expected.delta.events.length;
    seen.failures += expected.delta.failures.length;
    seen.entries += expected.delta.entries.length;
    seen.tokenEvents += expected.delta.tokenEvents.length;
  }
  assert.deepEqual(ledgers.xdr.missing(LedgerCloseMeta.schema), []);
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, what);
});
