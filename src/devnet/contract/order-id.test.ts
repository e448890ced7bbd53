import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { nativeToScVal, xdr } from "@stellar/stellar-sdk";
import { address } from "../../model/address.ts";
import { deriveOrderId } from "./order-id.ts";

const ACCOUNT = address("GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5");
const CONTRACT = address("CBJ747MKAGQO2LMJPOTCOONAWBLIIBSLOQE325R457TE5MIS6RTDJ4DC");

/** By the SDK's own encoding of the vec. */
function expectedId(owner: string, nonce: bigint): bigint {
  const fields = [nativeToScVal(owner, { type: "address" }), nativeToScVal(nonce, { type: "u64" })];
  const digest = createHash("sha256").update(xdr.ScVal.scvVec(fields).toXDR()).digest("hex");
  return BigInt(`0x${digest.slice(0, 32)}`);
}

test("order ids are the hash of owner and nonce as the SDK encodes them", () => {
  for (const owner of [ACCOUNT, CONTRACT]) {
    for (const nonce of [0n, 1n, 2n ** 63n, 2n ** 64n - 1n]) {
      assert.equal(deriveOrderId(owner, nonce), expectedId(owner, nonce));
    }
  }
});
