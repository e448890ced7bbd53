// Strkeys (SEP-23) of 32 bytes: version, payload and checksum in base32. Written here because the
// SDK takes longer to load than the whole engine, in every thread that knows an address.

/** The versions that give G... and C... */
export const StrkeyVersion = { account: 6 << 3, contract: 2 << 3 } as const;
export type StrkeyVersion = (typeof StrkeyVersion)[keyof typeof StrkeyVersion];

export const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const PAYLOAD_BYTES = 32;
const BYTES = 1 + PAYLOAD_BYTES + 2;
/** 35 bytes fill 56 characters to the last bit. */
const STRKEY_CHARACTERS = 56;

const NO_VALUE = 0xff;
/** By character code. */
const VALUES = new Uint8Array(128).fill(NO_VALUE);
for (let value = 0; value < BASE32.length; value += 1) VALUES[BASE32.charCodeAt(value)] = value;

/** CRC-16/XModem, by byte. */
const CRC = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1)
    crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  return crc;
});

/** Throws a RangeError where `payload` is not of 32 bytes. */
export function encodeStrkey(version: StrkeyVersion, payload: Uint8Array): string {
  if (payload.length !== PAYLOAD_BYTES)
    throw new RangeError(`no strkey of ${payload.length} bytes`);
  const bytes = new Uint8Array(BYTES);
  bytes[0] = version;
  bytes.set(payload, 1);
  const crc = checksum(bytes);
  bytes[BYTES - 2] = crc & 0xff;
  bytes[BYTES - 1] = crc >> 8;
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32.charAt((held >> bits) & 31);
    }
  }
  return text;
}

/** Whether `text` is a strkey of that version with the right checksum. */
export function isStrkey(version: StrkeyVersion, text: string): boolean {
  if (text.length !== STRKEY_CHARACTERS) return false;
  const bytes = decode(text);
  if (bytes === undefined || bytes[0] !== version) return false;
  return checksum(bytes) === ((bytes[BYTES - 2] ?? 0) | ((bytes[BYTES - 1] ?? 0) << 8));
}

/** The 32 bytes of a strkey that is known to be one. */
export function strkeyPayload(text: string): Uint8Array {
  const bytes = decode(text);
  if (bytes === undefined) throw new RangeError(`no strkey: ${text}`);
  return bytes.slice(1, 1 + PAYLOAD_BYTES);
}

function decode(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(BYTES);
  let held = 0;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < STRKEY_CHARACTERS; index += 1) {
    const value = VALUES[text.charCodeAt(index)] ?? NO_VALUE;
    if (value === NO_VALUE) return undefined;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = held >> bits;
    at += 1;
  }
  return bytes;
}

/** Of all but the last two bytes. */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (let at = 0; at < BYTES - 2; at += 1) {
    crc = ((crc << 8) & 0xffff) ^ (CRC[(crc >> 8) ^ (bytes[at] ?? 0)] ?? 0);
  }
  return crc;
}
