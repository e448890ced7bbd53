import assert from "node:assert/strict";
import { test } from "node:test";
import { Address as SdkAddress, xdr } from "@stellar/stellar-sdk/base";
import { type Address, accountAddress, address, contractAddress } from "../../model/address.ts";
import {
  accountKey,
  allowanceKey,
  balanceKey,
  eventsSettingKey,
  instanceKey,
  RecordKeyBuilder,
  trustlineKey,
} from "./ledger-keys.ts";

// Keys as ledgers of the public network have them.
const BALANCE =
  "AAAABgAAAAEohS9owZhIjjRvsSEu1QKQU3Ycwk9FM5LjU5ggGwgl5wAAABAAAAABAAAAAgAAAA8AAAAHQmFsYW5jZQAAAAASAAAAAZVgbiRqUQ4H8AWsAoJeMOf5iPYS1yc1TDtESRt+MZTGAAAAAQ==";
const ALLOWANCE =
  "AAAABgAAAAEohS9owZhIjjRvsSEu1QKQU3Ycwk9FM5LjU5ggGwgl5wAAABAAAAABAAAAAgAAAA8AAAAJQWxsb3dhbmNlAAAAAAAAEQAAAAEAAAACAAAADwAAAARmcm9tAAAAEgAAAAAAAAAAZ/4BroMjtNqRRRmh3i8zRBxeMRui3WLgzw/fEufQI7sAAAAPAAAAB3NwZW5kZXIAAAAAEgAAAAGVYG4kalEOB/AFrAKCXjDn+Yj2EtcnNUw7REkbfjGUxgAAAAA=";
const TRUSTLINE =
  "AAAAAQAAAAD3sA/v+l/KNG8d26ePVn/plIRt6Pk1K3I3LLe9ew1iVQAAAAJYTUFUSwAAAAAAAAAAAAAAA+8067O1fgiO9XynO2wRzX9mdPPQbenkLHi9x/Tj7FQ=";

const parsedBalance = dataOf(BALANCE);
const token = addressOf(parsedBalance.contract);
const holder = addressOf(partOf(parsedBalance.key, 1));
const maker = addressOf(fromOf(dataOf(ALLOWANCE).key));

test("keys of contract balances, allowances and trustlines are those of the public network", () => {
  assert.equal(balanceKey(token, holder), BALANCE);
  assert.equal(allowanceKey(token, maker, holder), ALLOWANCE);
  const line = xdr.LedgerKey.fromXdr(TRUSTLINE, "base64");
  assert(line.type === "trustline" && line.trustLine.asset.type === "assetTypeCreditAlphanum12");
  const owner = accountAddress(line.trustLine.accountId.value.value);
  const issuer = accountAddress(line.trustLine.asset.alphaNum12.issuer.value.value);
  assert.equal(trustlineKey(owner, { code: "XMATK", issuer }), TRUSTLINE);
});

test("an instance is persistent and keyed by its own kind of value", () => {
  const key = dataOf(instanceKey(token));
  assert.equal(addressOf(key.contract), token);
  assert.equal(key.key.type, "scvLedgerKeyContractInstance");
  assert.equal(key.durability.name, "persistent");
});

test("the limit of a call's events is in the setting of that name", () => {
  const key = xdr.LedgerKey.fromXdr(eventsSettingKey(), "base64");
  assert(key.type === "configSetting");
  assert.equal(key.configSetting.configSettingId.name, "configSettingContractEventsV0");
});

function dataOf(key: string): xdr.LedgerKeyContractData {
  const parsed = xdr.LedgerKey.fromXdr(key, "base64");
  assert(parsed.type === "contractData");
  return parsed.contractData;
}

function partOf(key: xdr.ScVal, index: number): xdr.ScVal {
  assert(key.type === "scvVec");
  const part = key.vec?.[index];
  assert(part !== undefined);
  return part;
}

function fromOf(key: xdr.ScVal): xdr.ScVal {
  const parties = partOf(key, 1);
  assert(parties.type === "scvMap");
  const from = parties.map?.[0]?.val;
  assert(from !== undefined);
  return from;
}

function addressOf(value: xdr.ScVal | xdr.ScAddress): Address {
  const isValue = "type" in value && value.type === "scvAddress";
  const found = isValue
    ? SdkAddress.fromScVal(value)
    : SdkAddress.fromScAddress(value as xdr.ScAddress);
  return address(found.toString());
}

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
