// What a REST answer costs beside a fixed body of 2 KB on the same server: requests a second over
// keep-alive connections, driven from another process.

import assert from "node:assert/strict";
import { loadUws } from "../src/http/uws.ts";
import { ApiClient, type Row } from "../test/e2e/api-client.ts";
import { listen } from "./bare-push.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { type HttpWorld, openHttpWorld } from "./http-world.ts";
import { DriverProcess } from "./load/driver-process.ts";
import { FIXED_PATH, serveFixedBody } from "./load/fixed-body.ts";
import { quantile } from "./quantile.ts";

const CONNECTIONS = 32;
const SECONDS = 3;
/** In turn with the fixed body: a machine that slows down meanwhile slows down both. */
const ROUNDS = 5;
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

export const bench: Bench = ({ tiny }) => inFolder((folder) => run(folder, tiny));

async function run(folder: string, tiny: boolean): Promise<readonly Figure[]> {
  const world = await openHttpWorld(folder, tiny ? 200 : 20_000);
  const uws = loadUws();
  // The same binding, headers and way of answering, without anything to compute.
  const app = uws.App();
  serveFixedBody(app);
  const fixedSocket = await listen(app);
  const fixedUrl = `http://127.0.0.1:${uws.us_socket_local_port(fixedSocket)}`;
  const driver = new DriverProcess();
  const measure = async (url: string, paths: readonly string[], count: number): Promise<Rate> => {
    const before = process.cpuUsage();
    const load = { url, connections: CONNECTIONS, paths, count };
    const { seconds, statuses, bodyBytes } = await driver.run("rate", load);
    const { user, system } = process.cpuUsage(before);
    assert.deepEqual(statuses, { 200: count });
    assert.ok(bodyBytes > 0, `${paths[0]} was not answered`);
    return { perSecond: count / seconds, cpuUs: (user + system) / count };
  };
  const figures: Figure[] = [];
  for (const { name, paths } of await asked(world)) {
    const count = tiny ? 200 : 20_000;
    const trial = await measure(world.url, paths, count);
    const each = tiny ? count : Math.ceil((trial.perSecond * SECONDS) / ROUNDS);
    const rounds: { readonly rate: Rate; readonly fixed: Rate }[] = [];
    for (let round = 0; round < (tiny ? 1 : ROUNDS); round += 1) {
      const fixed = await measure(fixedUrl, [FIXED_PATH], each);
      rounds.push({ fixed, rate: await measure(world.url, paths, each) });
    }
    const median = (of: (round: (typeof rounds)[number]) => number) =>
      quantile(rounds.map(of), 0.5);
    const goal = GOALS[name];
    figures.push(
      figure(
        `GET ${name}`,
        median(({ rate }) => rate.perSecond),
        "requests/s",
      ),
      figure(
        `GET ${name} to a fixed 2 KB body`,
        median(({ rate, fixed }) => rate.perSecond / fixed.perSecond),
        "ratio",
        goal === undefined ? undefined : `${goal} or more`,
      ),
      figure(
        `GET ${name}: CPU of the server`,
        median(({ rate }) => rate.cpuUs),
        "us",
      ),
      figure(
        `GET ${name}: CPU of a fixed 2 KB body to it`,
        median(({ rate, fixed }) => fixed.cpuUs / rate.cpuUs),
        "ratio",
      ),
    );
  }
  await driver.stop();
  await world.close();
  uws.us_listen_socket_close(fixedSocket);
  return figures;
}

/** `cpuUs`: of this process, for a request. Says more than the rate where the machine does other things too. */
type Rate = { readonly perSecond: number; readonly cpuUs: number };
type Asked = { readonly name: string; readonly paths: readonly string[] };

/** Checks that answers say something: empty ones would be fast. */
async function asked({ url, ids }: HttpWorld): Promise<readonly Asked[]> {
  const api = new ApiClient(Number(new URL(url).port));
  const id = ids[Math.floor(ids.length / 2)];
  assert.ok("backed" in (await api.get(`/order/${id}`)), "backing is shown");
  const [{ baseAsset, quoteAsset }] = await api.get("/markets?limit=1");
  const depth = `/depth?market=${baseAsset}/${quoteAsset}`;
  const { asks, bids } = await api.get(depth);
  assert.ok(asks.length + bids.length > 0, "depth has levels");
  const cursors: string[] = [];
  for (let cursor = ""; cursors.length < OTHERS; cursor = cursors.at(-1) ?? "") {
    const page: readonly Row[] = await api.get(`/order?limit=200&cursor=${cursor}`);
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
