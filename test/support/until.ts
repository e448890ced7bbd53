// A wait for what a process does in its own time.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 120_000;
/** Between two looks: short at first, for what is on its way, and ever longer: a look can cost an engine's answer. */
const LOOK_MS_MIN = 15;
const LOOK_MS_MAX = 100;

type Look<T> = () => T | false | undefined | Promise<T | false | undefined>;

/**
 * What `look` gives once that is neither false nor undefined; rejects with an AssertionError that says `what` where it
 * is not within `msMax` milliseconds. What comes and goes between two looks is not seen.
 */
export async function until<T>(
  what: string | (() => string),
  look: Look<T>,
  msMax = WAIT_MS_MAX,
): Promise<T> {
  const endMs = performance.now() + msMax;
  for (let lookMs = LOOK_MS_MIN; ; lookMs = Math.min(1.25 * lookMs, LOOK_MS_MAX)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > endMs) assert.fail(typeof what === "string" ? what : what());
    await delay(lookMs);
  }
}

/** As `until`; the error says as well what the engine logged last. */
export function untilOf(engine: () => { readonly log: readonly unknown[] }): typeof until {
  return (what, look, msMax) => {
    const said = () => (typeof what === "string" ? what : what());
    return until(() => `${said()}: ${JSON.stringify(engine().log.slice(-5))}`, look, msMax);
  };
}
