import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { JsonRpc, RpcError, type RpcLimits } from "./json-rpc.ts";

/** Seen from dist/src/ingest, where this runs. */
const REAL_REFUSAL = readFileSync(
  new URL("../../../test/fixtures/rpc/soroban_rpc_error.json", import.meta.url),
  "utf8",
);
const LIMITS: RpcLimits = { timeoutMs: 60_000, bytesMax: 1_000 };

async function serverOf(
  t: TestContext,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<JsonRpc> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return new JsonRpc(`http://127.0.0.1:${(server.address() as AddressInfo).port}/secret?key=5`);
}

function failsAs(failure: RpcError["failure"]): (thrown: unknown) => boolean {
  return (thrown) => {
    assert.ok(thrown instanceof RpcError, String(thrown));
    assert.equal(thrown.failure, failure);
    assert.doesNotMatch(thrown.message, /secret|key=/);
    return true;
  };
}

const never = new AbortController().signal;

test("an answer that does not come in time, or stops in the middle, is a time-out", async (t) => {
  const silent = await serverOf(t, () => undefined);
  await assert.rejects(
    silent.call("a", {}, { ...LIMITS, timeoutMs: 50 }, never),
    failsAs("timeout"),
  );
  const halting = await serverOf(t, (_request, response) => {
    response.write('{"id":1,');
  });
  await assert.rejects(
    halting.call("a", {}, { ...LIMITS, timeoutMs: 50 }, never),
    failsAs("timeout"),
  );
});

test("an answer without end is cut off at its limit", async (t) => {
  let sent = 0;
  const endless = await serverOf(t, (_request, response) => {
    const more = (): void => {
      sent += 500;
      if (!response.destroyed) response.write("x".repeat(500), () => setImmediate(more));
    };
    more();
  });
  await assert.rejects(endless.call("a", {}, LIMITS, never), failsAs("too_large"));
  assert.ok(sent < 10_000_000);
});

test("what is no answer to the question is garbage, other statuses say to go elsewhere", async (t) => {
  let body = "";
  let status = 200;
  const rpc = await serverOf(t, (_request, response) => {
    response.writeHead(status, { location: "http://127.0.0.1:1/" }).end(body);
  });
  const garbage = ["", "{", "<html>", "[]", "5", '{"id":999,"result":{}}', '{"jsonrpc":"2.0"}'];
  for (body of garbage) await assert.rejects(rpc.call("a", {}, LIMITS, never), failsAs("garbage"));
  for (body of ['{"error":{"code":-32600,"message":"no such ledger"}}', REAL_REFUSAL]) {
    await assert.rejects(rpc.call("a", {}, LIMITS, never), failsAs("refused"));
  }
  for (status of [400, 404, 413, 500, 503]) {
    await assert.rejects(rpc.call("a", {}, LIMITS, never), failsAs("refused"), String(status));
  }
  for (body of ["", "<html>"]) {
    status = 429;
    await assert.rejects(rpc.call("a", {}, LIMITS, never), failsAs("overloaded"));
  }
  for (status of [301, 400, 404, 500, 502, 503, 504]) {
    await assert.rejects(rpc.call("a", {}, LIMITS, never), failsAs("unreachable"), String(status));
  }
});

test("a connection that breaks or is refused is told, and an abort ends a call at once", async (t) => {
  const breaking = await serverOf(t, (_request, response) => response.destroy());
  await assert.rejects(breaking.call("a", {}, LIMITS, never), failsAs("unreachable"));
  await assert.rejects(
    new JsonRpc("http://127.0.0.1:1/").call("a", {}, LIMITS, never),
    failsAs("unreachable"),
  );
  const silent = await serverOf(t, () => undefined);
  const abort = new AbortController();
  const call = silent.call("a", {}, LIMITS, abort.signal);
  abort.abort();
  await assert.rejects(call, RpcError);
});

test("calls one after the other and at once get their own answers", async (t) => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { id, params } = JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>;
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: params }));
  };
  const echo = await serverOf(t, (request, response) => void answer(request, response));
  const ask = async (value: number) => (await echo.call("a", { value }, LIMITS, never)).result;
  for (let value = 0; value < 5; value += 1) assert.deepEqual(await ask(value), { value });
  const values = [10, 11, 12, 13, 14, 15];
  assert.deepEqual(
    await Promise.all(values.map(ask)),
    values.map((value) => ({ value })),
  );
});
