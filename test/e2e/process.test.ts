// The process as an operator meets it: wrong settings, signals, another network.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/config/config.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { devnetSettings } from "../../src/devnet-settings.ts";
import { storeFolder } from "../../src/store/data-folder.ts";
import { META_IDENTITY, openRoot, openTable } from "../../src/store/tables.ts";
import { putStore } from "../store/stored-by-version.ts";
import { exchangeIdentity } from "../support/exchange.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ApiClient } from "./api-client.ts";
import { EngineProcess, FLAGS } from "./engine-process.ts";

const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));
/** Of a devnet in this process, whose ledgers and answers a busy machine can hold up for seconds. */
const LATE_RPC = /no answer within [0-9]+ ms|for longer than ledgers take/;
const folder = temporaryFolder();

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment };
    const words = [...FLAGS, MAIN, ...args];
    const child = execFile(process.execPath, words, { env }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

let devnet: Devnet;
before(async () => {
  const options = { seed: "process", ledgerTime: 100, port: 0, manual: true, ...SMALL_DEVNET };
  devnet = await startDevnet(options);
  for (let ledger = 0; ledger < 10; ledger += 1) devnet.closeLedger();
});
after(() => devnet.stop());

function engineOf(dataDir: string): EngineProcess {
  const { passphrase, exchange } = devnet.network;
  return new EngineProcess({ rpcUrl: devnet.url, passphrase, contract: exchange, dataDir });
}

test("a wrong setting ends with one line that names it, and code 2", async () => {
  const testnet = ["engine", "--network", "testnet"];
  const cases: [string[], Record<string, string>, RegExp][] = [
    [["engine", "--prot", "1"], {}, /^--prot: unknown flag/],
    [["devnet"], { LEDGER_TIME: "-1" }, /^LEDGER_TIME: /],
    [["engine"], { NETWORK: "mainnet" }, /^NETWORK: expected one of testnet/],
    [["serve"], {}, /^"serve": unknown mode/],
    [[...testnet, "--host", "300.1.1.1"], {}, /^--host: expected an IP/],
    [[...testnet, "--lake", "/nonexistent"], {}, /^--lake: expected/],
    [testnet, { LAKE: join(folder, "nolake") }, /^LAKE: expected a directory .*nolake/],
  ];
  for (const [args, environment, expected] of cases) {
    const read = readConfig(args, environment, devnetSettings);
    assert.ok(read.kind === "invalid", args.join(" "));
    assert.match(read.message, expected);
    assert.ok(!read.message.includes("\n"), read.message);
  }
  // The process says whatever it reads.
  for (const [args, environment, said] of [
    [["all", "--port", "x"], {}, /^hopbook: --port: expected an integer.*\n$/],
    [["engine"], { LAKE: join(folder, "nolake") }, /^hopbook: LAKE: expected a directory.*\n$/],
  ] as const) {
    const { code, stdout, stderr } = await run(args, environment);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, said);
  }
});

test("--help lists every setting of every mode", async () => {
  const { code, stdout } = await run(["--help"]);
  assert.equal(code, 0);
  for (const flag of ["--port", "--data-dir", "--rpc-url", "--ledger-time", "--scale", "--seed"]) {
    assert.match(stdout, new RegExp(`^  ${flag} .*\\n.*\\[[A-Z_]+, default: .*\\]$`, "m"), flag);
  }
});

test("a port that is taken ends the engine with a line that names it", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const { code, stdout } = await run(["engine"], {
    RPC_URL: devnet.url,
    NETWORK_PASSPHRASE: devnet.network.passphrase,
    CONTRACT: devnet.network.exchange,
    DATA_DIR: join(folder, "taken"),
    HOST: "127.0.0.1",
    PORT: String(port),
  });
  other.close();
  assert.equal(code, 1);
  assert.match(stdout, new RegExp(`cannot listen on 127.0.0.1:${port}`));
});

test("a second engine on a data folder is refused, and none once the first was killed", async (t) => {
  const dataDir = join(folder, "shared");
  const first = engineOf(dataDir);
  t.after(() => first.kill());
  await first.listening;
  for (const mode of ["engine", "all"]) {
    const { code, stderr } = await run([mode, "--data-dir", dataDir, "--port", "0"], {
      ...(mode === "all"
        ? {}
        : {
            RPC_URL: devnet.url,
            NETWORK_PASSPHRASE: devnet.network.passphrase,
            CONTRACT: devnet.network.exchange,
          }),
    });
    assert.equal(code, 2, mode);
    const expected = `hopbook: ${dataDir} is in use by a running engine, process ${first.child.pid}\n`;
    assert.equal(stderr, expected);
  }
  first.kill();
  await first.exited;
  const second = engineOf(dataDir);
  await second.listening;
  await second.stop();
});

test("another network than the configured one is refused, and nothing kept of the mistake", async () => {
  const dataDir = join(folder, "other");
  const { code, stdout } = await run(["engine"], {
    RPC_URL: devnet.url,
    NETWORK_PASSPHRASE: "Some other network",
    CONTRACT: devnet.network.exchange,
    DATA_DIR: dataDir,
    PORT: "0",
  });
  assert.equal(code, 2);
  assert.doesNotMatch(stdout, /\n +at /);
  assert.match(stdout, /serves the network ."Hopbook Devnet.", not ."Some other network."/);
  const engine = engineOf(dataDir);
  await new ApiClient(await engine.listening).reached(devnet.tip.ledger);
  await engine.stop();
  const later = await run(["engine"], {
    RPC_URL: devnet.url,
    NETWORK_PASSPHRASE: "Some other network",
    CONTRACT: devnet.network.exchange,
    DATA_DIR: dataDir,
    PORT: "0",
  });
  assert.equal(later.code, 2);
  assert.match(later.stdout, /cannot start: the store in .* belongs to the network/);
});

test("a store of an earlier schema is migrated at the start, and served", async () => {
  const dataDir = temporaryFolder();
  const { last, lists } = putStore(1, dataDir);
  const { networkPassphrase: passphrase, contract } = exchangeIdentity;
  // Nobody serves that network any more.
  const start = () =>
    new EngineProcess({ rpcUrl: "http://127.0.0.1:1", passphrase, contract, dataDir });
  const said = ({ log }: EngineProcess, text: string) =>
    log.some(({ msg = "" }) => msg.includes(text));
  let engine = start();
  let api = new ApiClient(await engine.listening);
  assert.equal((await api.get("/")).ledger, last.ledger);
  const trades = await api.all("/trades", 50);
  assert.equal(trades.length, lists.trades.length);
  assert.ok(said(engine, "has schema 1, this version reads"), JSON.stringify(engine.log));
  assert.ok(said(engine, "the store is migrated; "), JSON.stringify(engine.log));
  engine.kill();
  await engine.exited;
  engine = start();
  api = new ApiClient(await engine.listening);
  assert.deepEqual(await api.all("/trades", 50), trades);
  const [aside] = readdirSync(dataDir).filter((name) => name.startsWith("store-set-aside-"));
  assert.ok(said(engine, `${aside} was set aside (0.2 MB)`), JSON.stringify(engine.log));
  await engine.stop();
});

test("a store of a later schema is refused and left as it is", async () => {
  const dataDir = temporaryFolder();
  putStore(1, dataDir);
  const { networkPassphrase: passphrase, contract } = exchangeIdentity;
  const root = openRoot(storeFolder(dataDir), { readOnly: false });
  const identity = { program: "hopbook", networkPassphrase: passphrase, contract, schema: 1000 };
  await openTable(root, "meta").put(META_IDENTITY, Buffer.from(JSON.stringify(identity)));
  await root.close();
  const { code, stdout } = await run(["engine"], {
    RPC_URL: "http://127.0.0.1:1",
    NETWORK_PASSPHRASE: passphrase,
    CONTRACT: contract,
    DATA_DIR: dataDir,
    PORT: "0",
    OPERATORS_PORT: "off",
  });
  assert.equal(code, 2);
  assert.match(stdout, /cannot start: the store in .* has schema 1000, this version reads/);
  assert.deepEqual(readdirSync(dataDir), ["store"]);
});

test("a signal in the middle of a ledger ends it well, and the next start shows no gap", async () => {
  const dataDir = join(folder, "signals");
  devnet.resume();
  for (let round = 0; round < 2; round += 1) {
    const engine = engineOf(dataDir);
    const api = new ApiClient(await engine.listening);
    await api.reached(devnet.tip.ledger + 3);
    await engine.stop();
    const problems = engine.log.filter(
      ({ level = 0, msg = "" }) => level >= 40 && !LATE_RPC.test(msg),
    );
    assert.deepEqual(problems, [], `round ${round}`);
  }
  devnet.pause();
});
