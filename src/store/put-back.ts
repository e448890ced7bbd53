// Puts a store that was set aside back in its place.
import { readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "../model/clock.ts";
import { storeFolder } from "./data-folder.ts";
import { setAside } from "./set-aside.ts";
import { StoreError } from "./store-error.ts";

/**
 * Puts the store named `name`, by default the one that was set aside last, where an engine looks for
 * it. What is there now is set aside in its place; nothing is deleted. No engine may run on the folder.
 * Resolves to both places. Throws StoreError.
 */
export async function putBack(
  dataDir: string,
  clock: Clock,
  name?: string,
): Promise<{ readonly from: string; readonly aside: string | undefined }> {
  const store = storeFolder(dataDir);
  const prefix = `${basename(store)}-set-aside-`;
  const found = (await listed(dataDir)).filter((each) => each.startsWith(prefix)).sort();
  const chosen = name ?? found.at(-1);
  if (chosen === undefined || !found.includes(chosen)) {
    const what = chosen === undefined ? `no ${prefix}...` : `no ${chosen} that was set aside`;
    throw new StoreError("unavailable", `there is ${what} in ${dataDir}`);
  }
  const from = join(dataDir, chosen);
  const hasStore = (await listed(dataDir)).includes(basename(store));
  const aside = hasStore ? await setAside(store, clock) : undefined;
  await rename(from, store);
  return { from, aside };
}

async function listed(dataDir: string): Promise<readonly string[]> {
  try {
    return await readdir(dataDir);
  } catch (cause) {
    throw new StoreError("unavailable", `${dataDir} cannot be read`, cause);
  }
}
