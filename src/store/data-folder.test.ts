import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeFolder } from "./data-folder.ts";

describe("makeFolder", () => {
  it("makes a folder and those above it, also where another call makes them", async (t) => {
    const base = await mkdtemp(join(tmpdir(), "data-folder-"));
    t.after(() => rm(base, { recursive: true }));
    const path = join(base, "a", "b", "c");
    await Promise.all([makeFolder(path), makeFolder(path)]);
    await makeFolder(path);
    assert.ok((await stat(path)).isDirectory());
  });

  it("refuses a path through a file, and one that is a file", async (t) => {
    const base = await mkdtemp(join(tmpdir(), "data-folder-"));
    t.after(() => rm(base, { recursive: true }));
    const file = join(base, "file");
    await writeFile(file, "");
    await assert.rejects(makeFolder(file), { code: "EEXIST" });
    await assert.rejects(makeFolder(join(file, "a", "b")), { code: "ENOTDIR" });
  });

  it("refuses at once where the file system takes no folders", { timeout: 60_000 }, async () => {
    await assert.rejects(makeFolder("/proc/hopbook/store"));
  });
});
