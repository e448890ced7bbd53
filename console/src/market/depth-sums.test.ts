import assert from "node:assert/strict";
import { it } from "node:test";
import { spreadPercent, summed } from "./depth-sums.ts";

it("totals of levels are exact where floats would drift", () => {
  const levels = [
    ["1.1", "0.1"],
    ["1.2", "0.2"],
    ["1.3", "900719925474099.3000001"],
  ] as const;
  assert.deepEqual(
    summed(levels).map(({ total }) => total),
    ["0.1", "0.3", "900719925474099.6000001"],
  );
  assert.deepEqual(summed([]), []);
});

it("a crossed book has a negative spread", () => {
  assert.equal(spreadPercent("99", "101"), 2);
  assert.equal(spreadPercent("101", "99"), -2);
});
