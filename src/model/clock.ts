/** UNIX milliseconds. Expiry, windows and throttles take one, so that a test can set the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** 9999-12-31 23:59:59: later times (an expiration is any u64) are shown as this one. */
const SHOWN_MAX = 253_402_300_799;

/** `YYYY-MM-DD HH:MM:SS` in UTC of UNIX seconds, as the API writes times. */
export function utcText(seconds: number): string {
  const shown = Math.min(seconds, SHOWN_MAX);
  return new Date(shown * 1000).toISOString().slice(0, 19).replace("T", " ");
}
