// The frames of XDR around values that are encoded already: lists, options and unions are written
// by joining bytes, so that an entry or event that occurs in several places is encoded once.
// Everything inside the frames is encoded by the SDK's own schemas.

export function uint32(value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function uint64(value: bigint): Uint8Array {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

/** An `ext` with v = 0, an absent option, an empty list, a false: four zero bytes each. */
export const ZERO: Uint8Array = uint32(0);
export const ONE: Uint8Array = uint32(1);

export function join(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

/** A variable-length array of encoded elements. */
export function list(items: readonly Uint8Array[]): Uint8Array {
  return items.length === 0 ? ZERO : Buffer.concat([uint32(items.length), ...items]);
}

export function option(item: Uint8Array | undefined): Uint8Array {
  return item === undefined ? ZERO : Buffer.concat([ONE, item]);
}
