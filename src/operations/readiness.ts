// Readiness for a load balancer: the engine runs, and the ledger it shows is recent.
import type { ProgressView } from "./engine-view.ts";
import type { IngestState } from "./ingest-meter.ts";

export type ReadinessInput = {
  /** Undefined until the engine is up. */
  readonly engine: ProgressView | undefined;
  readonly ingest: {
    readonly state: IngestState;
    readonly message: string | undefined;
    readonly tip: number | undefined;
  };
  /** UNIX milliseconds. */
  readonly nowMs: number;
  /** The age of the last ledger up to which the engine is ready; 0: any. */
  readonly lagSecondsMax: number;
  /** The process is ending after a signal: a load balancer sends requests elsewhere. */
  readonly isDraining: boolean;
};

export type Readiness = {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly state: IngestState;
  readonly ledger: number | null;
  readonly lagSeconds: number | null;
  readonly lagLedgers: number | null;
};

export function readiness(input: ReadinessInput): Readiness {
  const { engine, ingest, nowMs, lagSecondsMax, isDraining } = input;
  const { state, message, tip } = ingest;
  const ledger = engine?.ledger;
  const lagSeconds =
    engine === undefined || ledger === undefined ? undefined : lagOf(engine.closeTime, nowMs);
  const lagLedgers = lagLedgersOf(ledger, tip);
  const shown = shownState(state, lagLedgers);
  const reasons: string[] = [];
  if (isDraining) reasons.push("the engine is shutting down");
  if (engine === undefined) reasons.push("the engine is starting");
  else if (ledger === undefined) reasons.push("no ledger was read yet");
  if (state === "stopped") reasons.push(`reading ledgers stopped: ${message ?? "unknown"}`);
  if (state === "gap") reasons.push(message ?? "ledgers are missing");
  if (lagSecondsMax > 0 && lagSeconds !== undefined && lagSeconds > lagSecondsMax) {
    const doing = message === undefined ? shown : `${shown}: ${message}`;
    reasons.push(
      `the last ledger closed ${lagSeconds} s ago, more than ${lagSecondsMax} s (${doing})`,
    );
  }
  return {
    ready: reasons.length === 0,
    reasons,
    state: shown,
    ledger: ledger ?? null,
    lagSeconds: lagSeconds ?? null,
    lagLedgers: lagLedgers ?? null,
  };
}

/** Ledgers that an engine which follows may have to show yet (a guess: a minute of the public networks). */
const FOLLOWING_LAG_MAX = 12;

/** The reader follows whatever it hands over one by one; an engine that is far from the tip does not. */
function shownState(state: IngestState, lagLedgers: number | undefined): IngestState {
  const isFar = lagLedgers !== undefined && lagLedgers > FOLLOWING_LAG_MAX;
  return state === "following" && isFar ? "catching-up" : state;
}

/** Whole seconds since the close; a close time ahead of our clock is no lag. */
export function lagOf(closeTime: number, nowMs: number): number {
  return Math.max(0, Math.floor(nowMs / 1000) - closeTime);
}

/** Ledgers the source has beyond the last one shown; undefined until both are known. */
export function lagLedgersOf(
  ledger: number | undefined,
  tip: number | undefined,
): number | undefined {
  return ledger === undefined || tip === undefined ? undefined : Math.max(0, tip - ledger);
}
