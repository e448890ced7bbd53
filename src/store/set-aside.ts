import { rename } from "node:fs/promises";
import { type Clock, utcText } from "../model/clock.ts";
import { StoreError } from "./store-error.ts";

/**
 * Moves a closed store out of the way, so that the next start makes a new one; nothing is deleted.
 * Resolves to where it is now.
 */
export async function setAside(path: string, clock: Clock): Promise<string> {
  const stamp = utcText(Math.floor(clock() / 1000))
    .replace(/[-:]/g, "")
    .replace(" ", "T");
  const aside = `${path.replace(/\/+$/, "")}-set-aside-${stamp}`;
  try {
    await rename(path, aside);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError("unavailable", `${path} cannot be set aside: ${reason}`, cause);
  }
  return aside;
}
