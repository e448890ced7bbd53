import assert from "node:assert/strict";
import { after, test } from "node:test";
import { TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { FakeRpc } from "../../test/ingest/fake-rpc.ts";
import { IngestError } from "./ingest-error.ts";
import { RpcError } from "./json-rpc.ts";
import { SOURCE_USES, type SourceUse } from "./source-board.ts";
import { SourceSet } from "./source-set.ts";

const LIMITS = { timeoutMs: 60_000, bytesMax: 1 << 20 };
const never = new AbortController().signal;

async function setOf(count: number, random = () => 0.5) {
  const rpcs = Array.from({ length: count }, () => new FakeRpc());
  const urls = await Promise.all(rpcs.map((rpc) => rpc.listen()));
  after(() => Promise.all(rpcs.map((rpc) => rpc.close())));
  const clock = { time: 1_000_000 };
  const timer = { now: () => clock.time, sleep: () => Promise.resolve() };
  const logs: string[] = [];
  const options = {
    urls,
    passphrase: TEST_PASSPHRASE,
    timer,
    log: (_level: string, message: string) => void logs.push(message),
    random,
  };
  const set = new SourceSet(options);
  /** Of another thread of the process. */
  const other = new SourceSet({ ...options, board: set.board.memory });
  const ask = (use: SourceUse = "ledgers", of = set) =>
    of.call(use, "getHealth", undefined, LIMITS, never);
  const asked = () => rpcs.map(({ requests }) => requests.length);
  return { rpcs, set, other, clock, logs, ask, asked };
}

test("a failing URL is backed off ever longer, at most half a minute, spread by chance", async () => {
  for (const [random, share] of [
    [0, 0.5],
    [0.999_999, 1],
  ] as const) {
    const { rpcs, set, clock, ask } = await setOf(1, () => random);
    for (const rpc of rpcs) rpc.fault = () => ({ status: 503, body: "" });
    const rests: number[] = [];
    for (let failure = 0; failure < 10; failure += 1) {
      await assert.rejects(ask(), RpcError);
      rests.push(Math.round(set.restMs("ledgers") / share));
      clock.time += set.restMs("ledgers");
    }
    assert.deepEqual(rests, [250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
    for (const rpc of rpcs) rpc.fault = () => undefined;
    await ask();
    for (const rpc of rpcs) rpc.fault = () => ({ status: 503, body: "" });
    await assert.rejects(ask(), RpcError);
    assert.equal(Math.round(set.restMs("ledgers") / share), 250, "an answer makes up for all");
  }
});

test("the next URL takes over at once, and goes on while it answers", async () => {
  const { rpcs, set, ask, asked, clock } = await setOf(2);
  const [first] = rpcs;
  assert.ok(first !== undefined);
  await ask();
  first.fault = () => ({ cut: true });
  await assert.rejects(ask(), RpcError);
  assert.equal(set.restMs("ledgers"), 0);
  first.fault = () => undefined;
  for (let call = 0; call < 3; call += 1) {
    await ask();
    clock.time += 60_000;
  }
  // Each is asked for its network once.
  assert.deepEqual(asked(), [3, 4]);
});

test("a URL that failed comes after those that did not, also once it may be asked again", async () => {
  const { rpcs, set, ask, asked, clock } = await setOf(3);
  rpcs.slice(0, 2).forEach((rpc) => {
    rpc.fault = () => ({ status: 503, body: "" });
  });
  for (let call = 0; call < 2; call += 1) {
    await assert.rejects(ask(), RpcError);
    // As long as a server takes that hangs.
    clock.time += 7_000;
  }
  await ask();
  assert.deepEqual(asked(), [1, 1, 2]);
  assert.equal(set.pick("ledgers"), 2);
});

test("a server that does not say its network is asked for nothing by anybody", async () => {
  for (const fault of [{ body: "{}" }, { body: "<html>" }, { status: 500, body: "" }]) {
    const { rpcs, set, other, ask, asked } = await setOf(2);
    const [first] = rpcs;
    assert.ok(first !== undefined);
    first.fault = ({ method }) => (method === "getNetwork" ? fault : undefined);
    await assert.rejects(ask("ledgers"), RpcError);
    for (const of of [set, other]) {
      for (const use of SOURCE_USES) await ask(use, of);
    }
    assert.deepEqual(asked(), [1, 7]);
  }
});

test("a use that fails costs no other, a dead server and its Retry-After are known to all", async () => {
  const { rpcs, set, other, clock, ask, asked } = await setOf(1);
  const [rpc] = rpcs;
  assert.ok(rpc !== undefined);
  rpc.fault = ({ method }) => (method === "getHealth" ? { status: 500, body: "" } : undefined);
  await assert.rejects(ask("simulations"), { failure: "unreachable" });
  assert.ok(set.restMs("simulations") > 0);
  assert.equal(set.restMs("ledgers"), 0);
  for (const form of ["seconds", "date"]) {
    clock.time += 60_000;
    const header = form === "seconds" ? "10" : new Date(Date.now() + 50_000).toUTCString();
    rpc.fault = () => ({ status: 429, headers: { "retry-after": header }, body: "" });
    const before = asked()[0] ?? 0;
    await assert.rejects(ask("entries"), { failure: "overloaded" });
    assert.equal(asked()[0], before + 1);
    for (const use of SOURCE_USES) {
      for (const of of [set, other]) {
        const rest = of.restMs(use);
        // A date is read by the machine's clock, which goes on; seconds are not.
        if (form === "seconds") assert.ok(rest > 8_000 && rest <= 10_000, `${use}: ${rest} ms`);
        else assert.ok(rest > 10_000 && rest <= 50_000, `${use}: ${rest} ms`);
      }
    }
  }
  clock.time += 60_000;
  rpc.fault = () => undefined;
  await ask("entries");
  await rpc.close();
  // The connection that was kept ends first.
  await assert.rejects(ask("entries"), RpcError);
  await assert.rejects(ask("entries"), { failure: "disconnected" });
  assert.ok(other.restMs("ledgers") > 0);
  assert.equal(other.board.state(0, clock.time), "failing");
});

test("whatever a server asks for, it is asked ever more seldom, and again within minutes", async () => {
  for (const status of [429, 503]) {
    for (const header of ["0", "-5", "1.5", "soon", "", "Wed, 21 Oct 2015 07:28:00 GMT"]) {
      const { rpcs, set, clock, ask } = await setOf(1);
      for (const rpc of rpcs) {
        rpc.fault = () => ({ status, headers: { "retry-after": header }, body: "" });
      }
      const began = clock.time;
      let asked = 0;
      for (; clock.time - began < 60_000; asked += 1) {
        await assert.rejects(ask(), RpcError);
        assert.ok(set.restMs("ledgers") > 0 && set.restMs("ledgers") <= 30_000, header);
        clock.time += set.restMs("ledgers");
      }
      assert.ok(asked <= 12, `${status}, ${header}: ${asked} requests`);
    }
    for (const header of ["601", "999999999", "Thu, 31 Dec 2099 23:59:59 GMT"]) {
      const { rpcs, set, ask } = await setOf(1);
      for (const rpc of rpcs) {
        rpc.fault = () => ({ status, headers: { "retry-after": header }, body: "" });
      }
      await assert.rejects(ask(), { failure: "overloaded" });
      assert.equal(set.restMs("ledgers"), 60_000);
    }
  }
});

test("errors sent with another status are what they say", async () => {
  const { rpcs, ask } = await setOf(1);
  const body = JSON.stringify({ error: { code: -32602, message: "no such thing" } });
  for (const rpc of rpcs) {
    rpc.fault = ({ method }) => (method === "getHealth" ? { status: 400, body } : undefined);
  }
  await assert.rejects(ask(), { failure: "refused", rpcCode: -32602 });
});

test("a refusal is an answer: nobody rests for it", async () => {
  const { set, rpcs } = await setOf(2);
  await assert.rejects(set.call("ledgers", "none", undefined, LIMITS, never), {
    failure: "refused",
  });
  assert.equal(set.restMs("ledgers"), 0);
  assert.equal(rpcs[1]?.requests.length, 0);
});

test("a URL of another network is asked again later; an empty store takes the word of all", async () => {
  const { rpcs, set, clock, logs, ask } = await setOf(2);
  const [first] = rpcs;
  assert.ok(first !== undefined);
  first.passphrase = "Another";
  await assert.rejects(ask(), RpcError);
  assert.equal(set.board.state(0, clock.time), "wrong-network");
  await ask();
  assert.match(logs.join(), /serves the network "Another"/);
  set.refuseWrongNetwork();
  first.passphrase = TEST_PASSPHRASE;
  clock.time += 60_000;
  await set.call("ledgers", "getHealth", undefined, LIMITS, never, 0);
  assert.equal(set.board.state(0, clock.time), "good");

  const lone = await setOf(1);
  for (const rpc of lone.rpcs) rpc.passphrase = "Another";
  for (let times = 0; times < 3; times += 1) {
    lone.set.refuseWrongNetwork();
    await assert.rejects(lone.ask(), RpcError);
    lone.clock.time += 60_000;
  }
  assert.throws(
    () => lone.set.refuseWrongNetwork(),
    (thrown) => thrown instanceof IngestError && thrown.code === "wrong_network",
  );
});

test("pages are as large as some 16 MB of ledgers, at most what the protocol allows", async () => {
  const { set, other } = await setOf(1);
  const MB = 1 << 20;
  assert.ok(set.pageLimit(0) <= 4, "nothing is known yet");
  for (let page = 0; page < 40; page += 1) set.pageReceived(0, set.pageLimit(0) * 1_000, 4);
  assert.equal(set.pageLimit(0), 200);
  // Larger ledgers count at once, and for all threads.
  set.pageReceived(0, 2 * MB, 1);
  assert.equal(other.pageLimit(0), 8);
  set.pageReceived(0, 100 * MB, 1);
  assert.equal(set.pageLimit(0), 1);
  // Smaller ones gradually.
  set.pageReceived(0, MB, 1);
  assert.equal(set.pageLimit(0), 1);
  for (let page = 0; page < 40; page += 1) set.pageReceived(0, MB, 1);
  assert.ok(set.pageLimit(0) >= 14 && set.pageLimit(0) <= 16, String(set.pageLimit(0)));
});

test("a page that was too large is asked for in halves, down to one ledger, and grows again", async () => {
  const { set } = await setOf(1);
  for (let page = 0; page < 40; page += 1) set.pageReceived(0, 4_000, 4);
  const limits: number[] = [];
  while (set.pageRefused(0, set.pageLimit(0))) limits.push(set.pageLimit(0));
  assert.deepEqual(limits, [100, 50, 25, 12, 6, 3, 1]);
  assert.equal(set.pageRefused(0, 1), false);
  for (let page = 0; page < 16; page += 1) set.pageReceived(0, 1_000, 1);
  assert.equal(set.pageLimit(0), 2);
  assert.ok(set.pageRefused(0, 200, 10));
  assert.equal(set.pageLimit(0), 10, "as the server names it");
  for (let page = 0; page < 200; page += 1) {
    set.pageReceived(0, 1_000 * set.pageLimit(0), set.pageLimit(0));
  }
  assert.equal(set.pageLimit(0), 200);
});

test("a source that is behind is asked for nothing while another is not", async () => {
  const { set, other, clock, logs } = await setOf(2);
  set.foundBehind(0, "it ends at 5");
  for (const use of SOURCE_USES) assert.equal(other.pick(use), 1);
  assert.equal(other.board.state(0, clock.time), "behind");
  clock.time += 60_000;
  assert.equal(set.isBehind(0), false, "it is looked at again");
  set.foundBehind(0, "it ends at 5");
  assert.equal(logs.length, 1, "told once");
  set.keepsUp(0);
  assert.equal(other.board.state(0, clock.time), "good");
  set.foundBehind(0, "both");
  set.foundBehind(1, "both");
  assert.equal(set.restMs("ledgers"), 0, "better one that is behind than none");
});
