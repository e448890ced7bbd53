// Points and spans of time as text. The API's points are UTC; a person may want them in the time of the
// place, which counts everywhere then.
import { Changes } from "../changes.ts";
import { remember, remembered } from "./remember.ts";

const KEY = "hopbook-time";

class Zone {
  readonly changes = new Changes();
  #local = remembered(KEY) === "local";

  get local(): boolean {
    return this.#local;
  }

  /** Beside times. */
  get name(): string {
    return this.#local ? "local" : "UTC";
  }

  toggle(): void {
    this.#local = !this.#local;
    remember(KEY, this.#local ? "local" : undefined);
    this.changes.tell();
  }
}

export const zone = new Zone();

/** `0.4 s`, `12 s`, `3 min`, `2 h`. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** UNIX seconds as `YYYY-MM-DD HH:MM:SS` of the zone chosen. */
export function secondsText(seconds: number): string {
  const offset = zone.local ? new Date(seconds * 1000).getTimezoneOffset() * 60 : 0;
  return new Date((seconds - offset) * 1000).toISOString().slice(0, 19).replace("T", " ");
}

/** A time of the API as `YYYY-MM-DD HH:MM:SS` of the zone chosen. */
export function timeText(utc: string): string {
  return zone.local ? secondsText(utcSeconds(utc)) : utc;
}

/** The time of day alone. */
export function clockText(utc: string): string {
  return timeText(utc).slice("YYYY-MM-DD ".length);
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
