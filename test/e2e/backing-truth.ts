// What the devnet's own tokens say stands behind an owner, read from its entries and by calling its
// contracts: nothing of the engine takes part.

import { addressValue, type Value } from "../../src/devnet/contract/value.ts";
import type { ClassicAsset } from "../../src/devnet/ledger/asset.ts";
import type { Chain } from "../../src/devnet/ledger/chain.ts";
import { accountKey, dataKey, trustlineKey } from "../../src/devnet/ledger/key.ts";
import { tryCall } from "../../src/devnet/ledger/simulate-call.ts";
import { accountRange, INT64_MAX, trustlineRange } from "../../src/devnet/tokens/reserve.ts";
import { allowanceKey } from "../../src/devnet/tokens/sac-allowance.ts";
import { balanceKey } from "../../src/devnet/tokens/sac-balance.ts";
import { type Address, isContract } from "../../src/model/address.ts";

export type Truth = {
  readonly balance: bigint;
  readonly allowance: bigint;
  readonly liveUntil: number;
  readonly authorized: boolean;
  readonly budget: bigint;
  readonly headroom: bigint | undefined;
};

/** `classic` undefined: the plain token. As of the chain's tip. */
export type TruthToken = { readonly token: Address; readonly classic: ClassicAsset | undefined };

export function truthOf(
  chain: Chain,
  exchange: Address,
  owner: Address,
  { token, classic }: TruthToken,
): Truth {
  const allowance = allowanceOf(chain, token, { from: owner, spender: exchange });
  const holding =
    classic === undefined
      ? { balance: plainBalance(chain, token, owner), headroom: undefined }
      : isContract(owner)
        ? { balance: contractBalance(chain, token, owner), headroom: undefined }
        : classicHolding(chain, owner, classic);
  const authorized = classic === undefined || isAuthorized(chain, owner, { token, classic });
  const least = holding.balance < allowance.amount ? holding.balance : allowance.amount;
  return {
    ...holding,
    allowance: allowance.amount,
    liveUntil: allowance.liveUntil,
    authorized,
    budget: authorized ? least : 0n,
  };
}

/** The token's own word; it fails for an account without a trustline. */
function isAuthorized(chain: Chain, owner: Address, { token, classic }: TruthToken): boolean {
  if (classic?.kind === "native" && !isContract(owner)) {
    return chain.state.get(accountKey(owner)) !== undefined;
  }
  const call = { contract: token, fn: "authorized", args: [addressValue(owner)] };
  const { outcome } = tryCall(chain, call, owner);
  return outcome.ok && outcome.value.type === "bool" && outcome.value.value;
}

function classicHolding(chain: Chain, owner: Address, classic: ClassicAsset) {
  if (classic.kind === "native") {
    const account = chain.state.get(accountKey(owner))?.entry;
    if (account?.kind !== "account") return { balance: 0n, headroom: undefined };
    const { min } = accountRange(account, chain.context.baseReserve);
    return { balance: atLeastZero(account.balance - min), headroom: undefined };
  }
  if (classic.issuer === owner) return { balance: INT64_MAX, headroom: undefined };
  const line = chain.state.get(trustlineKey(owner, classic))?.entry;
  if (line?.kind !== "trustline") return { balance: 0n, headroom: 0n };
  const { min, max } = trustlineRange(line);
  return { balance: atLeastZero(line.balance - min), headroom: atLeastZero(max - line.balance) };
}

function contractBalance(chain: Chain, token: Address, owner: Address): bigint {
  const value = dataOf(chain, token, balanceKey(owner), "persistent");
  const amount = value?.type === "map" ? value.value[0]?.[1] : undefined;
  return amount?.type === "i128" ? amount.value : 0n;
}

function plainBalance(chain: Chain, token: Address, owner: Address): bigint {
  const value = dataOf(chain, token, balanceKey(owner), "persistent");
  return value?.type === "i128" ? value.value : 0n;
}

/** Both tokens keep an allowance under the same key: its amount, then its last ledger. */
function allowanceOf(
  chain: Chain,
  token: Address,
  parties: { readonly from: Address; readonly spender: Address },
) {
  const value = dataOf(chain, token, allowanceKey(parties), "temporary");
  const [amount, until] = value?.type === "map" ? value.value.map(([, field]) => field) : [];
  if (amount?.type !== "i128" || until?.type !== "u32") return { amount: 0n, liveUntil: 0 };
  if (until.value < chain.tip.ledger || amount.value === 0n) return { amount: 0n, liveUntil: 0 };
  return { amount: amount.value, liveUntil: until.value };
}

function dataOf(
  chain: Chain,
  contract: Address,
  key: Value,
  durability: "persistent" | "temporary",
): Value | undefined {
  const entry = chain.state.get(dataKey(contract, key, durability))?.entry;
  return entry?.kind === "data" ? entry.value : undefined;
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}
