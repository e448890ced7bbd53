import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReadinessInput, readiness } from "./readiness.ts";

const following: ReadinessInput = {
  engine: { ledger: 100, closeTime: 1_700_000_000 },
  ingest: { state: "following", message: undefined, tip: 101 },
  nowMs: 1_700_000_006_999,
  lagSecondsMax: 6,
  isDraining: false,
};

test("an engine that follows closely is ready, up to the limit", () => {
  assert.deepEqual(readiness(following), {
    ready: true,
    reasons: [],
    state: "following",
    ledger: 100,
    lagSeconds: 6,
    lagLedgers: 1,
  });
  const late = readiness({ ...following, nowMs: 1_700_000_007_000 });
  assert.equal(late.ready, false);
  assert.deepEqual(late.reasons, ["the last ledger closed 7 s ago, more than 6 s (following)"]);
  assert.equal(readiness({ ...following, nowMs: 2e12, lagSecondsMax: 0 }).ready, true);
});

test("a source that fails for a moment takes nothing away, and is named once the lag is too long", () => {
  const ingest = { state: "unreachable", message: "no RPC answers", tip: 101 } as const;
  assert.equal(readiness({ ...following, ingest }).ready, true);
  const late = readiness({ ...following, ingest, nowMs: 1_700_000_100_000 });
  assert.match(late.reasons.join(), /100 s ago.*unreachable: no RPC answers/);
});

test("an engine that starts, that read nothing yet or that reads no more is not ready", () => {
  const starting = readiness({ ...following, engine: undefined });
  assert.deepEqual(starting.reasons, ["the engine is starting"]);
  assert.equal(starting.ledger, null);
  const empty = { ledger: undefined, closeTime: 0 };
  assert.deepEqual(readiness({ ...following, engine: empty }).reasons, ["no ledger was read yet"]);
  const ingest = { state: "stopped", message: "ledger 101 is undecodable", tip: 200 } as const;
  const stopped = readiness({ ...following, ingest });
  assert.deepEqual(stopped.reasons, ["reading ledgers stopped: ledger 101 is undecodable"]);
  assert.equal(stopped.lagLedgers, 100);
});

test("a close time ahead of the clock is no lag", () => {
  assert.equal(readiness({ ...following, nowMs: 1_699_999_000_000 }).lagSeconds, 0);
});

test("an engine that was asked to end is not ready, however young its ledger is", () => {
  const draining = readiness({ ...following, isDraining: true });
  assert.deepEqual([draining.ready, draining.reasons], [false, ["the engine is shutting down"]]);
});

test("an engine far from the tip does not follow, whatever the reader does", () => {
  for (const [tip, state] of [
    [112, "following"],
    [113, "catching-up"],
    [406, "catching-up"],
  ] as const) {
    const far = readiness({ ...following, ingest: { ...following.ingest, tip } });
    assert.deepEqual([far.state, far.lagLedgers], [state, tip - 100]);
  }
  const ingest = { state: "gap", message: "no 101", tip: 406 } as const;
  assert.equal(readiness({ ...following, ingest }).state, "gap");
});
