// The history sink of an engine as an operator runs it, over kills of either side.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { utcText } from "../../src/model/clock.ts";
import { exportedRows, type Row, sinkRows } from "../sink/sink-rows.ts";
import { findPostgres, NO_POSTGRES, Postgres } from "../support/postgres.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { ApiClient } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";

const bin = findPostgres();
/** Machines that run tests can be slow. */
const WAIT_MS_MAX = 480_000;
const OPTIONS = { timeout: WAIT_MS_MAX, skip: bin === undefined ? NO_POSTGRES : false };
/** Of the URL, as it is and as it is written there. */
const PASSWORD = /s(@|%40)cret-of-tests/;

test(
  "each row is in the sink once over kills of the engine and of the server",
  OPTIONS,
  async (t) => {
    const postgres = Postgres.make(bin ?? "");
    const devnet = await startDevnet({ seed: "sink", manual: true, port: 0, ...SMALL_DEVNET });
    const dataDir = join(temporaryFolder(), "data");
    let engine = start(devnet, dataDir, postgres);
    t.after(async () => {
      engine.kill();
      await stopAll(devnet, { stop: () => postgres.stop("now") });
    });
    const close = (ledgers: number): void => {
      for (let at = 0; at < ledgers; at += 1) devnet.closeLedger();
    };

    // The server is away, and the engine serves all the same.
    close(10);
    await new ApiClient(await engine.listening).reached(devnet.tip.ledger);
    const waiting = 'hopbook_sink_state{state="waiting"}';
    await until("the sink waits", async () => (await metrics(engine)).includes(`${waiting} 1`));
    await until("it is logged", () =>
      engine.log.some(({ msg = "" }) => /^the history sink cannot be/.test(msg)),
    );
    await postgres.start();
    await inSink(engine, devnet.tip.ledger);

    let expiredFrom = "";
    for (const how of ["engine", "server", "both"] as const) {
      expiredFrom = utcText(Math.min(devnet.tip.closeTime, Math.floor(Date.now() / 1000)));
      close(5);
      if (how !== "server") {
        engine.kill();
        await engine.exited;
      }
      if (how !== "engine") await postgres.stop("now");
      close(5);
      if (how !== "engine") await postgres.start();
      if (how !== "server") engine = start(devnet, dataDir, postgres);
      await engine.listening;
      close(2);
      await inSink(engine, devnet.tip.ledger);
    }

    const shown = await metrics(engine);
    assert.match(shown, /^hopbook_sink_lag_ledgers 0$/m);
    assert.match(shown, /^hopbook_sink_rows_total\{table="orders"\} [1-9]/m);
    let commandLine = "";
    if (process.platform === "linux") {
      commandLine = readFileSync(`/proc/${engine.child.pid}/cmdline`, "latin1");
      assert.match(commandLine, /^hopbook engine/);
    }
    for (const text of [shown, JSON.stringify(engine.log), commandLine]) {
      assert.doesNotMatch(text, PASSWORD);
    }
    await engine.stop();
    const client = await postgres.connect();
    const [rows, exported] = [await sinkRows(client, "hopbook"), await exportedRows(dataDir)];
    await client.end();
    // Orders that expire after the sink's last ledger reach it with the next one.
    const lasting = (list: readonly Row[] = []) =>
      list.filter(({ status, updated }) => status !== "EXPIRED" || `${updated}` < expiredFrom);
    for (const [what, list] of Object.entries(exported)) {
      if (what === "orders") assert.deepEqual(lasting(rows[what]), lasting(list), what);
      else assert.deepEqual(rows[what], list, what);
      assert.ok(list.length > 0, what);
    }
    assert.ok(exported["order-events"]?.some(({ type }) => type === "budget"));
  },
);

/** The URL is given as a flag, the least careful way: its password must not be shown even then. */
function start(devnet: Devnet, dataDir: string, postgres: Postgres): EngineProcess {
  const { passphrase, exchange: contract } = devnet.network;
  return new EngineProcess({
    ...{ rpcUrl: devnet.url, passphrase, contract, dataDir },
    environment: { OPERATORS_PORT: "0" },
    flags: ["--history-sink", postgres.url(), "--log-level", "debug"],
  });
}

async function metrics({ operators }: EngineProcess): Promise<string> {
  return (await fetch(`${operators}/metrics`)).text();
}

/** The sink has the ledger, and follows. */
async function inSink(engine: EngineProcess, ledger: number): Promise<void> {
  const isIn = async () => {
    const shown = await metrics(engine);
    return (
      shown.includes(`\nhopbook_sink_ledger ${ledger}\n`) &&
      shown.includes('\nhopbook_sink_state{state="following"} 1\n')
    );
  };
  // Not less than the test has: the sink pauses up to a minute between two tries.
  await until(`ledger ${ledger} is in the sink`, isIn, WAIT_MS_MAX);
}
