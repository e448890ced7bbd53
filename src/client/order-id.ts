// The id of an order, which its owner knows before the call: from the owner and the call's nonce.
import { hash, nativeToScVal, xdr } from "@stellar/stellar-sdk";

/** Bytes of the digest that make the id. */
const ID_BYTES = 16;
const U64_MAX = (1n << 64n) - 1n;

/**
 * As the API writes it. The first 16 bytes, big-endian, of sha256 of the XDR of
 * ScVal `Vec[Address owner, U64 nonce]`, as the contract derives it. `owner`: G... or C... Throws where it is no
 * address, and a RangeError where the nonce is no u64.
 */
export function orderId(owner: string, nonce: bigint): string {
  if (nonce < 0n || nonce > U64_MAX) throw new RangeError(`nonce: expected a u64, not ${nonce}`);
  const fields = [nativeToScVal(owner, { type: "address" }), nativeToScVal(nonce, { type: "u64" })];
  const digest = hash(xdr.ScVal.scvVec(fields).toXDR());
  let id = 0n;
  for (const byte of digest.subarray(0, ID_BYTES)) id = (id << 8n) | BigInt(byte);
  return String(id);
}
