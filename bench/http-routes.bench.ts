// What a REST answer costs beside a fixed body of 2 KB on the same server: requests a second over
// keep-alive connections, driven from another process.

import assert from "node:assert/strict";
import { LiveDepth } from "../src/book/live-depth.ts";
import { AssetInput } from "../src/http/asset-input.ts";
import { PushEndpoint } from "../src/http/push/endpoint.ts";
import { startHttpServer } from "../src/http/server.ts";
import { type ListenSocket, loadUws } from "../src/http/uws.ts";
import { systemClock } from "../src/model/clock.ts";
import type { OrderId } from "../src/model/order.ts";
import { EXCHANGE, PASSPHRASE } from "../test/support/http/test-server.ts";
import type { Bench, Figure } from "./bench.ts";
import { Child } from "./child.ts";
import { openHttpWorld } from "./http-world.ts";

const CONNECTIONS = 32;
const SECONDS = 2;
/** Of the fixed body's rate. */
const GOALS: Readonly<Record<string, number>> = {
  "/": 1,
  "/markets": 0.8,
  "/order/:id": 0.8,
  "/order?limit=20": 0.4,
  "/trades?limit=20": 0.4,
  "/depth": 0.5,
};
/** Answers of a kind that differ from request to request: more of them than are kept. */
const OTHERS = 10_000;
const FIXED = "x".repeat(2048);

export type LoadRequest = {
  readonly port: number;
  /** Asked in turn. */
  readonly paths: readonly string[];
  readonly connections: number;
  readonly requests: number;
};

export type LoadResult = { readonly seconds: number; readonly bodyBytes: number };

export const bench: Bench = async ({ tiny }) => {
  const world = await openHttpWorld(tiny ? 200 : 20_000);
  const { exchange, ids } = world;
  const readModel = exchange.state;
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
      depth: new LiveDepth({ book: world.book, clock: systemClock }),
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
  const measure = async (port: number, paths: readonly string[]): Promise<Rate> => {
    const run = async (requests: number) => {
      const before = process.cpuUsage();
      const { seconds, bodyBytes } = await load.ask({
        port,
        paths,
        connections: CONNECTIONS,
        requests,
      });
      const { user, system } = process.cpuUsage(before);
      assert.ok(bodyBytes > 0, `${paths[0]} was not answered`);
      return { perSecond: requests / seconds, cpuUs: (user + system) / requests };
    };
    const trial = await run(tiny ? 200 : 20_000);
    return tiny ? trial : run(Math.ceil(trial.perSecond * SECONDS));
  };
  const figures: Figure[] = [];
  for (const { name, paths } of await asked(`http://127.0.0.1:${server.port}`, ids)) {
    // Fixed before and after: a machine that slows down meanwhile slows down both.
    const before = await measure(fixedPort, ["/fixed"]);
    const rate = await measure(server.port, paths);
    const after = await measure(fixedPort, ["/fixed"]);
    const goal = GOALS[name];
    figures.push(
      { name: `GET ${name}`, value: rate.perSecond, unit: "requests/s" },
      {
        name: `GET ${name} to a fixed 2 KB body`,
        value: (2 * rate.perSecond) / (before.perSecond + after.perSecond),
        unit: "ratio",
        ...(goal === undefined ? {} : { goal: `${goal} or more` }),
      },
      { name: `GET ${name}: CPU of the server`, value: rate.cpuUs, unit: "us" },
      {
        name: `GET ${name}: CPU of a fixed 2 KB body to it`,
        value: (before.cpuUs + after.cpuUs) / 2 / rate.cpuUs,
        unit: "ratio",
      },
    );
  }
  await load.kill();
  await server.close();
  await world.close();
  uws.us_listen_socket_close(fixedSocket);
  return figures;
};

/** `cpuUs`: of this process, for a request. Says more than the rate where the machine does other things too. */
type Rate = { readonly perSecond: number; readonly cpuUs: number };
type Asked = { readonly name: string; readonly paths: readonly string[] };

/** Checks that answers say something: empty ones would be fast. */
async function asked(url: string, ids: readonly OrderId[]): Promise<readonly Asked[]> {
  const json = async (path: string): Promise<object> =>
    (await (await fetch(url + path)).json()) as object;
  const id = ids[Math.floor(ids.length / 2)];
  assert.ok("backed" in (await json(`/order/${id}`)), "backing is shown");
  const [market] = (await json("/markets?limit=1")) as readonly Record<string, string>[];
  const depth = `/depth?market=${market?.baseAsset}/${market?.quoteAsset}`;
  const { asks, bids } = (await json(depth)) as {
    readonly asks: unknown[];
    readonly bids: unknown[];
  };
  assert.ok(asks.length + bids.length > 0, "depth has levels");
  const cursors: string[] = [];
  for (let cursor = ""; cursors.length < OTHERS; cursor = cursors.at(-1) ?? "") {
    const page = (await json(`/order?limit=200&cursor=${cursor}`)) as { readonly cursor: string }[];
    if (page.length === 0) break;
    cursors.push(...page.map((order) => order.cursor));
  }
  const pages = cursors.slice(0, OTHERS).map((cursor) => `&cursor=${cursor}`);
  const one = (name: string, path = name): Asked => ({ name, paths: [path] });
  return [
    one("/"),
    one("/markets"),
    one("/order/:id", `/order/${id}`),
    one("/order?limit=20"),
    one("/trades?limit=20"),
    one("/depth", depth),
    one("/ticker/24h"),
    {
      name: "/order/:id, ever others",
      paths: ids.slice(0, OTHERS).map((each) => `/order/${each}`),
    },
    { name: "/order?limit=20, ever others", paths: pages.map((page) => `/order?limit=20${page}`) },
    {
      name: "/trades?limit=20, ever others",
      paths: pages.map((page) => `/trades?limit=20${page}`),
    },
  ];
}
