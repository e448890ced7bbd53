import assert from "node:assert/strict";
import { test } from "node:test";
import { TransactionMeta } from "@stellar/stellar-sdk/xdr";
import { readFixture } from "../../test/ingest/ledger-fixtures.ts";
import { hostDiagnosticOf } from "../../test/support/sdk-decoder.ts";
import { type Address, address } from "../model/address.ts";
import { buildCallTree, type CallTree } from "./call-tree.ts";
import { failedCalls } from "./failed-call.ts";

const outer = address("CD73N3TNZEUPBGBAOAKKG57NROGJYXA53A7VVO55KQRRGR5FXJNA77QK");
const middle = address("CDFEEEZYIG7R7RFMMEPAX5HCPGZLJ3GFUPGHXVP6IE3J2OVWFVUEMCYD");
const token = address("CC5RQJXODHR6OF3OCR23GTWWSL2WSAIFCP4NDXEJOQ5SOMCCXR5EADXJ");

/** A real transaction in which a token transfer failed and its caller went on. */
function caughtTransfer(): CallTree {
  for (const bytes of readFixture("txmeta")) {
    const meta = TransactionMeta.fromXdr(bytes);
    if (meta.type !== "v3") continue;
    const tree = buildCallTree((meta.v3.sorobanMeta?.diagnosticEvents ?? []).map(hostDiagnosticOf));
    if (tree.calls[0]?.contract === outer && tree.calls.some((call) => call.contract === token)) {
      return tree;
    }
  }
  throw new Error("the fixture is not there");
}

test("a real tree: calls, callers and who failed", () => {
  const tree = caughtTransfer();
  assert.deepEqual(
    tree.calls.map(({ contract, fn, parent, outcome }) => [
      contract,
      fn,
      parent?.contract,
      outcome,
    ]),
    [
      [outer, "execute_bid", undefined, "returned"],
      [
        "CDBIBDGOGLL7DYQ6DCNHMROSJ7BZDZT7CD3JXVY3DRVHIYW4M4NZWG6Y",
        "get_collection_info",
        outer,
        "returned",
      ],
      [middle, "transfer", outer, "returned"],
      [token, "transfer", middle, "returned"],
      [middle, "transfer", outer, "returned"],
      [token, "transfer", middle, "returned"],
      [middle, "transfer", outer, "returned"],
      [token, "transfer", middle, "failed"],
      [token, "transfer", middle, "returned"],
      ["CDBIBDGOGLL7DYQ6DCNHMROSJ7BZDZT7CD3JXVY3DRVHIYW4M4NZWG6Y", "transfer", outer, "returned"],
    ],
  );
  assert.equal(tree.kept.length, 5);
});

test("the failed call of a real tree is recorded as caught, with the token's error", () => {
  const source = address("GB6VEGSQX2EHSROHRHXX7XGPI7EOBOHU5FB5AZCGSNSMS3YG76BGUIYN");
  const failures = (exchange: Address) =>
    failedCalls(
      exchange,
      {
        ledger: 243_056,
        order: 1,
        hash: "00".repeat(32),
        closeTime: 1,
        succeeded: true,
        result: "invokeHostFunctionSuccess",
        source: () => source,
      },
      caughtTransfer(),
      () => undefined,
    );
  const [failure] = failures(token);
  assert.equal(failures(token).length, 1);
  assert.equal(failure?.fn, "transfer");
  assert.equal(failure?.caught, true);
  assert.equal(failure?.reason, "contract");
  assert.deepEqual(failure?.error, { contract: token, code: 13 });
  assert.equal(failure?.caller, source);
  // The caller of the failed call went on: it did not fail.
  assert.deepEqual(failures(middle), []);
  assert.deepEqual(failures(outer), []);
});
