// Progress of a catch-up: how far it is and how long it will take.
import type { Clock } from "../../model/clock.ts";

export type Progress = {
  readonly ledger: number;
  readonly tip: number;
  /** Ledgers a second, over the last while. */
  readonly perSecond: number;
  /** Until the tip is reached at this speed; absent while unknown. */
  readonly secondsLeft?: number;
};

/** The speed shown is that of the last so many milliseconds. */
const WINDOW_MS = 30_000;
/** Told so often. */
const EVERY_MS = 1_000;

export class ProgressMeter {
  readonly #clock: Clock;
  readonly #marks: { readonly time: number; readonly ledger: number }[];
  #toldAt: number;

  constructor(clock: Clock, ledger: number) {
    this.#clock = clock;
    this.#marks = [{ time: clock(), ledger }];
    this.#toldAt = clock();
  }

  /** Ledgers up to `ledger` are handed over. Undefined where it is too early to tell again. */
  reached(ledger: number, tip: number): Progress | undefined {
    const now = this.#clock();
    if (now - this.#toldAt < EVERY_MS) return undefined;
    this.#toldAt = now;
    this.#marks.push({ time: now, ledger });
    while (this.#marks.length > 2 && now - (this.#marks[0]?.time ?? now) > WINDOW_MS) {
      this.#marks.shift();
    }
    const first = this.#marks[0] ?? { time: now, ledger };
    const perSecond = ((ledger - first.ledger) / Math.max(1, now - first.time)) * 1000;
    const progress = { ledger, tip, perSecond };
    return perSecond > 0
      ? { ...progress, secondsLeft: Math.max(0, tip - ledger) / perSecond }
      : progress;
  }
}

/** `ledger 5000 of 9000, 120 ledgers/s, about 33 s left`. */
export function progressText({ ledger, tip, perSecond, secondsLeft }: Progress): string {
  const speed = perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1);
  const left = secondsLeft === undefined ? "" : `, about ${durationText(secondsLeft)} left`;
  return `ledger ${ledger} of ${tip}, ${speed} ledgers/s${left}`;
}

function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
