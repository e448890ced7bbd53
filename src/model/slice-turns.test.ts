import assert from "node:assert/strict";
import { test } from "node:test";
import { nextSlice } from "./slice-turns.ts";

test("of all long work one slice runs in a turn, each in its turn", async () => {
  const ran: string[] = [];
  let turn = 0;
  let immediate = setImmediate(function count() {
    turn += 1;
    immediate = setImmediate(count);
  });
  const turns: number[] = [];
  const work = async (name: string): Promise<void> => {
    for (let slice = 1; slice <= 3; slice += 1) {
      await nextSlice();
      ran.push(`${name}${slice}`);
      turns.push(turn);
    }
  };
  await Promise.all(["a", "b", "c"].map(work));
  clearImmediate(immediate);
  assert.deepEqual(ran, ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]);
  assert.equal(new Set(turns).size, turns.length, "two slices in one turn");
});
