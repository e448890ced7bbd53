// The commands as operators type them: help, and how a wrong setting ends.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const DIST = new URL("../../", import.meta.url);
const TIMEOUT_MS = 60_000;

function run(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const path = fileURLToPath(new URL(script, DIST));
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
    env: { PATH: process.env.PATH, ...env },
    encoding: "utf8",
    timeout: TIMEOUT_MS,
  });
  return { status, stdout, stderr };
}

test("a wrong setting ends every command with one line that names it, and exit code 2", () => {
  for (const [script, args, env, name] of [
    ["src/main.js", ["all", "--port", "80a"], {}, "--port"],
    ["src/main.js", ["engine"], { NETWORK: "testnet", WORKERS: "none" }, "WORKERS"],
    ["src/main.js", ["engine"], { NETWORK: "moonnet" }, "NETWORK"],
    ["src/main.js", ["devnet", "--ledger-time", "-5"], {}, "--ledger-time"],
    ["src/verify.js", ["--url", "nowhere"], {}, "--url"],
    ["bench/cli.js", ["no-such-bench"], {}, "no-such-bench"],
  ] as const) {
    const { status, stdout, stderr } = run(script, args, env);
    assert.equal(status, 2, `${script} ${args.join(" ")}: ${stderr}`);
    assert.equal(stdout, "");
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
    assert.ok(stderr.includes(name), stderr);
  }
});

test("help is printed instead of anything else", () => {
  for (const [script, args, words] of [
    ["src/main.js", ["all", "--help"], ["--port", "DATA_DIR", "--ledger-time", "testnet"]],
    ["src/verify.js", ["--help"], ["--url", "--rpc", "--contract"]],
  ] as const) {
    const { status, stdout, stderr } = run(script, args);
    assert.deepEqual([status, stderr], [0, ""]);
    for (const word of words) assert.ok(stdout.includes(word), word);
  }
});
