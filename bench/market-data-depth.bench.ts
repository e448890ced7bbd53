// GET /depth of a market with 10,000 orders a side: the answer, and its JSON text.

import assert from "node:assert/strict";
import { Bench as Tinybench } from "tinybench";
import type { DepthRequest } from "../src/book/depth.ts";
import { DepthWalk } from "../src/book/depth-walk.ts";
import { SharedBook } from "../src/book/left-right.ts";
import { NaiveBook } from "../test/support/naive-book.ts";
import { readDepth } from "../test/support/read-depth.ts";
import { slowDepth } from "../test/support/slow-depth.ts";
import { type Bench, figure } from "./bench.ts";
import { BookData, type BookScale, CONTRACT } from "./book-data.ts";

const LARGE: BookScale = { assets: 2, markets: 1, makers: 2000, orders: 20_000 };
const TINY: BookScale = { assets: 2, markets: 1, makers: 20, orders: 200 };
const NOW = 1_700_000_100;

function parse(text: string): unknown {
  return JSON.parse(text);
}

export const bench: Bench = async ({ tiny }) => {
  const data = new BookData(tiny ? TINY : LARGE);
  const book = new SharedBook({ contract: CONTRACT, untracked: "nothing" });
  const model = new NaiveBook();
  const start = data.start();
  model.apply(start);
  book.apply(start, { ledger: 7, closeTime: NOW, frozen: false });
  await book.ready();
  const [order] = data.live;
  assert(order !== undefined);
  const market = { base: order.selling, quote: order.buying };
  const flipped = { base: order.buying, quote: order.selling };
  const requests: readonly (readonly [string, DepthRequest])[] = [
    ["as asked by default", { market, depth: 20, limit: 100 }],
    ["the whole book, 500 levels", { market, depth: 100, limit: 500 }],
    ["the whole book, coarse step", { market, depth: 100, limit: 500, step: "0.01" }],
    ["the whole book, flipped", { market: flipped, depth: 100, limit: 500 }],
  ];
  const walk = new DepthWalk();
  const read = (request: DepthRequest) => JSON.stringify(readDepth(book.live, request, NOW, walk));
  const slow = (request: DepthRequest) =>
    JSON.stringify(slowDepth(model, request, { ledger: 7, now: NOW }));
  for (const [, request] of requests) assert.deepEqual(parse(read(request)), parse(slow(request)));

  const runs = new Tinybench({ time: 0, iterations: tiny ? 5 : 400, warmupIterations: 50 });
  const slowRuns = new Tinybench({ time: 0, iterations: 5, warmupIterations: 1, warmupTime: 0 });
  for (const [name, request] of requests) runs.add(name, () => read(request), { async: false });
  for (const [name, request] of requests) {
    slowRuns.add(name, () => slow(request), { async: false });
  }
  await runs.run();
  await slowRuns.run();
  return runs.tasks.flatMap(({ name, result }, index) => {
    const reference = slowRuns.tasks[index]?.result;
    assert(result.state === "completed" && reference?.state === "completed");
    const ratio = reference.latency.p50 / result.latency.p50;
    return [
      figure(`${name}: median`, result.latency.p50, "ms"),
      figure(`${name}: p99`, result.latency.p99, "ms", "below 5"),
      figure(`${name}: slow reference`, ratio, "times as long"),
    ];
  });
};
