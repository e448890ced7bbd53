// A store of an earlier schema becomes one of the present schema: on a copy in a folder beside it, which takes the
// store's place once it is whole. The old store is set aside then and never written to, so that whatever ends the
// process in between costs the copy alone: the next start begins it anew, or ends the exchange of the two.
import { rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../model/clock.ts";
import { copyOf, makeCopy } from "./backup.ts";
import { storeFolder } from "./data-folder.ts";
import { DATA_FILE } from "./file-check.ts";
import { identityBytes, readStoreState } from "./identity.ts";
import { SCHEMA_STEPS, type SchemaStep } from "./schema-steps.ts";
import { setAside } from "./set-aside.ts";
import { writeAll } from "./step-writes.ts";
import { StoreError, unavailable } from "./store-error.ts";
import { entryCount, META_IDENTITY, openRoot, openTable, type Root } from "./tables.ts";

/** A data folder in the data folder, in which the copy is made. */
const COPY_FOLDER = "migration";
/** Rows of a transaction: some ten milliseconds of the main thread. */
const SLICE_ROWS = 5000;
/** The copy, and what a step adds before it removes what it replaces. */
const SPACE_FACTOR = 2;

/** What has been done: `made` of `of` rows of the step to `schema`. */
export type MigrationProgress =
  | { readonly stage: "copied" | "whole" | "set-aside" }
  | { readonly stage: "rows"; readonly schema: number; readonly made: number; readonly of: number };

export type MigrationOptions = {
  readonly clock: Clock;
  readonly progress?: (progress: MigrationProgress) => void;
  /** Overridden by tests. */
  readonly sliceRows?: number;
  readonly freeBytes?: (folder: string) => Promise<number>;
};

/**
 * The store of a data folder in the present schema. Resolves to where the old one is now; undefined where its schema
 * is from before there were steps. Rejects with a StoreError, and leaves the store as it is then. The caller holds
 * the folder, and nothing has the store open. Main thread.
 */
export async function migrateStore(
  dataDir: string,
  {
    clock,
    progress = () => undefined,
    sliceRows = SLICE_ROWS,
    freeBytes = freeBytesOf,
  }: MigrationOptions,
): Promise<string | undefined> {
  const store = storeFolder(dataDir);
  const { schema, ...identity } = readStoreState(store);
  const steps = SCHEMA_STEPS.filter(({ from }) => typeof schema === "number" && from >= schema);
  if (steps[0]?.from !== schema) return undefined;
  const copy = join(dataDir, COPY_FOLDER);
  await rm(copy, { recursive: true, force: true });
  await checkSpace(dataDir, (await stat(join(store, DATA_FILE))).size, freeBytes);
  await makeCopy(copy, async (unfinished) => {
    await copyOf(store, unfinished);
    progress({ stage: "copied" });
    // Flushed as a whole, once all is in it.
    const root = openRoot(unfinished, { readOnly: false, noSync: true });
    try {
      for (const step of steps) await runStep(root, step, sliceRows, progress);
      const named = identityBytes(identity);
      await openTable(root, "meta").put(META_IDENTITY, named);
    } finally {
      await root.close();
    }
  });
  progress({ stage: "whole" });
  const aside = await setAside(store, clock);
  progress({ stage: "set-aside" });
  await finishMigration(dataDir);
  return aside;
}

/**
 * Ends what a kill left of a migration: a whole copy takes the place of a store that has been set aside, any other
 * is removed. To be called before a store is opened.
 */
export async function finishMigration(dataDir: string): Promise<void> {
  const copy = join(dataDir, COPY_FOLDER);
  try {
    if (!(await isThere(storeFolder(dataDir))) && (await isThere(storeFolder(copy)))) {
      await rename(storeFolder(copy), storeFolder(dataDir));
    }
    await rm(copy, { recursive: true, force: true });
  } catch (cause) {
    throw unavailable(`${copy} cannot be moved or removed`, cause);
  }
}

async function runStep(
  root: Root,
  { from, tables }: SchemaStep,
  sliceRows: number,
  progress: (progress: MigrationProgress) => void,
): Promise<void> {
  const of = tables.reduce((sum, { table }) => sum + entryCount(openTable(root, table)), 0);
  let made = 0;
  for (const { table: name, row: rowWrites, isDropped } of tables) {
    const table = openTable(root, name);
    // Above every key that was read: the next slice starts with it.
    let start = Buffer.from([0]);
    for (;;) {
      const rows = Array.from(table.getRange({ start, limit: sliceRows }));
      const last = rows.at(-1);
      if (last === undefined) break;
      const writes = rows.flatMap((row) => rowWrites(row, (other) => openTable(root, other)));
      await writeAll(root, writes);
      made += rows.length;
      progress({ stage: "rows", schema: from + 1, made, of });
      start = Buffer.concat([last.key, Buffer.from([0])]);
    }
    if (isDropped === true) await table.drop();
  }
}

async function checkSpace(
  folder: string,
  storeBytes: number,
  freeBytes: (folder: string) => Promise<number>,
): Promise<void> {
  const [needed, free] = [SPACE_FACTOR * storeBytes, await freeBytes(folder)];
  if (free >= needed) return;
  throw new StoreError(
    "unavailable",
    `the store in ${folder} is of an earlier schema; a copy of it in this version's needs ${megabytes(needed)} MB ` +
      `of free disk, and ${megabytes(free)} MB are free`,
  );
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
