// What Linux says of connections: the open ones by peer, and how many the process may hold.
import { readFileSync } from "node:fs";
import { addressGroup, plainAddress } from "./client-address.ts";

/** States of the list, in hex, in which a connection still counts: ESTABLISHED, CLOSE_WAIT. */
const OPEN_STATES = new Set(["01", "08"]);
const FILES = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/** Connections to a local port by the peer's address group; undefined where there is no such list. */
export function connectionsTo(port: number): ReadonlyMap<string, number> | undefined {
  const texts = FILES.map(readSystemFile).filter((text) => text !== undefined);
  if (texts.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const text of texts) countPeers(text, port, counts);
  return counts;
}

function readSystemFile(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // Not Linux, or a system without IPv6.
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

/**
 * File descriptors for everything but clients: the store, the RPC's connections, workers (choice: an engine
 * without clients holds some 50). Where connections took the last one, reading ledgers would fail.
 */
const RESERVED = 512;

/** As many connections as wanted (0: no limit of ours), or as many as the process may hold. */
export function connectionsWithin(wanted: number, descriptors: number | undefined): number {
  if (descriptors === undefined) return wanted;
  const most = Math.max(1, descriptors - RESERVED);
  return wanted === 0 ? most : Math.min(wanted, most);
}

/** Files that the process may open; undefined where the system does not tell, or sets no limit. */
export function descriptorLimit(): number | undefined {
  const soft = /^Max open files\s+([0-9]+)/m.exec(readSystemFile("/proc/self/limits") ?? "")?.[1];
  return soft === undefined ? undefined : Number(soft);
}
