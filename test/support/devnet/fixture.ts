// A small network for tests: two makers, a taker and a contract that hold two issued assets and the
// plain token, in which nothing moves but what a test submits.
import assert from "node:assert/strict";
import { exchange } from "../../../src/devnet/contract/exchange.ts";
import type { ContractModel } from "../../../src/devnet/contract/host.ts";
import { i128, map, u64, type Value, VOID } from "../../../src/devnet/contract/value.ts";
import { type ClassicAsset, type IssuedAsset, NATIVE } from "../../../src/devnet/ledger/asset.ts";
import { Chain, type ChainOptions } from "../../../src/devnet/ledger/chain.ts";
import {
  type AccountEntry,
  AccountFlags,
  type DataEntry,
  type TrustlineEntry,
} from "../../../src/devnet/ledger/entry.ts";
import {
  GENESIS_LEDGER,
  type Genesis,
  genesisTip,
  writeGenesis,
} from "../../../src/devnet/ledger/genesis.ts";
import { sha256 } from "../../../src/devnet/ledger/hash.ts";
import { newAccount, newTrustline } from "../../../src/devnet/ledger/new-entry.ts";
import { accountIn, LedgerState } from "../../../src/devnet/ledger/state.ts";
import {
  CodeHash,
  createNetwork,
  deployExchange,
  type Network,
  networkGenesis,
} from "../../../src/devnet/network.ts";
import type { Scenario } from "../../../src/devnet/scenario.ts";
import { balanceKey, balanceValue } from "../../../src/devnet/tokens/sac-balance.ts";
import { type Address, accountAddress, contractAddress } from "../../../src/model/address.ts";

/** Base units of one token. */
export const ONE = 10_000_000n;

export type Fixture = {
  readonly network: Network;
  readonly scenario: Scenario;
  readonly usdc: IssuedAsset;
  /** Its issuer authorizes holders, revokes and claws back. */
  readonly gold: IssuedAsset;
  readonly xlmToken: Address;
  readonly usdcToken: Address;
  readonly goldToken: Address;
  readonly admin: Address;
  readonly makers: readonly [Address, Address];
  readonly taker: Address;
  /** A contract that holds tokens. */
  readonly vault: Address;
};

export function chainFromGenesis(
  options: Omit<ChainOptions, "passphrase">,
  genesis: Genesis,
): Chain {
  const state = new LedgerState();
  writeGenesis(state, genesis);
  state.takeWritten();
  checkAccounts(state);
  return new Chain({ ...options, passphrase: genesis.passphrase }, genesisTip(genesis), state);
}

/** Accounts own as many entries as they count, and owners and issuers exist. */
function checkAccounts(state: LedgerState): void {
  const counted = new Map<Address, number>();
  const owned = new Map<Address, number>();
  for (const [, { entry }] of state.entries()) {
    if (entry.kind === "account") counted.set(entry.account, entry.subentries);
    if (entry.kind !== "trustline" && entry.kind !== "offer") continue;
    const owner = entry.kind === "trustline" ? entry.account : entry.seller;
    owned.set(owner, (owned.get(owner) ?? 0) + 1);
    const assets = entry.kind === "trustline" ? [entry.asset] : [entry.selling, entry.buying];
    const issuers = assets.flatMap((asset) => (asset.kind === "native" ? [] : [asset.issuer]));
    for (const account of [owner, ...issuers]) assert.ok(accountIn(state, account), account);
  }
  for (const [account, count] of counted) assert.equal(owned.get(account) ?? 0, count, account);
}

/** Every price is 1 USD, always fresh, and costs nothing. */
const oracle: ContractModel = (host, fn) => {
  if (fn === "fund") return u64(BigInt(host.now));
  if (fn !== "lastprice") return VOID;
  return map([
    ["price", i128(10n ** 14n)],
    ["timestamp", u64(BigInt(host.now))],
  ]);
};

export function createFixture(seed: string, passphrase: string): Fixture {
  const network = createNetwork(seed, passphrase);
  const account = (name: string): Address => accountAddress(sha256(`${seed}/${name}`));
  const usdc: IssuedAsset = { kind: "issued", code: "USDC", issuer: account("usdc issuer") };
  const gold: IssuedAsset = { kind: "issued", code: "GOLDBAR", issuer: account("gold issuer") };
  const people = {
    admin: account("admin"),
    makers: [account("maker 0"), account("maker 1")] as const,
    taker: account("taker"),
    vault: contractAddress(sha256(`${seed}/vault`)),
  };
  const config = {
    ledgerTime: 5,
    listingMinDays: 1,
    marketListingFee: ONE,
    minTradeSize: ONE,
    oracle: network.oracle,
    safetyAdmin: people.admin,
  };
  return {
    network,
    usdc,
    gold,
    xlmToken: network.tokenOf(NATIVE),
    usdcToken: network.tokenOf(usdc),
    goldToken: network.tokenOf(gold),
    ...people,
    scenario: {
      genesis: (of, closeTime) => withPeople(of, closeTime, { usdc, gold, ...people }),
      models: [
        { hash: CodeHash.exchange, run: exchange },
        { hash: CodeHash.oracle, run: oracle },
      ],
      faucet: ({ plainToken }) => ({
        classic: [NATIVE, usdc, gold],
        minted: [{ token: plainToken, minter: people.admin }],
      }),
      opening: [deployExchange(network, config)],
      preludeLedgers: 1,
      makers: new Set(),
      referencePrices: new Map(),
      traffic: () => [],
    },
  };
}

const BALANCE = 1_000_000n * ONE;

function withPeople(
  network: Network,
  closeTime: number,
  of: Pick<Fixture, "usdc" | "gold" | "admin" | "makers" | "taker" | "vault">,
): Genesis {
  const { usdc, gold, admin, makers, taker, vault } = of;
  const assets: readonly ClassicAsset[] = [NATIVE, usdc, gold];
  const holders = [...makers, taker];
  const plain = networkGenesis(network, { closeTime, assets, plainTokenAdmin: admin });
  const restricted = AccountFlags.required | AccountFlags.revocable | AccountFlags.clawbackEnabled;
  const held = { amount: BALANCE, authorized: true };
  return {
    ...plain,
    entries: [
      ...plain.entries,
      ...[admin, usdc.issuer].map((account) => newAccount(account, BALANCE, GENESIS_LEDGER)),
      { ...newAccount(gold.issuer, BALANCE, GENESIS_LEDGER), flags: restricted },
      ...holders.flatMap((account) => accountWith(account, [usdc, gold], BALANCE)),
      ...assets.map((asset) => {
        const balance = balanceValue({ ...held, clawback: asset === gold });
        return storedBalance(network.tokenOf(asset), vault, balance);
      }),
      ...[...holders, vault].map((of) => storedBalance(network.plainToken, of, i128(BALANCE))),
    ],
  };
}

/** Of the genesis ledger: an account that holds so much of lumens and of each asset, authorized for all. */
export function accountWith(
  account: Address,
  assets: readonly IssuedAsset[],
  balance: bigint,
): readonly (AccountEntry | TrustlineEntry)[] {
  return [
    { ...newAccount(account, balance, GENESIS_LEDGER), subentries: assets.length },
    ...assets.map((asset) => {
      // Gold's issuer claws back.
      const clawback = asset.code === "GOLDBAR" ? AccountFlags.clawbackEnabled : 0;
      return { ...newTrustline(account, asset, clawback), balance };
    }),
  ];
}

function storedBalance(contract: Address, holder: Address, value: Value): DataEntry {
  return { kind: "data", contract, durability: "persistent", key: balanceKey(holder), value };
}
