import assert from "node:assert/strict";
import { it } from "node:test";
import type { Failure } from "../../../src/api/types.ts";
import { failureWords } from "./failure-words.ts";

const context = {
  assets: { label: (address: string) => (address === "CUSDC" ? "USDC" : address) },
  ledgers: { contract: { address: "CEXCHANGE" } },
};

function words(more: Partial<Failure>): string {
  const place = { id: "1", cursor: "1", txHash: "ff", ledger: 1, timestamp: "2026-01-01 00:00:00" };
  const call = { fn: "trade", caller: "GA", orders: [], result: "", reason: "contract" } as const;
  return failureWords({ type: "failure", ...place, ...call, ...more }, context);
}

it("says of a failed call what it means, by the contract that ended it", () => {
  const by = (contract: string, code: number) => words({ error: { contract, code } });
  assert.match(by("CEXCHANGE", 709), /709 NotFilled: the order or swap cannot/);
  assert.match(by("CUSDC", 9), /^Token error 9 AllowanceError: the allowance is too small/);
  assert.match(by("CUSDC", 13), /TrustlineMissingError/);
  assert.match(by("CORACLE", 709), /contract CORACLE ended it with its error 709/i);
  const transfer = {
    token: "CUSDC",
    fn: "transfer_from",
    from: "GA",
    to: "GB",
    amount: "15",
  } as const;
  const error = { contract: "CUSDC", code: 10 };
  assert.match(
    words({ reason: "transfer", transfer, error }),
    /^The transfer of 0.0000015 USDC from GA to GB failed: token error 10 BalanceError/,
  );
  assert.match(words({ reason: "resources" }), /ran out of resources/);
  assert.match(words({ reason: "auth" }), /had not signed it/);
  assert.match(words({ reason: "unknown", caught: true }), /does not say why.*went on without it/);
});
