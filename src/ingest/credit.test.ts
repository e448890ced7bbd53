import assert from "node:assert/strict";
import { test } from "node:test";
import { Credit } from "./credit.ts";

test("lets so many out, then waits for the oldest to come back", async () => {
  const credit = new Credit(2);
  for (const ledger of [5, 6]) {
    await credit.available();
    credit.sent(ledger);
  }
  let released = false;
  const waiting = credit.available().then(() => {
    released = true;
  });
  credit.acknowledged(4);
  await Promise.resolve();
  assert.equal(released, false);
  credit.acknowledged(5);
  await waiting;
});

test("no wait outlasts the close, whichever comes first", async () => {
  const credit = new Credit(1);
  credit.sent(1);
  const before = credit.available();
  credit.close();
  await before;
  await credit.available();
});
