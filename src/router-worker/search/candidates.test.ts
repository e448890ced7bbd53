// Which orders of a side are candidates, and that each search sees those that it wants.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CandidateSets, type Candidates } from "./candidates.ts";
import { newColumns, UNCONSTRAINED } from "./hop-columns.ts";

const ORDERS = 60;

/** A curve of which each order is cheaper and larger than the next one, of a maker of its own. */
function curves() {
  const columns = newColumns(ORDERS);
  for (let at = 0; at < ORDERS; at += 1) {
    columns.slot[at] = at;
    columns.owner[at] = at;
    columns.price[at] = 1 + at / 100;
    columns.amount[at] = 1000 - at;
    columns.most[at] = 1000 - at;
    columns.budget[at] = 1e9;
    columns.headroom[at] = 1e9;
    columns.cost[at] = columns.amount[at]! * columns.price[at]!;
    columns.group[at] = UNCONSTRAINED;
    columns.previous[at] = -1;
  }
  const build = new Float64Array([1]);
  const [start, count, groups] = [0, ORDERS, 0].map((value) => new Int32Array([value]));
  return { build, columns, start: start!, count: count!, groups: groups!, forgotten: 0 };
}

const slotsOf = ({ columns, count }: Candidates) => [...columns.slot.subarray(0, count)];

test("orders that are no longer wanted are no candidates beside as many others", () => {
  const sets = new CandidateSets(curves());
  sets.begin();
  const plain = slotsOf(sets.of(0));
  assert.deepEqual(
    plain,
    Array.from({ length: 21 }, (_, at) => at),
  );
  const { dropped } = sets.of(0);
  for (const wanted of [
    [0, 1],
    [30, 31],
  ]) {
    for (const place of wanted) assert.ok(dropped.want(place));
    assert.deepEqual(slotsOf(sets.of(0)), [...plain, ...wanted.map((place) => 21 + place)]);
    dropped.clear();
    assert.deepEqual(slotsOf(sets.of(0)), plain);
  }
});
