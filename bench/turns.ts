// The turns of the main thread's loop while something runs: how long they were, and what of that the thread ran.
import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { MainThreadClock } from "./process-figures.ts";

/**
 * Milliseconds. On a busy machine a turn lasts longer than it runs; `gcMs`, what the collector stopped it for, lasts
 * longer, too.
 */
export type Turn = { readonly wallMs: number; readonly cpuMs: number; readonly gcMs: number };

const PAUSES_TOLD_MS = 20;
/** Shorter turns are not kept: they have next to nothing to do. */
const TURN_MS_MIN = 0.2;

/** After less than this a turn had nothing to do, and the loop may wait. */
const WORK_MS_MIN = 0.05;

/**
 * Main thread. A turn reaches from one look at the immediates to the next, without the time that the loop waited. What
 * is kept of turns and pauses are numbers: objects would be work for the collector that is measured. `longest` is told
 * of every turn that ran longer than all before, once it is over.
 */
export async function turnsOf(
  work: () => Promise<void>,
  longest?: (cpuMs: number, wallMs: number) => void,
): Promise<readonly Turn[]> {
  const starts: number[] = [];
  const ends: number[] = [];
  const walls: number[] = [];
  const cpus: number[] = [];
  const pauseStarts: number[] = [];
  const pauses: number[] = [];
  const collector = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      pauseStarts.push(startTime);
      pauses.push(duration);
    }
  });
  collector.observe({ entryTypes: ["gc"] });
  const clock = new MainThreadClock();
  let atMs = performance.now();
  let idleMs = performance.nodeTiming.idleTime;
  let ranMs = clock.ranMs;
  let mostMs = 0;
  const beat = () => {
    const endMs = performance.now();
    const idle = performance.nodeTiming.idleTime;
    const wallMs = endMs - atMs - (idle - idleMs);
    const ran = clock.ranMs;
    if (wallMs >= TURN_MS_MIN) {
      // The kernel may tell of turns before with this one.
      const cpuMs = Math.min(ran - ranMs, wallMs);
      starts.push(atMs);
      ends.push(endMs);
      walls.push(wallMs);
      cpus.push(cpuMs);
      if (cpuMs > mostMs) {
        mostMs = cpuMs;
        longest?.(cpuMs, wallMs);
      }
    }
    atMs = endMs;
    idleMs = idle;
    ranMs = ran;
    immediate = setImmediate(beat);
    // The loop waits only behind a turn without work, so that none reaches over a wait.
    if (wallMs < WORK_MS_MIN) immediate.unref();
  };
  let immediate = setImmediate(beat);
  try {
    await work();
    // What the collector did last is told in a later turn.
    await delay(PAUSES_TOLD_MS);
  } finally {
    clearImmediate(immediate);
    collector.disconnect();
    clock.close();
  }
  const gcs = walls.map(() => 0);
  let at = 0;
  for (const [number, startMs] of pauseStarts.entries()) {
    while (at < ends.length - 1 && (ends[at] ?? 0) < startMs) at += 1;
    // Else it is of a turn that was not kept.
    if (startMs >= (starts[at] ?? 0)) gcs[at] = (gcs[at] ?? 0) + (pauses[number] ?? 0);
  }
  return walls.map((wallMs, turn) => ({ wallMs, cpuMs: cpus[turn] ?? 0, gcMs: gcs[turn] ?? 0 }));
}
