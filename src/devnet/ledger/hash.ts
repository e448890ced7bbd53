import { createHash, hash } from "node:crypto";

export const ZERO_HASH: Uint8Array = new Uint8Array(32);

export function sha256(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const [first, ...more] = parts;
  // One-shot hashing spares a native object, which costs more than hashing a short value.
  if (first !== undefined && more.length === 0) return hash("sha256", first, "buffer");
  const state = createHash("sha256");
  for (const part of parts) state.update(part);
  return state.digest();
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** The id of a network: what every hash of its transactions and contracts starts from. */
export function networkId(passphrase: string): Uint8Array {
  return sha256(passphrase);
}
