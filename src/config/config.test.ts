import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type Config, type DevnetSettings, type ReadConfig, readConfig } from "./config.ts";
import { pageNetwork } from "./page-network.ts";
import { integerSchema, timeSchema } from "./schema.ts";

type Devnet = { readonly seed: unknown };

const devnet: DevnetSettings<Devnet> = {
  settings: [{ name: "seed", help: "seed", default: "1", schema: integerSchema(0, 100) }],
  read: (values) => ({ seed: values.seed }),
};

const DOLLAR = "USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5";
const CONTRACT = "CBJ747MKAGQO2LMJPOTCOONAWBLIIBSLOQE325R457TE5MIS6RTDJ4DC";

function read(args: string[], environment: Record<string, string> = {}): ReadConfig<Devnet> {
  return readConfig(args, environment, devnet);
}

function config(args: string[], environment?: Record<string, string>): Config<Devnet> {
  const result = read(args, environment);
  assert.ok(result.kind === "config", JSON.stringify(result));
  return result.config;
}

function message(args: string[], environment?: Record<string, string>): string {
  const result = read(args, environment);
  assert.ok(result.kind === "invalid", JSON.stringify(result));
  assert.ok(!result.message.includes("\n"), "one line");
  return result.message;
}

describe("configuration", () => {
  it("runs devnet and engine on port 8080 without any setting", () => {
    const all = config([]);
    assert.ok(all.mode === "all");
    assert.equal(all.engine.port, 8080);
    assert.deepEqual(all.devnet, { seed: 1 });
  });

  it("lets a flag win over the environment, and the environment over the default", () => {
    const byEnvironment = config(["all"], { PORT: "9000", SEED: "7" });
    assert.ok(byEnvironment.mode === "all");
    assert.equal(byEnvironment.engine.port, 9000);
    assert.deepEqual(byEnvironment.devnet, { seed: 7 });
    const byFlag = config(["all", "--port=9001", "--seed", "8"], { PORT: "9000" });
    assert.ok(byFlag.mode === "all");
    assert.equal(byFlag.engine.port, 9001);
    assert.deepEqual(byFlag.devnet, { seed: 8 });
  });

  it("serves the console with the embedded network, and with the engine alone where asked", () => {
    const served = (args: string[], environment?: Record<string, string>): boolean => {
      const read = config(args, environment);
      assert.ok(read.mode !== "devnet");
      return read.engine.console;
    };
    const engine = ["engine", "--network", "testnet"];
    assert.equal(served([]), true);
    assert.equal(served(["--console=off"]), false);
    assert.equal(served(engine), false);
    assert.equal(served([...engine, "--console"]), true);
    assert.equal(served(["engine", "--console", "--network", "testnet"]), true);
    assert.equal(served([...engine, "--console", "off"], { CONSOLE: "on" }), false);
    assert.equal(served(engine, { CONSOLE: "on" }), true);
    assert.equal(message(["--console=maybe"]).includes("--console"), true);
  });

  it("takes the test network's values from its preset", () => {
    const engine = config(["engine"], { NETWORK: "testnet" });
    assert.ok(engine.mode === "engine");
    assert.deepEqual(engine.network, {
      rpcUrls: ["https://soroban-testnet.stellar.org"],
      networkPassphrase: "Test SDF Network ; September 2015",
      contract: CONTRACT,
      open: { rpcUrl: "https://soroban-testnet.stellar.org" },
      faucetUrl: "https://friendbot.stellar.org",
    });
  });

  it("lets pages ask the faucet of a network that everybody knows, whichever RPC they are told", () => {
    const faucet = (args: string[]) => {
      const read = config(["engine", ...args]);
      assert.ok(read.mode === "engine");
      return pageNetwork(read.engine, read.network).faucet;
    };
    const known = "https://friendbot.stellar.org";
    const named = ["--console-rpc", "https://a.example/rpc"];
    const own = ["--rpc-url", "https://rpc.example/key"];
    const testnet = ["--network", "testnet"];
    const passphrase = ["--network-passphrase", "Test SDF Network ; September 2015"];
    assert.equal(faucet(testnet), known);
    assert.equal(faucet([...testnet, ...named]), known);
    assert.equal(faucet([...testnet, ...own, ...named]), known);
    assert.equal(faucet([...own, ...passphrase, "--contract", CONTRACT, ...named]), known);
    assert.equal(faucet([...testnet, ...own]), undefined, "pages send nothing");
    assert.equal(faucet([...testnet, "--console-rpc", "off"]), undefined);
    assert.equal(faucet([...testnet, "--network-passphrase", "Another", ...named]), undefined);
  });

  it("tells pages of no RPC but one that is open to everybody, or that is named for them", () => {
    const read = (args: string[]) => {
      const engine = config(["engine", "--network", "testnet", ...args]);
      assert.ok(engine.mode === "engine");
      return { open: engine.network.open?.rpcUrl, named: engine.engine.consoleRpc };
    };
    const own = ["--rpc-url", "https://rpc.example/key"];
    assert.deepEqual(read(own), { open: undefined, named: "auto" });
    assert.equal(read(["--network-passphrase", "Another"]).open, undefined);
    assert.equal(
      read([...own, "--console-rpc", "https://a.example/rpc"]).named,
      "https://a.example/rpc",
    );
    assert.equal(read(["--console-rpc", "off"]).named, "off");
    for (const wrong of ["ws://a", "https://u:p@a", "https://a/?key=1", "https://a/#key", "on"]) {
      assert.match(message(["--console-rpc", wrong]), /^--console-rpc: expected auto, off, or/);
    }
  });

  it("lets single settings replace a preset's", () => {
    const engine = config(["engine", "--network", "testnet", "--rpc-url", "http://a:1,http://b:2"]);
    assert.ok(engine.mode === "engine");
    assert.deepEqual(engine.network.rpcUrls, ["http://a:1", "http://b:2"]);
    assert.equal(engine.network.contract, CONTRACT);
  });

  it("reads reference prices, which the preset has for the network's dollar", () => {
    const given = config(["all", "--reference-prices", `XLM=0.25, ${DOLLAR}=1`]);
    assert.ok(given.mode === "all");
    assert.deepEqual(
      [...given.engine.referencePrices],
      [
        ["XLM", "0.25"],
        [DOLLAR, "1"],
      ],
    );
    const preset = config(["engine"], { NETWORK: "testnet" });
    assert.ok(preset.mode === "engine");
    assert.deepEqual([...preset.engine.referencePrices.values()], ["1"]);
    assert.match(message(["all"], { REFERENCE_PRICES: "XLM=x" }), /^REFERENCE_PRICES: expected/);
    for (const asset of ["FOO", "USDC:ISSUER", `${DOLLAR}A`, CONTRACT.toLowerCase()]) {
      const wrong = message(["all", "--reference-prices", `XLM=0.25,${asset}=1`]);
      assert.match(wrong, /^--reference-prices: expected XLM, CODE:ISSUER/);
      assert.ok(wrong.includes(`not ${asset}, got`), wrong);
    }
  });

  it("names the setting that is wrong, as it was given", () => {
    assert.match(message(["all", "--port", "80a"]), /^--port: expected an integer.*"80a"$/);
    assert.match(message(["all"], { PORT: "70000" }), /^PORT: expected an integer from 0 to 65535/);
    assert.match(message(["all"], { LOG_LEVEL: "loud" }), /^LOG_LEVEL: expected one of trace/);
    assert.match(
      message(["engine"], { NETWORK: "testnet", CONTRACT: "GABC" }),
      /^CONTRACT: expected a contract address/,
    );
    assert.match(
      message(["engine"], { NETWORK: "testnet", RPC_URL: "ftp://x" }),
      /^RPC_URL: expected http or https/,
    );
    assert.match(message(["all", "--seed", "x"]), /^--seed: expected an integer/);
    for (const host of ["300.1.1.1", "1.2.3", "a b", "-a", "a..b", "http://a", "[::1]"]) {
      assert.match(message(["all", "--host", host]), /^--host: expected an IP address or a host/);
    }
    for (const host of ["localhost", "::1", "10.0.0.1", "a-1.example", "3com"]) {
      assert.equal(read(["all", "--host", host]).kind, "config", host);
    }
    for (const lake of ["/nonexistent", "ftp://a", new URL(import.meta.url).pathname]) {
      assert.match(
        message(["engine", "--network", "testnet", "--lake", lake]),
        /^--lake: expected/,
      );
    }
  });

  it("refuses unknown, repeated and empty flags and unknown modes", () => {
    assert.match(message(["all", "--prot", "1"]), /^--prot: unknown flag/);
    assert.match(message(["all", "--port", "1", "--port", "2"]), /^--port: given twice/);
    assert.match(message(["all", "--port"]), /^--port: needs a value/);
    assert.match(message(["all", "--port", "--host"]), /^--port: needs a value/);
    assert.match(message(["all", "8080"]), /^"8080": not a flag/);
    assert.match(message(["serve"]), /^"serve": unknown mode/);
    assert.match(message(["engine", "--seed", "1"]), /^--seed: unknown flag/);
    assert.match(message(["devnet", "--port", "1"]), /^--port: unknown flag/);
  });

  it("says which network setting is missing, and which has no place beside the devnet", () => {
    assert.match(message(["engine"]), /^RPC_URL: not set/);
    assert.match(message(["engine"], { RPC_URL: "http://a" }), /^NETWORK_PASSPHRASE: not set/);
    assert.match(message(["all", "--contract", CONTRACT]), /^--contract: the embedded network/);
  });

  it("lists every setting with its default", () => {
    const help = read(["--help"]);
    assert.ok(help.kind === "help");
    assert.match(help.text, /--port .*\n.*\[PORT, default: 8080\]/);
    assert.match(help.text, /--rpc-url .*\n.*\[RPC_URL, default: none\]/);
    assert.match(help.text, /--seed .*\n.*\[SEED, default: 1\]/);
    assert.equal(read(["engine", "--port", "x", "--help"]).kind, "help");
  });
});

const folder = temporaryFolder();

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("a file of settings", () => {
  it("is read as JSON and as TOML; flags win, then the environment, then the file", () => {
    const json = file("a.json", `{"$schema": "x", "port": 9000, "host": "::1", "seed": "7"}`);
    const toml = file("a.toml", 'port = 9000\nhost = "::1"\nseed = 7\n');
    for (const path of [json, toml]) {
      const all = config(["all", "--config", path, "--seed", "8"], { HOST: "127.0.0.1" });
      assert.ok(all.mode === "all");
      assert.deepEqual([all.engine.port, all.engine.host], [9000, "127.0.0.1"]);
      assert.deepEqual(all.devnet, { seed: 8 });
      assert.equal(config(["devnet"], { CONFIG: path }).mode, "devnet");
      const devnet = config(["devnet", "--data-dir", "kept", "--config", path]);
      assert.ok(devnet.mode === "devnet");
      assert.equal(devnet.dataDir, "kept");
    }
    const list = file("b.json", `{"rpc-url": ["http://a", "http://b"], "network": "testnet"}`);
    const engine = config(["engine", "--config", list]);
    assert.ok(engine.mode === "engine");
    assert.deepEqual(engine.network.rpcUrls, ["http://a", "http://b"]);
  });

  it("is refused in one line that names it and what is wrong in it", () => {
    for (const [name, text, wrong] of [
      ["c.json", `{"prot": 1}`, /c\.json: "prot": no such setting/],
      ["d.json", `{"config": "x"}`, /d\.json: "config": no such setting/],
      ["e.json", `{"port": 70000}`, /e\.json: port: expected an integer from 0 to 65535/],
      ["f.json", `{"port": {"a": 1}}`, /f\.json: port: expected a text, a number/],
      ["g.json", `{"port": null}`, /g\.json: port: expected a text, a number/],
      ["h.json", "[1]", /h\.json: expected an object/],
      ["i.json", '{"port":', /i\.json: /],
      ["j.toml", "port = = 1\nx", /j\.toml: /],
      ["k.json", `{"constructor": 1}`, /k\.json: "constructor": no such setting/],
      ["l.json", " ".repeat((1 << 20) + 1), /l\.json: larger than/],
    ] as const) {
      assert.match(message(["all", "--config", file(name, text)]), wrong);
    }
    const secret = "postgres://u:hunter2@db/h";
    for (const [name, text, wrong] of [
      ["n.toml", `port = = 1\nhistory-sink = "${secret}"\n`, /no valid TOML at line 1, column 8/],
      ["o.json", `{"history-sink": "${secret}" "port": 1}`, /no valid JSON/],
      ["p.json", `{"history-sink": "${secret}",}`, /no valid JSON/],
    ] as const) {
      const said = message(["all", "--config", file(name, text)]);
      assert.match(said, wrong);
      assert.doesNotMatch(said, /hunter2/, "a password beside the fault");
    }
    assert.match(message(["all", "--config", join(folder, "none.json")]), /none\.json: ENOENT/);
    assert.match(message(["all", "--config", folder]), /EISDIR/);
    assert.match(
      message(["all", "--config", file("m.json", `{"contract": "${CONTRACT}"}`)]),
      /^--contract: the embedded network/,
    );
  });

  it("has a schema that knows every setting", () => {
    const schema = read(["--config-schema"]);
    assert.ok(schema.kind === "help");
    const { properties } = JSON.parse(schema.text) as { properties: Record<string, object> };
    for (const name of ["port", "rpc-url", "seed", "log-level"])
      assert.ok(name in properties, name);
    assert.ok(!("config" in properties));
  });
});

describe("the access log", () => {
  it("is off, and names no client unless that is asked for", () => {
    const off = config([]);
    assert.ok(off.mode === "all");
    assert.deepEqual(off.engine.accessLog, { share: 0, fields: new Set() });
    const path = file("n.json", `{"access-log": 0.25, "access-log-fields": ["path", "client"]}`);
    const on = config(["--config", path]);
    assert.ok(on.mode === "all");
    assert.deepEqual(on.engine.accessLog, { share: 0.25, fields: new Set(["path", "client"]) });
    const bare = config(["--access-log"]);
    assert.ok(bare.mode === "all");
    assert.equal(bare.engine.accessLog.share, 1);
    for (const share of ["0", "1.5", "-1", "1e-3", "on"]) {
      assert.match(
        message(["all", `--access-log=${share}`]),
        /^--access-log: expected off, or a share/,
      );
    }
    assert.match(
      message(["all", "--access-log-fields", "path,address"]),
      /^--access-log-fields: expected some of path, query, client/,
    );
  });
});

describe("limits", () => {
  it("have defaults, and 0 lifts one", () => {
    const read = config([]);
    assert.ok(read.mode === "all");
    const { limits } = read.engine;
    assert.equal(limits.connections, 16_384);
    assert.equal(limits.requestsPerSecond, 0);
    assert.equal(limits.pushBufferBytes, 256 * 2 ** 20);
    const lifted = config(["--max-connections=0"]);
    assert.ok(lifted.mode === "all");
    assert.equal(lifted.engine.limits.connections, 0);
  });

  it("believe the proxies that are named", () => {
    const read = config(["--trusted-proxies", "127.0.0.1, 10.0.0.0/8,::1"]);
    assert.ok(read.mode === "all");
    const { trustedProxies } = read.engine.limits;
    const believed = ["127.0.0.1", "10.255.1.1"].map((address) => trustedProxies.check(address));
    assert.deepEqual(believed, [true, true]);
    assert.equal(trustedProxies.check("::1", "ipv6"), true);
    assert.equal(trustedProxies.check("11.0.0.1"), false);
    for (const wrong of ["localhost", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "1.2.3"]) {
      assert.match(
        message(["--trusted-proxies", wrong]),
        /--trusted-proxies: expected IP addresses/,
      );
    }
  });
});

describe("the history sink", () => {
  it("takes the URLs that PostgreSQL's clients take, and needs order events", () => {
    const urls = [
      "postgres://a:b%40@h:1/d",
      "postgresql:///d?host=/run/x",
      "postgres://h?sslmode=disable",
    ];
    for (const url of urls) {
      const { historySink } = engineOf(["--history-sink", url, "--history-sink-schema=a_1"]);
      assert.deepEqual(historySink, { url, schema: "a_1" });
    }
    assert.equal(engineOf([]).historySink, undefined);
    const wrong = message(["--history-sink", urls[0] ?? "", "--keep-order-events=0"]);
    assert.match(wrong, /^--history-sink: needs order events/);
    assert.match(message(["--history-sink-schema", "A"]), /^--history-sink-schema: expected/);
  });

  it("refuses others in a line that names the setting and shows no password", () => {
    for (const url of [
      ...[
        "secret",
        "https://a:secret@b/c",
        "postgres:a:secret@b/c",
        "postgres://a:secret@b:port/c",
      ],
      ...[
        "postgres://a:secret@b:99999/c",
        "postgres://a:sec%ret@b:1:2/c",
        "postgres://a:secret@[b/c",
      ],
      ...[
        "postgres://a:secret@b/c?sslmode=always",
        "postgres://a:secret@b/c?sslrootcert=/none.pem",
      ],
    ]) {
      for (const wrong of [
        message(["--history-sink", url]),
        message([], { HISTORY_SINK: url }),
        message(["--data-dir", "a", `${url}?secret@`]),
      ]) {
        if (!wrong.includes("not a flag")) {
          assert.match(wrong, /^(--history-sink|HISTORY_SINK): (expected|not a URL|\/none\.pem)/);
        }
        assert.doesNotMatch(wrong, /:secret|sec%ret|"secret"/);
      }
    }
  });

  function engineOf(args: string[]) {
    const read = config(args);
    assert.ok(read.mode !== "devnet");
    return read.engine;
  }
});

describe("the operators' listener", () => {
  it("is on the loopback address alone, moves, and can be off", () => {
    const operators = (args: string[]) => {
      const read = config(args);
      assert.ok(read.mode !== "devnet");
      return read.operators;
    };
    assert.deepEqual(operators([]), {
      host: "127.0.0.1",
      port: 9464,
      isRequired: false,
      readyLagSeconds: 30,
      drainSeconds: 0,
      stopSeconds: 5,
    });
    assert.equal(operators(["--operators-port=off"]).port, "off");
    assert.equal(operators(["--operators-port=9000"]).isRequired, true);
    for (const wrong of ["65536", "on", "-1", "1e3"]) {
      assert.match(message([`--operators-port=${wrong}`]), /--operators-port: expected an integer/);
    }
  });
});

it("times of the commands are UNIX seconds or UTC, and days that no month has are refused", () => {
  for (const [text, seconds] of [
    ["0", 0],
    ["1777593600", 1_777_593_600],
    ["2026-05-01", 1_777_593_600],
    ["2026-05-01 12:00:00", 1_777_636_800],
    ["2026-05-01T12:00:00Z", 1_777_636_800],
  ] as const) {
    assert.equal(timeSchema.parse(text), seconds);
  }
  for (const text of ["", "-1", "1e9", "2026-02-30", "2026-13-01", "2026-05-01T24:00:00Z", "now"]) {
    assert.equal(timeSchema.safeParse(text).success, false, text);
  }
});
