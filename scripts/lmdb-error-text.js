// Writes dist/native/lmdb/prebuilds/<platform>-<arch>/*.node: lmdb's Linux binaries with a shorter text for
// writes that fail. lmdb 3.5.6 prints the place and sizes of such a write into 100 bytes (mdb.c, mdb_page_flush),
// which do not always hold them: on a full disk it wrote beyond them, and the process ended with "corrupted size
// vs. prev_size" or went on with a damaged heap. The shorter text takes 77 bytes at most.
// src/store/tables.ts has lmdb load the result.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

/** The sizes of three buffers follow, the last two of which need not be there. */
const TEXT = "Attempting to write page at position %u, size %u, blocks %u";
const TAIL = ", buffer sizes %i %i %i\0";

/** Undefined where the package is not installed: lmdb was built from its source then, and says so itself if not. */
function folderOf(name) {
  const lmdb = createRequire(createRequire(import.meta.url).resolve("lmdb"));
  try {
    return dirname(lmdb.resolve(name));
  } catch {
    process.stderr.write(
      `${name} is not installed: its text for writes that fail stays as it is\n`,
    );
    return undefined;
  }
}

if (process.platform === "linux") {
  const system = `linux-${process.arch}`;
  const target = new URL(`../dist/native/lmdb/prebuilds/${system}/`, import.meta.url);
  const source = folderOf(`@lmdb/lmdb-${system}`);
  mkdirSync(target, { recursive: true });
  for (const name of source === undefined ? [] : readdirSync(source)) {
    if (!name.endsWith(".node")) continue;
    const file = readFileSync(`${source}/${name}`);
    let at = file.indexOf(TEXT + TAIL);
    if (at === -1) throw new Error(`${name} has no such text any more: this script may go`);
    for (; at !== -1; at = file.indexOf(TEXT + TAIL, at)) file[at + TEXT.length] = 0;
    writeFileSync(new URL(name, target), file);
  }
}
