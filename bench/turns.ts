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
/** Shorter turns are not kept: the loop never rests meanwhile, and most turns have nothing to do. */
const TURN_MS_MIN = 0.2;

/** Main thread. A turn reaches from one look at the immediates to the next. */
export async function turnsOf(work: () => Promise<void>): Promise<readonly Turn[]> {
  const turns: { wallMs: number; cpuMs: number; gcMs: number; endMs: number }[] = [];
  const pauses: { readonly startTime: number; readonly duration: number }[] = [];
  const collector = new PerformanceObserver((list) => pauses.push(...list.getEntries()));
  collector.observe({ entryTypes: ["gc"] });
  const clock = new MainThreadClock();
  let atMs = performance.now();
  let ranMs = clock.ranMs;
  const beat = () => {
    const endMs = performance.now();
    const wallMs = endMs - atMs;
    const ran = clock.ranMs;
    if (wallMs >= TURN_MS_MIN) turns.push({ wallMs, cpuMs: ran - ranMs, gcMs: 0, endMs });
    atMs = endMs;
    ranMs = ran;
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
    clock.close();
  }
  let at = 0;
  for (const { startTime, duration } of pauses) {
    while (at < turns.length - 1 && (turns[at]?.endMs ?? 0) < startTime) at += 1;
    const turn = turns[at];
    if (turn !== undefined) turn.gcMs += duration;
  }
  return turns;
}
