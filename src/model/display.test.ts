import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { priceText, tokenText } from "./display.ts";

test("token amounts are exact", () => {
  const cases: readonly (readonly [bigint, string])[] = [
    [0n, "0"],
    [1n, "0.0000001"],
    [10_000_000n, "1"],
    [10_500_000n, "1.05"],
    [-5n, "-0.0000005"],
    [123_456_789_012_345_678_901_234_567_890n, "12345678901234567890123.456789"],
  ];
  for (const [amount, text] of cases) assert.equal(tokenText(amount), text);
});

test("prices have 8 significant digits, half up, in plain decimals", () => {
  const cases: readonly (readonly [bigint, bigint, string])[] = [
    [0n, 5n, "0"],
    [1n, 1n, "1"],
    [1n, 3n, "0.33333333"],
    [2n, 3n, "0.66666667"],
    [99_999_995n, 100_000_000n, "0.99999995"],
    [999_999_995n, 1_000_000_000n, "1"],
    [999_999_994n, 1_000_000_000n, "0.99999999"],
    [123_456_785n, 10n, "12345679"],
    [1_234_567_849n, 1n, "1234567800"],
    [1_234_567_850n, 1n, "1234567900"],
    [1n, 10n ** 18n, "0.000000000000000001"],
    [10n ** 40n, 3n, `33333333${"0".repeat(32)}`],
    [(1n << 127n) - 1n, 1n, `17014118${"0".repeat(31)}`],
  ];
  for (const [numerator, denominator, text] of cases) {
    assert.equal(priceText(numerator, denominator), text);
  }
});

test("a printed price is within half a unit of its last digit, and keeps order", () => {
  const amount = fc.bigInt({ min: 1n, max: (1n << 127n) - 1n });
  fc.assert(
    fc.property(amount, amount, amount, (numerator, denominator, more) => {
      const text = priceText(numerator, denominator);
      assert.match(text, /^(0\.0*[1-9][0-9]*|[1-9][0-9]*(\.[0-9]*[1-9])?)$/);
      const significant = text.replace(".", "").replace(/^0+/, "").replace(/0+$/, "");
      assert.ok(significant.length <= 8);
      const [printed, unit] = fraction(text);
      // |printed / unit - numerator / denominator| <= 5 x 10^-9 of the value, exactly.
      const difference = printed * denominator - numerator * unit;
      const distance = difference < 0n ? -difference : difference;
      assert.ok(distance * 10n ** 8n * 2n <= 10n * numerator * unit);
      const [next, nextUnit] = fraction(priceText(numerator + more, denominator));
      assert.ok(next * unit >= printed * nextUnit);
    }),
  );
});

/** The exact value of a printed decimal. */
function fraction(text: string): readonly [bigint, bigint] {
  const [whole = "", decimals = ""] = text.split(".");
  return [BigInt(whole + decimals), 10n ** BigInt(decimals.length)];
}
