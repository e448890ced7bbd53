// Copies of a store that another process may be writing to, and their way back. A copy is a data
// folder of its own with a store in it: an engine can start on it as it is.
import { constants } from "node:fs";
import { copyFile, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { storeFolder } from "./data-folder.ts";
import { checkWhole, DATA_FILE } from "./file-check.ts";
import { type FolderLock, lockFolder, runningEngine } from "./folder-lock.ts";
import { readStoreState, type StoreState } from "./identity.ts";
import { StoreError, unavailable } from "./store-error.ts";
import { openRoot } from "./tables.ts";

/** A finished copy. `bytes`: size of its file. */
export type StoreCopy = StoreState & { readonly bytes: number };

/** Where a copy is made; it gets its name when it is whole. */
const UNFINISHED = "store.unfinished";

/**
 * Copies the store of a data folder as it is after one ledger, without its free pages, into the
 * data folder `to`, which is made and may hold nothing yet. An engine may run on `dataDir`. Rejects
 * with a StoreError, and leaves no copy behind then.
 */
export async function backupStore(dataDir: string, to: string): Promise<StoreCopy> {
  const source = storeFolder(dataDir);
  await checkWhole(source, "quick");
  return makeCopy(to, (unfinished) => copyOf(source, unfinished));
}

/** Copies a store's file without its free pages into a folder that is there. Others may read and write the store. */
export async function copyOf(store: string, folder: string): Promise<void> {
  const root = openRoot(store, { readOnly: true });
  try {
    await root.backup(folder, true);
  } finally {
    await root.close();
  }
}

/**
 * Makes the data folder `dataDir`, which may hold nothing yet, from a backup: `backupStore` made
 * it, or it is a data folder that was copied while no engine ran on it. Rejects with a StoreError.
 */
export async function restoreStore(from: string, dataDir: string): Promise<StoreCopy> {
  const source = storeFolder(from);
  const engine = await runningEngine(from);
  if (engine !== undefined) throw engine;
  const file = join(source, DATA_FILE);
  await stat(file).catch((cause) => {
    throw unavailable(`${from} holds no backup`, cause);
  });
  return makeCopy(dataDir, (unfinished) =>
    copyFile(file, join(unfinished, DATA_FILE), constants.COPYFILE_FICLONE),
  );
}

/** Makes the data folder `dataDir`, which may hold nothing yet, of what is copied into an empty folder. */
export async function makeCopy(
  dataDir: string,
  copyInto: (unfinished: string) => Promise<void>,
): Promise<StoreCopy> {
  const lock = await takeEmptyFolder(dataDir);
  const unfinished = join(dataDir, UNFINISHED);
  try {
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished);
    await copyInto(unfinished);
    const file = join(unfinished, DATA_FILE);
    await flush(file);
    await checkWhole(unfinished, "deep");
    const state = readStoreState(unfinished);
    const { size } = await stat(file);
    for (const name of await readdir(unfinished)) {
      if (name !== DATA_FILE) await rm(join(unfinished, name));
    }
    await flush(unfinished);
    await rename(unfinished, storeFolder(dataDir));
    await flush(dataDir);
    return { ...state, bytes: size };
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    throw unavailable(`no copy could be made in ${dataDir}`, cause);
  } finally {
    lock.release();
  }
}

/** Locks the folder while the copy is made. */
async function takeEmptyFolder(dataDir: string): Promise<FolderLock> {
  const lock = await lockFolder(dataDir);
  const names = (await readdir(dataDir)).filter((name) => name !== lock.name);
  if (names.every((name) => name === UNFINISHED)) return lock;
  lock.release();
  throw new StoreError("not_empty", `${dataDir} is not empty: it is left as it is`);
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
