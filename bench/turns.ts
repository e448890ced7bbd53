// Every turn of this thread's loop while something runs: how long it was, and what of that the thread ran.
import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { threadTimes } from "./process-figures.ts";

/**
 * Milliseconds. On a busy machine a turn lasts longer than it runs; `gcMs`, what the collector stopped it for, lasts
 * longer, too.
 */
export type Turn = { readonly wallMs: number; readonly cpuMs: number; readonly gcMs: number };

const PAUSES_TOLD_MS = 20;

/** Main thread. A turn reaches from one look at the immediates to the next. */
export async function turnsOf(work: () => Promise<void>): Promise<readonly Turn[]> {
  const turns: { wallMs: number; cpuMs: number; gcMs: number; endMs: number }[] = [];
  const pauses: { readonly startTime: number; readonly duration: number }[] = [];
  const collector = new PerformanceObserver((list) => pauses.push(...list.getEntries()));
  collector.observe({ entryTypes: ["gc"] });
  let last = threadTimes(process.pid);
  const beat = () => {
    const now = threadTimes(process.pid);
    const [wallMs, cpuMs] = [now.atMs - last.atMs, now.ranMs - last.ranMs];
    turns.push({ wallMs, cpuMs, gcMs: 0, endMs: performance.now() });
    last = now;
    immediate = setImmediate(beat);
  };
  let immediate = setImmediate(beat);
  try {
    await work();
    // What the collector did last is told in a later turn.
    await delay(PAUSES_TOLD_MS);
  } finally {
    clearImmediate(immediate);
    collector.disconnect();
  }
  let at = 0;
  for (const { startTime, duration } of pauses) {
    while (at < turns.length - 1 && (turns[at]?.endMs ?? 0) < startTime) at += 1;
    const turn = turns[at];
    if (turn !== undefined) turn.gcMs += duration;
  }
  return turns;
}
