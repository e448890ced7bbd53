import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { lockDirectory, unlockDirectory } from "./directory-lock.ts";

const WAIT_MS_MAX = 10_000;

/** Of the process: its state and when it started. */
function statOf(pid: number): { readonly state: string; readonly started: string } {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return { state: fields[0] ?? "", started: fields[19] ?? "" };
}

const withoutProc = process.platform === "linux" ? false : "tells processes apart by /proc";

test("a process that was killed holds nothing, taken note of or not", {
  skip: withoutProc,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), "hopbook-test-"));
  // The shell's child outlives it in a parent that never waits for it.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"]);
  try {
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(String(line));
    writeFileSync(join(directory, "lock"), `${pid} ${statOf(pid).started}`);
    assert.throws(() => lockDirectory(directory), /is in use by the process/);
    process.kill(pid, "SIGKILL");
    const end = performance.now() + WAIT_MS_MAX;
    while (statOf(pid).state !== "Z" && performance.now() < end) await delay(10);
    lockDirectory(directory);
    unlockDirectory(directory);
  } finally {
    parent.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
});
