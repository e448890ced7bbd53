// What a REST answer costs beside a fixed body of 2 KB on the same server: requests a second over
// keep-alive connections, driven from another process.

import assert from "node:assert/strict";
import { AssetInput } from "../src/http/asset-input.ts";
import { PushEndpoint } from "../src/http/push/endpoint.ts";
import { startHttpServer } from "../src/http/server.ts";
import { type ListenSocket, loadUws } from "../src/http/uws.ts";
import { systemClock } from "../src/model/clock.ts";
import { EXCHANGE, PASSPHRASE } from "../test/support/http/test-server.ts";
import type { Bench, Figure } from "./bench.ts";
import { Child } from "./child.ts";
import { openHttpWorld } from "./http-world.ts";

const CONNECTIONS = 32;
const SECONDS = 2;
/** The first so many paths have a goal. */
const GOALS = 3;
const FIXED = "x".repeat(2048);

export type LoadRequest = {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly requests: number;
};

export type LoadResult = { readonly seconds: number; readonly bodyBytes: number };

export const bench: Bench = async ({ tiny }) => {
  const world = await openHttpWorld(tiny ? 200 : 20_000);
  const { exchange: readModel, ids } = world;
  const assets = new AssetInput(PASSPHRASE);
  const uws = loadUws();
  // The same binding, headers and way of answering, without anything to compute.
  const app = uws.App();
  app.get("/fixed", (res) => {
    res.writeHeader("Content-Type", "application/json");
    res.writeHeader("Access-Control-Allow-Origin", "*");
    res.end(FIXED);
  });
  const fixedSocket = await new Promise<ListenSocket>((resolve) => {
    app.listen("127.0.0.1", 0, 0, (socket) => {
      assert.ok(socket !== false);
      resolve(socket);
    });
  });
  const fixedPort = uws.us_socket_local_port(fixedSocket);
  const server = await startHttpServer({
    uws,
    host: "127.0.0.1",
    port: 0,
    context: {
      readModel,
      quotes: {
        quoteNow: () => ({ status: "unfeasible", ledger: 1 }),
        quote: () => Promise.resolve({ status: "unfeasible", ledger: 1 }),
      },
      depth: { now: () => assert.fail("no depth here"), later: () => assert.fail("no depth here") },
      book: { sides: () => assert.fail("no book here"), version: () => "" },
      marketData: readModel.marketData,
      referencePrices: new Map(),
      assets,
      contract: EXCHANGE,
      clock: systemClock,
    },
    push: new PushEndpoint({ channels: () => [], log: { error: () => undefined } }),
    log: { error: () => undefined },
  });
  const load = new Child<LoadRequest, LoadResult>(
    new URL("./http-routes-load.js", import.meta.url),
  );
  const measure = async (port: number, path: string): Promise<number> => {
    const run = (requests: number) => load.ask({ port, path, connections: CONNECTIONS, requests });
    const trial = tiny ? 200 : 20_000;
    const { seconds, bodyBytes } = await run(trial);
    assert.ok(bodyBytes > 0, `${path} was not answered`);
    if (tiny) return trial / seconds;
    const requests = Math.ceil((trial / seconds) * SECONDS);
    return requests / (await run(requests)).seconds;
  };
  const figures: Figure[] = [];
  const id = ids[Math.floor(ids.length / 2)];
  const order = await (await fetch(`http://127.0.0.1:${server.port}/order/${id}`)).json();
  assert.ok(typeof order === "object" && order !== null && "backed" in order, "backing is shown");
  const paths = ["/", "/markets", `/order/${id}`, "/order?limit=20", "/ticker/24h"];
  for (const [at, path] of paths.entries()) {
    const name = path.startsWith("/order/") ? "/order/:id" : path;
    // Fixed before and after: a machine that slows down meanwhile slows down both.
    const before = await measure(fixedPort, "/fixed");
    const rate = await measure(server.port, path);
    const after = await measure(fixedPort, "/fixed");
    figures.push(
      { name: `GET ${name}`, value: rate, unit: "requests/s" },
      {
        name: `GET ${name} to a fixed 2 KB body`,
        value: rate / ((before + after) / 2),
        unit: "ratio",
        ...(at < GOALS ? { goal: "0.6 or more" } : {}),
      },
    );
  }
  await load.kill();
  await server.close();
  await world.close();
  uws.us_listen_socket_close(fixedSocket);
  return figures;
};
