// Folders of a store: their paths in a data folder, and their creation.
import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The folder of the store in a data folder. A backup is a data folder too. */
export function storeFolder(dataDir: string): string {
  return join(dataDir, "store");
}

/**
 * Does nothing where the folder is there. Rejects with the error of the file system. Not `mkdir`'s
 * own `recursive`: where a file system refuses a new folder with ENOENT, as /proc does, that one
 * tries for ever.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isMade(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  if (!(await isMade(path))) await mkdir(path);
}

/** False where a folder above it is missing, or looks so. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return true;
    throw error;
  }
}
