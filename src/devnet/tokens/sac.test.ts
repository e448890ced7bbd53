// What the Stellar Asset Contract and the classic operations do to balances (contract.md, Tokens).

import assert from "node:assert/strict";
import { test } from "node:test";
import { chainFromGenesis, createFixture, ONE } from "../../../test/support/devnet/fixture.ts";
import { holdingOf } from "../../../test/support/devnet/holding.ts";
import { type Address, accountAddress } from "../../model/address.ts";
import type { CallError } from "../contract/host.ts";
import { addressValue, bool, i128, u32, type Value } from "../contract/value.ts";
import type { TransactionIntent } from "../intent.ts";
import { type ClassicAsset, NATIVE } from "../ledger/asset.ts";
import type { Chain } from "../ledger/chain.ts";
import {
  type AccountEntry,
  AccountFlags,
  type OfferEntry,
  type TrustlineEntry,
  TrustlineFlags,
} from "../ledger/entry.ts";
import { tryCall } from "../ledger/simulate-call.ts";
import { CodeHash } from "../network.ts";
import { codeOf } from "../scenario.ts";
import { INT64_MAX } from "./reserve.ts";
import { TokenError } from "./token-error.ts";

const START = 1_800_000_000;
const fixture = createFixture("tokens", "Tokens test");
const { network, usdc, gold, usdcToken, goldToken, xlmToken, taker, vault } = fixture;
const [maker, other] = fixture.makers;
/** As the fixture gives it to everyone, and a base reserve of 0.5 XLM. */
const BALANCE = 1_000_000n * ONE;
const RESERVE = 5_000_000n;
const FEE = 100n;
const NEWCOMER = accountAddress(new Uint8Array(32).fill(9));

/** `change`: of the maker's account and of its trustline to USDC; `offers`: in addition. */
function open(
  change: {
    readonly account?: Partial<AccountEntry>;
    readonly trustline?: Partial<TrustlineEntry>;
    readonly offers?: readonly OfferEntry[];
  } = {},
): Chain {
  const options = {
    codeOf: codeOf(fixture.scenario.models, CodeHash.plainToken),
    exchange: network.exchange,
    diagnostics: true,
  };
  const genesis = fixture.scenario.genesis(network, START);
  const entries = genesis.entries.map((entry) => {
    if (entry.kind === "account" && entry.account === maker) return { ...entry, ...change.account };
    const isLine = entry.kind === "trustline" && entry.account === maker && entry.asset === usdc;
    return isLine ? { ...entry, ...change.trustline } : entry;
  });
  return chainFromGenesis(options, { ...genesis, entries: [...entries, ...(change.offers ?? [])] });
}

function apply(chain: Chain, ...intents: readonly TransactionIntent[]): boolean {
  const { transactions, rejected } = chain.close(intents, chain.tip.closeTime + 5);
  assert.deepEqual(rejected, []);
  return transactions.every(({ ok }) => ok);
}

function call(
  source: Address,
  contract: Address,
  fn: string,
  args: readonly Value[],
): TransactionIntent {
  return { kind: "call", source, contract, fn, args };
}

/** 0 where the call succeeds, the contract's code or the kind of error where it fails. */
function codeOfCall(chain: Chain, intent: TransactionIntent): number | CallError["kind"] {
  if (intent.kind !== "call") throw new TypeError("no call");
  const { outcome } = tryCall(chain, intent, intent.source);
  if (outcome.ok) return 0;
  const error: CallError = outcome.error;
  return error.kind === "contract" ? error.code : error.kind;
}

function transfer(
  from: Address,
  to: Address,
  amount: bigint,
  token = usdcToken,
): TransactionIntent {
  return call(from, token, "transfer", [addressValue(from), addressValue(to), i128(amount)]);
}

function holding(chain: Chain, token: Address, holder: Address) {
  return holdingOf(chain, { token, holder, spender: network.exchange });
}

function pay(source: Address, to: Address, asset: ClassicAsset, amount: bigint): TransactionIntent {
  return { kind: "payment", source, to, asset, amount };
}

test("a native balance can be spent down to the reserve, sponsorships and liabilities counted", () => {
  const offers = [1n, 2n, 4n].map(
    (amount): OfferEntry => ({
      kind: "offer",
      seller: maker,
      id: amount,
      selling: NATIVE,
      buying: usdc,
      amount: amount * ONE,
      price: { n: 1, d: 1 },
    }),
  );
  const chain = open({
    account: { subentries: 5, sellingLiabilities: 7n * ONE },
    trustline: { buyingLiabilities: 7n * ONE },
    offers,
  });
  // Two trustlines, three offers, the account itself.
  const spendable = BALANCE - 7n * RESERVE - 7n * ONE;
  assert.equal(holding(chain, xlmToken, maker).spendable, spendable);
  const sponsored: TransactionIntent = {
    kind: "createAccount",
    source: maker,
    account: NEWCOMER,
    amount: 0n,
    sponsored: true,
  };
  assert.equal(apply(chain, sponsored), true);
  const left = spendable - 3n * FEE - 2n * RESERVE;
  assert.equal(holding(chain, xlmToken, maker).spendable, left);
  assert.equal(apply(chain, pay(maker, other, NATIVE, left - FEE + 1n)), false);
  assert.equal(apply(chain, pay(maker, other, NATIVE, left - 2n * FEE)), true);
  assert.equal(holding(chain, xlmToken, maker).spendable, 0n);
});

test("a raised base reserve takes from what can be spent, and can leave a balance below it", () => {
  const chain = open({ account: { balance: 5n * RESERVE } });
  const before = holding(chain, xlmToken, maker).spendable;
  assert.equal(before, RESERVE);
  assert.equal(apply(chain, { kind: "upgradeBaseReserve", baseReserve: 6_000_000 }), true);
  assert.equal(chain.tip.baseReserve, 6_000_000);
  assert.equal(holding(chain, xlmToken, maker).spendable, 5n * RESERVE - 4n * 6_000_000n);
  assert.equal(apply(chain, { kind: "upgradeBaseReserve", baseReserve: 7_000_000 }), true);
  assert.equal(holding(chain, xlmToken, maker).spendable, 0n);
  const balance = call(taker, xlmToken, "balance", [addressValue(maker)]);
  assert.equal(codeOfCall(chain, balance), "fault");
});

test("a trustline pays out what its liabilities leave and takes in what its limit leaves", () => {
  const chain = open({
    trustline: { balance: 100n, limit: 150n, sellingLiabilities: 30n, buyingLiabilities: 20n },
  });
  assert.deepEqual(holding(chain, usdcToken, maker), {
    spendable: 70n,
    headroom: 30n,
    allowance: 0n,
    liveUntil: 0,
    authorized: true,
  });
  assert.equal(codeOfCall(chain, transfer(maker, other, 71n)), TokenError.balance);
  assert.equal(codeOfCall(chain, transfer(maker, other, 70n)), 0);
  assert.equal(codeOfCall(chain, transfer(other, maker, 31n)), TokenError.balance);
  assert.equal(codeOfCall(chain, transfer(other, maker, 30n)), 0);
  assert.equal(apply(chain, pay(other, maker, usdc, 31n)), false);
  assert.equal(apply(chain, pay(other, maker, usdc, 30n)), true);
});

test("an offer ties up what it sells and room for what it buys until it is taken back", () => {
  const chain = open({ trustline: { limit: BALANCE + 50n } });
  const offer = (amount: bigint, id = 0n): TransactionIntent => ({
    kind: "manageOffer",
    source: maker,
    selling: NATIVE,
    buying: usdc,
    amount,
    price: { n: 2, d: 3 },
    offer: id,
  });
  const lumens = () => holding(chain, xlmToken, maker).spendable;
  const room = () => holding(chain, usdcToken, maker).headroom;
  const before = lumens();
  assert.equal(apply(chain, offer(60n)), true);
  assert.deepEqual(
    chain.state.offers(maker).map(({ id }) => id),
    [1n],
  );
  assert.deepEqual([lumens(), room()], [before - FEE - RESERVE - 60n, 10n]);
  // No room for another 11 USDC; 40 * 2/3 is 26.67, rounded up.
  assert.equal(apply(chain, offer(17n)), false);
  assert.equal(apply(chain, offer(40n, 1n)), true);
  assert.deepEqual([lumens(), room()], [before - 3n * FEE - RESERVE - 40n, 23n]);
  assert.equal(apply(chain, offer(0n, 2n)), false);
  assert.equal(apply(chain, offer(0n, 1n)), true);
  assert.deepEqual([lumens(), room()], [before - 5n * FEE, 50n]);
  assert.deepEqual(chain.state.offers(maker), []);
});

test("offers go with the last authorization", () => {
  const chain = open();
  const sells: TransactionIntent = {
    kind: "manageOffer",
    source: maker,
    selling: gold,
    buying: NATIVE,
    amount: 70n,
    price: { n: 1, d: 1 },
    offer: 0n,
  };
  assert.equal(apply(chain, sells), true);
  assert.equal(holding(chain, goldToken, maker).spendable, BALANCE - 70n);
  const revoke: TransactionIntent = {
    kind: "setTrustLineFlags",
    source: gold.issuer,
    trustor: maker,
    asset: gold,
    setFlags: 0,
    clearFlags: TrustlineFlags.authorized,
  };
  assert.equal(apply(chain, revoke), true);
  assert.deepEqual(chain.state.offers(maker), []);
  assert.equal(holding(chain, goldToken, maker).spendable, BALANCE);
  assert.equal(holding(chain, goldToken, maker).authorized, false);
});

test("an issuer mints and burns without bound, whether by payment or by transfer", () => {
  const chain = open();
  assert.equal(holding(chain, usdcToken, usdc.issuer).spendable, INT64_MAX);
  assert.equal(apply(chain, pay(usdc.issuer, maker, usdc, 5n)), true);
  assert.equal(apply(chain, transfer(usdc.issuer, maker, 6n)), true);
  assert.equal(holding(chain, usdcToken, maker).spendable, BALANCE + 11n);
  assert.equal(apply(chain, transfer(maker, usdc.issuer, 11n)), true);
  assert.equal(holding(chain, usdcToken, maker).spendable, BALANCE);
  const burn = call(usdc.issuer, usdcToken, "burn", [addressValue(usdc.issuer), i128(1n)]);
  assert.equal(codeOfCall(chain, burn), TokenError.operationNotSupported);
});

test("who has no trustline, or no account, cannot be paid and has no balance", () => {
  const chain = open();
  const toIssuer = transfer(maker, gold.issuer, 1n);
  assert.equal(codeOfCall(chain, toIssuer), TokenError.trustlineMissing);
  const fromNobody = call(taker, xlmToken, "balance", [addressValue(NEWCOMER)]);
  assert.equal(codeOfCall(chain, fromNobody), TokenError.accountMissing);
  const { spendable, authorized, headroom } = holding(chain, usdcToken, gold.issuer);
  assert.deepEqual(
    { spendable, authorized, headroom },
    { spendable: 0n, authorized: false, headroom: 0n },
  );
});

test("lumens sent by call make an account where they cover its reserve", () => {
  const chain = open();
  const few = transfer(maker, NEWCOMER, 2n * RESERVE - 1n, xlmToken);
  assert.equal(codeOfCall(chain, few), TokenError.insufficientAccountReserve);
  assert.equal(apply(chain, transfer(maker, NEWCOMER, 10n * RESERVE, xlmToken)), true);
  assert.equal(holding(chain, xlmToken, NEWCOMER).spendable, 8n * RESERVE);
  // The token itself opens a trustline, too.
  const trust = call(NEWCOMER, usdcToken, "trust", [addressValue(NEWCOMER)]);
  assert.equal(apply(chain, trust, trust), true);
  assert.equal(holding(chain, usdcToken, NEWCOMER).headroom, INT64_MAX);
});

test("a contract's balance starts as the issuer's flags say", () => {
  const chain = open();
  const authorized = (token: Address) => holding(chain, token, network.exchange).authorized;
  assert.equal(authorized(usdcToken), true);
  assert.equal(authorized(goldToken), false);
  assert.equal(authorized(xlmToken), true);
  const pays = transfer(maker, network.exchange, 4n, goldToken);
  assert.equal(codeOfCall(chain, pays), TokenError.balanceDeauthorized);
  const permit = [addressValue(network.exchange), bool(true)];
  assert.equal(apply(chain, call(gold.issuer, goldToken, "set_authorized", permit)), true);
  assert.equal(apply(chain, pays), true);
  assert.equal(holding(chain, goldToken, network.exchange).spendable, 4n);
  const forbid = [addressValue(network.exchange), bool(false)];
  assert.equal(apply(chain, call(gold.issuer, goldToken, "set_authorized", forbid)), true);
  assert.equal(holding(chain, goldToken, network.exchange).authorized, false);
  assert.equal(holding(chain, goldToken, network.exchange).spendable, 4n);
});

test("an issuer revokes, restores and claws back, by operation and by call", () => {
  const chain = open();
  const flags = (setFlags: number, clearFlags: number): TransactionIntent => ({
    kind: "setTrustLineFlags",
    source: gold.issuer,
    trustor: maker,
    asset: gold,
    setFlags,
    clearFlags,
  });
  const { authorized, maintainLiabilities } = TrustlineFlags;
  assert.equal(apply(chain, flags(maintainLiabilities, authorized)), true);
  assert.equal(holding(chain, goldToken, maker).authorized, false);
  const pays = transfer(maker, other, 1n, goldToken);
  assert.equal(codeOfCall(chain, pays), TokenError.balanceDeauthorized);
  const clawback = [addressValue(maker), i128(10n)];
  assert.equal(apply(chain, call(gold.issuer, goldToken, "clawback", clawback)), true);
  const restore = [addressValue(maker), bool(true)];
  assert.equal(apply(chain, call(gold.issuer, goldToken, "set_authorized", restore)), true);
  const taken: TransactionIntent = {
    kind: "clawback",
    source: gold.issuer,
    from: maker,
    asset: gold,
    amount: 5n,
  };
  assert.equal(apply(chain, taken), true);
  assert.deepEqual(holding(chain, goldToken, maker), {
    spendable: BALANCE - 15n,
    headroom: INT64_MAX - BALANCE + 15n,
    allowance: 0n,
    liveUntil: 0,
    authorized: true,
  });
  // USDC's issuer kept no such rights.
  const notAllowed = call(usdc.issuer, usdcToken, "set_authorized", [
    addressValue(maker),
    bool(false),
  ]);
  assert.equal(codeOfCall(chain, notAllowed), TokenError.operationNotSupported);
});

test("an allowance can be spent until its ledger, is used up, and can be taken back", () => {
  const chain = open();
  const approve = (amount: bigint, liveUntil: number): TransactionIntent =>
    call(maker, usdcToken, "approve", [
      addressValue(maker),
      addressValue(taker),
      i128(amount),
      u32(liveUntil),
    ]);
  const spend = (amount: bigint): TransactionIntent =>
    call(taker, usdcToken, "transfer_from", [
      addressValue(taker),
      addressValue(maker),
      addressValue(other),
      i128(amount),
    ]);
  const { ledger } = chain.tip;
  assert.equal(codeOfCall(chain, approve(1n, ledger)), TokenError.allowance);
  assert.equal(codeOfCall(chain, approve(0n, 0)), 0);
  assert.equal(codeOfCall(chain, approve(-1n, 100)), TokenError.negativeAmount);
  assert.equal(apply(chain, approve(100n, ledger + 4)), true);
  assert.equal(apply(chain, spend(60n)), true);
  assert.equal(codeOfCall(chain, spend(41n)), TokenError.allowance);
  assert.equal(codeOfCall(chain, spend(40n)), 0);
  apply(chain);
  assert.equal(codeOfCall(chain, spend(40n)), 0);
  apply(chain);
  assert.equal(codeOfCall(chain, spend(1n)), TokenError.allowance);
  assert.equal(apply(chain, approve(9n, ledger + 100)), true);
  assert.equal(apply(chain, approve(0n, 0)), true);
  assert.equal(codeOfCall(chain, spend(1n)), TokenError.allowance);
});

test("a trustline can be opened, limited, closed and paid for by a sponsor", () => {
  const chain = open();
  const change = (limit: bigint, sponsor?: Address): TransactionIntent => ({
    kind: "changeTrust",
    source: fixture.admin,
    asset: gold,
    limit,
    ...(sponsor === undefined ? {} : { sponsor }),
  });
  const lumens = () => holding(chain, xlmToken, fixture.admin).spendable;
  const sponsorLumens = () => holding(chain, xlmToken, maker).spendable;
  const [own, paid] = [lumens(), sponsorLumens()];
  assert.equal(apply(chain, change(50n, maker)), true);
  assert.equal(lumens(), own - 3n * FEE);
  assert.equal(sponsorLumens(), paid - RESERVE);
  // Its issuer requires authorization.
  assert.equal(holding(chain, goldToken, fixture.admin).authorized, false);
  assert.equal(apply(chain, change(80n)), true);
  assert.equal(holding(chain, goldToken, fixture.admin).headroom, 80n);
  assert.equal(apply(chain, change(0n)), true);
  assert.equal(sponsorLumens(), paid);
  assert.equal(lumens(), own - 5n * FEE);
  assert.equal(holding(chain, goldToken, fixture.admin).headroom, 0n);
});

test("a contract holder cannot spend more than it has", () => {
  const chain = open();
  const pays = (amount: bigint, signers: readonly Address[] = [vault]): TransactionIntent => ({
    kind: "call",
    source: taker,
    contract: usdcToken,
    fn: "transfer",
    args: [addressValue(vault), addressValue(maker), i128(amount)],
    signers,
  });
  assert.equal(apply(chain, pays(BALANCE + 1n)), false);
  assert.equal(apply(chain, pays(BALANCE)), true);
  assert.equal(holding(chain, usdcToken, vault).spendable, 0n);
  assert.equal(apply(chain, pays(0n, [])), false);
});

test("flags of an issuer are changed by its own word alone", () => {
  const chain = open();
  const set = (setFlags: number): TransactionIntent => ({
    kind: "setOptions",
    source: usdc.issuer,
    setFlags,
    clearFlags: 0,
  });
  // Clawback needs the right to revoke.
  assert.equal(apply(chain, set(AccountFlags.clawbackEnabled)), false);
  assert.equal(apply(chain, set(AccountFlags.required | AccountFlags.revocable)), true);
  assert.equal(holding(chain, usdcToken, network.exchange).authorized, false);
  assert.equal(holding(chain, usdcToken, maker).authorized, true);
});
