import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { TurnBudget } from "../turn-budget.ts";
import {
  ALL_WAITING_BYTES_MAX,
  MESSAGE_BYTES,
  MessageTurns,
  WAITING_BYTES_MAX,
} from "./message-turns.ts";

/** Turns whose budget is spent by whatever runs in them. */
function spentTurns() {
  const turn = new TurnBudget();
  const refused: string[] = [];
  const turns = new MessageTurns<{ readonly name?: string }>(turn, ({ name = "" }) => {
    refused.push(name);
  });
  const ran: string[] = [];
  const work = (name: string) => () => {
    ran.push(name);
    turn.wrote(1e9);
  };
  return { turns, ran, work, refused };
}

test("a message is answered at once where the turn has room and nothing waits before it", async () => {
  const turns = new MessageTurns(new TurnBudget(), () => assert.fail());
  const ran: number[] = [];
  turns.message({}, 10, () => ran.push(1));
  assert.deepEqual(ran, [1]);
});

test("what finds the turn spent waits in its connection's order, and connections take turns", async () => {
  const { turns, ran, work } = spentTurns();
  const [one, other] = [{}, {}];
  for (const name of ["a1", "a2", "a3", "a4"]) turns.message(one, 1, work(name));
  for (const name of ["b1", "b2"]) turns.message(other, 1, work(name));
  turns.rest(other, work("b3"));
  assert.deepEqual(ran, ["a1"], "the first took the turn");
  for (let count = 2; ran.length < 7; count += 1) {
    await nextTurn();
    assert.ok(ran.length <= count, "one a turn where each takes all of it");
  }
  assert.deepEqual(ran, ["a1", "a2", "b1", "a3", "b2", "a4", "b3"]);
  // And from then on at once again.
  await nextTurn();
  await nextTurn();
  turns.message(one, 1, work("a5"));
  assert.equal(ran.at(-1), "a5");
});

test("a message never passes one that waits, though the turn has room again", async () => {
  const { turns, ran, work } = spentTurns();
  const one = {};
  turns.message({}, 1, work("spent"));
  turns.message(one, 1, work("first"));
  turns.message(one, 1, () => {
    ran.push("second");
    turns.message(one, 1, () => ran.push("fourth"));
  });
  turns.message(one, 1, () => ran.push("third"));
  while (ran.length < 5) await nextTurn();
  assert.deepEqual(ran, ["spent", "first", "second", "third", "fourth"]);
});

test("a connection with too much waiting is refused, and nothing of it runs", async () => {
  const { turns, ran, work, refused } = spentTurns();
  const [many, large] = ["many", "large"].map((name) => ({ name }));
  assert.ok(many !== undefined && large !== undefined);
  turns.message({ name: "spent" }, 1, work("spent"));
  const room = Math.floor(WAITING_BYTES_MAX / (MESSAGE_BYTES + 1));
  for (let at = 0; at < room; at += 1) turns.message(many, 1, work("many"));
  assert.deepEqual(refused, []);
  turns.message(many, 1, work("many"));
  assert.deepEqual(refused, ["many"]);
  for (let at = 0; at < 511; at += 1) turns.message(large, 16 * 1024, work("large"));
  assert.deepEqual(refused, ["many", "large"]);
  // What comes of a connection that nothing waits of is welcome, whoever it is.
  turns.message({ name: "other" }, 1, () => ran.push("other"));
  while (!ran.includes("other")) await nextTurn();
  assert.ok(!ran.includes("many"));
});

test("where too much waits of all, whoever has most waiting is refused", async () => {
  const { turns, ran, work, refused } = spentTurns();
  const floods = [1, 2, 3].map((n) => ({ name: `flood ${n}` }));
  const honest = { name: "honest" };
  turns.message({ name: "spent" }, 1, work("spent"));
  for (let at = 0; at < 20; at += 1) turns.message(honest, 100, () => ran.push("honest"));
  const each = Math.floor(ALL_WAITING_BYTES_MAX / 3 / (MESSAGE_BYTES + 100));
  for (const flood of floods) {
    for (let at = 0; at < each; at += 1) turns.message(flood, 100, () => undefined);
  }
  assert.equal(refused.length, 1);
  turns.message(honest, 100, () => ran.push("honest"));
  assert.match(refused.join(), /^flood [123]$/);
  while (ran.length < 22) await nextTurn();
});

test("nothing of a connection that is gone runs", async () => {
  const { turns, ran, work } = spentTurns();
  const [gone, other] = [{}, {}];
  turns.message({}, 1, work("spent"));
  turns.message(gone, 1, work("gone"));
  turns.message(gone, 1, work("gone"));
  turns.message(other, 1, () => {
    ran.push("other");
  });
  turns.forget(gone);
  turns.forget({});
  while (ran.length < 2) await nextTurn();
  await nextTurn();
  assert.deepEqual(ran, ["spent", "other"]);
});
