// Keys of the ledger entries that decide what stands behind an owner (LedgerKey, base64 XDR).
import { Asset, Keypair, Address as SdkAddress, xdr } from "@stellar/stellar-sdk/base";
import type { Address } from "../../model/address.ts";

/** A token contract's instance: whether it is a Stellar Asset Contract, and of which asset. */
export function instanceKey(token: Address): string {
  return dataKey(token, xdr.ScVal.scvLedgerKeyContractInstance(), "persistent");
}

export function accountKey(owner: Address): string {
  const key = new xdr.LedgerKeyAccount({ accountId: accountId(owner) });
  return xdr.LedgerKey.account(key).toXdr("base64");
}

export function trustlineKey(
  owner: Address,
  asset: { readonly code: string; readonly issuer: Address },
): string {
  const key = new xdr.LedgerKeyTrustLine({
    accountId: accountId(owner),
    asset: new Asset(asset.code, asset.issuer).toTrustLineXdrObject(),
  });
  return xdr.LedgerKey.trustline(key).toXdr("base64");
}

/** The balance a contract holds of a Stellar Asset Contract's asset. */
export function balanceKey(token: Address, owner: Address): string {
  const key = [xdr.ScVal.scvSymbol("Balance"), addressValue(owner)];
  return dataKey(token, xdr.ScVal.scvVec(key), "persistent");
}

/** What `owner` lets `spender` take of a Stellar Asset Contract's asset. */
export function allowanceKey(token: Address, owner: Address, spender: Address): string {
  const parties = xdr.ScVal.scvMap([
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol("from"), val: addressValue(owner) }),
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol("spender"), val: addressValue(spender) }),
  ]);
  const key = xdr.ScVal.scvVec([xdr.ScVal.scvSymbol("Allowance"), parties]);
  return dataKey(token, key, "temporary");
}

function dataKey(
  contract: Address,
  key: xdr.ScVal,
  durability: "persistent" | "temporary",
): string {
  const data = new xdr.LedgerKeyContractData({
    contract: new SdkAddress(contract).toScAddress(),
    key,
    durability: xdr.ContractDataDurability[durability],
  });
  return xdr.LedgerKey.contractData(data).toXdr("base64");
}

function addressValue(of: Address): xdr.ScVal {
  return new SdkAddress(of).toScVal();
}

function accountId(of: Address): xdr.PublicKey {
  return Keypair.fromPublicKey(of).xdrAccountId();
}
