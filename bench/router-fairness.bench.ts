// How long one client's quotes take while another asks for hard ones, so many at a time: the pool of
// router workers by itself, on the devnet's large book, with the main thread answering what it can
// afford as the engine does.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { QuotePool } from "../src/router-worker/pool.ts";
import type { QuoteAnswer, QuoteRequest } from "../src/router-worker/quote.ts";
import type { WorldState } from "../test/vectors/settlement-case.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { quantile } from "./quantile.ts";
import { devnetWorld, QuoteRequests, quotesOn } from "./quote-worlds.ts";

/** Hard quotes that are asked for at a time. */
const AT_A_TIME = [0, 8, 200, 1200];
/** Median orders that a request is for (see router-quotes). */
const LIGHT = 2;
const HEAVY = 8;
/** Between two quotes of the light client. */
const PAUSE_MS = 5;

export const bench: Bench = async ({ tiny }) => {
  const world = devnetWorld(tiny ? "small" : "large");
  const { pool } = await quotesOn(world, (fault) => assert.fail(fault));
  try {
    const figures: Figure[] = [];
    let at8 = Number.NaN;
    for (const count of AT_A_TIME) {
      const measured = await measure(pool, world, count, tiny ? 20 : 400);
      const p95 = quantile(measured.timesUs, 0.95);
      if (count === 8) at8 = p95;
      const label = (of: string) => `${count} hard quotes at a time: ${of}`;
      figures.push(
        figure(label("median"), quantile(measured.timesUs, 0.5), "us"),
        figure(label("p95"), p95, "us"),
        figure(label("p95 to that with 8"), p95 / at8, "ratio", "5 or less"),
        figure(label("failures"), measured.failed, "", "0"),
        figure(label("hard ones answered"), measured.heavyRate, "1/s"),
        figure(label("hard ones refused"), measured.heavyFailed, "%"),
      );
    }
    return figures.filter(({ value }) => !Number.isNaN(value));
  } finally {
    await pool.close();
  }
};

async function measure(pool: QuotePool, world: WorldState, atATime: number, count: number) {
  const requests = new QuoteRequests(world);
  const next = (at: number, size: number) => requests.next(at, { direct: false, size });
  let isOver = false;
  let [heavy, heavyFailed] = [0, 0];
  const start = performance.now();
  const heavyClients = Array.from({ length: atATime }, async (_, client) => {
    for (let at = client; !isOver; at += 1) {
      const { status } = await ask(pool, next(at, HEAVY), "heavy");
      if (isOver) return;
      if (status === "failed") {
        heavyFailed += 1;
        // As a client that is refused should.
        await delay(100);
      } else heavy += 1;
    }
  });
  const timesUs: number[] = [];
  let failed = 0;
  for (let at = 0; at < count; at += 1) {
    const request = next(at, LIGHT);
    const asked = performance.now();
    const { status } = await ask(pool, request, "light");
    timesUs.push((performance.now() - asked) * 1000);
    if (status === "failed") failed += 1;
    await delay(PAUSE_MS);
  }
  isOver = true;
  const seconds = (performance.now() - start) / 1000;
  await Promise.all(heavyClients);
  assert(count > failed, "no quote at all was answered");
  return {
    timesUs,
    failed,
    heavyRate: heavy / seconds,
    heavyFailed: heavyFailed === 0 ? 0 : (100 * heavyFailed) / (heavy + heavyFailed),
  };
}

/** As the listener does. */
async function ask(pool: QuotePool, request: QuoteRequest, client: string): Promise<QuoteAnswer> {
  return pool.quoteNow(request) ?? (await pool.quote(request, { client }));
}
