// The search for routes by itself: on the devnet's large book and on one where every pair of 60
// assets is a market, with unique requests of both directions; beside it, in the same run, a plain
// router on the same book, and the round trip of a trivial task through a thread pool.
import assert from "node:assert/strict";
import { Piscina } from "piscina";
import type { QuoteDirection, QuoteRequest, QuoteResult } from "../src/router-worker/quote.ts";
import { QuoteSearch } from "../src/router-worker/search/quote-search.ts";
import { bookOfWorld } from "../test/support/book-of-world.ts";
import type { WorldState } from "../test/vectors/settlement-case.ts";
import type { Bench, Figure } from "./bench.ts";
import { quantile } from "./quantile.ts";
import { denseWorld, devnetWorld, QuoteRequests } from "./quote-worlds.ts";
import { type ReferenceRoute, ReferenceRouter } from "./reference-router.ts";

/**
 * Median orders that a request is for. A large one takes several orders of each hop; a crowded one
 * would take more than a route can list, so that which ones to list is most of the work.
 */
const SMALL = 0.1;
const LARGE = 2;
const CROWDED = 8;

type Scenario = {
  readonly direct: boolean;
  readonly size: number;
  /** Goals. */
  readonly median?: string;
  readonly p99?: string;
};

type Runs = {
  readonly warmUp: number;
  readonly measured: number;
  /** Requests that the plain router answers too. */
  readonly compared: number;
};

const FULL_RUNS: Runs = { warmUp: 1000, measured: 4000, compared: 100 };
const TINY_RUNS: Runs = { warmUp: 5, measured: 30, compared: 4 };
/** Requests that one of the two answers before the other has its turn. */
const COMPARED_AT_ONCE = 20;
const DIRECTIONS: readonly QuoteDirection[] = ["strict_send", "strict_receive"];

export const bench: Bench = async ({ tiny }) => {
  const runs = tiny ? TINY_RUNS : FULL_RUNS;
  const trip = await roundTrip(tiny ? 20 : 4000);
  const large = devnetWorld(tiny ? "small" : "large");
  const dense = tiny ? denseWorld(8, 5) : denseWorld(60, 30);
  const trivial = `below the trivial round trip, ${trip.toFixed(0)} us`;
  const fourTrivial = `below 4 trivial round trips, ${(4 * trip).toFixed(0)} us`;
  return [
    { name: "trivial round trip of the thread pool: median", value: trip, unit: "us" },
    ...measure("large", large, runs, [
      ["3-hop, small", { direct: false, size: SMALL, median: trivial, p99: "below 1000" }],
      ["3-hop, large", { direct: false, size: LARGE, median: fourTrivial, p99: "below 1000" }],
      ["3-hop, crowded", { direct: false, size: CROWDED }],
      ["direct, small", { direct: true, size: SMALL }],
      ["direct, large", { direct: true, size: LARGE }],
    ]),
    ...measure("dense", dense, runs, [
      ["3-hop, small", { direct: false, size: SMALL, p99: "below 10000" }],
      ["3-hop, large", { direct: false, size: LARGE, p99: "below 10000" }],
      ["3-hop, crowded", { direct: false, size: CROWDED, p99: "below 10000" }],
    ]),
  ];
};

function measure(
  book: string,
  world: WorldState,
  runs: Runs,
  scenarios: readonly (readonly [string, Scenario])[],
): readonly Figure[] {
  const view = bookOfWorld(world);
  const search = new QuoteSearch(view);
  const reference = new ReferenceRouter(world);
  const requests = new QuoteRequests(world);
  const context = { now: world.now, skipWindow: 600, shouldStop: () => false };
  const answer = (request: QuoteRequest) => search.quote(view, request, context);
  return scenarios.flatMap(([name, { direct, size, median, p99 }]) => {
    const next = (at: number) => requests.next(DIRECTIONS[at % 2] ?? "strict_send", direct, size);
    for (let at = 0; at < runs.warmUp; at += 1) answer(next(at));
    const times: number[] = [];
    let [routes, uncertain, cut] = [0, 0, 0];
    for (let at = 0; at < runs.measured; at += 1) {
      const request = next(at);
      const start = performance.now();
      const result = answer(request);
      times.push((performance.now() - start) * 1000);
      if (result.status === "success") routes += result.routes.length;
      if (search.uncertainPaths > 0) uncertain += 1;
      if (search.isCut) cut += 1;
    }
    assert(routes > 0, `${book}, ${name}: no routes at all`);
    const factor = compare(
      answer,
      reference,
      Array.from({ length: runs.compared }, (_, at) => next(at)),
    );
    const figure = (of: string, value: number, unit: string, goal?: string): Figure => {
      const label = `${book}, ${name}: ${of}`;
      return goal === undefined ? { name: label, value, unit } : { name: label, value, unit, goal };
    };
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    return [
      figure("median", quantile(times, 0.5), "us", median),
      figure("p99", quantile(times, 0.99), "us", p99),
      figure("p99.9", quantile(times, 0.999), "us"),
      figure("quotes a second and core", 1e6 / mean, "1/s"),
      figure("routes a quote", routes / runs.measured, ""),
      figure("with a listing not proven best", (100 * uncertain) / runs.measured, "%"),
      figure("out of work before all paths", (100 * cut) / runs.measured, "%"),
      figure(
        "plain router",
        factor,
        "times as long",
        direct || size > LARGE ? undefined : "at least 50",
      ),
    ];
  });
}

/**
 * How much longer the plain router takes, in all; and no answer of it may be better than ours. In
 * turns of some requests each: one after the other, either would find the caches full of the
 * other's data.
 */
function compare(
  answer: (request: QuoteRequest) => ReturnType<QuoteSearch["quote"]>,
  reference: ReferenceRouter,
  requests: readonly QuoteRequest[],
): number {
  let [ours, theirs] = [0, 0];
  for (let from = 0; from < requests.length; from += COMPARED_AT_ONCE) {
    const some = requests.slice(from, from + COMPARED_AT_ONCE);
    let start = performance.now();
    const results = some.map(answer);
    ours += performance.now() - start;
    start = performance.now();
    const plain = some.map((request) => reference.quote(request)[0]);
    theirs += performance.now() - start;
    for (const [at, request] of some.entries()) checkNoWorse(request, results[at], plain[at]);
  }
  return theirs / ours;
}

function checkNoWorse(
  { direction }: QuoteRequest,
  result: QuoteResult | undefined,
  plain: ReferenceRoute | undefined,
): void {
  if (plain === undefined) return;
  const best = result?.status === "success" ? result.routes[0] : undefined;
  assert(best !== undefined, "the plain router finds a route where the search finds none");
  if (direction === "strict_send") assert(best.bought >= plain.bought);
  else assert(best.sold <= plain.sold);
}

/** Median of a task through a pool of one thread, one at a time, in microseconds. */
async function roundTrip(count: number): Promise<number> {
  const filename = new URL("./trivial-task.js", import.meta.url).href;
  const pool = new Piscina<number, number>({ filename, minThreads: 1, maxThreads: 1 });
  const times: number[] = [];
  for (let at = 0; at < 2 * count; at += 1) {
    const start = performance.now();
    assert.equal(await pool.run(at), at + 1);
    // The first half warms up.
    if (at >= count) times.push((performance.now() - start) * 1000);
  }
  await pool.destroy();
  return quantile(times, 0.5);
}
