// The client's address, for limits per address: its socket's, or the one that a trusted proxy names.
import { type BlockList, isIP } from "node:net";

/** Addresses of a header that are read, from the last one back. */
const FORWARDED_MAX = 16;

/**
 * `socket`: the peer's address as text. `forwarded`: X-Forwarded-For, empty without one. Proxies append
 * the address they were called from, so the client is the last one that is no trusted proxy; what
 * stands before it is the client's own claim.
 */
export function clientAddress(socket: string, forwarded: string, trusted: BlockList): string {
  let client = plainAddress(socket);
  if (forwarded === "" || !isTrusted(client, trusted)) return client;
  const named = forwarded.split(",").slice(-FORWARDED_MAX).reverse();
  for (const text of named) {
    const address = plainAddress(withoutPort(text.trim()));
    if (isIP(address) === 0) break;
    client = address;
    if (!isTrusted(client, trusted)) break;
  }
  return client;
}

/**
 * The unit that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, since one host
 * controls all addresses of such a network.
 */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address;
  return ipv6Groups(address).slice(0, 4).join(":");
}

/** IPv4 where a dual-stack socket wrote it as IPv6. */
export function plainAddress(text: string): string {
  if (isIP(text) !== 6) return text;
  const groups = ipv6Groups(text);
  if (groups.slice(0, 5).some((group) => group !== "0") || groups[5] !== "ffff") return text;
  const [high, low] = [parseInt(groups[6] ?? "0", 16), parseInt(groups[7] ?? "0", 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

export function isTrusted(address: string, trusted: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && trusted.check(address, version === 6 ? "ipv6" : "ipv4");
}

/** `1.2.3.4:5` and `[::1]:5`, as some proxies write. */
function withoutPort(text: string): string {
  return (
    /^\[([^\]]*)\](?::[0-9]+)?$/.exec(text)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(text)?.[1] ?? text
  );
}

/** The eight groups of a valid IPv6 address, in hex without leading zeros. */
function ipv6Groups(address: string): readonly string[] {
  const plain = (address.split("%", 1)[0] ?? "").replace(
    /([0-9]+)\.([0-9]+)\.([0-9]+)\.([0-9]+)$/,
    (_, a: string, b: string, c: string, d: string) =>
      `${((Number(a) << 8) | Number(b)).toString(16)}:${((Number(c) << 8) | Number(d)).toString(16)}`,
  );
  const [head = "", tail] = plain.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after];
  return groups.map((group) => parseInt(group, 16).toString(16));
}
