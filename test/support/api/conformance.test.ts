import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkAnswer, checkClientMessage, checkPushMessage } from "./conformance.ts";

const TOKEN = `C${"A".repeat(55)}`;
const MARKET = {
  baseAsset: TOKEN,
  quoteAsset: TOKEN,
  cursor: `${TOKEN}-${TOKEN}`,
  orderTypes: ["LIMIT"],
};

function answered(body: unknown, target = "/markets", status = 200): void {
  checkAnswer({ target, status, contentType: "application/json", text: JSON.stringify(body) });
}

describe("conformance", () => {
  it("takes what is described", () => {
    answered([MARKET]);
    answered({ error: "Not found. Order not found.", status: 404 }, "/order/7?pretty_print", 404);
    checkAnswer({
      target: "/foo",
      status: 404,
      contentType: "text/plain",
      text: "API endpoint was not found",
    });
    assert.equal(checkPushMessage({ type: "pong", id: [1] }), "Pong");
    assert.equal(checkClientMessage({ op: "ping" }), "PingRequest");
  });

  it("refuses members that are missing, unknown or of another form", () => {
    const { cursor: _, ...rest } = MARKET;
    for (const wrong of [rest, { ...MARKET, more: 1 }, { ...MARKET, baseAsset: "XLM" }]) {
      assert.throws(() => answered([MARKET, wrong]), assert.AssertionError);
    }
    for (const wrong of [
      { type: "pong", more: 1 },
      { type: "ledger", ledger: 5 },
      { type: "ledger", ledger: "5", topic: "contract" },
      { type: "unheard" },
    ]) {
      assert.throws(() => checkPushMessage(wrong), assert.AssertionError);
    }
    assert.throws(() => checkClientMessage({ op: "subscribe", channel: "depth" }));
  });

  it("refuses endpoints, statuses and content types that are not described", () => {
    assert.throws(() => answered([], "/marketplaces"), assert.AssertionError);
    assert.throws(() => answered({ error: "", status: 409 }, "/markets", 409), /not documented/);
    assert.throws(
      () => checkAnswer({ target: "/", status: 200, contentType: "text/plain", text: "" }),
      /not documented/,
    );
  });
});
