import assert from "node:assert/strict";
import { test } from "node:test";
import { nativeToScVal, Address as SdkAddress, StrKey } from "@stellar/stellar-sdk/base";
import {
  ContractDataDurability,
  ContractDataEntry,
  ExtensionPoint,
  LedgerEntryData,
  ScVal,
} from "@stellar/stellar-sdk/xdr";
import { parseOrderEntry } from "./order-entry.ts";

const contract = (fill: number): string => StrKey.encodeContract(Buffer.alloc(32, fill));
const owner = StrKey.encodeEd25519PublicKey(Buffer.alloc(32, 1));
const [selling, buying] = [contract(2), contract(3)];

function entry(...fields: readonly ScVal[]): string {
  return LedgerEntryData.contractData(
    new ContractDataEntry({
      ext: ExtensionPoint.v0(),
      contract: new SdkAddress(contract(1)).toScAddress(),
      key: nativeToScVal(1n, { type: "u128" }),
      durability: ContractDataDurability.persistent,
      val: ScVal.scvVec([...fields]),
    }),
  ).toXdr("base64");
}

const parties = [owner, selling, buying].map((each) => new SdkAddress(each).toScVal());
const scI128 = (value: bigint): ScVal => nativeToScVal(value, { type: "i128" });
const scU64 = (value: bigint): ScVal => nativeToScVal(value, { type: "u64" });
const scU128 = (value: bigint): ScVal => nativeToScVal(value, { type: "u128" });

test("reads an order entry, with an expiration and without", () => {
  const order = { owner, selling, buying, amount: 5n, price: 2n ** 100n };
  const fields = [...parties, scI128(5n), scI128(2n ** 100n)];
  assert.deepEqual(parseOrderEntry(entry(...fields)), { ...order, expires: 0n });
  assert.deepEqual(parseOrderEntry(entry(...fields, scU64(9n))), { ...order, expires: 9n });
});

test("refuses an entry whose fields are of other kinds", () => {
  const others = [
    [...parties, scI128(5n)],
    [...parties, scU128(5n), scI128(7n)],
    [...parties, scI128(5n), scI128(7n), scI128(9n)],
    [ScVal.scvString(owner), ...parties.slice(1), scI128(5n), scI128(7n)],
  ];
  for (const fields of others) {
    assert.throws(() => parseOrderEntry(entry(...fields)), /an order entry of another form/);
  }
});
