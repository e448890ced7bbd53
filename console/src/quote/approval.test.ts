import assert from "node:assert/strict";
import { it } from "node:test";
import { Direction, limitCall } from "../../../src/client/call.ts";
import { approvedCall, type Trader } from "./approval.ts";

const call = limitCall({
  direction: Direction.sell,
  trader: "GA",
  amount: 50_000_000n,
  selling: "CA",
  buying: "CB",
  price: 10n ** 18n,
  nonce: 1n,
});

function known(allowance: string, liveUntil: number): Trader {
  const amounts = { balance: allowance, allowance, budget: allowance };
  return {
    kind: "known",
    held: { owner: "GA", asset: "CA", ...amounts, liveUntil, authorized: true },
  };
}

function approved(trader: Trader) {
  const { call: made, why } = approvedCall(call, { trader, ledger: 1000, token: "USDC" });
  return { approve: made.args.approve, why };
}

it("approves in the call exactly where the trader has not, and says why", () => {
  const approve = { amount: 50_000_000n, asset: "CA", live_until: 1200 };
  const enough = approved(known("50000000", 5000));
  assert.equal(enough.approve, null);
  assert.match(enough.why, /may move 5 USDC of the caller's already, so the call approves nothing/);
  const short = approved(known("49999999", 5000));
  assert.deepEqual(short.approve, approve);
  assert.match(short.why, /has approved 4.9999999 USDC, and the call can cost 5 USDC.*error 9/);
  const past = approved(known("99999999999", 999));
  assert.deepEqual(past.approve, approve);
  assert.match(past.why, /has approved 0 USDC/);
  const soon = approved(known("60000000", 1005));
  assert.deepEqual(soon.approve, { ...approve, amount: 60_000_000n }, "never lowers what lives");
  assert.match(soon.why, /ends with ledger 1,005/);
  assert.match(approved({ kind: "unnamed" }).why, /Nobody is named as the caller/);
  assert.deepEqual(approved({ kind: "unnamed" }).approve, approve);
  assert.deepEqual(approved({ kind: "loading" }).approve, approve);
});
