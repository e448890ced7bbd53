import assert from "node:assert/strict";
import { test } from "node:test";
import type { Depth } from "../../../src/api/types.ts";
import { bookNotice } from "./book-notice.ts";
import { summed } from "./depth-sums.ts";

const EMPTY: Depth = {
  ...{ ledger: 7, timestamp: 0, step: null },
  ...{ bestBid: null, bestAsk: null, bids: [], asks: [] },
};

function titleOf(body: Depth, band = "20"): string | undefined {
  const book = { body, bids: summed(body.bids), asks: summed(body.asks) };
  const notice = bookNotice({ book, error: undefined, band });
  return notice.kind === "empty" ? notice.title : undefined;
}

test("a book without levels says why", () => {
  assert.equal(titleOf(EMPTY), "The book is empty");
  const crossed = { ...EMPTY, step: "0.00001", bestBid: "1", bestAsk: "0.118" };
  assert.equal(titleOf(crossed), "Nothing within 20% of the middle");
  assert.equal(titleOf(crossed, "100"), "Nothing within 100% of the middle");
  assert.equal(titleOf({ ...crossed, bids: [["0.117", "5"]] }), undefined);
  assert.equal(titleOf({ ...EMPTY, step: "1", bestAsk: "7", asks: [["7", "5"]] }), undefined);
});

test("before the first answer and after a refusal there is no talk of a book", () => {
  const none = { book: undefined, band: "20" };
  assert.deepEqual(bookNotice({ ...none, error: undefined }), { kind: "loading" });
  assert.deepEqual(bookNotice({ ...none, error: "no" }), { kind: "error", message: "no" });
});
