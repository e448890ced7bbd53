import assert from "node:assert/strict";
import { test } from "node:test";
import { Contract, Address as StellarAddress } from "@stellar/stellar-sdk/base";
import {
  ContractDataDurability,
  ContractDataEntry,
  ContractExecutable,
  ExtensionPoint,
  LedgerEntry,
  LedgerEntryChange,
  LedgerEntryData,
  LedgerEntryExt,
  ScContractInstance,
  ScVal,
} from "@stellar/stellar-sdk/xdr";
import { testAccount, testContract } from "../../test/ingest/addresses.ts";
import { buildLedger } from "../../test/ingest/build-ledger.ts";
import { firstLedgerOf } from "./first-ledger.ts";
import { IngestError } from "./ingest-error.ts";

const exchange = testContract(1);
const { signal } = new AbortController();

function instance(modified: number): LedgerEntry {
  const data = new ContractDataEntry({
    ext: ExtensionPoint.v0(),
    contract: new StellarAddress(exchange).toScAddress(),
    key: ScVal.scvLedgerKeyContractInstance(),
    durability: ContractDataDurability.persistent,
    val: ScVal.scvContractInstance(
      new ScContractInstance({
        executable: ContractExecutable.contractExecutableWasm(new Uint8Array(32)),
        storage: null,
      }),
    ),
  });
  return new LedgerEntry({
    lastModifiedLedgerSeq: modified,
    data: LedgerEntryData.contractData(data),
    ext: LedgerEntryExt.v0(),
  });
}

/** A ledger that changes the instance: once for each of the ledgers that changed it before. */
function ledger(sequence: number, ...before: readonly number[]): Uint8Array {
  const changes =
    before.length === 0
      ? [LedgerEntryChange.ledgerEntryCreated(instance(sequence))]
      : before.flatMap((previous) => [
          LedgerEntryChange.ledgerEntryState(instance(previous)),
          LedgerEntryChange.ledgerEntryUpdated(instance(sequence)),
        ]);
  const call = { contract: exchange, fn: "freeze", args: [] };
  const transactions = [{ source: testAccount(1), call, changes }];
  return buildLedger({ sequence, previousHash: "00".repeat(32), transactions }).bytes;
}

function find(ledgers: ReadonlyMap<number, Uint8Array>, modified: number | undefined) {
  const key = new Contract(exchange).getFootprint().toXdr("base64");
  return firstLedgerOf(
    exchange,
    {
      load: async (keys) => {
        assert.deepEqual(keys, [key]);
        return {
          ledger: 1_000,
          entries: modified === undefined ? [] : [{ key, data: "", modified }],
        };
      },
      stale: () => undefined,
      read: async (sequence) => ledgers.get(sequence),
    },
    signal,
  );
}

test("the way back along the changes of its entry ends at the ledger that created the contract", async () => {
  const ledgers = new Map([
    [50, ledger(50)],
    [90, ledger(90, 50)],
    [700, ledger(700, 90, 700)],
  ]);
  assert.equal(await find(ledgers, 700), 50);
  assert.equal(await find(ledgers, 50), 50);
});

test("says where the way back ends, and that a ledger can be named instead", async () => {
  const hasCode = (code: string, words: RegExp) => (thrown: unknown) => {
    assert.ok(thrown instanceof IngestError);
    assert.equal(thrown.code, code);
    assert.match(thrown.message, words);
    return true;
  };
  const lost = new Map([[700, ledger(700, 90)]]);
  await assert.rejects(
    find(lost, 700),
    hasCode("unknown_start", /ledger 90, no source .* from-ledger/),
  );
  const unchanged = new Map([
    [700, buildLedger({ sequence: 700, previousHash: "00".repeat(32) }).bytes],
  ]);
  await assert.rejects(find(unchanged, 700), hasCode("unknown_start", /does not change it/));
  await assert.rejects(find(new Map(), undefined), hasCode("wrong_contract", /no contract/));
});
