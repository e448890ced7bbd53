// Points and spans of time as text. All points are UTC, as in the API.

/** `0.4 s`, `12 s`, `3 min`, `2 h`. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h`;
}

/** Of `YYYY-MM-DD HH:MM:SS`: the time of day. */
export function clockText(utc: string): string {
  return utc.slice(11);
}

/** UNIX seconds as `YYYY-MM-DD HH:MM:SS`. */
export function utcText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

/** UNIX seconds of `YYYY-MM-DD HH:MM:SS`. */
export function utcSeconds(utc: string): number {
  return Date.parse(`${utc.replace(" ", "T")}Z`) / 1000;
}

/** From now to a time of the API: `in 3 h`, or `passed`. */
export function untilText(utc: string, nowMs: number): string {
  const left = utcSeconds(utc) * 1000 - nowMs;
  return left <= 0 ? "passed" : `in ${ageText(left)}`;
}
