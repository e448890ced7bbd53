// The contract's order entries on the ledger (contract.md: persistent, keyed by the raw U128 id).
import { nativeToScVal, Address as SdkAddress, scValToNative } from "@stellar/stellar-sdk/base";
import {
  ContractDataDurability,
  LedgerEntryData,
  LedgerKey,
  LedgerKeyContractData,
} from "@stellar/stellar-sdk/xdr";
import { type Address, address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";

/** `expires` in UNIX seconds, 0: never. */
export type OrderEntry = {
  readonly owner: Address;
  readonly selling: Address;
  readonly buying: Address;
  readonly amount: bigint;
  readonly price: bigint;
  readonly expires: bigint;
};

/** The entry's LedgerKey in base64 XDR. */
export function orderEntryKey(contract: Address, id: OrderId): string {
  return LedgerKey.contractData(
    new LedgerKeyContractData({
      contract: new SdkAddress(contract).toScAddress(),
      key: nativeToScVal(id, { type: "u128" }),
      durability: ContractDataDurability.persistent,
    }),
  ).toXdr("base64");
}

/** From a LedgerEntryData in base64 XDR. Throws an Error where it is no order entry. */
export function parseOrderEntry(xdr: string): OrderEntry {
  const data = LedgerEntryData.fromXdr(xdr, "base64");
  const fields: unknown = data.type === "contractData" && scValToNative(data.contractData.val);
  const [owner, selling, buying, amount, price, expires = 0n] = Array.isArray(fields) ? fields : [];
  return {
    owner: address(String(owner)),
    selling: address(String(selling)),
    buying: address(String(buying)),
    amount: integer(amount),
    price: integer(price),
    expires: integer(expires),
  };
}

function integer(value: unknown): bigint {
  if (typeof value !== "bigint") throw new TypeError("an order entry whose field is no integer");
  return value;
}
