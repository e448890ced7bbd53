// What a stranger may put into a valid ledger, at the network's limits of depth, count and size: it is
// read like any other ledger, and by both decoders alike.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Address as StellarAddress } from "@stellar/stellar-sdk/base";
import {
  ContractDataDurability,
  ContractDataEntry,
  ExtensionPoint,
  LedgerEntry,
  LedgerEntryChange,
  LedgerEntryData,
  LedgerEntryExt,
  LedgerKey,
  LedgerKeyContractData,
  ScError,
  ScVal,
} from "@stellar/stellar-sdk/xdr";
import { testAccount, testContract } from "../../test/ingest/addresses.ts";
import { batchOf } from "../../test/ingest/build-lake.ts";
import {
  type BuiltEvent,
  type BuiltTransaction,
  buildLedger,
  diagnostics,
  TEST_PASSPHRASE,
} from "../../test/ingest/build-ledger.ts";
import { authorization, DEEP, nested, wrapVec } from "../../test/ingest/deep-values.ts";
import {
  scAddress,
  scI128,
  scString,
  scSymbol,
  scU32,
  scU64,
  scU128,
  scVec,
  scVoid,
} from "../../test/ingest/sc-values.ts";
import { sdkDecoder } from "../../test/support/sdk-decoder.ts";
import type { Address } from "../model/address.ts";
import { KeyTable } from "./key-table.ts";
import { BatchReader } from "./lake/ledger-batch.ts";
import type { DecodedLedger } from "./ledger-decoder.ts";
import { walkDecoder } from "./walk-decoder.ts";

const exchange = testContract(1);
const stranger = testContract(2);
const token = testContract(3);
const maker = testAccount(21);
const payer = testAccount(22);
const options = { exchange, passphrase: TEST_PASSPHRASE };
const decoders = [sdkDecoder(options), walkDecoder(options)] as const;
const batches = new BatchReader();

const created: BuiltEvent = {
  contract: exchange,
  topics: [scSymbol("new"), scAddress(token), scAddress(stranger)],
  data: scVec(scU128(7n), scAddress(maker), scI128(5n), scI128(6n), scU64(0n)),
};

/** Decoded alike by both, out of a lake's batch too; the order in the ledger's last transaction is there. */
function read(...transactions: readonly BuiltTransaction[]): DecodedLedger {
  const last: BuiltTransaction = {
    source: maker,
    call: { contract: exchange, fn: "update", args: [] },
    events: [created],
  };
  const { bytes } = buildLedger({
    sequence: 100,
    previousHash: "ab".repeat(32),
    transactions: [...transactions, last],
  });
  const keys = new KeyTable();
  keys.add(followedKey);
  const followed = { keys, tokens: new Set<Address>([token]) };
  const [expected, found] = decoders.map((decode) => decode(bytes, 100, followed));
  assert(expected !== undefined);
  assert.deepEqual(found, expected);
  const [unpacked] = batches.read(batchOf(100, [{ bytes }])).ledgers;
  assert.ok(unpacked !== undefined && Buffer.compare(unpacked, bytes) === 0);
  assert.equal(expected.delta.events.at(-1)?.kind, "new");
  return expected;
}

const followedKey = LedgerKey.contractData(
  new LedgerKeyContractData({
    contract: new StellarAddress(token).toScAddress(),
    key: scSymbol("Balance"),
    durability: ContractDataDurability.persistent,
  }),
).toXdr("base64");

function entryChange(contract: Address, key: ScVal, val: ScVal): LedgerEntryChange {
  return LedgerEntryChange.ledgerEntryCreated(
    new LedgerEntry({
      lastModifiedLedgerSeq: 100,
      data: LedgerEntryData.contractData(
        new ContractDataEntry({
          ext: ExtensionPoint.v0(),
          contract: new StellarAddress(contract).toScAddress(),
          key,
          durability: ContractDataDurability.persistent,
          val,
        }),
      ),
      ext: LedgerEntryExt.v0(),
    }),
  );
}

const FORMS: Readonly<Record<string, Partial<BuiltTransaction>>> = {
  "a call": {},
  "a failed call": { failure: "trapped" },
  "a fee bump": { feeSource: payer },
  "a failed call in a fee bump": { feeSource: payer, failure: "resourceLimitExceeded" },
};

for (const [form, parts] of Object.entries(FORMS)) {
  test(`arguments and authorizations at the network's depth are read in ${form}`, () => {
    for (const [what, value] of Object.entries(DEEP)) {
      for (const contract of [stranger, exchange]) {
        const call = { contract, fn: "trade", args: [scU32(1), value, value] };
        const { delta } = read({ source: maker, call, ...parts });
        const isFailure = contract === exchange && parts.failure !== undefined;
        assert.equal(delta.failures.length, isFailure ? 1 : 0, what);
      }
    }
    for (const contract of [stranger, exchange]) {
      const call = { contract, fn: "f", args: [] };
      // An invocation within another counts 2.
      for (const [levels, innermost] of [
        [1, nested(155, wrapVec)],
        [150, scVoid()],
        [240, scVoid()],
        [100, nested(90, wrapVec)],
      ] as const) {
        read({ source: maker, call, auth: [authorization(levels, innermost)], ...parts });
      }
    }
  });
}

test("events, diagnostics and return values at the network's depth are read", () => {
  const call = { contract: stranger, fn: "f", args: [] };
  for (const value of Object.values(DEEP)) {
    for (const contract of [stranger, exchange, token]) {
      const events = [
        { contract, topics: [scSymbol("odd"), value], data: value },
        { contract, topics: [value], data: scVoid() },
        {
          contract,
          topics: [scSymbol("approve"), scAddress(maker), scAddress(exchange)],
          data: value,
        },
      ];
      const { oddities } = read({ source: maker, call, events, returnValue: value });
      assert.equal(oddities.length, contract === exchange ? events.length : 0);
    }
    const error = ScError.sceContract(701);
    for (const failure of [undefined, "trapped"] as const) {
      const { delta } = read({
        source: maker,
        call,
        ...(failure === undefined ? {} : { failure }),
        diagnostics: [
          diagnostics.call(undefined, stranger, "f", [value, value]),
          diagnostics.call(stranger, exchange, "trade", [value]),
          diagnostics.error(exchange, error, value),
          diagnostics.callFailed(stranger, error, "trade", "try_call"),
          diagnostics.emitted({ contract: stranger, topics: [value], data: value }, true),
        ],
      });
      assert.deepEqual(
        delta.failures.map(({ fn }) => fn),
        ["trade"],
      );
    }
  }
});

test("entries at the network's depth are read, those that are followed too", () => {
  const call = { contract: token, fn: "f", args: [] };
  for (const value of Object.values(DEEP)) {
    const changes = [
      entryChange(token, scSymbol("Balance"), value),
      entryChange(stranger, value, value),
      entryChange(token, value, value),
    ];
    const { delta } = read({ source: maker, call, changes, feeChanges: changes });
    assert.deepEqual(delta.entries, [{ key: followedKey }]);
  }
});

test("as many and as large values as a transaction can hold are read", () => {
  const wide = scVec(...Array.from({ length: 3_000 }, (_, at) => scU32(at)));
  const text = scString("x".repeat(64 << 10));
  const calls = Array.from({ length: 1_500 }, (_, at) =>
    diagnostics.call(undefined, at % 2 === 0 ? exchange : stranger, "trade", [scU32(at)]),
  );
  const events = Array.from({ length: 1_500 }, () => ({
    contract: exchange,
    topics: [scSymbol("odd")],
    data: scVoid(),
  }));
  const args = Array.from({ length: 1_000 }, (_, at) => scU32(at));
  const { delta, oddities } = read(
    {
      source: maker,
      call: { contract: exchange, fn: "trade", args: [wide, text, ...args] },
      events,
    },
    {
      source: maker,
      call: {
        contract: exchange,
        fn: "f".repeat(32),
        args: [ScVal.scvBytes(new Uint8Array(60_000))],
      },
      failure: "trapped",
      diagnostics: calls,
    },
    {
      source: maker,
      call: { contract: stranger, fn: "f", args: [] },
      auth: Array.from({ length: 200 }, () => authorization(2, scVoid())),
    },
  );
  assert.equal(oddities.length, events.length);
  assert.ok(delta.failures.length > 0);
});
