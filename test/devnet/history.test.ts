// A chain that begins with a made-up past: even steps up to the clock, also where it is killed.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { DevnetInput } from "../../src/devnet/options.ts";
import type { DevnetMessage } from "../../src/devnet/spawn.ts";
import { readLedgerHead } from "../../src/ingest/ledger-header.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PROCESS = fileURLToPath(new URL("../../src/devnet/devnet-process.js", import.meta.url));
const OPTIONS = { seed: "history", port: 0, ...SMALL_DEVNET, transactionsPerLedger: 1 } as const;
const MINUTES = 8;

/** Kills the process as soon as some of the past is made; returns how much it told. */
async function killInTheMiddle(options: DevnetInput): Promise<number> {
  const child = fork(PROCESS, [], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(child, "exit");
  child.send(options);
  let made = 0;
  child.on("message", (message: DevnetMessage) => {
    if (message.kind !== "history") assert.fail(`it is ${message.kind} before its past is made`);
    made = message.progress.made;
    child.kill("SIGKILL");
  });
  await exited;
  return made;
}

function closeTimes(devnet: Devnet): readonly number[] {
  return Array.from({ length: devnet.tip.ledger - 1 }, (_, at) => {
    return readLedgerHead(devnet.ledgerMeta(at + 2), at + 2).closeTime;
  });
}

function wallSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

test("a past goes up to the clock in even steps, and on from where it was killed", async (t) => {
  const directory = join(temporaryFolder(), "devnet");
  const begun = wallSeconds();
  const options = { ...OPTIONS, directory, historyMinutes: MINUTES };
  const made = await killInTheMiddle(options);
  assert(made > 0 && made < MINUTES * 12);
  // Options of later starts do not matter: the chain knows what it began with.
  const devnet = await startDevnet({ ...options, historyMinutes: 0, manual: true });
  t.after(() => devnet.stop());
  assert(devnet.makingHistory && devnet.tip.ledger >= 2);
  while (devnet.makingHistory) devnet.closeLedger();
  const times = closeTimes(devnet);
  const [first = 0] = times;
  assert(first >= begun - MINUTES * 60 && first < begun);
  assert.deepEqual(
    times,
    times.map((_, at) => first + 5 * at),
  );
  const { closeTime } = devnet.tip;
  assert(closeTime > begun - 5 && closeTime <= wallSeconds());
  const before = wallSeconds();
  const live = devnet.closeLedger().tip.closeTime;
  assert(live >= before && live <= wallSeconds());
  assert.equal(devnet.makingHistory, false);
});

test("there is none unless it is asked for, nor where the times are made up anyway", async (t) => {
  const plain = await startDevnet({ ...OPTIONS, manual: true });
  t.after(() => plain.stop());
  assert.equal(plain.makingHistory, false);
  const startTime = 1_800_000_000;
  const timed = await startDevnet({ ...OPTIONS, manual: true, startTime, historyMinutes: MINUTES });
  t.after(() => timed.stop());
  assert.equal(timed.makingHistory, false);
  assert.equal(timed.tip.closeTime, startTime);
});
