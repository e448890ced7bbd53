import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ClaimableBalanceId,
  ContractDataDurability,
  ContractDataEntry,
  ContractExecutable,
  ContractId,
  DiagnosticEvent,
  ExtensionPoint,
  encodeArray,
  ScAddress,
  ScContractInstance,
  ScError,
  ScErrorCode,
  ScMapEntry,
  ScNonceKey,
  ScVal,
  TransactionMeta,
} from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { testAccount, testContract } from "../../test/ingest/addresses.ts";
import { readFixture } from "../../test/ingest/ledger-fixtures.ts";
import { scAddress, scBool, scI128, scU32, scU64, scU128 } from "../../test/ingest/sc-values.ts";
import { runs } from "../../test/support/runs.ts";
import { hostDiagnosticOf, hostEventOf } from "../../test/support/sdk-decoder.ts";
import { scValueOf } from "../../test/support/sdk-value.ts";
import { ValueReader } from "./value-reader.ts";

function readerOf(bytes: Uint8Array): ValueReader {
  return new ValueReader(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
}

function diagnosticsOf(bytes: Uint8Array): readonly DiagnosticEvent[] {
  const meta = TransactionMeta.fromXdr(bytes);
  if (meta.type === "v4") return meta.v4.diagnosticEvents;
  return meta.type === "v3" ? (meta.v3.sorobanMeta?.diagnosticEvents ?? []) : [];
}

test("real events are read as the SDK reads them", () => {
  let read = 0;
  for (const meta of readFixture("txmeta")) {
    const diagnostics = diagnosticsOf(meta);
    const bytes = encodeArray(DiagnosticEvent, diagnostics);
    assert.deepEqual(readerOf(bytes).diagnostics(0), diagnostics.map(hostDiagnosticOf));
    for (const { event } of diagnostics) {
      assert.deepEqual(readerOf(event.toXdr()).event(0), hostEventOf(event));
      read += 1;
    }
  }
  assert.ok(read > 500, `${read} events`);
});

const plain = fc.oneof(
  fc.constantFrom<ScVal>(
    ScVal.scvVoid(),
    ScVal.scvLedgerKeyContractInstance(),
    ScVal.scvLedgerKeyNonce(new ScNonceKey({ nonce: 5n })),
    ScVal.scvVec(null),
    ScVal.scvMap(null),
    ScVal.scvI32(-1),
    ScVal.scvI64(-1n),
    ScVal.scvTimepoint(7n),
    ScVal.scvDuration(8n),
    scAddress(testAccount(1)),
    scAddress(testContract(2)),
    ScVal.scvAddress(
      ScAddress.scAddressTypeClaimableBalance(
        ClaimableBalanceId.claimableBalanceIdTypeV0(new Uint8Array(32)),
      ),
    ),
    ScVal.scvError(ScError.sceContract(701)),
    ScVal.scvError(ScError.sceAuth(ScErrorCode.scecInvalidAction)),
    ScVal.scvError(ScError.sceBudget(ScErrorCode.scecExceededLimit)),
    ScVal.scvError(ScError.sceStorage(ScErrorCode.scecExceededLimit)),
    ScVal.scvError(ScError.sceStorage(ScErrorCode.scecMissingValue)),
    ScVal.scvError(ScError.sceWasmVm(ScErrorCode.scecExceededLimit)),
    ScVal.scvContractInstance(
      new ScContractInstance({
        executable: ContractExecutable.contractExecutableWasm(new Uint8Array(32)),
        storage: null,
      }),
    ),
    ScVal.scvContractInstance(
      new ScContractInstance({
        executable: ContractExecutable.contractExecutableStellarAsset(),
        storage: [new ScMapEntry({ key: scU32(1), val: scBool(true) })],
      }),
    ),
  ),
  fc.boolean().map(scBool),
  fc.integer({ min: 0, max: 0xffff_ffff }).map(scU32),
  fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }).map(scU64),
  fc.bigInt({ min: -(1n << 127n), max: (1n << 127n) - 1n }).map(scI128),
  fc.bigInt({ min: -5n, max: 5n }).map(scI128),
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).map(scU128),
  fc.uint8Array({ maxLength: 9 }).map((bytes) => ScVal.scvBytes(bytes)),
  // Not only text: what is no UTF-8 has to come out the same too.
  fc.uint8Array({ maxLength: 9 }).map((bytes) => ScVal.scvString(bytes)),
  fc.uint8Array({ maxLength: 9 }).map((bytes) => ScVal.scvSymbol(bytes)),
);

const { value } = fc.letrec<{ value: ScVal }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    plain,
    fc.array(tie("value"), { maxLength: 4 }).map((items) => ScVal.scvVec(items)),
    fc
      .array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 })
      .map((items) => ScVal.scvMap(items.map(([key, val]) => new ScMapEntry({ key, val })))),
  ),
}));

test("values of every kind are read as the SDK reads them", () => {
  fc.assert(
    fc.property(value, value, (key, val) => {
      const entry = new ContractDataEntry({
        ext: ExtensionPoint.v0(),
        contract: ScAddress.scAddressTypeContract(new ContractId(new Uint8Array(32))),
        key,
        durability: ContractDataDurability.persistent,
        val,
      });
      // What follows is somebody else's.
      const bytes = Uint8Array.from(
        Buffer.concat([Buffer.alloc(4), entry.toXdr(), Buffer.alloc(8, 0xff)]),
      );
      assert.deepEqual(readerOf(bytes).contractData(4), {
        key: scValueOf(key),
        val: scValueOf(val),
      });
    }),
    { numRuns: runs(100) },
  );
});
