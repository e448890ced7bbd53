import assert from "node:assert/strict";
import { after, test } from "node:test";
import { buildChain, TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { FakeRpc, FakeTimer } from "../../test/ingest/fake-rpc.ts";
import { oldestLedger } from "./oldest-ledger.ts";
import { SourceSet } from "./source-set.ts";

const HEALTH = { status: "healthy", oldestLedger: 7, latestLedger: 9 };
const BENT: Readonly<Record<string, object>> = {
  "no result": { result: null },
  "no oldest ledger": { result: { ...HEALTH, oldestLedger: undefined } },
  "an oldest ledger after the latest": { result: { ...HEALTH, oldestLedger: 4_000_000_000 } },
  "a negative ledger": { result: { ...HEALTH, oldestLedger: -1 } },
  "a fraction": { result: { ...HEALTH, oldestLedger: 1.5 } },
  "a ledger beyond 2^32": { result: { ...HEALTH, oldestLedger: 2 ** 32, latestLedger: 2 ** 33 } },
  "that it is not well": { error: { code: -32603, message: "latency is too high (>30s)" } },
};

for (const [what, answer] of Object.entries(BENT)) {
  for (const urls of [1, 2]) {
    test(`a server that answers with ${what} is asked ever more seldom, or another (${urls} URLs)`, async () => {
      const rpcs = Array.from({ length: urls }, () => new FakeRpc());
      for (const rpc of rpcs) rpc.add(...buildChain(7, 3));
      const [first, second] = rpcs;
      assert.ok(first !== undefined);
      const timer = new FakeTimer();
      const began = timer.time;
      const health = () => first.requests.filter(({ method }) => method === "getHealth").length;
      first.fault = ({ id, method }) =>
        method === "getHealth" && timer.time - began < 60_000
          ? { body: JSON.stringify({ jsonrpc: "2.0", id, ...answer }) }
          : undefined;
      const listened = await Promise.all(rpcs.map((rpc) => rpc.listen()));
      after(() => Promise.all(rpcs.map((rpc) => rpc.close())));
      const logs: string[] = [];
      const log = (_level: string, message: string) => void logs.push(message);
      const set = new SourceSet({ urls: listened, passphrase: TEST_PASSPHRASE, timer, log });
      const { signal } = new AbortController();
      assert.equal(await oldestLedger(set, { timer, log, signal }), 7);
      assert.ok(health() <= (second === undefined ? 12 : 1), `${health()} requests`);
      assert.equal(logs.length, 1, logs.join("\n"));
    });
  }
}
