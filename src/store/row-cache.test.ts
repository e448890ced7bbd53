import assert from "node:assert/strict";
import { test } from "node:test";
import { eventPosition } from "../../test/support/ledgers.ts";
import { RowCache } from "./row-cache.ts";

const at = (number: number) => eventPosition(1, number);

test("a row is kept from the second time on, until it changes", () => {
  const cache = new RowCache<string>(10);
  cache.offer(at(1), "one");
  assert.equal(cache.get(at(1)), undefined);
  cache.offer(at(1), "one");
  assert.equal(cache.get(at(1)), "one");
  cache.delete(at(1));
  assert.equal(cache.get(at(1)), undefined);
});

test("however many rows are asked for, few are kept, and those asked for last among them", () => {
  const cache = new RowCache<number>(10);
  for (let number = 0; number < 1000; number += 1) {
    cache.offer(at(number), number);
    cache.offer(at(number), number);
  }
  const kept = Array.from({ length: 1000 }, (_, number) => cache.get(at(number)));
  const count = kept.filter((row) => row !== undefined).length;
  assert.ok(count >= 10 && count <= 20, `${count}`);
  assert.equal(cache.get(at(999)), 999);
});
