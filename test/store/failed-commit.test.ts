// A commit that fails and is tried again leaves what one leaves that never failed: no mark in memory moves before its
// rows are stored. A file size limit stands in for a full disk.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { Lifecycle } from "../../src/book/lifecycle.ts";
import { prepareStep } from "../../src/book/prepared-step.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import type { Position } from "../../src/model/position.ts";
import type { StepRecord } from "../../src/store/step-record.ts";
import { Store } from "../../src/store/store.ts";
import { openRoot, openTable, TABLE_NAMES } from "../../src/store/tables.ts";
import { exchangeIdentity } from "../support/exchange.ts";
import { randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DAY = 86_400;
const LEDGERS = 40;
const LEDGER_EVENTS = 40;
const KEPT = { keepHistory: 3 * DAY, keepOrderEvents: 2 * DAY };
const ALL = { limit: 100_000 };
const START = 0n as Position;
const FILE_SIZE_MAX = fileSizeMax();

/** The step of a ledger over what the store shows. */
function recordOf(store: Store, delta: LedgerDelta): StepRecord {
  const [contract, horizon, cursor] = [store.contract(), store.horizon(), store.cursor()];
  const lifecycle = new Lifecycle(store, { contract, horizon, cursor });
  for (const _ of lifecycle.applyLedger(delta));
  const portions = prepareStep(lifecycle, [delta], {
    view: undefined,
    storedCandles: store.candles,
    countSelling: () => 0,
    shown: cursor,
  });
  for (;;) {
    const { done, value } = portions.next();
    if (done) return value.record;
  }
}

function lists({ history, orderEvents, candles }: Store) {
  return {
    trades: history.trades({}, ALL),
    failures: history.failures({}, ALL),
    orders: history.orders({}, ALL),
    events: orderEvents.from(START, ALL.limit),
    eventsFrom: orderEvents.completeFrom(),
    markets: [...candles.markets()],
  };
}

/** Every row of a closed store. */
async function rowsOf(path: string): Promise<readonly (readonly string[])[]> {
  const root = openRoot(path, { readOnly: true });
  const rows = TABLE_NAMES.flatMap((name) =>
    Array.from(openTable(root, name).getRange(), ({ key, value }) => [
      name,
      key.toString("hex"),
      value.toString("hex"),
    ]),
  );
  await root.close();
  return rows;
}

async function onFullDisk(run: () => Promise<void>): Promise<void> {
  limitFiles("0");
  try {
    await run();
  } finally {
    limitFiles(FILE_SIZE_MAX ?? "");
  }
}

/** The soft limit of this process alone: Node ignores the signal that comes with a write beyond it. */
function limitFiles(bytes: string): void {
  execFileSync("prlimit", ["--pid", `${process.pid}`, `--fsize=${bytes}:`]);
}

/** Undefined where this process may not set it. */
function fileSizeMax(): string | undefined {
  try {
    const args = ["--pid", `${process.pid}`, "--fsize", "--output=SOFT", "--noheadings"];
    const soft = execFileSync("prlimit", args, { encoding: "utf8", stdio: "pipe" }).trim();
    limitFiles(soft);
    return soft;
  } catch {
    return undefined;
  }
}

test("after commits that failed a store holds, lists and drops what one does whose commits did not", {
  skip: FILE_SIZE_MAX !== undefined ? false : "needs prlimit",
}, async () => {
  for (let seed = 1; seed <= runs(2); seed += 1) {
    const random = randomFrom(seed);
    const ledgers = randomLedgers(random, LEDGERS, LEDGER_EVENTS, () => 1 + random(DAY / 2));
    const [sound, failing] = [join(temporaryFolder(), "store"), join(temporaryFolder(), "store")];
    const one = await Store.open(sound, exchangeIdentity, KEPT);
    const other = await Store.open(failing, exchangeIdentity, KEPT);
    for (const delta of ledgers) {
      const record = recordOf(one, delta);
      assert.deepEqual(recordOf(other, delta), record);
      for (let failures = random(3); failures > 0; failures -= 1) {
        await onFullDisk(() => assert.rejects(other.commit(record), { code: "commit_failed" }));
      }
      await Promise.all([one.commit(record), other.commit(record)]);
      one.renew();
      other.renew();
      assert.deepEqual(lists(other), lists(one), `ledger ${delta.ledger} of seed ${seed}`);
    }
    await Promise.all([one.close(), other.close()]);
    assert.deepEqual(await rowsOf(failing), await rowsOf(sound));
  }
});
