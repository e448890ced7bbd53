// The short form of a chaos run (`npm run chaos` is the long one): every kind of fault once, under
// load and fast ledgers, and then everything the engine says is what the contract did.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULTS } from "../../bench/chaos/fault.ts";
import { runChaos } from "../../bench/chaos/run-chaos.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";

const SEED = 1;

test("the engine survives every fault, and says nothing wrong after them", async (context) => {
  const report = await runChaos({
    seed: SEED,
    // One round takes far less, but on a machine that is slow.
    minutes: 8,
    rounds: 1,
    pauseMs: 200,
    holdMs: 600,
    ledgerTime: 500,
    devnet: SMALL_DEVNET,
    rate: 20,
    // Four of every kind.
    stalledClients: 24,
    say: (line) => context.diagnostic(line),
  });
  const { faults, survived, skipped } = report;
  assert.deepEqual(faults, [], `seed ${SEED}: ${JSON.stringify(report)}`);
  const names = FAULTS.map(({ name }) => name).sort();
  assert.deepEqual([...Object.keys(survived), ...Object.keys(skipped)].sort(), names);
});
