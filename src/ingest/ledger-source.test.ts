import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { systemTimer } from "./ledger-source.ts";

test("distances in time are not those of a clock that is set", () => {
  const before = systemTimer.now();
  const later = Date.now() + 86_400_000;
  const clock = mock.method(Date, "now", () => later);
  const distance = systemTimer.now() - before;
  clock.mock.restore();
  assert.ok(distance >= 0 && distance < 3_600_000, `${distance} ms`);
});
