// What two load reports say of each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareReports } from "../../bench/load/compare.ts";
import type { LoadFigure, LoadReport } from "../../bench/load/figure.ts";

const SETTINGS = { scale: "small", rate: 100, connections: 8, websockets: 8, seconds: 10 };

function reportOf(figures: readonly LoadFigure[], settings = SETTINGS): LoadReport {
  return {
    kind: "load",
    at: "2026-01-01T00:00:00.000Z",
    machine: { node: "v20", cpu: "some", cores: 2 },
    settings,
    mix: "",
    figures,
    outcomes: {},
    wrong: {},
  };
}

function latency(value: number, slices: readonly number[] = []): LoadFigure {
  return { name: "all: p99", value, unit: "ms", better: "lower", slices };
}

function verdictOf(before: LoadFigure, after: LoadFigure, tolerance = 0.1): string | undefined {
  const { figures } = compareReports(reportOf([before]), reportOf([after]), tolerance);
  return figures[0]?.verdict;
}

test("a difference within the tolerance is none, beyond it the direction counts", () => {
  assert.equal(verdictOf(latency(100), latency(109)), "same");
  assert.equal(verdictOf(latency(100), latency(120)), "worse");
  assert.equal(verdictOf(latency(100), latency(80)), "better");
  const rate: LoadFigure = { name: "rate", value: 100, unit: "requests/s", better: "higher" };
  assert.equal(verdictOf(rate, { ...rate, value: 80 }), "worse");
  assert.equal(verdictOf(rate, { ...rate, value: 120 }), "better");
});

test("a figure that varies within a run must differ by more than that", () => {
  const noisy = [60, 80, 100, 120, 500];
  assert.equal(verdictOf(latency(100, noisy), latency(125)), "same");
  assert.equal(verdictOf(latency(100), latency(125, noisy)), "same");
  assert.equal(verdictOf(latency(100, noisy), latency(200)), "worse");
});

test("tiny latencies are not told apart, and any error is worse than none", () => {
  assert.equal(verdictOf(latency(0.2), latency(0.9)), "same");
  const errors: LoadFigure = { name: "errors", value: 0, unit: "requests", better: "lower" };
  assert.equal(verdictOf(errors, { ...errors, value: 1 }), "worse");
});

test("what only one report has is named, what is only shown is not judged", () => {
  const shown: LoadFigure = { name: "longest", value: 1, unit: "ms", better: "neither" };
  const before = reportOf([latency(1), shown]);
  const after = reportOf([{ ...shown, value: 900 }]);
  assert.deepEqual(compareReports(before, after, 0.1), { figures: [], unmatched: ["all: p99"] });
});

test("runs of different settings are not compared", () => {
  const other = reportOf([], { ...SETTINGS, rate: 200 });
  assert.throws(() => compareReports(reportOf([]), other, 0.1), /differ in rate: 100 and 200/);
});
