// Connections are file descriptors, and so are the store, the RPC's connections and the workers: where
// connections took the last one, reading ledgers would fail.
import { readFileSync } from "node:fs";

/** For everything but clients (choice: an engine without clients holds some 50). */
const RESERVED = 512;

/** As many connections as wanted (0: no limit of ours), or as many as the process may hold. */
export function connectionsWithin(wanted: number, descriptors: number | undefined): number {
  if (descriptors === undefined) return wanted;
  const room = Math.max(1, descriptors - RESERVED);
  return wanted === 0 ? room : Math.min(wanted, room);
}

/** What the process may open; undefined where the system does not tell, or sets no limit. */
export function descriptorLimit(): number | undefined {
  try {
    const text = readFileSync("/proc/self/limits", "latin1");
    const soft = /^Max open files\s+([0-9]+)/m.exec(text)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    // Not Linux.
    return undefined;
  }
}
