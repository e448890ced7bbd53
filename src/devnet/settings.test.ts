import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../config/config.ts";
import { devnetSettings } from "./settings.ts";

test("flags and environment become the devnet's options", () => {
  const read = readConfig(
    ["devnet", "--ledger-time", "50", "--scale=large", "--makers", "7"],
    { SEED: "other", DIAGNOSTICS: "false" },
    devnetSettings,
  );
  assert.equal(read.kind, "config");
  if (read.kind !== "config" || read.config.mode !== "devnet") throw new Error("no devnet");
  const { ledgerTime, scale, makers, seed, diagnostics, markets, port } = read.config.devnet;
  assert.deepEqual(
    { ledgerTime, scale, makers, seed, diagnostics, markets, port },
    {
      ledgerTime: 50,
      scale: "large",
      makers: 7,
      seed: "other",
      diagnostics: false,
      markets: undefined,
      port: 8000,
    },
  );
});

test("a wrong value is named in one line", () => {
  const read = readConfig(["devnet", "--ledger-time", "-1"], {}, devnetSettings);
  assert.deepEqual(read, {
    kind: "invalid",
    message: '--ledger-time: expected an integer from 0 to 600000, got "-1"',
  });
});
