// Every turn of this thread's loop while something runs: how long it was, and what of that the thread ran.
import { threadTimes } from "./process-figures.ts";

/** Milliseconds. On a busy machine a turn lasts longer than it runs. */
export type Turn = { readonly wallMs: number; readonly cpuMs: number };

/** Main thread. A turn reaches from one look at the immediates to the next. */
export async function turnsOf(work: () => Promise<void>): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  let last = threadTimes(process.pid);
  const beat = () => {
    const now = threadTimes(process.pid);
    turns.push({ wallMs: now.atMs - last.atMs, cpuMs: now.ranMs - last.ranMs });
    last = now;
    immediate = setImmediate(beat);
  };
  let immediate = setImmediate(beat);
  try {
    await work();
  } finally {
    clearImmediate(immediate);
  }
  return turns;
}
