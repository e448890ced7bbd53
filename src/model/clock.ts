/** UNIX milliseconds. Expiry, windows and throttles take one, so that a test can set the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** 9999-12-31 23:59:59: later times (an expiration is any u64) are shown as this one, and no ledger closes later. */
export const SHOWN_MAX = 253_402_300_799;

const DAY_SECONDS = 86_400;
/** The date of the latest day is cached: most times of answers are of the same few days. */
let knownDay = -1;
let knownDayText = "";
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

/** `YYYY-MM-DD HH:MM:SS` in UTC of UNIX seconds, as the API writes times. */
export function utcText(seconds: number): string {
  const shown = Math.min(seconds, SHOWN_MAX);
  const day = Math.floor(shown / DAY_SECONDS);
  if (day !== knownDay) {
    knownDayText = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);
    knownDay = day;
  }
  const rest = shown - day * DAY_SECONDS;
  const hours = TWO_DIGITS[Math.floor(rest / 3600)];
  const minutes = TWO_DIGITS[Math.floor((rest % 3600) / 60)];
  return `${knownDayText} ${hours}:${minutes}:${TWO_DIGITS[Math.floor(rest % 60)]}`;
}
