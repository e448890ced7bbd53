import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  accountAddress,
  addressBytes,
  compareAddresses,
  contractAddress,
  parseAddress,
} from "./address.ts";

const key = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("the bytes of an address are those it was made of", () => {
  fc.assert(
    fc.property(key, (bytes) => {
      assert.deepEqual(addressBytes(accountAddress(bytes)), bytes);
      assert.deepEqual(addressBytes(contractAddress(bytes)), bytes);
    }),
  );
});

test("addresses sort by their kind and then by their bytes", () => {
  fc.assert(
    fc.property(key, key, (one, other) => {
      const expected = Math.sign(Buffer.compare(one, other));
      for (const make of [accountAddress, contractAddress]) {
        assert.equal(Math.sign(compareAddresses(make(one), make(other))), expected);
      }
      assert(compareAddresses(accountAddress(one), contractAddress(other)) < 0);
      assert(compareAddresses(contractAddress(one), accountAddress(other)) > 0);
    }),
  );
});

test("text with a wrong checksum or of another kind is no address", () => {
  const account = accountAddress(new Uint8Array(32).fill(7));
  const broken = account.endsWith("A") ? `${account.slice(0, -1)}B` : `${account.slice(0, -1)}A`;
  assert.equal(parseAddress(account), account);
  for (const text of [
    "",
    broken,
    account.toLowerCase(),
    account.slice(1),
    `${account}A`,
    `M${account.slice(1)}`,
  ]) {
    assert.equal(parseAddress(text), undefined, text);
  }
});
