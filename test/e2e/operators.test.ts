// The operators' listener of a process as an operator runs it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ApiClient } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";

const folder = temporaryFolder();
/** Machines that run tests can be slow. */
const TIMEOUT = { timeout: 180_000 };
const engines: EngineProcess[] = [];
let devnet: Devnet;

before(async () => {
  devnet = await startDevnet({ seed: "operators", manual: true, port: 0, ...SMALL_DEVNET });
});
after(async () => {
  // Whatever a failed test left running would keep this process alive.
  for (const engine of engines) engine.kill();
  await stopAll(devnet);
});

function start(name: string, environment: Record<string, string>): EngineProcess {
  const { passphrase, exchange } = devnet.network;
  const engine = new EngineProcess({
    rpcUrl: devnet.url,
    passphrase,
    contract: exchange,
    dataDir: join(folder, name),
    environment,
  });
  engines.push(engine);
  return engine;
}

function operatorsUrl({ operators, log }: EngineProcess): string {
  return operators ?? assert.fail(JSON.stringify(log));
}

async function metric(url: string, sample: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? Number.NaN);
}

test("shows a running engine, apart from the public listener", TIMEOUT, async () => {
  const engine = start("shown", { OPERATORS_PORT: "0", READY_LAG: "600", LOG_LEVEL: "debug" });
  const port = await engine.listening;
  const api = new ApiClient(port);
  const url = operatorsUrl(engine);
  for (let ledger = 0; ledger < 20; ledger += 1) devnet.closeLedger();
  await api.reached(devnet.tip.ledger);
  assert.ok((await metric(url, "hopbook_ledger")) > 0);
  assert.ok((await metric(url, "hopbook_ledgers_total")) > 0);
  assert.ok((await metric(url, "hopbook_ledger_apply_seconds_count")) > 0);
  assert.equal(await metric(url, "hopbook_reader_starts_total"), 1);
  const requests = 'hopbook_http_requests_total{route="/",status="200"}';
  const asked = await metric(url, requests);
  await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(await metric(url, requests), asked + 1);
  // Held open: `fetch` closes its own after a while without requests.
  const held = connect(port, "127.0.0.1");
  await once(held, "connect");
  await fetch(`http://127.0.0.1:${port}/`);
  assert.ok((await metric(url, "hopbook_http_connections")) >= 1);
  held.destroy();
  for (const path of ["/metrics", "/healthz", "/readyz"]) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    assert.equal(answer.status, 404, path);
    assert.equal(await answer.text(), "API endpoint was not found", path);
  }
  assert.ok(engine.log.some(({ msg }) => msg === "a step is shown"));

  // How it judges a lag is tried with a clock of its own: here the machine may be busy.
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  await engine.stop();
  await assert.rejects(fetch(`${url}/healthz`));
});

test("a port that is taken ends the start where it was asked for", TIMEOUT, async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const engine = start("taken", { OPERATORS_PORT: String(port) });
  assert.deepEqual(await engine.exited, { code: 1, signal: null });
  const fatal = engine.log.find(({ level }) => level === 60);
  assert.match(fatal?.msg ?? "", new RegExp(`operators' listener.*127.0.0.1:${port}`));
  other.close();
});

test("a default port that is taken costs the listener, not the start", TIMEOUT, async () => {
  const warning = /operators' listener cannot listen on 127\.0\.0\.1:9464/;
  for (let isSaid = false; !isSaid; ) {
    const other = createServer();
    // Another engine on this machine may hold the port, and let go of it before this one starts.
    const isHeld = await new Promise<boolean>((resolve) => {
      other.once("error", () => resolve(false));
      other.listen(9464, "127.0.0.1", () => resolve(true));
    });
    const engine = start("default", { OPERATORS_PORT: "" });
    await engine.listening;
    isSaid = engine.log.some(({ level, msg = "" }) => level === 40 && warning.test(msg));
    assert.ok(isSaid || !isHeld, JSON.stringify(engine.log));
    engine.kill();
    await engine.exited;
    other.close();
  }
});

test("can be switched off", TIMEOUT, async () => {
  const engine = start("off", { OPERATORS_PORT: "off" });
  await engine.listening;
  assert.ok(!engine.log.some(({ operators }) => operators !== undefined));
  engine.kill();
});
