import assert from "node:assert/strict";
import { test } from "node:test";
import { TurnBudget } from "./turn-budget.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a turn is spent once its time or its answers are, and the next one is not", async () => {
  const budget = new TurnBudget();
  const startMs = performance.now();
  assert.equal(budget.isSpent(startMs), false);
  assert.equal(budget.isSpent(startMs + 10), false);
  assert.equal(budget.isSpent(startMs + 1000), true);
  await nextTurn();
  await nextTurn();
  assert.equal(budget.isSpent(performance.now()), false);
  budget.wrote(1e9);
  assert.equal(budget.isSpent(performance.now()), true);
  await nextTurn();
  await nextTurn();
  assert.equal(budget.isSpent(performance.now()), false);
});

test("what waits runs in its order, a slice a turn, unless it was canceled", async (t) => {
  // The process may be off its core for longer than a turn's time.
  t.mock.method(performance, "now", () => 0);
  const budget = new TurnBudget();
  const ran: number[] = [];
  const cancels = Array.from({ length: 5 }, (_, n) =>
    budget.defer(() => {
      ran.push(n);
      // As much as a turn has room for.
      if (n === 1) budget.wrote(1e9);
    }),
  );
  assert.equal(cancels[3]?.(), true);
  assert.deepEqual(ran, []);
  await nextTurn();
  assert.deepEqual(ran, [0, 1]);
  assert.equal(cancels[0]?.(), false, "it ran already");
  await nextTurn();
  assert.deepEqual(ran, [0, 1, 2, 4]);
});

test("no more wait than there is room for", async () => {
  const budget = new TurnBudget();
  let ran = 0;
  const add = () =>
    budget.defer(() => {
      ran += 1;
    });
  for (let n = 0; n < TurnBudget.DEFERRED_MAX; n += 1) assert.ok(add() !== undefined);
  assert.equal(add(), undefined);
  while (ran < TurnBudget.DEFERRED_MAX) await nextTurn();
  assert.ok(add() !== undefined);
  await nextTurn();
});
