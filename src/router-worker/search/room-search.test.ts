import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICE_UNIT } from "../../model/settlement.ts";
import { groupMakers, HopColumns, priceAt } from "./hop-columns.ts";
import { type HopOrders, SELL } from "./hop-task.ts";
import { type RoomDemand, RoomSearch } from "./room-search.ts";

const PLENTY = 1_000_000;

/** Orders of 100 at prices from 1 on, each of another maker. */
function hopOf(count: number): HopOrders {
  const columns = new HopColumns(count);
  const words = new BigUint64Array(priceAt(count));
  for (let entry = 0; entry < count; entry += 1) {
    columns.slot[entry] = entry;
    columns.owner[entry] = entry;
    columns.previous[entry] = -1;
    columns.price[entry] = 1 + entry;
    words[priceAt(entry)] = PRICE_UNIT * BigInt(1 + entry);
    columns.amount[entry] = 100;
    columns.cost[entry] = 100 * (1 + entry);
    columns.budget[entry] = PLENTY;
    columns.room[entry] = PLENTY;
    columns.limit(entry, words);
  }
  return { columns, start: 0, count, words, groups: groupMakers(columns, 0, count) };
}

function solved(hops: readonly HopOrders[], workMax: number): RoomSearch {
  const search = new RoomSearch();
  const demand: RoomDemand = {
    ...{ direction: SELL, hopCount: hops.length, amount: 100, ordersMax: 20 },
    ...{ workMax, value: 0, settles: () => true },
  };
  search.solve(hops, demand);
  return search;
}

test("what settles best is found, and a search that was cut short says so wherever it was", () => {
  const hops = [hopOf(4), hopOf(4)];
  const { value, complete, work } = solved(hops, PLENTY);
  assert.equal(value, 100);
  assert.ok(complete);
  for (let workMax = 0; workMax < work - hops.length; workMax += 1) {
    const cut = solved(hops, workMax);
    assert.ok(cut.value === 100 || !cut.complete, `${workMax} steps: ${cut.value}`);
  }
});

test("a hop without orders gives nothing", () => {
  for (const hops of [
    [hopOf(0), hopOf(4)],
    [hopOf(4), hopOf(0)],
  ]) {
    const { value, complete } = solved(hops, PLENTY);
    assert.equal(value, 0);
    assert.ok(complete);
  }
});
