// The command npm run replay. That it prints what the channel sends is tested in property/live-book.test.ts.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Exchange } from "../../src/book/exchange.ts";
import { LocalBook } from "../../src/client/local-book.ts";
import { backupStore } from "../../src/store/backup.ts";
import { FLAGS } from "../e2e/engine-process.ts";
import { token } from "../support/addresses.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("the command prints the same beside an engine and from a backup, and names what is wrong", async () => {
  const all = randomLedgers(randomFrom(3), 24, 12);
  const [ledgers, later] = [all.slice(0, 12), all.slice(12)];
  const options = exchangeOptions({ now: CHAIN_START * 1000 });
  const exchange = await Exchange.open(options);
  for (const delta of ledgers) await exchange.apply(delta);
  const [order] = exchange.state.history.liveOrders({ assets: [] }, { limit: 1 });
  assert.ok(order !== undefined && exchange.state.ledger !== undefined);
  const market = `${order.selling}/${order.buying}`;
  const from = String(exchange.state.ledger - 3);
  const run = (...args: readonly string[]) => runOn(dirname(options.path), ...args);
  const runOn = (dataDir: string, ...args: readonly string[]) =>
    new Promise<{ code: unknown; out: string; error: string }>((resolve) => {
      const script = new URL("../../src/replay.js", import.meta.url).pathname;
      const flags = [...FLAGS, script, "--data-dir", dataDir, ...args];
      execFile(process.execPath, flags, (error, out, text) =>
        resolve({ code: error?.code ?? 0, out, error: text }),
      );
    });
  // The store is written meanwhile: what is printed is one state of it.
  const printed = run("--market", market, "--from", from);
  for (const delta of later) await exchange.apply(delta);
  const { code, out, error } = await printed;
  assert.deepEqual([code, error], [0, ""]);
  const messages = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([messages[0].type, messages[0].ledger], ["book", Number(from)]);
  const book = new LocalBook();
  for (const message of messages) assert.equal(book.apply(message), "applied");
  // A market that nobody traded is an empty book.
  const unknown = await run("--market", `${order.selling}/${token(77)}`, "--from", from);
  const [{ asks, bids }] = unknown.out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([unknown.code, asks, bids], [0, [], []]);
  for (const [name, ...args] of [
    ["market", "--from", from],
    ["market", "--from", from, "--market", "x"],
    ["from", "--market", market],
    ["from", "--market", market, "--from", "1"],
    ["from", "--market", market, "--from", "4000000000"],
    ["to", "--market", market, "--from", from, "--to", "1"],
  ] as const) {
    const refused = await run(...args);
    assert.notEqual(refused.code, 0);
    assert.match(refused.error, new RegExp(`--${name}|${name.toUpperCase()}`));
  }
  const live = await run("--market", market, "--from", from);
  const backup = join(temporaryFolder(), "backup");
  await backupStore(dirname(options.path), backup);
  await exchange.close();
  assert.deepEqual(await runOn(backup, "--market", market, "--from", from), live);
});
