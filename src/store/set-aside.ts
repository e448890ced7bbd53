// Stores that were moved out of the way, and their way back; nothing is deleted.
import { readdir, rename, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Clock, utcText } from "../model/clock.ts";
import { storeFolder } from "./data-folder.ts";
import { StoreError, unavailable } from "./store-error.ts";

const MARK = "-set-aside-";

/**
 * Moves a closed store out of the way, so that the next start makes a new one; nothing is deleted.
 * Resolves to where it is now.
 */
export async function setAside(path: string, clock: Clock): Promise<string> {
  const stamp = utcText(Math.floor(clock() / 1000))
    .replace(/[-:]/g, "")
    .replace(" ", "T");
  const aside = `${withoutEnd(path)}${MARK}${stamp}`;
  try {
    await rename(path, aside);
  } catch (cause) {
    throw unavailable(`${path} cannot be set aside`, cause);
  }
  return aside;
}

/** Stores that were set aside beside `path`, oldest first, with the bytes of their files. */
export async function foldersSetAside(
  path: string,
): Promise<readonly { readonly folder: string; readonly bytes: number }[]> {
  const parent = dirname(withoutEnd(path));
  const start = `${basename(withoutEnd(path))}${MARK}`;
  const names = await readdir(parent).catch(() => []);
  const folders = names.filter((name) => name.startsWith(start)).sort();
  return Promise.all(
    folders.map(async (name) => {
      const folder = join(parent, name);
      const files = await readdir(folder).catch(() => []);
      const sizes = await Promise.all(
        files.map((file) =>
          stat(join(folder, file)).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      return { folder, bytes: sizes.reduce((sum, size) => sum + size, 0) };
    }),
  );
}

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
  const prefix = `${basename(store)}${MARK}`;
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

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, "");
}
