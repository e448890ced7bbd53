import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeStrkey, StrkeyVersion } from "../../src/model/strkey.ts";
import { accountLink, marketLink, parseRoute } from "./route.ts";

const BASE = encodeStrkey(StrkeyVersion.contract, new Uint8Array(32).fill(1));
const QUOTE = encodeStrkey(StrkeyVersion.contract, new Uint8Array(32).fill(2));
const OWNER = encodeStrkey(StrkeyVersion.account, new Uint8Array(32).fill(3));

test("links lead back to what they were made for", () => {
  const market = { view: "market", base: BASE, quote: QUOTE };
  assert.deepEqual(parseRoute(marketLink(BASE, QUOTE)), market);
  assert.deepEqual(parseRoute(accountLink(OWNER)), { view: "account", address: OWNER });
  const wrong = { view: "account", address: "foo" };
  assert.deepEqual(parseRoute("#/account/foo"), wrong, "the view of accounts says what is wrong");
  assert.deepEqual(parseRoute("#/account"), { view: "account", address: undefined });
  assert.deepEqual(parseRoute(""), { view: "markets" });
});

test("markets have the names of their tokens too", () => {
  for (const [base, quote] of [
    ["XLM", "USDC"],
    ["native", `USDC:${OWNER}`],
    [`USDC-${OWNER}`, QUOTE],
  ] as const) {
    const named = { view: "named-market", base, quote };
    assert.deepEqual(parseRoute(marketLink(base, quote)), named);
    assert.deepEqual(parseRoute(`#/market/${base}/${quote}`), named);
  }
});

test("what cannot be a market is no view", () => {
  for (const hash of [
    "#/market/foo/bar/baz",
    "#/market/foo",
    "#/market/foo/foo",
    "#/market/far-too-long-a-code/bar",
    "#/market/f oo/b<r",
    `#/market/USDC:${BASE}/XLM`,
    `#/market/${BASE}`,
    `#/market/${BASE}/${BASE}`,
    `#/market/${BASE}/${QUOTE.slice(0, -1)}${QUOTE.endsWith("A") ? "B" : "A"}`,
    `#/market/${OWNER}/${QUOTE}`,
    `#/market/${BASE}/${QUOTE}/more`,
    "#/nowhere",
    "#/market/%/%",
  ]) {
    assert.equal(parseRoute(hash), undefined, hash);
  }
});
