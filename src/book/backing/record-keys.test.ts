import assert from "node:assert/strict";
import { test } from "node:test";
import { accountAddress, contractAddress } from "../../model/address.ts";
import { accountKey, allowanceKey, balanceKey, instanceKey, trustlineKey } from "./ledger-keys.ts";
import { RecordKeyBuilder } from "./record-keys.ts";

const account = (number: number) => accountAddress(new Uint8Array(32).fill(number));
const contract = (number: number) => contractAddress(new Uint8Array(32).fill(number));
const issuer = account(9);
const spender = contract(8);
const asset = contract(7);
const native = { kind: "native" } as const;
const long = { kind: "issued", code: "LONGERCODE", issuer } as const;
const short = { kind: "issued", code: "USD", issuer } as const;

test("which entries decide depends on the owner and the token", () => {
  const keys = new RecordKeyBuilder(spender);
  assert.equal(keys.instance(asset), instanceKey(asset));
  // Several owners of each kind: keys after the first are made from it.
  for (const owner of [account(1), account(2), account(0), account(255)]) {
    const allowance = allowanceKey(asset, owner, spender);
    assert.deepEqual(keys.record(owner, asset, native), { holding: accountKey(owner), allowance });
    for (const token of [long, short]) {
      assert.deepEqual(keys.record(owner, asset, token), {
        holding: trustlineKey(owner, token),
        allowance,
      });
    }
    assert.equal(keys.record(owner, asset, { kind: "other" }), undefined);
  }
  for (const owner of [contract(1), contract(2), spender]) {
    const holding = balanceKey(asset, owner);
    const allowance = allowanceKey(asset, owner, spender);
    assert.deepEqual(keys.record(owner, asset, native), { holding, allowance });
    assert.deepEqual(keys.record(owner, asset, long), {
      holding,
      allowance,
      issuer: accountKey(issuer),
    });
  }
  assert.deepEqual(keys.record(issuer, asset, short), {
    allowance: allowanceKey(asset, issuer, spender),
  });
});
