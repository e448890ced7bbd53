// Exponential backoff with jitter for attempts to connect.

/** First wait, and the longest one (choice): an engine restarts within seconds. */
const WAIT_MS_MIN = 500;
const WAIT_MS_MAX = 10_000;

/**
 * Doubles with each failed attempt. A fifth is left to chance, so that clients which lost their engine
 * together do not come back together. `random` is from 0 to 1.
 */
export function waitMs(attempts: number, random: number): number {
  const whole = Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** Math.min(attempts, 16));
  return Math.round(whole * (0.8 + 0.2 * random));
}
