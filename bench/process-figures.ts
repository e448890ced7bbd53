// The machine, and what its kernel tells of a process: the latter of Linux alone; 0 elsewhere.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { cpus } from "node:os";

export type Machine = { readonly node: string; readonly cpu: string; readonly cores: number };

export function machine(): Machine {
  const [first] = cpus();
  return { node: process.version, cpu: first?.model ?? "unknown", cores: cpus().length };
}

/** Bytes in memory: all, or those of its own (heap, buffers, stacks) without mapped files. */
export function residentBytes(pid = 0, which: "VmRSS" | "RssAnon" = "VmRSS"): number {
  const line = new RegExp(`^${which}:\\s+([0-9]+) kB`, "m").exec(textOf(`${pid}/status`));
  // The kernel's kB are 1,024 bytes.
  return 1024 * Number(line?.[1] ?? 0);
}

/** Of all threads. */
export function cpuMs(pid: number): number {
  // Behind the name: user and system time are the 12th and 13th, in ticks of 10 ms (proc(5)).
  const fields = textOf(`${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}

export type ThreadTimes = {
  /** When it was asked, of `performance.now`. */
  readonly atMs: number;
  readonly ranMs: number;
  /** For a core, which says how busy the machine is. */
  readonly waitedMs: number;
};

/** Of the main thread, since its start. Elsewhere, of this process: what all its threads ran. */
export function threadTimes(pid: number): ThreadTimes {
  const atMs = performance.now();
  // Nanoseconds on a core and in wait for one, since 2.6 (Documentation/scheduler/sched-stats).
  const text = textOf(`${pid}/task/${pid}/schedstat`);
  if (text === "" && pid === process.pid) {
    const { user, system } = process.cpuUsage();
    return { atMs, ranMs: (user + system) / 1000, waitedMs: 0 };
  }
  const [ranNs = 0, waitedNs = 0] = text.split(" ").map(Number);
  return { atMs, ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 };
}

const DIGIT_0 = 0x30;
const SPACE = 0x20;

/** What this process's main thread ran, to be looked at often: a look leaves the garbage collector next to nothing. */
export class MainThreadClock {
  readonly #file: number | undefined;
  readonly #text = Buffer.alloc(64);

  constructor() {
    try {
      this.#file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
    } catch {
      // No Linux.
    }
  }

  /**
   * Milliseconds since its start, which the kernel counts at its ticks (every 4 ms, mostly) while nobody else wants the
   * core; elsewhere than on Linux, of all threads.
   */
  get ranMs(): number {
    if (this.#file === undefined) return threadTimes(process.pid).ranMs;
    readSync(this.#file, this.#text, 0, this.#text.length, 0);
    let ns = 0;
    for (const digit of this.#text) {
      if (digit === SPACE) break;
      ns = 10 * ns + digit - DIGIT_0;
    }
    return ns / 1e6;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "latin1");
  } catch {
    return "";
  }
}
