// The verdict of a soak on made-up samples, and a soak of a few seconds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runSoak } from "../../bench/soak/run-soak.ts";
import type { SoakSample } from "../../bench/soak/sample.ts";
import { median, slopeOf } from "../../bench/soak/trend.ts";
import { judge } from "../../bench/soak/verdict.ts";

const MINUTES = 60;

/** An hour of samples; what differs in each is made of its minute. */
function hour(differing: (minute: number) => Partial<SoakSample>): readonly SoakSample[] {
  return Array.from({ length: MINUTES }, (_, minute) => ({
    minute,
    ownMiB: 200 + (minute % 7),
    residentMiB: 300,
    heapMiB: 50 + (minute % 5),
    fileMiB: 10 + minute,
    records: 1000 * minute,
    p50Ms: 1,
    p99Ms: 10 + (minute % 3),
    loopP99Ms: 3,
    pushP99Ms: 50,
    ledgerMessages: 100,
    answers: 3000,
    wrong: 0,
    refused: 0,
    pushLost: 0,
    lag: 0,
    ...differing(minute),
  }));
}

function bad(samples: readonly SoakSample[]): readonly string[] {
  return judge(samples).flatMap(({ name, good }) => (good ? [] : [name]));
}

test("an hour in which nothing grows is good, whatever single samples say", () => {
  assert.deepEqual(bad(hour(() => ({}))), []);
  assert.deepEqual(bad(hour((minute) => (minute === 59 ? { ownMiB: 900, p99Ms: 500 } : {}))), []);
});

test("what grows is named", () => {
  assert.deepEqual(bad(hour((minute) => ({ ownMiB: 200 + minute }))), ["memory is flat"]);
  assert.deepEqual(bad(hour((minute) => ({ p99Ms: 10 + minute }))), ["latency p99 is flat"]);
  const fileMiB = (minute: number) => 10 + minute + Math.max(0, minute - 30);
  assert.deepEqual(bad(hour((minute) => ({ fileMiB: fileMiB(minute) }))), [
    "file grows by its records alone",
  ]);
});

test("what must never be is bad in the shortest run", () => {
  const short = (differing: Partial<SoakSample>) => hour(() => differing).slice(0, 2);
  assert.deepEqual(bad(short({})), []);
  assert.deepEqual(bad(short({ wrong: 1 })), ["wrong answers"]);
  assert.deepEqual(bad(short({ refused: 6 })), []);
  assert.deepEqual(bad(short({ refused: 60 })), ["refused for overload"]);
  assert.deepEqual(bad(short({ ledgerMessages: 0 })), ["samples without a push"]);
  assert.deepEqual(bad(short({ lag: 20 })), ["ledgers behind, most"]);
});

test("a slope is what most of the samples say", () => {
  assert.equal(slopeOf([1, 3, 5, 7]), 2);
  assert.equal(slopeOf([1, 1, 50, 1, 1]), 0);
  assert.equal(median([]), 0);
});

test("a soak of seconds runs through and finds nothing wrong", async () => {
  const report = await runSoak({
    minutes: 0.1,
    sampleSeconds: 2,
    ledgerTime: 500,
    rate: 20,
    websockets: 5,
    seed: 1,
    onSample: () => undefined,
    say: () => undefined,
  });
  assert.equal(report.samples.length, 3);
  assert.ok(report.samples.every(({ ownMiB, fileMiB }) => ownMiB > 0 && fileMiB > 0));
  // On a busy machine it falls behind, has no time for a quote, and two seconds pass without a ledger.
  const ofMachine = /^(ledgers|refused|samples)/;
  const wrong = report.judged.filter(({ name, good }) => !good && !ofMachine.test(name));
  assert.deepEqual(wrong, []);
});
