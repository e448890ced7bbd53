// The contract's order entries on the ledger (contract.md: persistent, keyed by the raw U128 id).
import { Address as SdkAddress } from "@stellar/stellar-sdk/base";
import {
  ContractDataDurability,
  LedgerEntryData,
  LedgerKey,
  LedgerKeyContractData,
  ScVal,
  Uint128Parts,
} from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress, contractAddress } from "../model/address.ts";
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

const U64_MASK = (1n << 64n) - 1n;

/** The entry's LedgerKey in base64 XDR. */
export function orderEntryKey(contract: Address, id: OrderId): string {
  return LedgerKey.contractData(
    new LedgerKeyContractData({
      contract: new SdkAddress(contract).toScAddress(),
      key: ScVal.scvU128(new Uint128Parts({ hi: id >> 64n, lo: id & U64_MASK })),
      durability: ContractDataDurability.persistent,
    }),
  ).toXdr("base64");
}

/** From a LedgerEntryData in base64 XDR. Throws an Error where it is no order entry. */
export function parseOrderEntry(xdr: string): OrderEntry {
  const data = LedgerEntryData.fromXdr(xdr, "base64");
  const value = data.type === "contractData" ? data.contractData.val : undefined;
  const fields = value?.type === "scvVec" ? value.vec : undefined;
  const [owner, selling, buying, amount, price, expires] = fields ?? [];
  return {
    owner: readAddress(owner),
    selling: readAddress(selling),
    buying: readAddress(buying),
    amount: readI128(amount),
    price: readI128(price),
    expires: expires === undefined ? 0n : readU64(expires),
  };
}

function readAddress(value: ScVal | undefined): Address {
  if (value?.type === "scvAddress") {
    const { address } = value;
    if (address.type === "scAddressTypeAccount")
      return accountAddress(address.accountId.ed25519.value);
    if (address.type === "scAddressTypeContract") return contractAddress(address.contractId.value);
  }
  throw new Error("an order entry whose field is no address");
}

function readI128(value: ScVal | undefined): bigint {
  if (value?.type !== "scvI128") throw new Error("an order entry whose field is no i128");
  return (value.i128.hi << 64n) | value.i128.lo;
}

function readU64(value: ScVal): bigint {
  if (value.type !== "scvU64") throw new Error("an order entry whose expiration is no u64");
  return value.u64;
}
