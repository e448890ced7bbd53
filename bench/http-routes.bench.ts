// What a REST answer costs beside a fixed body of 2 KB on the same server: requests a second over
// keep-alive connections, driven from another process.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { AssetInput } from "../src/http/asset-input.ts";
import { PushEndpoint } from "../src/http/push/endpoint.ts";
import { startHttpServer } from "../src/http/server.ts";
import { MemoryReadModel } from "../src/http/testing/memory-read-model.ts";
import { EXCHANGE, PASSPHRASE, testContract, testOrder } from "../src/http/testing/test-server.ts";
import { type ListenSocket, loadUws } from "../src/http/uws.ts";
import { systemClock } from "../src/model/clock.ts";
import type { Bench, Figure } from "./bench.ts";

const CONNECTIONS = 32;
const SECONDS = 2;
const FIXED = "x".repeat(2048);

export type LoadRequest = {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly requests: number;
};

export type LoadResult = { readonly seconds: number; readonly bodyBytes: number };

export const bench: Bench = async ({ tiny }) => {
  const readModel = filledReadModel();
  const assets = new AssetInput(PASSPHRASE);
  const { uws } = loadUws();
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
      quotes: { quote: () => Promise.resolve({ status: "unfeasible", ledger: 1 }) },
      depth: () => assert.fail("no depth here"),
      marketData: readModel.marketData,
      referencePrices: new Map(),
      assets,
      contract: EXCHANGE,
      clock: systemClock,
    },
    push: new PushEndpoint({ channels: () => [], log: { error: () => undefined } }),
    log: { error: () => undefined },
  });
  const load = fork(new URL("./http-routes-load.js", import.meta.url), { stdio: "inherit" });
  await once(load, "spawn");
  const measure = async (port: number, path: string): Promise<number> => {
    const run = async (requests: number): Promise<LoadResult> => {
      const request: LoadRequest = { port, path, connections: CONNECTIONS, requests };
      load.send(request);
      const [result] = (await once(load, "message")) as [LoadResult];
      return result;
    };
    const trial = tiny ? 200 : 20_000;
    const { seconds, bodyBytes } = await run(trial);
    assert.ok(bodyBytes > 0, `${path} was not answered`);
    if (tiny) return trial / seconds;
    const requests = Math.ceil((trial / seconds) * SECONDS);
    return requests / (await run(requests)).seconds;
  };
  const figures: Figure[] = [];
  for (const path of ["/", "/markets", "/order/1001", "/order?limit=20"]) {
    // Fixed before and after: a machine that slows down meanwhile slows down both.
    const before = await measure(fixedPort, "/fixed");
    const rate = await measure(server.port, path);
    const after = await measure(fixedPort, "/fixed");
    figures.push(
      { name: `GET ${path}`, value: rate, unit: "requests/s" },
      {
        name: `GET ${path} to a fixed 2 KB body`,
        value: rate / ((before + after) / 2),
        unit: "ratio",
        ...(path.includes("?") ? {} : { goal: "0.6 or more" }),
      },
    );
  }
  load.kill();
  server.close();
  uws.us_listen_socket_close(fixedSocket);
  return figures;
};

/** 20 markets and 2,000 orders with backing. */
function filledReadModel(): MemoryReadModel {
  const readModel = new MemoryReadModel();
  readModel.ledger = 1000;
  readModel.live = Array.from({ length: 2000 }, (_, at) =>
    testOrder(at, { selling: testContract(at % 20), buying: testContract(20) }),
  );
  const [order] = readModel.live;
  assert.ok(order !== undefined);
  const first = { ...order, selling: testContract(1) };
  readModel.backings = [
    {
      owner: first.owner,
      asset: first.selling,
      balance: 10n ** 12n,
      allowance: 10n ** 12n,
      liveUntil: 2000,
      authorized: true,
      budget: 10n ** 12n,
      updated: 1_700_000_000,
      pending: false,
    },
  ];
  return readModel;
}
