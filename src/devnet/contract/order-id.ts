import { createHash } from "node:crypto";
import { type Address, addressBytes, isContract } from "../../model/address.ts";
import { type OrderId, orderId } from "../../model/order.ts";

/** The first 16 bytes, big-endian, of sha256 of the XDR of ScVal `Vec[Address owner, U64 nonce]`. */
export function deriveOrderId(owner: Address, nonce: bigint): OrderId {
  const digest = createHash("sha256").update(idPreimage(owner, nonce)).digest();
  return orderId((digest.readBigUInt64BE(0) << 64n) | digest.readBigUInt64BE(8));
}

/** Discriminants of ScVal and ScAddress (Stellar-contract.x). */
const [SCV_U64, SCV_VEC, SCV_ADDRESS] = [5, 16, 18];

function idPreimage(owner: Address, nonce: bigint): Buffer {
  const contract = isContract(owner);
  // An account's ScAddress holds a PublicKey union, which adds its own discriminant (ed25519: 0).
  const words = [SCV_VEC, 1, 2, SCV_ADDRESS, ...(contract ? [1] : [0, 0])];
  const xdr = Buffer.alloc(words.length * 4 + 32 + 12);
  for (const [at, word] of words.entries()) xdr.writeUInt32BE(word, at * 4);
  xdr.set(addressBytes(owner), words.length * 4);
  xdr.writeUInt32BE(SCV_U64, words.length * 4 + 32);
  xdr.writeBigUInt64BE(nonce, words.length * 4 + 36);
  return xdr;
}
