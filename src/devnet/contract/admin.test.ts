import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalPair, marketKey } from "../../model/address.ts";
import {
  ADMIN,
  ANN,
  DAN,
  EXCHANGE,
  failure,
  GOLD,
  IRON,
  NOW,
  ORACLE,
  ROUTER,
  SALT,
  SampleExchange,
} from "./sample-exchange.ts";
import { addressValue, bool, i128, u32, type Value } from "./value.ts";

const SETTINGS: readonly (readonly [fn: string, value: Value, change: object])[] = [
  ["delegate", addressValue(ANN), { safetyAdmin: ANN }],
  ["set_oracle", addressValue(ORACLE), { oracle: ORACLE }],
  ["set_floor", i128(5n), { minTradeSize: 5n }],
  ["set_listing_min_days", u32(3), { listingMinDays: 3, marketListingFee: 21n }],
  ["set_ledger_time", u32(6), { ledgerTime: 6 }],
];

test("the admin changes the configuration, and every change tells all of it", () => {
  for (const [fn, value, change] of SETTINGS) {
    const sample = new SampleExchange();
    const config = { ...sample.instance.config, ...change };
    assert.equal(failure(sample.call(ADMIN, fn, [value])), undefined, fn);
    assert.deepEqual(sample.events, [{ kind: "config", config }]);
    assert.deepEqual(sample.instance.config, config);
  }
});

test("nobody else does", () => {
  const sample = new SampleExchange();
  for (const [fn, value] of SETTINGS) assert.equal(failure(sample.call(DAN, fn, [value])), "auth");
  assert.equal(failure(sample.call(DAN, "freeze", [bool(true)])), "auth");
});

test("settings that make no sense are refused", () => {
  const sample = new SampleExchange();
  const none = sample.call(ADMIN, "set_oracle", [addressValue(ROUTER)]);
  assert.equal(failure(none), "invalidOracleConfig");
  assert.equal(failure(sample.call(ADMIN, "set_floor", [i128(-1n)])), "invalidAmount");
  assert.equal(failure(sample.call(ADMIN, "set_ledger_time", [u32(0)])), "invalidAmount");
});

test("a freeze blocks trading until it is taken back", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  sample.call(ADMIN, "freeze", [bool(true)]);
  assert.deepEqual(sample.events, [{ kind: "freeze", frozen: true }]);
  assert.equal(failure(sample.trade([id])), "frozen");
  sample.call(ADMIN, "freeze", [bool(false)]);
  assert.equal(failure(sample.trade([id])), undefined);
});

function subsidize(sample: SampleExchange, amount: bigint): string | number | undefined {
  const args = [addressValue(ANN), addressValue(IRON), addressValue(GOLD), i128(amount)];
  return failure(sample.call(ANN, "subsidize", args));
}

test("a market is opened for its listing fee, which goes to the oracle, and refreshed for nothing", () => {
  const sample = new SampleExchange();
  const pair = canonicalPair(GOLD, IRON);
  sample.configure({ marketListingFee: 30n });
  sample.world.markets.delete(marketKey(pair));
  assert.equal(subsidize(sample, 29n), "invalidAmount");
  assert.equal(subsidize(sample, 30n), undefined);
  assert.deepEqual(sample.events, [{ kind: "refresh", ...pair }]);
  assert.equal(sample.balance(SALT, ORACLE), 30n);
  sample.world.now = NOW + 60;
  assert.equal(subsidize(sample, 0n), undefined);
  assert.equal(sample.world.markets.get(marketKey(pair)), NOW + 60);
});

test("requote checks an open market for anyone, while its prices are recent", () => {
  const sample = new SampleExchange();
  const requote = () =>
    failure(sample.call(DAN, "requote", [addressValue(IRON), addressValue(GOLD)]));
  assert.equal(requote(), undefined);
  sample.prices.set(GOLD, { price: 1n, timestamp: NOW - 3_601 });
  assert.equal(requote(), "assetPriceFetchFailed");
  sample.world.markets.clear();
  assert.equal(requote(), "assetsNotVerified");
});

test("unknown functions and wrong arguments are no contract errors", () => {
  const sample = new SampleExchange();
  assert.equal(failure(sample.call(DAN, "withdraw", [u32(1)])), "invalid");
  assert.equal(failure(sample.call(DAN, "trade", [u32(1)])), "invalid");
  assert.equal(failure(sample.call(ADMIN, "freeze", [u32(1)])), "invalid");
  assert.equal(failure(sample.call(ADMIN, "__constructor", [u32(1)])), "invalid");
  assert.equal(failure(sample.world.invoke([DAN], ANN, "trade", [])), "invalid");
  assert.equal(sample.instance.config, sample.world.instances.get(EXCHANGE)?.config);
});
