import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { test } from "node:test";
import { startTestServer, testContract } from "../../test/support/http/test-server.ts";
import { AccessLog, type AccessLogOptions } from "./access-log.ts";

type Line = { readonly access: Record<string, unknown> };

/** What is logged of these requests, without times. */
async function logged(
  options: Pick<AccessLogOptions, "fields"> & Partial<AccessLogOptions>,
  requests: readonly (readonly [method: string, path: string])[],
) {
  const lines: Line[] = [];
  const log = { info: (fields: object) => void lines.push(fields as Line) };
  const accessLog = new AccessLog({ share: 1, random: () => 0.5, log, ...options });
  const trustedProxies = new BlockList();
  trustedProxies.addAddress("127.0.0.1");
  const server = await startTestServer({ accessLog, limits: { trustedProxies } });
  for (const [method, path] of requests) {
    const headers = { "X-Forwarded-For": "2001:db8:1:2:3:4:5:6" };
    await (await fetch(server.url + path, { method, headers })).text();
  }
  await server.close();
  return lines.map(({ access: { ms, ...rest } }) => {
    assert.ok(typeof ms === "number" && ms >= 0);
    return rest;
  });
}

const ADDRESS = testContract(1);
const REQUESTS = [
  ["GET", `/account/${ADDRESS}?x=1`],
  ["HEAD", "/contract"],
  ["GET", "/nothing?secret=1"],
  ["GET", "/quote?sellingAsset=x"],
  ["OPTIONS", "/"],
  ["POST", "/trades"],
] as const;

test("a line names endpoint, status and time, and nothing that tells who asked for what", async () => {
  const lines = await logged({ fields: new Set() }, REQUESTS);
  assert.deepEqual(
    lines.map(({ method, route, status, ...others }) => [method, route, status, others]),
    [
      ["GET", "/account/:address", 200, {}],
      ["HEAD", "/contract", 200, {}],
      ["GET", "other", 404, {}],
      ["GET", "/quote", 409, {}],
      ["OPTIONS", "other", 204, {}],
      ["POST", "other", 404, {}],
    ],
  );
});

test("path, query and client are in it where they are asked for", async () => {
  const [line] = await logged({ fields: new Set(["client", "path", "query"]) }, REQUESTS);
  assert.deepEqual([line?.path, line?.query], [`/account/${ADDRESS}`, "x=1"]);
  assert.equal(line?.client, "2001:db8:1:2");
  const [other] = await logged({ fields: new Set(["query"]) }, REQUESTS.slice(-1));
  assert.deepEqual(Object.keys(other ?? {}).sort(), ["method", "query", "route", "status"]);
});

test("a share of the requests is logged", async () => {
  const draws = [0, 0.3, 0.29, 0.99];
  const random = () => draws.shift() ?? 1;
  const requests = ["/a", "/b", "/c", "/d", "/e"].map((path) => ["GET", path] as const);
  const lines = await logged({ share: 0.3, random, fields: new Set(["path"]) }, requests);
  assert.deepEqual(
    lines.map(({ path }) => path),
    ["/a", "/c"],
  );
});
