import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { answer, parseBody } from "../../src/devnet/rpc/json-rpc.ts";
import { MoneyPort } from "../../src/devnet/rpc/money-port.ts";
import { createFixture } from "../support/devnet/fixture.ts";

const PASSPHRASE = "Faults test";
let devnet: Devnet;

before(async () => {
  devnet = await startDevnet(
    { seed: "faults", passphrase: PASSPHRASE, port: 0, manual: true, startTime: 1_800_000_000 },
    createFixture("faults", PASSPHRASE).scenario,
  );
  for (let at = 0; at < 9; at += 1) devnet.closeLedger();
});
after(() => devnet.stop());

function post(method: string, params: unknown = {}): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return fetch(devnet.url, { method: "POST", body });
}

test("what is no JSON-RPC request is refused", async () => {
  const send = async (body: string) => {
    const response = await fetch(devnet.url, { method: "POST", body });
    return ((await response.json()) as { error: { code: number } }).error.code;
  };
  assert.equal(await send("{"), -32700);
  assert.equal(await send("[]"), -32600);
  assert.equal(await send('{"jsonrpc":"1.0","id":1,"method":"getHealth"}'), -32600);
  assert.equal(await send('{"jsonrpc":"2.0","id":1,"method":"getLedgers","params":[1]}'), -32602);
  assert.equal((await fetch(devnet.url)).status, 405);
  const large = await fetch(devnet.url, { method: "POST", body: "x".repeat(600_000) });
  assert.equal(large.status, 413);
});

test("a kept connection is the client's to close: the server announces no end of it", async () => {
  const { headers } = await post("getHealth");
  assert.equal(headers.get("connection"), "keep-alive");
  assert.equal(headers.get("keep-alive"), null);
});

test("a reset network begins anew with other hashes under the same passphrase", async () => {
  const before = devnet.tip;
  const resetting = devnet.reset();
  const methods = ["getHealth", "getLatestLedger", "getFeeStats", "getLedgers", "getTransactions"];
  const asked = methods.map((method) => post(method, { startLedger: 2 }));
  const funded = fetch(`${devnet.url}/faucet`);
  await resetting;
  assert.equal(devnet.tip.ledger, 2);
  // Those that came before it is done say so as an RPC does that has no ledgers yet.
  for (const response of await Promise.all(asked)) {
    const { result, error } = (await response.json()) as { result?: object; error?: object };
    if (result === undefined) {
      assert.deepEqual(error, { code: -32603, message: "data stores are not initialized" });
    }
  }
  const { status } = await funded;
  assert.ok(status === 200 || status === 503, String(status));
  devnet.closeLedger();
  assert.notDeepEqual(devnet.tip.hash, before.hash);
  const response = await post("getHealth");
  const { result } = (await response.json()) as { result: { latestLedger: number } };
  assert.equal(result.latestLedger, 3);
});

test("a stop while the network begins anew leaves nothing open behind it", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "faults-test-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const { scenario } = createFixture("faults", PASSPHRASE);
  const options = { seed: "faults", passphrase: PASSPHRASE, port: 0, ledgerTime: 0 };
  for (const folder of [{}, { directory }]) {
    const running = await startDevnet({ ...options, ...folder }, scenario);
    const resetting = running.reset();
    await running.stop();
    await resetting;
    assert.throws(() => running.tip, /stopped/);
  }
  // The folder is let go, and holds a chain that a later start goes on with.
  const later = await startDevnet({ ...options, directory, manual: true }, scenario);
  assert.equal(later.tip.ledger, 2);
  await later.stop();
});

test("while there is nothing to serve from, every call is answered with that", async () => {
  const body = JSON.stringify([
    { jsonrpc: "2.0", id: 1, method: "getHealth" },
    { jsonrpc: "2.0", id: 2, method: "sendTransaction", params: { transaction: "AAAA" } },
  ]);
  const parts: string[] = [];
  const context = { source: () => undefined, host: undefined };
  for await (const part of answer(context, parseBody(body))) parts.push(part);
  const error = { code: -32603, message: "data stores are not initialized" };
  assert.deepEqual(JSON.parse(parts.join("")), [
    { jsonrpc: "2.0", id: 1, error },
    { jsonrpc: "2.0", id: 2, error },
  ]);
  const url = new URL("http://localhost/friendbot?addr=GA");
  assert.equal((await new MoneyPort(() => undefined).answer(url, "")).status, 503);
});
