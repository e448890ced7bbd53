import { readdir, rename, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Clock, utcText } from "../model/clock.ts";
import { StoreError } from "./store-error.ts";

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
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError("unavailable", `${path} cannot be set aside: ${reason}`, cause);
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

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, "");
}
