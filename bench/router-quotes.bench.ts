// The search for routes by itself: on the devnet's large book, at rest and while orders change, and on
// one where every pair of 60 assets is a market, with unique requests of both directions; on a side
// that is flooded, and one that is a maker's ladder. Beside it, in the same run, a plain router on the
// same book, and the round trip of a trivial task through a thread pool.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Piscina } from "piscina";
import type { BookView } from "../src/book/shared-layout.ts";
import { applyChange, writeState } from "../src/book/shared-writer.ts";
import type { Order } from "../src/model/order.ts";
import type { QuoteRequest, QuoteResult } from "../src/router-worker/quote.ts";
import { QuoteSearch } from "../src/router-worker/search/quote-search.ts";
import {
  bookOfWorld,
  bookStateOf,
  changesOfWorld,
  emptyCopy,
} from "../test/support/book-of-world.ts";
import { floodWorld, type HostileWorld, ladderWorld } from "../test/support/hostile-worlds.ts";
import { randomFrom } from "../test/support/random-ledgers.ts";
import type { WorldState } from "../test/vectors/settlement-case.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { quantile } from "./quantile.ts";
import {
  denseWorld,
  devnetWorld,
  directionOf,
  QuoteRequests,
  type RequestKind,
} from "./quote-worlds.ts";
import { type ReferenceRoute, ReferenceRouter } from "./reference-router.ts";

/**
 * Median orders that a request is for. A large one takes several orders of each hop; a crowded one
 * would take more than a route can list, so that which ones to list is most of the work.
 */
const SMALL = 0.1;
const LARGE = 2;
const CROWDED = 8;

type Goals = Partial<Readonly<Record<"median" | "mean" | "p99" | "maximum" | "unproven", string>>>;

type Scenario = RequestKind & { readonly goals?: Goals };

type Runs = {
  readonly warmUp: number;
  readonly measured: number;
  /** Requests that the plain router answers too. */
  readonly compared: number;
  /** Requests to the book of one hard side. */
  readonly hard: number;
};

const FULL_RUNS: Runs = { warmUp: 1000, measured: 4000, compared: 100, hard: 20 };
const TINY_RUNS: Runs = { warmUp: 5, measured: 30, compared: 4, hard: 3 };
/** Orders that change before every so many requests. */
const CHANGED_ORDERS = 200;
const CHANGED_EVERY = 20;
const SKIP_WINDOW = 600;
/** Requests that one of the two answers before the other has its turn. */
const COMPARED_AT_ONCE = 20;

export const bench: Bench = async ({ tiny }) => {
  const runs = tiny ? TINY_RUNS : FULL_RUNS;
  const trip = await roundTrip(tiny ? 20 : 4000);
  const large = devnetWorld(tiny ? "small" : "large");
  const dense = tiny ? denseWorld(8, 5) : denseWorld(60, 30);
  const trivial = `below the trivial round trip, ${trip.toFixed(0)} us`;
  return [
    figure("trivial round trip of the thread pool: median", trip, "us"),
    ...measure("large", large, runs, [
      ["3-hop, small", { direct: false, size: SMALL, goals: { median: trivial } }],
      [
        "3-hop, large",
        { direct: false, size: LARGE, goals: { mean: "at most 40", p99: "at most 500" } },
      ],
      [
        "3-hop, crowded",
        {
          direct: false,
          size: CROWDED,
          goals: { p99: "at most 50000", unproven: "at most 10" },
        },
      ],
      ["direct, small", { direct: true, size: SMALL }],
      ["direct, large", { direct: true, size: LARGE }],
    ]),
    ...whileChanging(large, runs),
    ...measure("dense", dense, runs, [
      ["3-hop, small", { direct: false, size: SMALL, goals: { p99: "below 10000" } }],
      ["3-hop, large", { direct: false, size: LARGE, goals: { p99: "below 10000" } }],
      ["3-hop, crowded", { direct: false, size: CROWDED, goals: { p99: "below 10000" } }],
    ]),
    ...hardSide("ladder of 4000", (seed) => ladderWorld(seed, tiny ? 100 : 4000), runs),
    ...hardSide("flood of 5000", (seed) => floodWorld(seed, tiny ? 100 : 5000, "spent"), runs),
    ...hardSide(
      "flood of 5000 makers",
      (seed) => floodWorld(seed, tiny ? 100 : 5000, "many"),
      runs,
    ),
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
  return scenarios.flatMap(([name, { direct, size, goals }]) => {
    const next = (at: number) => requests.next(at, { direct, size });
    const record = new Answers(search);
    for (let at = 0; at < runs.warmUp; at += 1) record.answer(view, world.now, next(at));
    record.forget();
    for (let at = 0; at < runs.measured; at += 1) record.answer(view, world.now, next(at));
    const label = `${book}, ${name}`;
    const compared = Array.from({ length: runs.compared }, (_, at) => next(at));
    const answer = (request: QuoteRequest) => record.quote(view, world.now, request);
    const plain = figure(
      `${label}: plain router`,
      compare(answer, reference, compared),
      "times as long",
      direct || size > LARGE ? undefined : "at least 50",
    );
    return [...record.figures(label, goals), plain];
  });
}

/** At rest, then with some orders that change in amount or price, or back, before every twenty requests. */
function whileChanging(world: WorldState, runs: Runs): readonly Figure[] {
  const random = randomFrom(11);
  const copy = emptyCopy(world.contract, changesOfWorld(world).length);
  const { view } = copy;
  writeState(view, 1, bookStateOf(world));
  const orders = changesOfWorld(world).flatMap((change) => {
    applyChange(copy, change);
    return change.kind === "put" ? [change.order] : [];
  });
  const search = new QuoteSearch(view);
  const requests = new QuoteRequests(world);
  const put = (order: Order) => applyChange(copy, { kind: "put", order });
  let sequence = 1;
  let changed: readonly Order[] = [];
  const change = () => {
    sequence += 1;
    writeState(view, sequence, { ...bookStateOf(world), ledger: world.ledger + sequence });
    // Half of the changes put orders back: the book stays as hard as it is at rest.
    for (const order of changed) put(order);
    changed = Array.from(
      { length: CHANGED_ORDERS / 2 },
      () => orders[random(orders.length)] as Order,
    );
    for (const order of changed) {
      const isRepriced = random(4) === 0;
      const amount = 1n + (order.quote * BigInt(200 + random(800))) / 1000n;
      const price = (order.price * BigInt(9995 + random(11))) / 10_000n;
      put({ ...order, amount, ...(isRepriced && price > 0n ? { price } : {}) });
    }
  };
  return [["3-hop, small", SMALL] as const, ["3-hop, large", LARGE] as const].flatMap(
    ([name, size]) => {
      const run = (isChanging: boolean): Answers => {
        const record = new Answers(search);
        for (let at = 0; at < runs.warmUp + runs.measured; at += 1) {
          if (at === runs.warmUp) record.forget();
          if (isChanging && at % CHANGED_EVERY === 0) change();
          record.answer(view, world.now, requests.next(at, { direct: false, size }));
        }
        return record;
      };
      const atRest = run(false).median;
      const changing = run(true);
      const label = `changing, ${name}`;
      const ratio = figure(
        `${label}: median to that at rest just before`,
        changing.median / atRest,
        "ratio",
        "at most 2",
      );
      return [...changing.figures(label, { p99: "at most 1500" }), ratio];
    },
  );
}

/** Quotes of one hop into a side that is hard, each by a search that never saw the book. */
function hardSide(
  name: string,
  make: (seed: number) => HostileWorld,
  runs: Runs,
): readonly Figure[] {
  const { state, request } = make(1);
  const view = bookOfWorld(state);
  const warm = new Answers(new QuoteSearch(view));
  const cold = new Answers(new QuoteSearch(view));
  cold.answer(view, state.now, request);
  for (let at = 0; at < runs.hard; at += 1) {
    const amount = (request.amount * BigInt(50 + at)) / 50n;
    warm.answer(view, state.now, { ...request, amount, direction: directionOf(at) });
  }
  const goals = { median: "below 5000", maximum: "below 5000" };
  return [
    figure(`${name}: first quote of a search`, cold.first, "us", "below 5000"),
    ...warm.figures(name, goals),
  ];
}

/** Answers with the time that each took, and what they say. */
class Answers {
  readonly #search: QuoteSearch;
  #times: number[] = [];
  #routes = 0;
  #unproven = 0;
  #cut = 0;
  #digest = createHash("sha256");

  constructor(search: QuoteSearch) {
    this.#search = search;
  }

  quote(view: BookView, now: number, request: QuoteRequest): QuoteResult {
    const context = { now, skipWindow: SKIP_WINDOW, shouldStop: () => false };
    return this.#search.quote(view, request, context);
  }

  answer(view: BookView, now: number, request: QuoteRequest): void {
    const start = performance.now();
    const result = this.quote(view, now, request);
    this.#times.push((performance.now() - start) * 1000);
    if (this.#search.unprovenPaths > 0) this.#unproven += 1;
    if (this.#search.isCut) this.#cut += 1;
    this.#digest.update(result.status);
    if (result.status !== "success") return;
    this.#routes += result.routes.length;
    for (const { sold, bought } of result.routes) this.#digest.update(` ${sold} ${bought}`);
  }

  get median(): number {
    return quantile(this.#times, 0.5);
  }

  /** Microseconds of the first answer. */
  get first(): number {
    return this.#times[0] ?? Number.NaN;
  }

  forget(): void {
    this.#times = [];
    [this.#routes, this.#unproven, this.#cut] = [0, 0, 0];
    this.#digest = createHash("sha256");
  }

  /** Once. */
  figures(name: string, goals: Goals = {}): readonly Figure[] {
    const times = this.#times;
    assert(this.#routes > 0, `${name}: no routes at all`);
    const own = (of: string, value: number, unit: string, goal?: string) =>
      figure(`${name}: ${of}`, value, unit, goal);
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    const share = (count: number) => (100 * count) / times.length;
    return [
      own("median", quantile(times, 0.5), "us", goals.median),
      own("mean", mean, "us", goals.mean),
      own("p95", quantile(times, 0.95), "us"),
      own("p99", quantile(times, 0.99), "us", goals.p99),
      own("maximum", quantile(times, 1), "us", goals.maximum),
      own("quotes a second and core", 1e6 / mean, "1/s"),
      own("routes a quote", this.#routes / times.length, ""),
      own("unproven", share(this.#unproven), "%", goals.unproven),
      own("out of work before all paths", share(this.#cut), "%"),
      own("digest", this.#digest.digest().readUInt32BE(), ""),
    ];
  }
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
  // Of results this close the one with fewer orders counts as better.
  const parts = 1_000_000_000n;
  if (direction === "strict_send") assert((plain.bought - best.bought) * parts <= plain.bought);
  else assert((best.sold - plain.sold) * parts <= plain.sold);
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
