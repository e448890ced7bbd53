import assert from "node:assert/strict";
import { after, test } from "node:test";
import { TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { FakeRpc } from "../../test/ingest/fake-rpc.ts";
import { IngestError } from "./ingest-error.ts";
import { RpcError } from "./json-rpc.ts";
import { RpcPool } from "./rpc-pool.ts";

const LIMITS = { timeoutMs: 60_000, bytesMax: 1 << 20 };
const never = new AbortController().signal;

async function poolOf(count: number, random = () => 0.5) {
  const rpcs = Array.from({ length: count }, () => new FakeRpc());
  const urls = await Promise.all(rpcs.map((rpc) => rpc.listen()));
  after(() => Promise.all(rpcs.map((rpc) => rpc.close())));
  const clock = { time: 1_000_000 };
  const timer = { now: () => clock.time, sleep: () => Promise.resolve() };
  const logs: string[] = [];
  const pool = new RpcPool({
    urls,
    passphrase: TEST_PASSPHRASE,
    timer,
    log: (_level, message) => logs.push(message),
    random,
  });
  const ask = () => pool.call("getHealth", undefined, LIMITS, never);
  const asked = () => rpcs.map(({ requests }) => requests.length);
  return { rpcs, pool, clock, logs, ask, asked };
}

test("a failing URL is left alone ever longer, at most half a minute, spread by chance", async () => {
  for (const [random, share] of [
    [0, 0.5],
    [0.999_999, 1],
  ] as const) {
    const { rpcs, pool, clock, ask } = await poolOf(1, () => random);
    for (const rpc of rpcs) rpc.fault = () => ({ status: 503, body: "" });
    const rests: number[] = [];
    for (let failure = 0; failure < 10; failure += 1) {
      await assert.rejects(ask(), RpcError);
      rests.push(Math.round(pool.restMs() / share));
      clock.time += pool.restMs();
    }
    assert.deepEqual(rests, [250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
    for (const rpc of rpcs) rpc.fault = () => undefined;
    await ask();
    for (const rpc of rpcs) rpc.fault = () => ({ status: 503, body: "" });
    await assert.rejects(ask(), RpcError);
    assert.equal(Math.round(pool.restMs() / share), 250, "an answer makes up for all");
  }
});

test("the next URL takes over at once, and goes on while it answers", async () => {
  const { rpcs, pool, ask, asked } = await poolOf(2);
  const [first] = rpcs;
  assert.ok(first !== undefined);
  await ask();
  first.fault = () => ({ cut: true });
  await assert.rejects(ask(), RpcError);
  assert.equal(pool.restMs(), 0);
  first.fault = () => undefined;
  for (let call = 0; call < 3; call += 1) await ask();
  // Each is asked for its network once.
  assert.deepEqual(asked(), [3, 4]);
});

test("a refusal is an answer: nobody rests for it", async () => {
  const { pool, rpcs } = await poolOf(2);
  await assert.rejects(pool.call("none", undefined, LIMITS, never), { failure: "refused" });
  assert.equal(pool.restMs(), 0);
  assert.equal(rpcs[1]?.requests.length, 0);
});

test("a URL of another network is never asked again, and with no other left that is fatal", async () => {
  const { rpcs, pool, logs, ask } = await poolOf(2);
  const [first, second] = rpcs;
  assert.ok(first !== undefined && second !== undefined);
  first.passphrase = "Another";
  await assert.rejects(ask(), RpcError);
  await ask();
  assert.equal(pool.size, 1);
  assert.match(logs.join(), /serves the network "Another"/);
  const lone = await poolOf(1);
  for (const rpc of lone.rpcs) rpc.passphrase = "Another";
  await assert.rejects(lone.ask(), (thrown) => {
    assert.ok(thrown instanceof IngestError);
    return thrown.code === "wrong_network";
  });
});
