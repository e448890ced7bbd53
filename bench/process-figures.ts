// What the kernel tells of a process. Of Linux alone; 0 elsewhere.
import { readFileSync } from "node:fs";

/** Bytes in memory. */
export function residentBytes(pid = 0): number {
  // The kernel's kB are 1,024 bytes.
  return 1024 * Number(/^VmRSS:\s+([0-9]+) kB/m.exec(textOf(`${pid}/status`))?.[1] ?? 0);
}

/** Of all threads. */
export function cpuMs(pid: number): number {
  // Behind the name: user and system time are the 12th and 13th, in ticks of 10 ms (proc(5)).
  const fields = textOf(`${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}

function textOf(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "latin1");
  } catch {
    return "";
  }
}
