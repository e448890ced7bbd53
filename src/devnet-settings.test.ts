import assert from "node:assert/strict";
import { it } from "node:test";
import { readConfig } from "./config/config.ts";
import { devnetSettings } from "./devnet-settings.ts";

it("says of a wrong option of the devnet what was expected, and what came", () => {
  const wrong = {
    "--ledger-time -5": '--ledger-time: too small: expected number to be >=0, got "-5"',
    "--ledger-time 5s": '--ledger-time: invalid input: expected number, got "5s"',
    "--diagnostics maybe": '--diagnostics: invalid input: expected boolean, got "maybe"',
  };
  for (const [args, message] of Object.entries(wrong)) {
    const read = readConfig(["all", ...args.split(" ")], {}, devnetSettings);
    assert.deepEqual(read, { kind: "invalid", message });
  }
});
