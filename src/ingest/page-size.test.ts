import assert from "node:assert/strict";
import { test } from "node:test";
import { PageSize } from "./page-size.ts";

const MB = 1 << 20;

test("pages are as large as some 16 MB of ledgers, at most what the protocol allows", () => {
  const size = new PageSize();
  assert.ok(size.limit <= 4, "nothing is known yet");
  for (let page = 0; page < 40; page += 1) size.received(size.limit * 1_000, size.limit);
  assert.equal(size.limit, 200);
  // Larger ledgers count at once.
  size.received(2 * MB, 1);
  assert.equal(size.limit, 8);
  size.received(100 * MB, 1);
  assert.equal(size.limit, 1);
  // Smaller ones by and by.
  size.received(MB, 1);
  assert.equal(size.limit, 1);
  for (let page = 0; page < 40; page += 1) size.received(MB, 1);
  assert.ok(size.limit >= 14 && size.limit <= 16, String(size.limit));
});

test("a page that was too large is asked for in halves, down to one ledger", () => {
  const size = new PageSize();
  for (let page = 0; page < 40; page += 1) size.received(size.limit * 1_000, size.limit);
  const limits: number[] = [];
  while (size.shrink()) limits.push(size.limit);
  assert.deepEqual(limits, [100, 50, 25, 12, 6, 3, 1]);
  assert.equal(size.shrink(), false);
  size.received(1_000, 1);
  assert.equal(size.limit, 2, "it grows again");
});
