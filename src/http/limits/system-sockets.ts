// The system's own list of TCP connections, where it is Linux.
import { readFileSync } from "node:fs";
import { addressGroup, plainAddress } from "./client-address.ts";

/** States of the list, in hex, in which a connection still holds its place with us. */
const OPEN_STATES = new Set(["01", "08"]);
const FILES = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/** Connections to a local port by the peer's address group; undefined where there is no such list. */
export function connectionsTo(port: number): ReadonlyMap<string, number> | undefined {
  const texts = FILES.map(readList).filter((text) => text !== undefined);
  if (texts.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const text of texts) countPeers(text, port, counts);
  return counts;
}

function readList(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // Not Linux, or a system without one of the two protocols.
    return undefined;
  }
}

/** A line: `0: 0100007F:1F90 0200007F:D431 01 ...`, words of the addresses in the machine's order. */
export function countPeers(text: string, port: number, counts: Map<string, number>): void {
  const localPort = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  for (const line of text.split("\n")) {
    if (!line.includes(localPort)) continue;
    const parts = /^\s*[0-9]+: [0-9A-F]+(:[0-9A-F]{4} )([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]{2}) /.exec(
      line,
    );
    const [, local, peer, state] = parts ?? [];
    if (local !== localPort || peer === undefined || !OPEN_STATES.has(state ?? "")) continue;
    const group = addressGroup(peerAddress(peer));
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
}

/** Little-endian words of 8 digits: Node runs on no other order. */
function peerAddress(hex: string): string {
  const bytes = Buffer.from(hex, "hex");
  bytes.swap32();
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16));
  return plainAddress(groups.join(":"));
}
