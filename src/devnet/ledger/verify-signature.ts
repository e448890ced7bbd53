// Ed25519 signatures of accounts, checked with Node's own implementation.
import { createPublicKey, verify } from "node:crypto";

/** A SubjectPublicKeyInfo of an Ed25519 key up to the key's 32 bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
export const SIGNATURE_BYTES = 64;

export function isSignedBy(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const key = Buffer.concat([SPKI_PREFIX, publicKey]);
  return verify(null, message, createPublicKey({ key, format: "der", type: "spki" }), signature);
}
