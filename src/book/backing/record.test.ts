import assert from "node:assert/strict";
import { test } from "node:test";
import { accountAddress, address } from "../../model/address.ts";
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import type { Token } from "./ledger-keys.ts";
import { ISSUER_BALANCE, type RecordEntries, recordValues } from "./record.ts";

const issuer = address("GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5");
const maker = accountAddress(new Uint8Array(32).fill(7));
const contract = address("CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC");
const NATIVE = { kind: "native" } as const;
const USDC = { kind: "issued", code: "USDC", issuer } as const;
const AT = { ledger: 100, baseReserve: 5_000_000n };

const account = {
  kind: "account",
  balance: 1_000_000_000n,
  sellingLiabilities: 0n,
  buyingLiabilities: 0n,
  subentries: 0,
  sponsoring: 0,
  sponsored: 0,
  flags: 0,
} as const satisfies TrackedEntry;
const trustline = {
  kind: "trustline",
  balance: 1000n,
  limit: 5000n,
  sellingLiabilities: 0n,
  buyingLiabilities: 0n,
  flags: 1,
} as const satisfies TrackedEntry;
const granted = { kind: "allowance", amount: 700n, liveUntil: 100 } as const;

type Held = Exclude<Token, { kind: "other" }>;
const values = (owner: string, token: Held, entries: RecordEntries) =>
  recordValues(address(owner), token, entries, AT);

test("an account's native balance leaves out liabilities and the reserve", () => {
  const holding = {
    ...account,
    sellingLiabilities: 7n,
    buyingLiabilities: 9n,
    subentries: 3,
    sponsoring: 4,
    sponsored: 2,
  };
  const record = values(maker, NATIVE, { holding, allowance: granted });
  // (2 + 3 + 4 - 2) reserves of 0.5 XLM
  assert.deepEqual(record, {
    balance: 1_000_000_000n - 7n - 35_000_000n,
    allowance: 700n,
    liveUntil: 100,
    authorized: true,
    budget: 700n,
  });
});

test("an account below its liabilities and reserve can spend nothing and is short; at them it is not", () => {
  const of = (balance: bigint, sellingLiabilities = 0n) =>
    values(maker, NATIVE, {
      holding: { ...account, balance, sellingLiabilities },
      allowance: granted,
    });
  const nothing = { balance: 0n, allowance: 700n, liveUntil: 100, authorized: true, budget: 0n };
  assert.deepEqual(of(9_999_999n), { ...nothing, short: true });
  assert.deepEqual(of(10_000_000n), nothing);
  assert.deepEqual(of(10_000_000n, 1n), { ...nothing, short: true });
  assert.deepEqual(of(0n, (1n << 63n) - 1n), { ...nothing, short: true });
});

test("a missing account holds and receives nothing", () => {
  assert.deepEqual(values(maker, NATIVE, { allowance: granted }), {
    balance: 0n,
    allowance: 700n,
    liveUntil: 100,
    authorized: false,
    budget: 0n,
  });
});

test("a trustline gives balance less selling liabilities and room less buying liabilities", () => {
  const holding = { ...trustline, sellingLiabilities: 400n, buyingLiabilities: 50n };
  assert.deepEqual(values(maker, USDC, { holding, allowance: granted }), {
    balance: 600n,
    allowance: 700n,
    liveUntil: 100,
    authorized: true,
    budget: 600n,
    headroom: 3950n,
  });
});

test("a trustline over its limit has no room", () => {
  const holding = { ...trustline, limit: 1000n, buyingLiabilities: 1n };
  assert.equal(values(maker, USDC, { holding }).headroom, 0n);
});

test("a trustline that may only keep its liabilities is not authorized, and keeps its balance", () => {
  for (const flags of [0, 2, 6]) {
    const record = values(maker, USDC, { holding: { ...trustline, flags }, allowance: granted });
    assert.deepEqual(
      [record.authorized, record.balance, record.budget, record.headroom],
      [false, 1000n, 0n, 4000n],
    );
  }
  assert.equal(values(maker, USDC, { holding: { ...trustline, flags: 5 } }).authorized, true);
});

test("without a trustline there is nothing to send and no room to receive", () => {
  assert.deepEqual(values(maker, USDC, { allowance: granted }), {
    balance: 0n,
    allowance: 700n,
    liveUntil: 100,
    authorized: false,
    budget: 0n,
    headroom: 0n,
  });
});

test("an issuer holds its own asset without bound, as far as it allows", () => {
  const allowance = { kind: "allowance", amount: 1n << 100n, liveUntil: 100 } as const;
  assert.deepEqual(values(issuer, USDC, { allowance }), {
    balance: ISSUER_BALANCE,
    allowance: 1n << 100n,
    liveUntil: 100,
    authorized: true,
    budget: ISSUER_BALANCE,
  });
});

test("a contract's balance entry says what it holds and whether it may", () => {
  const holding = { kind: "balance", amount: 1n << 90n, authorized: true } as const;
  const record = values(contract, USDC, { holding, allowance: granted });
  assert.deepEqual([record.balance, record.authorized, record.budget], [1n << 90n, true, 700n]);
  assert.equal("headroom" in record, false);
  const revoked = { ...holding, authorized: false };
  assert.equal(values(contract, USDC, { holding: revoked, allowance: granted }).budget, 0n);
  assert.equal(values(contract, NATIVE, { holding }).balance, 1n << 90n);
});

test("a contract without an entry is authorized unless the issuer requires authorization", () => {
  const authorized = (entries: RecordEntries) => values(contract, USDC, entries).authorized;
  assert.equal(authorized({ issuer: account }), true);
  assert.equal(authorized({ issuer: { ...account, flags: 2 | 8 } }), true);
  assert.equal(authorized({ issuer: { ...account, flags: 1 } }), false);
  // The token contract fails where it cannot read the flags.
  assert.equal(authorized({}), false);
  assert.equal(values(contract, NATIVE, {}).authorized, true);
});

test("an allowance counts up to and including its last ledger", () => {
  const at = (liveUntil: number, amount = 700n) => {
    const allowance = { kind: "allowance", amount, liveUntil } as const;
    const record = values(maker, USDC, { holding: trustline, allowance });
    return [record.allowance, record.liveUntil, record.budget];
  };
  assert.deepEqual(at(100), [700n, 100, 700n]);
  assert.deepEqual(at(99), [0n, 0, 0n]);
  assert.deepEqual(at(100, 0n), [0n, 0, 0n]);
  assert.deepEqual(at(100, 1n << 126n), [1n << 126n, 100, 1000n]);
});
