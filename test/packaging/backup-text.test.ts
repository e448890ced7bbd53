// The lines of the manual that back up and restore an installed service, run under a prefix by an unprivileged user.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Exchange } from "../../src/book/exchange.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const TIMEOUT_MS = 60_000;
const ALL = { limit: 100_000 };
/** nobody, on every Linux. */
const NOBODY = 65_534;

/** The lines of the blocks of a section that name the service's folder. */
function documentedLines(): readonly (readonly string[])[] {
  const text = readFileSync(join(ROOT, "OPERATIONS.md"), "utf8");
  const section = /^## Backup and restore\n(.*?)^## /ms.exec(text)?.[1] ?? "";
  return Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = ""]) => block.trim())
    .filter((block) => block.includes("/var/lib/hopbook"))
    .map((block) => block.split("\n"));
}

/** A user without rights, where we may become one that can read what it runs. */
function someUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = { uid: NOBODY, gid: NOBODY };
  const script = join(ROOT, "dist/src/backup.js");
  const { status } = spawnSync(process.execPath, [script, "--help"], { ...user, cwd: "/" });
  return status === 0 ? user : undefined;
}

test("the documented backup and restore work for the service's user, and the state is the backup's", async (t) => {
  const clock = { now: CHAIN_START * 1000 };
  const options = exchangeOptions(clock);
  const state = join(options.path, "..");
  const backups = join(temporaryFolder(), "backups");
  const user = someUser();
  if (user === undefined) t.diagnostic("run by our own user: there is no other to become");
  const ledgers = randomLedgers(randomFrom(8), 24, 12);
  const exchange = await Exchange.open(options);
  for (const delta of ledgers.slice(0, 8)) await exchange.apply(delta);
  const trades = exchange.state.history.trades({}, ALL);
  mkdirSync(backups);
  const own = (folder: string): void => {
    if (user === undefined) return;
    chownSync(folder, user.uid, user.gid);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) own(path);
      else chownSync(path, user.uid, user.gid);
    }
  };
  for (const folder of [state, join(backups, ".."), backups]) own(folder);
  const run = (lines: readonly string[]): void => {
    const commands = lines
      // What needs the system itself.
      .filter((line) => !/^(systemctl|install) /.test(line))
      .map((line) =>
        line
          .replace("runuser -u hopbook -- node", `'${process.execPath}'`)
          .replaceAll("/var/lib/hopbook", state)
          .replaceAll("/backups", backups)
          .replaceAll("/opt/hopbook/", ROOT),
      );
    assert.ok(commands.length > 0);
    const { status, stderr } = spawnSync("sh", ["-euc", commands.join("\n")], {
      ...user,
      cwd: state,
      // As a service's user has it: what writes to its home writes to the data folder.
      env: { PATH: process.env.PATH, HOME: state },
      encoding: "utf8",
      timeout: TIMEOUT_MS,
    });
    assert.equal(status, 0, stderr);
  };
  const [backup, restore, ...others] = documentedLines();
  assert.ok(backup !== undefined && restore !== undefined && others.length === 0);

  // Beside the running engine.
  run(backup);
  for (const delta of ledgers.slice(8)) await exchange.apply(delta);
  assert.notDeepEqual(exchange.state.history.trades({}, ALL), trades);
  await exchange.close();
  own(state);
  run(restore);

  const names = readdirSync(state).sort();
  assert.deepEqual(names, ["store", "store-set-aside-before-restore"]);
  if (user !== undefined) assert.equal(statSync(join(state, "store/data.mdb")).uid, user.uid);
  const restored = await Exchange.open(options);
  assert.deepEqual(restored.state.history.trades({}, ALL), trades);
  await restored.close();
});
