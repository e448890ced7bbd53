import assert from "node:assert/strict";
import { test } from "node:test";
import { utcText } from "./clock.ts";

test("times are written in UTC to the second, whatever was written before", () => {
  const times = [0, 1, 59, 60, 3599, 3600, 86_399, 86_400, 951_782_400, 1_709_164_800];
  for (let at = 0; at < 2000; at += 1) times.push((at * 7_919_333) % 4_000_000_000);
  for (const seconds of [...times, ...times.reverse()]) {
    const expected = new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
    assert.equal(utcText(seconds), expected);
  }
});

test("times that no calendar of four digits holds are written as its last one", () => {
  assert.equal(utcText(253_402_300_800), "9999-12-31 23:59:59");
  assert.equal(utcText(2 ** 64), "9999-12-31 23:59:59");
});
