// How long a process's main thread ran, and how long it waited for a core, which says how busy the machine is.
import { readFileSync } from "node:fs";

export type ThreadTimes = {
  /** When it was asked, of `performance.now`. */
  readonly atMs: number;
  readonly ranMs: number;
  readonly waitedMs: number;
};

/** Since the thread's start. Of Linux alone; elsewhere 0, and of this process what all its threads ran. */
export function threadTimes(pid: number): ThreadTimes {
  const atMs = performance.now();
  try {
    // Nanoseconds on a core and in wait for one, since 2.6 (Documentation/scheduler/sched-stats).
    const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1");
    const [ranNs = 0, waitedNs = 0] = text.split(" ").map(Number);
    return { atMs, ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 };
  } catch {
    const { user, system } = process.cpuUsage();
    return { atMs, ranMs: pid === process.pid ? (user + system) / 1000 : 0, waitedMs: 0 };
  }
}
