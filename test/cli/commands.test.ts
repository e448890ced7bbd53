// The commands beside the engine's own: help, and how a wrong setting ends.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { FLAGS } from "../e2e/engine-process.ts";

const DIST = new URL("../../", import.meta.url);
const TIMEOUT_MS = 60_000;

function run(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const path = fileURLToPath(new URL(script, DIST));
  const { status, stdout, stderr } = spawnSync(process.execPath, [...FLAGS, path, ...args], {
    env: { PATH: process.env.PATH, ...env },
    encoding: "utf8",
    timeout: TIMEOUT_MS,
  });
  return { status, stdout, stderr };
}

test("a wrong setting ends them with one line that names it, and exit code 2", () => {
  for (const [script, args, env, name] of [
    ["src/verify.js", ["--url", "nowhere"], {}, "--url"],
    ["src/verify.js", [], { CONTRACT: "GABC" }, "CONTRACT"],
    ["src/verify.js", ["--port", "1"], {}, "--port"],
    ["src/backup.js", [], {}, "--to"],
    ["src/backup.js", ["--from", "x"], {}, "--from"],
    ["src/restore.js", ["--data-dir", "x"], {}, "--from"],
    ["src/put-back.js", ["--to", "x"], {}, "--to"],
    ["src/restore.js", [], { FROM: "x" }, "DATA_DIR"],
    ["bench/cli.js", ["no-such-bench"], {}, "no-such-bench"],
  ] as const) {
    const { status, stdout, stderr } = run(script, args, env);
    assert.equal(status, 2, `${script} ${args.join(" ")}: ${stderr}`);
    assert.equal(stdout, "");
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
    assert.ok(stderr.includes(name), stderr);
  }
});

test("verify tells that it could not tell from a difference it found", () => {
  const { status, stdout, stderr } = run("src/verify.js", ["--url", "http://127.0.0.1:1"]);
  assert.equal(status, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /^verify: .*127\.0\.0\.1:1/);
});

test("verify lists its settings", () => {
  const { status, stdout, stderr } = run("src/verify.js", ["--help"]);
  assert.deepEqual([status, stderr], [0, ""]);
  for (const word of ["--url", "--rpc", "--contract"]) assert.ok(stdout.includes(word), word);
});

test("a backup of nothing ends with one line that names the folder, and exit code 1", () => {
  const { status, stdout, stderr } = run("src/backup.js", ["--data-dir", "no-such", "--to", "x"]);
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, /^backup: .*no-such.*\n$/);
});

test("vectors end with a count, and exit code 1 where a file cannot be read", () => {
  const vectors = fileURLToPath(new URL("../test/fixtures/settlement.json.gz", DIST));
  const replayed = run("test/vectors/cli.js", ["settlement", vectors]);
  assert.equal(replayed.status, 0);
  assert.match(replayed.stdout, /^[1-9][0-9]* passed, 0 failed\n$/m);
  const missing = run("test/vectors/cli.js", ["settlement", "no-such-file.json"]);
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /no-such-file/);
});
