// The load generator must show every delay of a server, also while the server answers nothing.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, test } from "node:test";
import { HttpPool, requestBytes } from "../../bench/load/http-pool.ts";
import { randomFrom } from "../../bench/load/random.ts";
import { RequestLoad } from "../../bench/load/request-load.ts";
import type { World } from "../../bench/load/world.ts";

const STALL_MS = 600;
const EMPTY: World = {
  markets: [],
  routed: [],
  orders: [],
  owners: [],
  orderCursors: [],
  historyCursors: [],
  tradeCursors: [],
};

let server: Server;

async function listen(answer: Parameters<typeof createServer>[1]): Promise<number> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test("a stall shows in every request that was due meanwhile", async () => {
  let first = 0;
  const port = await listen((_request, response) => {
    first ||= performance.now();
    const left = first + STALL_MS - performance.now();
    setTimeout(() => response.end("{}"), Math.max(0, left));
  });
  const load = new RequestLoad({
    url: `http://127.0.0.1:${port}`,
    rate: 100,
    connections: 2,
    random: randomFrom(1),
  });
  await load.run(EMPTY, 1, { slices: 2, onSlice: () => undefined });
  const { all } = load.results.total;
  assert.equal(all.count, 100);
  assert.deepEqual(load.outcomes, { 200: 100 });
  // Two connections were stalled, but half of the users were.
  assert.ok(all.p50 > STALL_MS / 20, `p50 ${all.p50}`);
  assert.ok(all.p99 > STALL_MS / 2, `p99 ${all.p99}`);
});

test("what is never answered counts as that", async () => {
  const port = await listen(() => undefined);
  const ended: unknown[] = [];
  const pool = new HttpPool({
    host: "127.0.0.1",
    port,
    connections: 2,
    onDone: ({ status }) => void ended.push(status),
  });
  for (let at = 0; at < 5; at += 1) {
    pool.submit({ bytes: requestBytes("/"), endpoint: 0, dueMs: performance.now() });
  }
  await new Promise((resolve) => setImmediate(resolve));
  pool.close();
  assert.deepEqual(
    ended,
    Array.from({ length: 5 }, () => "unanswered"),
  );
});

test("an answer in pieces, an error and a cut connection are told apart", async () => {
  const port = await listen((request, response) => {
    if (request.url === "/cut") request.socket.destroy();
    else if (request.url === "/wrong") response.writeHead(500).end("no");
    else {
      response.writeHead(200, { "content-length": 6 }).write("abc");
      setImmediate(() => response.end("def"));
    }
  });
  const ended: unknown[] = [];
  const paths = ["/pieces", "/wrong", "/cut", "/pieces"];
  await new Promise<void>((resolve) => {
    const pool = new HttpPool({
      host: "127.0.0.1",
      port,
      connections: 1,
      onDone: ({ status }) => {
        ended.push(status);
        if (ended.length < paths.length) return;
        pool.close();
        resolve();
      },
      onBody: (_request, status, body) => {
        if (status === 200) assert.equal(String(body), "abcdef");
      },
    });
    for (const path of paths) {
      pool.submit({ bytes: requestBytes(path), endpoint: 0, dueMs: performance.now() });
    }
  });
  assert.deepEqual(ended, [200, 500, "closed", 200]);
});
