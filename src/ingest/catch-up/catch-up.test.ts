import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { CatchUp } from "./catch-up.ts";

test("runs leave nothing at the signal that ends them", async () => {
  const { signal } = new AbortController();
  const catchUp = new CatchUp({
    threads: 0,
    rangeOptions: () => assert.fail("no thread is started"),
    log: () => undefined,
    handOut: () => undefined,
  });
  for (let run = 0; run < 3; run += 1) {
    const request = { from: 1, to: 10, previous: undefined, step: 1, signal };
    for await (const _ of catchUp.ledgers(request)) assert.fail("nobody reads");
  }
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});
