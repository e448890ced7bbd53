// What GET / says of an engine while it catches up.
import { setTimeout as delay } from "node:timers/promises";

const EVERY_MS = 5;
/** Generous: an engine that catches up on a busy machine can be slow to answer. */
const ANSWER_MS_MAX = 30_000;

/** The ledger that an engine shows, 0 before the first; rejects with an Error where it gives no answer in time. */
export async function ledgerOf(url: string, timeoutMs = ANSWER_MS_MAX): Promise<number> {
  const response = await fetch(`${url}/`, { signal: AbortSignal.timeout(timeoutMs) });
  const { ledger = 0 } = (await response.json()) as { readonly ledger?: number };
  return ledger;
}

export type StatusUntil = { readonly url: string; readonly untilLedger: number };
export type StatusUntilResult = {
  readonly latenciesMs: readonly number[];
  /** When the first ledger was seen and when the last, UNIX milliseconds. */
  readonly firstLedger: number;
  readonly firstLedgerAt: number;
  readonly reachedAt: number;
};

/** Asks every few milliseconds until the engine shows `untilLedger`. */
export async function statusUntil({ url, untilLedger }: StatusUntil): Promise<StatusUntilResult> {
  const latenciesMs: number[] = [];
  let [firstLedger, firstLedgerAt] = [0, Date.now()];
  for (;;) {
    const began = performance.now();
    const ledger = await ledgerOf(url);
    latenciesMs.push(performance.now() - began);
    if (firstLedger === 0) [firstLedger, firstLedgerAt] = [ledger, Date.now()];
    if (ledger >= untilLedger) {
      return { latenciesMs, firstLedger, firstLedgerAt, reachedAt: Date.now() };
    }
    await delay(EVERY_MS);
  }
}
