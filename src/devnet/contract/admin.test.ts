import assert from "node:assert/strict";
import { test } from "node:test";
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
} from "../../../test/support/devnet/sample-exchange.ts";
import { type Address, canonicalPair, marketKey } from "../../model/address.ts";
import { marketValue } from "./market.ts";
import { addressValue, bool, i128, u32, u64, type Value, VOID, vec } from "./value.ts";

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

test("a market is opened for its listing fee, which goes to the oracle, and checked again for less", () => {
  const sample = new SampleExchange();
  const pair = canonicalPair(GOLD, IRON);
  sample.configure({ marketListingFee: 30n });
  sample.world.markets.delete(marketKey(pair));
  assert.equal(subsidize(sample, 29n), "invalidAmount");
  assert.equal(subsidize(sample, 30n), undefined);
  assert.deepEqual(sample.events, [{ kind: "refresh", ...pair }]);
  assert.equal(sample.balance(SALT, ORACLE), 30n);
  sample.world.now = NOW + 60;
  assert.equal(subsidize(sample, 0n), "invalidAmount");
  assert.equal(subsidize(sample, 1n), undefined);
  assert.equal(sample.world.markets.get(marketKey(pair))?.created, NOW);
});

test("a subsidy buys prices for so long, and is refused for assets that the oracle does not quote", () => {
  const sample = new SampleExchange();
  const args = (selling: Address, amount: bigint) =>
    [addressValue(ANN), addressValue(selling), addressValue(GOLD), i128(amount)] as const;
  // The oracle asks for 7 a day.
  const paid = sample.call(ANN, "subsidize", args(IRON, 14n));
  const until = u64(BigInt(NOW + 2 * 86_400));
  assert.deepEqual(paid.ok && paid.value, vec([until, until]));
  sample.prices.set(GOLD, undefined);
  assert.equal(failure(sample.call(ANN, "subsidize", args(IRON, 14n))), undefined);
  sample.prices.set(IRON, undefined);
  assert.equal(
    failure(sample.call(ANN, "subsidize", args(IRON, 14n))),
    "assetsNotVerifiedByOracle",
  );
  assert.equal(sample.balance(SALT, ORACLE), 28n);
  sample.configure({ marketListingFee: 30n });
  sample.world.markets.clear();
  assert.equal(failure(sample.call(ANN, "subsidize", args(GOLD, 1n))), "invalidMatch");
  assert.equal(failure(sample.call(ANN, "subsidize", args(GOLD, 0n))), "invalidAmount");
  assert.equal(failure(sample.call(ANN, "subsidize", args(IRON, 14n))), "invalidAmount");
  sample.freeze();
  assert.equal(failure(sample.call(ANN, "subsidize", args(GOLD, 0n))), "frozen");
});

test("requote checks an open market for anyone and returns it; of another there is nothing", () => {
  const sample = new SampleExchange();
  const requote = (selling = IRON) =>
    sample.call(DAN, "requote", [addressValue(selling), addressValue(GOLD)]);
  sample.prices.set(GOLD, undefined);
  const outcome = requote();
  const pair = canonicalPair(GOLD, IRON);
  const market = sample.world.markets.get(marketKey(pair));
  assert(outcome.ok && market !== undefined);
  assert.deepEqual(outcome.value, marketValue(pair, market));
  assert.deepEqual(
    [market.base.listed, market.quote.listed],
    [pair.base === IRON, pair.base !== IRON],
  );
  assert.deepEqual(sample.events, [{ kind: "refresh", ...pair }]);
  assert.deepEqual(requote(GOLD), { ok: true, value: VOID });
  sample.world.markets.clear();
  assert.deepEqual(requote(), { ok: true, value: VOID });
  assert.deepEqual(sample.events, []);
  sample.freeze();
  assert.equal(failure(requote()), "frozen");
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
