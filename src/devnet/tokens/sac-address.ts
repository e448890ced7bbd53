// The ids of contracts: derived from what they wrap or who deployed them (CAP-46-2).
import { HashIdPreimage } from "@stellar/stellar-sdk/xdr";
import { type Address, contractAddress } from "../../model/address.ts";
import { assetWire, type ClassicAsset } from "../ledger/asset.ts";
import { sha256 } from "../ledger/hash.ts";
import { addressWire } from "../ledger/sc-val.ts";

const CONTRACT_ID = 8;

/** The Stellar Asset Contract of `asset` on the network `networkId`. */
export function tokenAddress(asset: ClassicAsset, networkId: Uint8Array): Address {
  const preimage = HashIdPreimage.schema.encode({
    type: CONTRACT_ID,
    contractId: { networkId, contractIdPreimage: { type: 1, fromAsset: assetWire(asset) } },
  });
  return contractAddress(sha256(preimage));
}

/** The contract that `deployer` creates with `salt` (32 bytes). */
export function deployedAddress(
  deployer: Address,
  salt: Uint8Array,
  networkId: Uint8Array,
): Address {
  const preimage = HashIdPreimage.schema.encode({
    type: CONTRACT_ID,
    contractId: {
      networkId,
      contractIdPreimage: { type: 0, fromAddress: { address: addressWire(deployer), salt } },
    },
  });
  return contractAddress(sha256(preimage));
}

/** `native` or `CODE:ISSUER`, as SEP-11 and the token's metadata write it. */
export function assetName(asset: ClassicAsset): string {
  return asset.kind === "native" ? "native" : `${asset.code}:${asset.issuer}`;
}
