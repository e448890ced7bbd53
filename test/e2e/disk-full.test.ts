// A file size limit stands in for a full disk: writes beyond it fail as they do without space.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Exchange } from "../../src/book/exchange.ts";
import { silentLog } from "../support/exchange.ts";
import { naiveAnswers } from "../support/naive-exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { followerOptions, LEDGER_EVENTS, SEED } from "./disk-full-settings.ts";

const LEDGERS = 60;
/** Blocks of 1 KiB: reached after some of the ledgers. */
const LIMIT_BLOCKS = 1024;
const canRaiseLimits = hasTool("prlimit") && hasTool("bash");

type Told = {
  readonly failedAt?: number;
  readonly trades?: number;
  /** The ledger of the shared book, and the last one that listeners were told. */
  readonly inBook?: number;
  readonly told?: number;
  readonly done?: boolean;
};

test("on a full disk nothing is lost or doubled, and it goes on once there is space", {
  skip: canRaiseLimits ? false : "needs bash and prlimit",
}, async () => {
  const path = join(temporaryFolder(), "store");
  const script = fileURLToPath(new URL("./disk-full-follower.js", import.meta.url));
  // An ignored signal stays ignored in the process that replaces the shell.
  const line = `trap '' XFSZ; ulimit -S -f ${LIMIT_BLOCKS}; exec "$0" "$@"`;
  const follower = spawn("bash", ["-c", line, process.execPath, script, path, `${LEDGERS}`], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const told: Told[] = [];
  follower.on("message", (message: Told) => {
    told.push(message);
    if (told.length === 3) raiseLimit(follower.pid ?? 0);
  });
  // Not at `exit`, which can come before the last messages.
  await once(follower, "close");
  const [first, second] = told;
  assert.ok(first?.failedAt !== undefined && second?.failedAt === first.failedAt, "it stays there");
  assert.ok((first.trades ?? 0) > 0, "reads go on");
  assert.deepEqual([first.inBook, first.told], [first.failedAt, first.failedAt], "nothing shown");
  assert.equal(told.at(-1)?.done, true, "it goes on");

  const exchange = await Exchange.open({ ...followerOptions(path), log: silentLog });
  const all = { limit: 1_000_000 };
  const naive = naiveAnswers(randomLedgers(randomFrom(SEED), LEDGERS, LEDGER_EVENTS), CHAIN_START);
  assert.deepEqual(exchange.state.history.trades({}, all), naive.trades);
  assert.deepEqual(exchange.state.history.liveOrders({ assets: [] }, all), naive.live);
  await exchange.close();
});

function raiseLimit(pid: number): void {
  execFileSync("prlimit", ["--pid", `${pid}`, "--fsize=unlimited"]);
}

function hasTool(name: string): boolean {
  try {
    execFileSync(name, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
