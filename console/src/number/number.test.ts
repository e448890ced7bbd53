import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { amountText, contractPriceText, parseAmount, parseContractPrice } from "./amount.ts";
import {
  compact,
  countedZeros,
  floatText,
  grouped,
  movePoint,
  shortened,
  toUnits,
  withFraction,
} from "./decimal.ts";

describe("decimals as text", () => {
  it("are grouped in their whole part alone", () => {
    assert.equal(grouped("1234567.1234567"), "1,234,567.1234567");
    assert.equal(grouped("123"), "123");
  });

  it("are cut to digits that say something, and never rounded up", () => {
    assert.equal(shortened("1234.5678999", 6), "1234.56");
    assert.equal(shortened("123456789.9", 6), "123456789");
    assert.equal(shortened("0.00012345678", 4), "0.0001234");
    assert.equal(shortened("0.99999999", 4), "0.9999");
    assert.equal(shortened("5", 4), "5");
    assert.equal(shortened("5.0001", 3), "5");
  });

  it("fit a place of fixed width, whatever they are", () => {
    assert.equal(compact("1234567.891", 8), "1,234,567.8");
    assert.equal(compact("0.000123456789", 8), "0.00012345678");
    assert.equal(compact("0.0000123456789", 8), "0.0₄12345678");
    assert.equal(compact("0.000000000000000000000001", 8), "0.0₂₃1");
    assert.equal(compact("1234567890.5", 6), "1.23456B");
    assert.equal(compact("999999999999999", 6), "999.999T");
    assert.equal(compact("17014118346046923173168730371588.4105727", 7), "1.701411e31");
    assert.equal(compact("0", 8), "0");
    assert.equal(countedZeros("0.00000"), "0.00000");
    assert.equal(countedZeros("1.00001"), "1.00001");
    for (let exponent = -30; exponent <= 40; exponent += 1) {
      const digits = "123456789012345678901234567890".repeat(2);
      const text =
        exponent < 0
          ? `0.${"0".repeat(-exponent - 1)}${digits}`
          : `${digits.slice(0, exponent + 1)}.${digits}`;
      assert.ok(compact(text, 8).length <= 8 + 7, `${text}: ${compact(text, 8)}`);
    }
  });

  it("of axes have as many digits as say something", () => {
    assert.equal(floatText(0.1 + 0.2, 6), "0.3");
    assert.equal(floatText(1.5e-20, 6), "0.0₁₉15");
    assert.equal(floatText(1.25e22, 6), "1.25e22");
    assert.equal(floatText(Number.NaN, 6), "0");
    assert.equal(floatText(-1, 6), "0");
  });

  it("get the digits a column has", () => {
    assert.equal(withFraction("1.5", 4), "1.5000");
    assert.equal(withFraction("1.23456", 2), "1.23");
    assert.equal(withFraction("7", 0), "7");
  });

  it("become units and steps exactly", () => {
    assert.equal(
      toUnits("170141183460469231731687303715.8841057", 7),
      1701411834604692317316873037158841057n,
    );
    assert.equal(movePoint("0.0001", 1), "0.001");
    assert.equal(movePoint("0.5", 2), "50");
    assert.equal(movePoint("12.345", 1), "123.45");
  });
});

describe("amounts", () => {
  it("are exact beyond what a float holds", () => {
    assert.equal(
      amountText("170141183460469231731687303715884105727"),
      "17,014,118,346,046,923,173,168,730,371,588.4105727",
    );
    assert.equal(amountText("1"), "0.0000001");
    assert.equal(amountText("10000000"), "1");
  });

  it("typed by people are taken only where they are exact", () => {
    assert.equal(parseAmount("1,000.5", 7), 10_005_000_000n);
    assert.equal(parseAmount(" 0.0000001 ", 7), 1n);
    assert.equal(parseAmount("5.", 7), 50_000_000n);
    assert.equal(parseAmount("0.00000001", 7), undefined);
    for (const text of ["", "-1", "1e5", "0x10", "abc", "."])
      assert.equal(parseAmount(text, 7), undefined);
  });

  it("have prices with 18 decimals", () => {
    assert.equal(contractPriceText("115929057137886440"), "0.11592905713788644");
    assert.equal(contractPriceText("1"), "0.000000000000000001");
    assert.equal(parseContractPrice("0.5"), 500_000_000_000_000_000n);
    assert.equal(parseContractPrice("0"), undefined);
  });
});
