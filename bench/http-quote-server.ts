// The engine of http-quote, in a process of its own, with one more listener on the same thread that
// answers everything with a fixed body.
import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { pino } from "pino";
import { readConfig } from "../src/config/config.ts";
import { startEngine } from "../src/engine.ts";
import { type ListenSocket, loadUws } from "../src/http/uws.ts";

const FIXED = "x".repeat(2048);

/** `args`: as on the engine's command line. */
export type ServerStart = { readonly args: readonly string[] };
export type ServerPorts = { readonly port: number; readonly fixedPort: number };

const [{ args }] = (await once(process, "message")) as [ServerStart];
const read = readConfig(["engine", ...args], {}, { settings: [], read: () => undefined });
assert.ok(read.kind === "config" && read.config.mode === "engine", JSON.stringify(read));
const { engine: config, network } = read.config;
const engine = await startEngine({
  engine: config,
  network,
  path: join(config.dataDir, "store"),
  log: pino({ level: "warn" }),
});
const ports: ServerPorts = { port: engine.port, fixedPort: await listenFixed() };
process.send?.(ports);
await once(process, "message");
await engine.close();
process.exit(0);

/** The same binding, headers and way of answering, without anything to compute. */
function listenFixed(): Promise<number> {
  const uws = loadUws();
  const app = uws.App();
  app.get("/*", (res) => {
    res.writeHeader("Content-Type", "application/json");
    res.writeHeader("Access-Control-Allow-Origin", "*");
    res.end(FIXED);
  });
  return new Promise((resolve) => {
    app.listen("127.0.0.1", 0, 0, (socket: ListenSocket | false) => {
      assert.ok(socket !== false);
      resolve(uws.us_socket_local_port(socket));
    });
  });
}
