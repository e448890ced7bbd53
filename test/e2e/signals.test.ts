// Service managers and terminals send their signal to every process of a service at once: test
// network and engine together must end as well as the engine alone.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { FLAGS } from "./engine-process.ts";

const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));
const folder = temporaryFolder();

/** Says at the end whether anything listens: without a listener SIGUSR1 opens Node's debugger. */
const TELL_LISTENERS =
  'process.on("exit", () => process.stdout.write("\\nlisten: " + process.listenerCount("SIGUSR1")));';

for (const name of ["main", "backup", "export", "put-back", "replay", "restore", "verify"]) {
  test(`${name} never opens a debugger`, async () => {
    const preload = `data:text/javascript,${encodeURIComponent(TELL_LISTENERS)}`;
    const entry = join(dirname(MAIN), `${name}.js`);
    assert.match(
      readFileSync(entry, "utf8"),
      /^process\.on\("SIGUSR1"/,
      "before anything is loaded",
    );
    const child = spawn(process.execPath, ["--import", preload, entry, "--help"], {
      stdio: ["ignore", "pipe", "inherit"],
      timeout: 120_000,
    });
    const exited = once(child, "close");
    const output = await text(child.stdout);
    assert.deepEqual(await exited, [0, null]);
    assert.match(output, /\nlisten: [1-9]/);
  });
}

type Started = { readonly child: ChildProcess; readonly log: string[]; readonly pid: number };

/** Both in a process group of their own. */
function start(name: string): Started {
  const args = ["all", "--data-dir", join(folder, name), "--port", "0", "--devnet-port", "0"];
  const quick = [
    "--history-minutes",
    "0",
    "--workers",
    "1",
    "--log-format",
    "json",
    "--stop-seconds",
    "120",
  ];
  const child = spawn(process.execPath, [...FLAGS, MAIN, ...args, ...quick], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid, stdout } = child;
  assert.ok(pid !== undefined && stdout !== null);
  const log: string[] = [];
  createInterface(stdout).on("line", (line) => log.push(line));
  return { child, log, pid };
}

async function logged({ child, log }: Started, text: string): Promise<void> {
  while (!log.some((line) => line.includes(text))) {
    assert.deepEqual([child.exitCode, child.signalCode], [null, null], log.join("\n"));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`ends well where ${signal} reaches the devnet too`, { timeout: 300_000 }, async (t) => {
    const started = start(signal);
    t.after(() => {
      try {
        process.kill(-started.pid, "SIGKILL");
      } catch {
        // Both are gone, where nothing failed.
      }
    });
    // While it catches up, and once it is live: the last line names the page.
    await logged(started, signal === "SIGTERM" ? "serving the API" : "/console");
    for (const ignored of ["SIGHUP", "SIGUSR1"] as const) {
      process.kill(-started.pid, ignored);
      await logged(started, `${ignored}: ignored`);
    }
    for (const level of ["debug", "info"]) {
      process.kill(-started.pid, "SIGUSR2");
      await logged(started, `"logLevel":"${level}"`);
    }
    const exited = once(started.child, "close");
    process.kill(-started.pid, signal);
    assert.deepEqual(await exited, [0, null], started.log.join("\n"));
    assert.ok(!started.log.some((line) => line.includes('"level":60')), started.log.join("\n"));
  });
}
