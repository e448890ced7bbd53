// Checks a file before lmdb opens it: lmdb maps and trusts it, so that a foreign or truncated file kills the
// process by a signal instead of an error. The header is checked here, the rest by a probe process that may die
// (probe.ts), unless the file was closed in order and is unchanged.
import { execFile } from "node:child_process";
import type { Stats } from "node:fs";
import { open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StoreError, unavailable } from "./store-error.ts";

export const DATA_FILE = "data.mdb";
const CLOSED_NOTE = "closed-in-order";
const STARTS_NOTE = "starts-since-closed";
/**
 * Starts in a row that did not end in order, nor lived for long: from this one on all of the file is
 * read. Damage that the quick look does not find ends the process once it is met, again and again.
 */
const STARTS_MAX = 3;
/** lmdb's file format: page header, then the meta record (magic, version, ...). */
const PAGE_HEADER_BYTES = 24;
const MAGIC = 0xbeefc0de;
const FORMAT_VERSION = 2;
const META_BYTES = 152;
const PAGE_BYTES_MAX = 65_536;
/** What a probe reads: what a start reads and the ends of the other tables, or everything. */
export type ProbeDepth = "quick" | "deep";
/** Time for the probe of a damaged file; a whole one takes a fraction of a second. */
const PROBE_MS_MAX = { quick: 60_000, deep: 3_600_000 } as const;

/**
 * Notes that the file was closed in order, as it is now: it need not be probed again while it stays
 * so. The note is good for one start.
 */
export async function noteClosed(path: string): Promise<void> {
  await writeFile(join(path, CLOSED_NOTE), fileState(await stat(join(path, DATA_FILE))));
}

async function takeClosedNote(path: string): Promise<string | undefined> {
  const note = join(path, CLOSED_NOTE);
  const state = await readFile(note, "utf8").catch(() => undefined);
  await rm(note, { force: true });
  return state;
}

function fileState({ size, mtimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ino}`;
}

/** Resolves to whether there is a store; throws a StoreError where it should not be opened. */
export async function checkFile(path: string): Promise<boolean> {
  const file = join(path, DATA_FILE);
  const found = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw unavailable(`${file} cannot be read`, cause);
  });
  if (found === undefined || found.size === 0) return false;
  const pagesBytes = await lastPageEnd(file);
  if ((await takeClosedNote(path)) === fileState(found)) return true;
  const starts = await countStart(path);
  // A whole file can end before its last page where that page is free.
  const isDoubtful = found.size < pagesBytes || starts >= STARTS_MAX;
  await probe(path, isDoubtful ? "deep" : "quick");
  return true;
}

/** Resolves to how many starts there were since the store was closed in order or was long open. */
async function countStart(path: string): Promise<number> {
  const note = join(path, STARTS_NOTE);
  const starts = 1 + (Number(await readFile(note, "utf8").catch(() => "0")) || 0);
  // A folder that cannot be written to is refused elsewhere, with its reason.
  await writeFile(note, String(starts)).catch(() => undefined);
  return starts;
}

/** The store was closed in order, or was open for so long that it is none that ends at once. */
export async function forgetStarts(path: string): Promise<void> {
  await rm(join(path, STARTS_NOTE), { force: true });
}

/** Throws a StoreError where there is no store or it cannot be read. Another process may have it. */
export async function checkWhole(path: string, depth: ProbeDepth): Promise<void> {
  const file = join(path, DATA_FILE);
  await lastPageEnd(file).catch((cause) => {
    throw unavailable(`there is no store in ${path}`, cause);
  });
  await probe(path, depth);
}

/** Where the last page of the newest transaction ends. */
async function lastPageEnd(file: string): Promise<number> {
  const head = Buffer.alloc(PAGE_BYTES_MAX + PAGE_HEADER_BYTES + META_BYTES);
  const handle = await open(file, "r");
  try {
    await handle.read(head, 0, head.length, 0);
  } finally {
    await handle.close();
  }
  const first = readMeta(head, 0);
  const second = first && readMeta(head, first.pageBytes);
  if (first === undefined || second === undefined) {
    throw new StoreError("foreign", `${file} is not a Hopbook store`);
  }
  const newest = second.transaction > first.transaction ? second : first;
  return (newest.lastPage + 1) * newest.pageBytes;
}

function readMeta(head: Buffer, page: number) {
  const at = page + PAGE_HEADER_BYTES;
  if (head.readUInt32LE(at) !== MAGIC || head.readUInt32LE(at + 4) !== FORMAT_VERSION) {
    return undefined;
  }
  const pageBytes = head.readUInt32LE(at + 24);
  if (pageBytes < 512 || pageBytes > PAGE_BYTES_MAX || (pageBytes & (pageBytes - 1)) !== 0) {
    return undefined;
  }
  return {
    pageBytes,
    lastPage: Number(head.readBigUInt64LE(at + 120)),
    transaction: head.readBigUInt64LE(at + 128),
  };
}

function probe(path: string, depth: ProbeDepth): Promise<void> {
  const script = fileURLToPath(new URL("./probe.js", import.meta.url));
  const args = [script, path, depth];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: PROBE_MS_MAX[depth] }, (error, stdout) => {
      if (error === null) return resolve();
      const reason = error.signal ?? (stdout.trim() || error.message);
      const message = `the store in ${path} is damaged (reading it ended with: ${reason})`;
      reject(new StoreError("damaged", `${message}; restore a backup, or move it away to rebuild`));
    });
  });
}
