// What a ledger of 1,000 changes costs the shared book, and what a live order costs in memory,
// beside a book of plain Maps in the same run.
import assert from "node:assert/strict";
import { Bench as Tinybench } from "tinybench";
import type { BookChange } from "../src/book/book-change.ts";
import { SharedBook } from "../src/book/left-right.ts";
import {
  type BookView,
  LIST_COUNT,
  LIST_START,
  SIDE_LIST,
  SIDE_STRIDE_U32,
} from "../src/book/shared-layout.ts";
import { findAsset, findSide } from "../src/book/shared-lookup.ts";
import { orderAmount, orderId, orderPrice } from "../src/book/shared-reader.ts";
import type { Address } from "../src/model/address.ts";
import { orderCount, usedBytes } from "../test/support/shared-usage.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { BookData, type BookScale, CONTRACT } from "./book-data.ts";
import { MapBook, sideKey } from "./map-book.ts";

const LARGE: BookScale = { assets: 50, markets: 200, makers: 2000, orders: 100_000 };
const TINY: BookScale = { assets: 5, markets: 8, makers: 20, orders: 500 };
/** Orders that a quote may list: what a reader looks at in a side that changed. */
const BEST = 20;

export const bench: Bench = async ({ tiny }) => {
  const data = new BookData(tiny ? TINY : LARGE);
  const shared = new SharedBook({ contract: CONTRACT, untracked: "nothing" });
  const plain = new MapBook();
  const start = data.start();
  await shared.prepare(start, stateOf(1));
  shared.publish();
  await shared.ready();
  plain.apply(start);

  const ledgers = tiny ? 5 : 300;
  const changes = tiny ? 50 : 1000;
  const steps = Array.from({ length: 2 * ledgers }, () => data.ledger(changes));
  const repeats: number[] = [];
  const looked = { shared: 0, plain: 0 };
  let sharedAt = 0;
  let appliedAt = 0;
  let plainAt = 0;
  const runs = new Tinybench({
    iterations: ledgers,
    warmupIterations: ledgers,
    time: 0,
    warmupTime: 0,
  });
  runs.add(
    "shared",
    () => {
      const step = steps[sharedAt] ?? [];
      sharedAt += 1;
      shared.apply(step, stateOf(sharedAt + 1));
      for (const [selling, buying] of changedSides(step)) {
        looked.shared += lookShared(shared.live, selling, buying);
      }
      appliedAt = performance.now();
    },
    {
      // Without it the function would be called once more, before its hook.
      async: false,
      afterEach: async () => {
        await shared.ready();
        repeats.push(performance.now() - appliedAt);
      },
    },
  );
  runs.add(
    "plain",
    () => {
      const step = steps[plainAt] ?? [];
      plainAt += 1;
      plain.apply(step);
      for (const [selling, buying] of changedSides(step)) {
        looked.plain += plain.best(sideKey({ selling, buying }), BEST).length;
      }
    },
    { async: false },
  );
  await runs.run();
  await shared.ready();
  assert.equal(sharedAt, plainAt, "both took the same ledgers");
  assert.equal(looked.shared, looked.plain, "both saw the same");
  checkSame(shared.live, plain, data);
  return figuresOf(runs, repeats, changes, shared.live);
};

function figuresOf(
  runs: Tinybench,
  repeats: readonly number[],
  changes: number,
  view: BookView,
): Figure[] {
  const [shared, plain] = runs.tasks.map((task) => task.result);
  assert(shared?.state === "completed" && plain?.state === "completed");
  const repeat = repeats.reduce((sum, ms) => sum + ms, 0) / repeats.length;
  const both = shared.latency.mean + repeat;
  return [
    figure(`ledger of ${changes} changes, visible: median`, shared.latency.p50, "ms"),
    figure(`ledger of ${changes} changes, visible: p99`, shared.latency.p99, "ms"),
    figure("the same on the other copy, afterwards: mean", repeat, "ms"),
    figure("changes applied", (1000 * changes) / both, "changes/s on both copies"),
    figure("Maps: ledger and a look at what changed: median", plain.latency.p50, "ms"),
    figure("Maps against the shared book", plain.latency.mean / both, "times as long"),
    figure("live orders", orderCount(view), "orders"),
    figure("memory in use, both copies", (2 * usedBytes(view)) / orderCount(view), "bytes/order"),
  ];
}

function stateOf(ledger: number) {
  return { ledger, closeTime: 5 * ledger, frozen: false };
}

function changedSides(step: readonly BookChange[]): [Address, Address][] {
  const sides = new Map<string, [Address, Address]>();
  for (const change of step) {
    if (change.kind !== "put") continue;
    const { selling, buying } = change.order;
    sides.set(sideKey(change.order), [selling, buying]);
  }
  return [...sides.values()];
}

/** The best orders of a side, as a reader finds them. */
function lookShared(view: BookView, selling: Address, buying: Address): number {
  const side = findSide(view, findAsset(view, buying), findAsset(view, selling));
  return Math.min(BEST, view.sideU32[side * SIDE_STRIDE_U32 + SIDE_LIST + LIST_COUNT] ?? 0);
}

function checkSame(view: BookView, plain: MapBook, data: BookData): void {
  assert.equal(orderCount(view), data.live.length);
  const keys = new Map(data.live.map((order) => [sideKey(order), order]));
  for (const [key, { selling, buying }] of keys) {
    const side = findSide(view, findAsset(view, buying), findAsset(view, selling));
    const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
    const start = view.sideU32[at + LIST_START] ?? 0;
    for (const [place, order] of plain.best(key, Number.POSITIVE_INFINITY).entries()) {
      const slot = view.arena[start + place] ?? 0;
      assert.equal(orderId(view, slot), order.id);
      assert.equal(orderPrice(view, slot), order.price);
      assert.equal(orderAmount(view, slot), order.amount);
    }
  }
}
