// A client that asks for GET / every few milliseconds while an engine catches up.
import { setTimeout as delay } from "node:timers/promises";

const EVERY_MS = 5;

export type StatusUntil = { readonly url: string; readonly untilLedger: number };
export type StatusUntilResult = {
  readonly latenciesMs: readonly number[];
  /** When the first ledger was seen and when the last, UNIX milliseconds. */
  readonly firstLedger: number;
  readonly firstLedgerAt: number;
  readonly reachedAt: number;
};

/** Until the engine shows `untilLedger`. */
export async function statusUntil({ url, untilLedger }: StatusUntil): Promise<StatusUntilResult> {
  const latenciesMs: number[] = [];
  let [firstLedger, firstLedgerAt] = [0, Date.now()];
  for (;;) {
    const began = performance.now();
    const response = await fetch(`${url}/`);
    const { ledger = 0 } = (await response.json()) as { readonly ledger?: number };
    latenciesMs.push(performance.now() - began);
    if (firstLedger === 0) [firstLedger, firstLedgerAt] = [ledger, Date.now()];
    if (ledger >= untilLedger) {
      return { latenciesMs, firstLedger, firstLedgerAt, reachedAt: Date.now() };
    }
    await delay(EVERY_MS);
  }
}
