// Snapshots of all entries: a start reads the latest one and replays what later ledgers wrote.
import { open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { join as joinPath } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pairParts, readPairs, type Written } from "./delta.ts";

/** Entries written between two breaths of the event loop: some milliseconds. */
const SLICE_ENTRIES = 2_000;

const NAME = /^state-(\d+)\.snap$/;

/** Sequence of the latest snapshot, if there is one. */
export async function latestSnapshot(directory: string): Promise<number | undefined> {
  return (await snapshots(directory)).at(-1);
}

async function snapshots(directory: string): Promise<number[]> {
  return (await readdir(directory))
    .map((name) => NAME.exec(name)?.[1])
    .filter((ledger) => ledger !== undefined)
    .map(Number)
    .sort((one, other) => one - other);
}

function pathOf(directory: string, ledger: number): string {
  return joinPath(directory, `state-${ledger}.snap`);
}

export async function readSnapshot(directory: string, ledger: number): Promise<Written[]> {
  return readPairs(await readFile(pathOf(directory, ledger)));
}

/**
 * Writes `entries`, the state as of `ledger`, in slices between other work, and removes older
 * snapshots. The file gets its name once it is whole, so a kill leaves none that is torn.
 */
export async function writeSnapshot(
  directory: string,
  ledger: number,
  entries: readonly Written[],
): Promise<void> {
  const temporary = joinPath(directory, "state.tmp");
  const file = await open(temporary, "w");
  try {
    for (let at = 0; at < entries.length; at += SLICE_ENTRIES) {
      const parts = pairParts(entries.slice(at, at + SLICE_ENTRIES));
      const { bytesWritten } = await file.writev(parts);
      // A full disk takes a part without an error.
      if (bytesWritten < parts.reduce((sum, { length }) => sum + length, 0)) {
        throw new Error(`only a part of the snapshot of ledger ${ledger} was written`);
      }
      await setImmediate();
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, pathOf(directory, ledger));
  for (const older of await snapshots(directory)) {
    if (older < ledger) await unlink(pathOf(directory, older));
  }
}
