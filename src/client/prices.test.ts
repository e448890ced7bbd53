import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { displayPrice, makerPriceDown, makerPriceUp, parseUnits, tokenAmount } from "./prices.ts";

const P = 10n ** 18n;

describe("amounts", () => {
  it("become base units and back, exactly", () => {
    assert.equal(
      parseUnits("17014118346046923173168730371.5884105"),
      170141183460469231731687303715884105n,
    );
    assert.equal(parseUnits("0.0000001"), 1n);
    assert.equal(parseUnits("5", 0), 5n);
    assert.equal(parseUnits("1.10", 1), 11n);
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 127n - 1n),
        fc.integer({ min: 0, max: 20 }),
        (amount, decimals) => {
          assert.equal(parseUnits(tokenAmount(amount, decimals), decimals), amount);
        },
      ),
    );
  });

  it("are refused where they are no plain decimals or more exact than the token", () => {
    for (const text of [
      "",
      "-1",
      "+1",
      "1e5",
      ".5",
      "5.",
      "1,000",
      " 1",
      "0x1",
      "0.00000001",
      "9".repeat(61),
    ]) {
      assert.throws(() => parseUnits(text), RangeError, text);
    }
  });
});

describe("a maker's price", () => {
  it("is quote per base of an ask, base per quote of a bid", () => {
    assert.equal(makerPriceUp("ask", "17.5"), (175n * P) / 10n);
    assert.equal(makerPriceUp("bid", "4"), P / 4n);
    assert.equal(displayPrice("ask", (175n * P) / 10n), "17.5");
    assert.equal(displayPrice("bid", String(P / 4n)), "4");
  });

  it("rounds up for the maker, down for who takes", () => {
    assert.equal(makerPriceUp("bid", "3"), P / 3n + 1n);
    assert.equal(makerPriceDown("bid", "3"), P / 3n);
    const six = { base: 7, quote: 6 };
    assert.equal(makerPriceUp("ask", "0.000000000000000001", six), 1n);
    assert.throws(() => makerPriceDown("ask", "0.000000000000000001", six), /beyond/);
  });

  it("counts the decimals of the two tokens", () => {
    // One token of 9 decimals for two of 6: 2,000,000 units for 1,000,000,000.
    const decimals = { base: 9, quote: 6 };
    assert.equal(makerPriceUp("ask", "2", decimals), (2n * P) / 1000n);
    assert.equal(makerPriceUp("bid", "2", decimals), (1000n * P) / 2n);
    assert.equal(displayPrice("ask", (2n * P) / 1000n, decimals), "2");
    assert.equal(displayPrice("bid", (1000n * P) / 2n, decimals), "2");
    assert.throws(() => makerPriceUp("ask", "1", { base: -1, quote: 7 }), /decimals.base/);
    assert.throws(() => makerPriceUp("ask", "1", { base: 7, quote: 0.5 }), /decimals.quote/);
  });

  it("is never worse for the maker than what was typed", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 24n), fc.constantFrom("ask", "bid"), (units, side) => {
        const text = tokenAmount(units, 18);
        // Quote per base: an ask gets at least `units`/P, a bid pays at most that.
        const price = makerPriceUp(side, text);
        if (side === "ask") assert.equal(price, units);
        else assert.ok(price * units >= P * P && (price - 1n) * units < P * P);
      }),
    );
  });

  it("is refused at 0 and where no contract price is that small or large", () => {
    assert.throws(() => makerPriceUp("ask", "0"), /above 0/);
    assert.throws(() => makerPriceUp("ask", `1${"0".repeat(19)}`), /beyond/);
    assert.throws(() => makerPriceDown("bid", `1${"0".repeat(19)}`), /beyond/);
    assert.throws(() => displayPrice("ask", 0n), /no contract price/);
    assert.throws(() => displayPrice("bid", P * P + 1n), /no contract price/);
  });
});
