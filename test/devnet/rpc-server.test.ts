// The RPC's port as an HTTP server: what is no request, and the connections it keeps.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { createFixture } from "../support/devnet/fixture.ts";

const PASSPHRASE = "HTTP test";
let devnet: Devnet;

before(async () => {
  const options = { seed: "http", passphrase: PASSPHRASE, port: 0, manual: true };
  devnet = await startDevnet(options, createFixture("http", PASSPHRASE).scenario);
});
after(() => devnet.stop());

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
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" });
  const { headers } = await fetch(devnet.url, { method: "POST", body });
  assert.equal(headers.get("connection"), "keep-alive");
  assert.equal(headers.get("keep-alive"), null);
});
