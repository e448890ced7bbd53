import assert from "node:assert/strict";
import { test } from "node:test";
import { StrKey } from "@stellar/stellar-sdk/base";
import fc from "fast-check";
import { encodeStrkey, isStrkey, StrkeyVersion, strkeyPayload } from "./strkey.ts";

const payload = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("strkeys are those of the SDK, encoded and decoded", () => {
  fc.assert(
    fc.property(payload, (bytes) => {
      const account = StrKey.encodeEd25519PublicKey(bytes);
      const contract = StrKey.encodeContract(bytes);
      assert.equal(encodeStrkey(StrkeyVersion.account, bytes), account);
      assert.equal(encodeStrkey(StrkeyVersion.contract, bytes), contract);
      assert.ok(isStrkey(StrkeyVersion.account, account));
      assert.ok(!isStrkey(StrkeyVersion.contract, account));
      assert.ok(isStrkey(StrkeyVersion.contract, contract));
      assert.deepEqual(strkeyPayload(contract), bytes);
    }),
  );
});

test("any changed character makes it none, as for the SDK", () => {
  const character = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ234567abcz018=- é\u0000");
  fc.assert(
    fc.property(payload, fc.nat(55), character, (bytes, at, other) => {
      const text = StrKey.encodeContract(bytes);
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      assert.equal(isStrkey(StrkeyVersion.contract, changed), StrKey.isValidContract(changed));
      assert.equal(isStrkey(StrkeyVersion.contract, changed), changed === text);
    }),
  );
});

test("other lengths are none", () => {
  const text = encodeStrkey(StrkeyVersion.account, new Uint8Array(32));
  for (const other of ["", text.slice(1), `${text}A`, text.toLowerCase()]) {
    assert.ok(!isStrkey(StrkeyVersion.account, other));
  }
  assert.throws(() => encodeStrkey(StrkeyVersion.account, new Uint8Array(31)), RangeError);
});
