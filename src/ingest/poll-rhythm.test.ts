import assert from "node:assert/strict";
import { test } from "node:test";
import { PollRhythm } from "./poll-rhythm.ts";

/** A server that serves ledgers at the given times, asked as the rhythm says. */
function simulate(
  arrivals: readonly number[],
  replyMs: number,
  stallMs = 0,
): { delays: number[]; rate: number } {
  const random = sequence(11);
  const rhythm = new PollRhythm();
  const delays: number[] = [];
  let now = 0;
  let seen = 0;
  let requests = 0;
  while (seen < arrivals.length) {
    rhythm.asked(now);
    requests += 1;
    const asked = now;
    now += replyMs;
    const before = seen;
    while (seen < arrivals.length && (arrivals[seen] ?? 0) <= asked + replyMs / 2) {
      delays.push(now - (arrivals[seen] ?? 0));
      seen += 1;
    }
    if (seen > before) rhythm.arrived(seen - before);
    else rhythm.missed(now);
    // Now and then the machine is busy with something else.
    const stall = stallMs > 0 && random() < 0.02 ? stallMs : 0;
    now += Math.max(1, rhythm.waitMs(now)) + stall + random() * stallMs * 0.05;
  }
  return { delays, rate: (requests / now) * 1000 };
}

/** Deterministic values in [0, 1). */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function arrivals(count: number, intervalMs: number, jitterMs: number): number[] {
  const random = sequence(7);
  const times: number[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    at += intervalMs + (random() - 0.5) * jitterMs;
    times.push(at);
  }
  return times;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const CASES: readonly {
  readonly name: string;
  readonly intervalMs: number;
  readonly jitterMs: number;
  readonly p99: number;
  readonly replyMs?: number;
}[] = [
  { name: "5 s, steady", intervalMs: 5_000, jitterMs: 20, p99: 100 },
  { name: "5.5 s, as uneven as a public network", intervalMs: 5_500, jitterMs: 1_000, p99: 100 },
  { name: "500 ms", intervalMs: 500, jitterMs: 10, p99: 100 },
  { name: "1 s", intervalMs: 1_000, jitterMs: 100, p99: 100 },
  // More ledgers than requests: each request brings several.
  { name: "50 ms", intervalMs: 50, jitterMs: 5, p99: 320 },
  // The round trip, and one more until the next request.
  { name: "5 s, from afar", intervalMs: 5_000, jitterMs: 100, p99: 140, replyMs: 80 },
  { name: "500 ms, from afar", intervalMs: 500, jitterMs: 60, p99: 160, replyMs: 80 },
];

for (const { name, intervalMs, jitterMs, p99, replyMs = 5 } of CASES) {
  test(`ledgers every ${name}: seen soon, at four requests a second at most`, () => {
    const { delays, rate } = simulate(arrivals(2_000, intervalMs, jitterMs), replyMs);
    // What it learns at the start is not counted.
    const steady = delays.slice(40);
    assert.equal(delays.length, 2_000);
    assert.ok(rate <= 4, `${rate.toFixed(2)} requests a second`);
    const late = percentile(steady, 0.99);
    assert.ok(
      late <= p99,
      `p99 ${late.toFixed(0)} ms, median ${percentile(steady, 0.5).toFixed(0)} ms`,
    );
  });
}

test("busy moments of the machine cost the ledgers they meet, not those after them", () => {
  const { delays, rate } = simulate(arrivals(2_000, 500, 30), 8, 250);
  assert.ok(rate <= 4, `${rate.toFixed(2)} requests a second`);
  const steady = delays.slice(40);
  assert.ok(percentile(steady, 0.9) <= 100, `p90 ${percentile(steady, 0.9).toFixed(0)} ms`);
  assert.ok(percentile(steady, 0.5) <= 60, `median ${percentile(steady, 0.5).toFixed(0)} ms`);
});

test("a network that closes ledgers faster than before is followed at its new rhythm", () => {
  const [slow, fast] = [arrivals(200, 5_000, 20), arrivals(200, 1_000, 20)];
  const last = slow.at(-1) ?? 0;
  const { delays, rate } = simulate([...slow, ...fast.map((at) => last + at)], 5);
  assert.ok(rate <= 4, `${rate.toFixed(2)} requests a second`);
  const late = percentile(delays.slice(-100), 0.99);
  assert.ok(late <= 100, `p99 ${late.toFixed(0)} ms`);
});

test("a network that stood still is followed at its rhythm once it goes on", () => {
  const times = arrivals(200, 5_000, 20);
  const last = times.at(-1) ?? 0;
  const { delays, rate } = simulate([...times, ...times.map((at) => last + 600_000 + at)], 5);
  assert.ok(rate <= 4, `${rate.toFixed(2)} requests a second`);
  // The first one after it comes at any moment.
  const late = percentile(delays.slice(201), 0.99);
  assert.ok(late <= 270, `p99 ${late.toFixed(0)} ms`);
});

test("a network that stands still is asked about once a second at least", () => {
  const times = [...arrivals(100, 500, 10)];
  const last = times.at(-1) ?? 0;
  const { delays, rate } = simulate([...times, last + 120_000], 5);
  assert.ok((delays.at(-1) ?? 0) <= 1_100);
  assert.ok(rate <= 4);
});
