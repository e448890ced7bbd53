// Genesis: the entries of ledger 1, which exist before the first close and are in no meta.
import type { Address } from "../../model/address.ts";
import { i128, type Value } from "../contract/value.ts";
import { plainTokenStorage } from "../tokens/plain-token.ts";
import { tokenAddress } from "../tokens/sac-address.ts";
import { balanceKey, balanceValue } from "../tokens/sac-balance.ts";
import { tokenInstance } from "../tokens/sac-instance.ts";
import type { ClassicAsset, IssuedAsset } from "./asset.ts";
import { type AccountEntry, AccountFlags, hasFlag } from "./entry.ts";
import { sha256 } from "./hash.ts";
import { codeKey, dataKey } from "./key.ts";
import type { ChainTip } from "./ledger-meta.ts";
import { newAccount, newTrustline } from "./new-entry.ts";
import { type LedgerState, putInstance, putLiveUntil, Scope, TTL_MAX } from "./state.ts";

/** Amounts in stroops. What is left out is 0, none or the network's default. */
export type Genesis = {
  readonly passphrase: string;
  readonly protocol: number;
  /** Close time of ledger 1, UNIX seconds. */
  readonly closeTime: number;
  readonly baseReserve: number;
  readonly accounts: readonly GenesisAccount[];
  readonly trustlines: readonly GenesisTrustline[];
  /** Assets whose Stellar Asset Contracts exist. */
  readonly tokens: readonly ClassicAsset[];
  readonly contractBalances: readonly GenesisBalance[];
  readonly contracts: readonly { readonly address: Address; readonly wasmHash: Uint8Array }[];
  readonly plainTokens: readonly GenesisPlainToken[];
  /** WebAssembly modules. */
  readonly codes?: readonly Uint8Array[];
  /** Bytes of events and return value that a call may write. */
  readonly eventBytesMax?: number;
};

export type GenesisAccount = {
  readonly address: Address;
  readonly balance: bigint;
  readonly flags?: number;
  /** As if offers were open; each counts as a subentry. */
  readonly offers?: number;
  readonly sellingLiabilities?: bigint;
};

export type GenesisTrustline = {
  readonly account: Address;
  readonly asset: IssuedAsset;
  readonly balance: bigint;
  readonly limit?: bigint;
  /** In place of what the issuer's flags give. */
  readonly flags?: number;
  readonly sellingLiabilities?: bigint;
  readonly buyingLiabilities?: bigint;
};

export type GenesisBalance = {
  readonly contract: Address;
  readonly asset: ClassicAsset;
  readonly amount: bigint;
};

export type GenesisPlainToken = {
  readonly address: Address;
  readonly wasmHash: Uint8Array;
  readonly admin: Address;
  readonly balances: readonly { readonly holder: Address; readonly amount: bigint }[];
};

/** Sequence of the genesis ledger; the first one with a meta follows it. */
export const GENESIS_LEDGER = 1;
const BASE_FEE = 100;
/** Of the public network's setting: bytes, and stroops per kilobyte. */
const EVENT_BYTES_MAX = 16_384;
const EVENT_FEE = 10_000n;
/** All lumens: 10^11 of them. */
const TOTAL_COINS = 10n ** 18n;

export function genesisTip(genesis: Genesis): ChainTip {
  return {
    ledger: GENESIS_LEDGER,
    hash: sha256(`genesis of ${genesis.passphrase} at ${genesis.closeTime}`),
    closeTime: genesis.closeTime,
    protocol: genesis.protocol,
    baseFee: BASE_FEE,
    baseReserve: genesis.baseReserve,
    totalCoins: TOTAL_COINS,
    feePool: 0n,
    idPool: 0n,
    stateHash: sha256(`state of ${genesis.passphrase}`),
  };
}

/** Writes the entries. Throws a TypeError where a trustline's account or issuer does not exist. */
export function writeGenesis(state: LedgerState, genesis: Genesis): void {
  const networkId = sha256(genesis.passphrase);
  const scope = new Scope(state, GENESIS_LEDGER);
  const accounts = new Map<Address, AccountEntry>(
    genesis.accounts.map((account) => [account.address, accountEntry(account)]),
  );
  for (const trustline of genesis.trustlines) {
    const owner = accounts.get(trustline.account);
    const issuer = accounts.get(trustline.asset.issuer);
    if (owner === undefined || issuer === undefined) {
      throw new TypeError(`no account or issuer for a trustline of ${trustline.account}`);
    }
    accounts.set(trustline.account, { ...owner, subentries: owner.subentries + 1 });
    const { account, asset, balance, limit, flags } = trustline;
    const opened = newTrustline(account, asset, issuer.flags);
    scope.put({
      ...opened,
      balance,
      limit: limit ?? opened.limit,
      flags: flags ?? opened.flags,
      buyingLiabilities: trustline.buyingLiabilities ?? 0n,
      sellingLiabilities: trustline.sellingLiabilities ?? 0n,
    });
  }
  for (const account of accounts.values()) scope.put(account);
  scope.put({
    kind: "eventsSetting",
    bytesMax: genesis.eventBytesMax ?? EVENT_BYTES_MAX,
    feePerKilobyte: EVENT_FEE,
  });
  for (const asset of genesis.tokens) {
    putInstance(scope, tokenInstance(tokenAddress(asset, networkId), asset));
  }
  for (const held of genesis.contractBalances) putContractBalance(scope, held, accounts, networkId);
  for (const code of genesis.codes ?? []) putCode(scope, code);
  for (const { address, wasmHash } of genesis.contracts) {
    const executable = { kind: "wasm" as const, hash: wasmHash };
    putInstance(scope, { kind: "instance", contract: address, executable, storage: [] });
  }
  for (const token of genesis.plainTokens) putPlainToken(scope, token);
  scope.commit();
}

function accountEntry(account: GenesisAccount): AccountEntry {
  return {
    ...newAccount(account.address, account.balance, GENESIS_LEDGER),
    subentries: account.offers ?? 0,
    flags: account.flags ?? 0,
    sellingLiabilities: account.sellingLiabilities ?? 0n,
  };
}

function putContractBalance(
  scope: Scope,
  held: GenesisBalance,
  accounts: ReadonlyMap<Address, AccountEntry>,
  networkId: Uint8Array,
): void {
  const issuer = held.asset.kind === "issued" ? accounts.get(held.asset.issuer)?.flags : 0;
  const contract = tokenAddress(held.asset, networkId);
  const balance = {
    amount: held.amount,
    authorized: true,
    clawback: hasFlag(issuer ?? 0, AccountFlags.clawbackEnabled),
  };
  putData(scope, contract, balanceKey(held.contract), balanceValue(balance));
}

function putData(scope: Scope, contract: Address, key: Value, value: Value): void {
  scope.put({ kind: "data", contract, durability: "persistent", key, value });
  putLiveUntil(scope, dataKey(contract, key, "persistent"), GENESIS_LEDGER + TTL_MAX);
}

function putCode(scope: Scope, code: Uint8Array): void {
  const hash = sha256(code);
  scope.put({ kind: "code", hash, code });
  putLiveUntil(scope, codeKey(hash), GENESIS_LEDGER + TTL_MAX);
}

function putPlainToken(scope: Scope, token: GenesisPlainToken): void {
  putInstance(scope, {
    kind: "instance",
    contract: token.address,
    executable: { kind: "wasm", hash: token.wasmHash },
    storage: plainTokenStorage(token.admin),
  });
  for (const { holder, amount } of token.balances) {
    putData(scope, token.address, balanceKey(holder), i128(amount));
  }
}
