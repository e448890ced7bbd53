import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { ServiceManager, watchdogPauseMs } from "./service-manager.ts";

/** Stands where systemd-notify does, and hands its arguments to a socket that the test listens on. */
function notifyScript(node: string, socket: string): string {
  return `#!${node}
const [, , state] = process.argv;
require("node:net").connect(${JSON.stringify(socket)}).end(state + " " + process.env.NOTIFY_SOCKET + "\\n");
`;
}

async function listen(socket: string, heard: (line: string) => void): Promise<Server> {
  const server = createServer((connection) => {
    let text = "";
    connection.setEncoding("utf8");
    connection.on("data", (part: string) => {
      text += part;
    });
    connection.on("end", () => heard(text.trim()));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return server;
}

test("systemd hears that it serves, that the loop turns, and that it stops", async (t) => {
  const folder = temporaryFolder();
  const script = join(folder, "systemd-notify");
  const socket = join(folder, "heard");
  writeFileSync(script, notifyScript(process.execPath, socket));
  chmodSync(script, 0o755);
  const heard: string[] = [];
  let more: () => void = () => undefined;
  const server = await listen(socket, (line) => {
    heard.push(line);
    more();
  });
  t.after(() => server.close());
  const until = async (line: string): Promise<void> => {
    while (!heard.includes(line)) {
      await new Promise<void>((resolve) => {
        more = resolve;
      });
    }
  };
  const warned: object[] = [];
  const manager = new ServiceManager({
    environment: { PATH: folder, NOTIFY_SOCKET: "@here", WATCHDOG_USEC: "200000" },
    log: { warn: (fields) => warned.push(fields) },
  });
  // The timer does not keep the process; this does.
  const awake = setInterval(() => undefined, 1000);
  t.after(() => clearInterval(awake));
  manager.starting();
  await until("EXTEND_TIMEOUT_USEC=60000000 @here");
  manager.serving();
  await until("READY=1 @here");
  await until("WATCHDOG=1 @here");
  manager.stopping();
  await until("STOPPING=1 @here");
  assert.deepEqual(warned, []);
});

test("without systemd nothing is told, and where its command is missing that is logged once", async () => {
  const folder = temporaryFolder();
  const warnings: string[] = [];
  let warned: () => void = () => undefined;
  const log = {
    warn: (_fields: object, message: string): void => {
      warnings.push(message);
      warned();
    },
  };
  new ServiceManager({ environment: { PATH: folder }, log }).serving();
  const manager = new ServiceManager({
    environment: { PATH: folder, NOTIFY_SOCKET: "@here" },
    log,
  });
  const first = new Promise<void>((resolve) => {
    warned = resolve;
  });
  manager.serving();
  await first;
  manager.stopping();
  assert.deepEqual(warnings, ["systemd cannot be told that the engine runs"]);
});

test("the watchdog hears twice in its time, at least every ten seconds", () => {
  assert.equal(watchdogPauseMs("30000000"), 10_000);
  assert.equal(watchdogPauseMs("3000000"), 1500);
  assert.equal(watchdogPauseMs("1"), 1);
  for (const none of [undefined, "", "0", "-1", "x", "1e6"]) {
    assert.equal(watchdogPauseMs(none), undefined, none);
  }
});
