import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { lockFolder } from "./folder-lock.ts";

const MODULE = new URL("./folder-lock.js", import.meta.url).href;
const HOLD = `const { lockFolder } = await import(process.argv[1]);
await lockFolder(process.argv[2]);
process.stdout.write("held");
setTimeout(() => {}, 60_000);`;

/** A process that holds the folder. */
async function holderOf(folder: string): Promise<ChildProcess> {
  const args = ["--input-type=module", "-e", HOLD, MODULE, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  assert.ok(child.stdout !== null);
  await once(child.stdout, "data");
  return child;
}

function refused(folder: string, pid: number | undefined): Promise<void> {
  return assert.rejects(lockFolder(folder), {
    name: "StoreError",
    code: "in_use",
    message: `${folder} is in use by a running engine, process ${pid}`,
  });
}

test("a folder is one holder's until it lets go; the others learn who has it", async () => {
  const folder = join(temporaryFolder(), "not", "there");
  const lock = await lockFolder(folder);
  await refused(folder, process.pid);
  await refused(folder, process.pid);
  lock.release();
  (await lockFolder(folder)).release();
  assert.deepEqual(readdirSync(folder), [], "nothing is left behind");
});

test("a killed holder leaves the folder free, a stopped one does not", async () => {
  const folder = temporaryFolder();
  const child = await holderOf(folder);
  await refused(folder, child.pid);
  child.kill("SIGSTOP");
  await refused(folder, child.pid);
  child.kill("SIGKILL");
  await once(child, "exit");
  const lock = await lockFolder(folder);
  assert.equal(readdirSync(folder).length, 1, "the dead one's socket is gone");
  lock.release();
});

test("of many at the same moment exactly one gets it", async () => {
  for (let round = 0; round < 10; round += 1) {
    const folder = temporaryFolder();
    const settled = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)));
    const held = settled.filter(({ status }) => status === "fulfilled");
    assert.equal(held.length, 1, `round ${round}`);
    for (const one of settled) if (one.status === "fulfilled") one.value.release();
  }
});

test("a folder with a path too long for a socket is locked all the same", {
  skip: process.platform === "linux" ? false : "needs /proc",
}, async () => {
  const folder = join(temporaryFolder(), "long".repeat(60), "longer".repeat(30));
  const lock = await lockFolder(folder);
  await refused(folder, process.pid);
  lock.release();
});

test("a folder that cannot be made is said to be so", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  await assert.rejects(lockFolder(join(file, "below")), { code: "unavailable" });
});
