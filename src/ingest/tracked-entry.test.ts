import assert from "node:assert/strict";
import { test } from "node:test";
import { LedgerEntryData } from "@stellar/stellar-sdk/xdr";
import { assetInstance, wasmInstance } from "../../test/e2e/built-exchange.ts";
import { testAccount, testContract } from "../../test/ingest/addresses.ts";
import { trackedEntry } from "./tracked-entry.ts";

const token = testContract(1);
const issuer = testAccount(2);

function entryOf(instance: string) {
  return trackedEntry(LedgerEntryData.fromXdr(instance, "base64"));
}

test("an instance names an asset as Stellar Asset Contracts do, or is none that could be followed", () => {
  assert.deepEqual(entryOf(wasmInstance(token)), { kind: "token" });
  for (const asset of ["native", `A:${issuer}`, `ABCDEFGHIJKL:${issuer}`]) {
    assert.deepEqual(entryOf(assetInstance(token, asset)), { kind: "token", asset });
  }
  for (const name of [
    ...["", "XLM", "USD", "USD:", `:${issuer}`, `USD-${issuer}`, `ABCDEFGHIJKLM:${issuer}`],
    ...[
      `U D:${issuer}`,
      `USD:${token}`,
      `USD:${issuer.slice(0, -1)}${issuer.endsWith("A") ? "B" : "A"}`,
      `USD:${issuer}:`,
    ],
  ]) {
    assert.equal(entryOf(assetInstance(token, name)), undefined, name);
  }
});
