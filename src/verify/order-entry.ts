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

/** Kinds of an entry's fields; the last, `expires`, may be missing. */
const FIELD_KINDS = [
  "scvAddress",
  "scvAddress",
  "scvAddress",
  "scvI128",
  "scvI128",
  "scvU64",
] as const;

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
  const value = data.type === "contractData" ? data.contractData.val : undefined;
  const fields = (value?.type === "scvVec" ? value.vec : undefined) ?? [];
  if (
    fields.length < FIELD_KINDS.length - 1 ||
    fields.some(({ type }, at) => type !== FIELD_KINDS[at])
  ) {
    throw new TypeError("an order entry of another form");
  }
  const [owner, selling, buying, amount, price, expires = 0n] = fields.map((field) =>
    scValToNative(field),
  );
  return {
    owner: address(String(owner)),
    selling: address(String(selling)),
    buying: address(String(buying)),
    amount,
    price,
    expires,
  };
}
