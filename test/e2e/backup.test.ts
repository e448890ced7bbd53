// Backup and restore as an operator does them: commands beside a running engine.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startDevnet } from "../../src/devnet/devnet.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ApiClient } from "./api-client.ts";
import { comparable } from "./comparable.ts";
import { EngineProcess, FLAGS } from "./engine-process.ts";
import { settled } from "./settled.ts";

const COMMAND_MS_MAX = 60_000;
const BACKUP_FROM_LEDGER = 30;
/** List endpoints with their largest page. */
const LISTS = { "/order": 200, "/order-history": 500, "/trades": 500, "/failures": 500 };

async function command(name: string, args: readonly string[]): Promise<string> {
  const script = fileURLToPath(new URL(`../../src/${name}.js`, import.meta.url));
  const options = { timeout: COMMAND_MS_MAX };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...FLAGS, script, ...args],
    options,
  );
  return stdout;
}

test("a backup under load, restored elsewhere after a kill, follows on and answers the same", async (t) => {
  const devnet = await startDevnet({ seed: "backup", ledgerTime: 200, port: 0, ...SMALL_DEVNET });
  t.after(() => devnet.stop());
  const closeUntil = (ledger: number): void => {
    while (devnet.tip.ledger < ledger) devnet.closeLedger();
  };
  closeUntil(BACKUP_FROM_LEDGER);
  const folder = temporaryFolder();
  const [lost, backup, restored] = ["lost", "backup", "restored"].map((n) => join(folder, n));
  assert.ok(lost !== undefined && backup !== undefined && restored !== undefined);
  const start = (dataDir: string) => {
    const { passphrase, exchange: contract } = devnet.network;
    const engine = new EngineProcess({ rpcUrl: devnet.url, passphrase, contract, dataDir });
    t.after(() => engine.kill());
    return engine;
  };
  const engine = start(lost);
  const api = new ApiClient(await engine.listening);
  await api.reached(BACKUP_FROM_LEDGER);
  const printed = await command("backup", ["--data-dir", lost, "--to", backup]);
  const ledger = Number(/: ledger ([0-9]+), [0-9.]+ MB/.exec(printed)?.[1]);
  assert.ok(ledger >= BACKUP_FROM_LEDGER && ledger <= devnet.tip.ledger, printed);
  await assert.rejects(command("backup", ["--data-dir", lost, "--to", backup]), /is not empty/);
  await assert.rejects(command("restore", ["--from", backup, "--data-dir", lost]), /in use/);
  // From here on ledgers close where they are waited for: what the clock closes costs more the slower the machine is.
  devnet.pause();
  closeUntil(ledger + 5);
  await api.reached(ledger + 5);
  engine.kill();
  await engine.exited;

  assert.match(
    await command("restore", ["--from", backup, "--data-dir", restored]),
    new RegExp(`: ledger ${ledger},`),
  );
  const again = start(restored);
  const restoredApi = new ApiClient(await again.listening);
  assert.equal(again.log.find(({ port }) => port !== undefined)?.ledger, ledger);
  const survivor = start(lost);
  const survivorApi = new ApiClient(await survivor.listening);
  closeUntil(devnet.tip.ledger + 5);
  await restoredApi.reached(ledger + 10);
  for (const one of [restoredApi, survivorApi]) await one.reached(devnet.tip.ledger);
  for (const [path, limit] of Object.entries(LISTS)) {
    await settled(async () => {
      const [left, right] = await Promise.all([
        survivorApi.all(path, limit),
        restoredApi.all(path, limit),
      ]);
      assert.ok(left.length > 0 || path !== "/trades", path);
      assert.deepEqual(comparable(right), comparable(left), path);
    });
  }
  for (const path of ["/contract", "/markets"]) {
    assert.deepEqual(await restoredApi.get(path), await survivorApi.get(path), path);
  }
  await Promise.all([again.stop(), survivor.stop()]);
});
