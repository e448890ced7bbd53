// The exchange's events and the entries around it, for chains that are built by hand.
import { Asset, Address as StellarAddress } from "@stellar/stellar-sdk/base";
import {
  AccountEntry,
  AccountEntryExt,
  ContractDataDurability,
  ContractDataEntry,
  ContractExecutable,
  ExtensionPoint,
  LedgerEntryData,
  PublicKey,
  ScContractInstance,
  ScMapEntry,
  ScVal,
} from "@stellar/stellar-sdk/xdr";
import { type Address, address, addressBytes } from "../../src/model/address.ts";
import { PRICE_UNIT } from "../../src/model/settlement.ts";
import { type BuiltEvent, TEST_PASSPHRASE } from "../ingest/build-ledger.ts";
import {
  scAddress,
  scI128,
  scMap,
  scString,
  scSymbol,
  scU64,
  scU128,
  scVec,
} from "../ingest/sc-values.ts";

/** Of the network's native asset. */
export const NATIVE: Address = address(Asset.native().contractId(TEST_PASSPHRASE));

/** Of the exchange, or of a token that is no Stellar Asset Contract. */
export function wasmInstance(contract: Address): string {
  const executable = ContractExecutable.contractExecutableWasm(new Uint8Array(32));
  return instance(contract, new ScContractInstance({ executable, storage: null }));
}

export function nativeInstance(): string {
  return assetInstance(NATIVE, "native");
}

/** Of a Stellar Asset Contract. `name`: as its metadata has it. */
export function assetInstance(token: Address, name: string): string {
  const executable = ContractExecutable.contractExecutableStellarAsset();
  const val = scMap({ name: scString(name) });
  const storage = [new ScMapEntry({ key: scSymbol("METADATA"), val })];
  return instance(token, new ScContractInstance({ executable, storage }));
}

function instance(contract: Address, value: ScContractInstance): string {
  return LedgerEntryData.contractData(
    new ContractDataEntry({
      ext: ExtensionPoint.v0(),
      contract: new StellarAddress(contract).toScAddress(),
      key: ScVal.scvLedgerKeyContractInstance(),
      durability: ContractDataDurability.persistent,
      val: ScVal.scvContractInstance(value),
    }),
  ).toXdr("base64");
}

export function accountEntry(owner: Address, balance: bigint): string {
  const entry = new AccountEntry({
    accountId: PublicKey.publicKeyTypeEd25519(addressBytes(owner)),
    balance,
    seqNum: 1n,
    numSubEntries: 0,
    inflationDest: null,
    flags: 0,
    homeDomain: "",
    thresholds: new Uint8Array(4),
    signers: [],
    ext: AccountEntryExt.v0(),
  });
  return LedgerEntryData.account(entry).toXdr("base64");
}

export type BuiltOrder = {
  readonly exchange: Address;
  readonly selling: Address;
  readonly buying: Address;
  readonly id: bigint;
  readonly owner: Address;
};

/** An order that never expires, at a price of 1. */
export function newOrder({ exchange, selling, buying, id, owner }: BuiltOrder, amount: bigint) {
  return {
    contract: exchange,
    topics: [scSymbol("new"), scAddress(selling), scAddress(buying)],
    data: scVec(scU128(id), scAddress(owner), scI128(PRICE_UNIT), scI128(amount), scU64(0n)),
  } satisfies BuiltEvent;
}

/** `amount` of an order is bought, for as much, and `left` of it stays. */
export function fill(
  { exchange, selling, buying, id, owner }: BuiltOrder,
  taker: Address,
  amount: bigint,
  left: bigint,
) {
  const amounts = [scI128(amount), scI128(amount), scI128(left)];
  return {
    contract: exchange,
    topics: [scSymbol("trade"), scAddress(buying), scAddress(selling)],
    data: scVec(scU128(id), scAddress(taker), scAddress(owner), ...amounts),
  } satisfies BuiltEvent;
}
