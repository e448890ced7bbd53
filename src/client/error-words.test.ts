import assert from "node:assert/strict";
import { it } from "node:test";
import { CONTRACT_ERRORS } from "../model/contract-errors.ts";
import { errorCode, errorName, errorWords, hostErrorWords } from "./error-words.ts";

it("every code of the exchange has its name", () => {
  for (const [text, { name }] of Object.entries(CONTRACT_ERRORS)) {
    const code = Number(text);
    assert.equal(errorName(code), name);
    assert.ok(errorWords(code).startsWith(`${code} ${name}`));
  }
});

it("tokens' codes are told apart from the exchange's, others named by number", () => {
  assert.match(errorWords(13), /^token error 13 TrustlineMissingError: /);
  assert.equal(errorName(10), "BalanceError");
  assert.equal(errorWords(4711), "contract error 4711");
  assert.equal(errorName(4711), undefined);
});

it("a simulation's text is put in words where it names a contract error", () => {
  const log = "\n\nEvent log (newest first):\n   0: [Diagnostic Event] ...";
  assert.equal(errorCode(`HostError: Error(Contract, #709)${log}`), 709);
  assert.match(hostErrorWords(`HostError: Error(Contract, #709)${log}`), /^709 NotFilled: /);
  assert.equal(
    hostErrorWords(`HostError: Error(Budget, ExceededLimit)${log}`),
    "HostError: Error(Budget, ExceededLimit)",
  );
});
