import assert from "node:assert/strict";
import { test } from "node:test";
import { accountLink, marketLink, parseRoute } from "./route.ts";

const BASE = `C${"A".repeat(55)}`;
const QUOTE = `C${"B".repeat(55)}`;
const OWNER = `G${"C".repeat(55)}`;

test("links lead back to what they were made for", () => {
  const market = { view: "market", base: BASE, quote: QUOTE };
  assert.deepEqual(parseRoute(marketLink(BASE, QUOTE)), market);
  assert.deepEqual(parseRoute(accountLink(OWNER)), { view: "account", address: OWNER });
  const wrong = { view: "account", address: "foo" };
  assert.deepEqual(parseRoute("#/account/foo"), wrong, "the view of accounts says what is wrong");
  assert.deepEqual(parseRoute("#/account"), { view: "account", address: undefined });
  assert.deepEqual(parseRoute(""), { view: "markets" });
});

test("what cannot be a market is no view", () => {
  for (const hash of [
    "#/market/foo/bar",
    `#/market/${BASE}`,
    `#/market/${BASE}/${BASE}`,
    `#/market/${OWNER}/${QUOTE}`,
    `#/market/${BASE}/${QUOTE}/more`,
    "#/nowhere",
    "#/market/%/%",
  ]) {
    assert.equal(parseRoute(hash), undefined, hash);
  }
});
