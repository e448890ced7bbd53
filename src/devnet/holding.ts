// What a holder has in a token, as the network itself would decide it: for comparison with what an
// indexer derives from ledger entries.
import { type Address, isContract } from "../model/address.ts";
import { addressValue, type Value } from "./contract/value.ts";
import type { Chain } from "./ledger/chain.ts";
import type { Call } from "./ledger/event.ts";
import { dataKey, instanceKey } from "./ledger/key.ts";
import { tryCall } from "./ledger/simulate-call.ts";
import { accountIn, trustlineIn } from "./ledger/state.ts";
import { accountRange, INT64_MAX, trustlineRange } from "./tokens/reserve.ts";
import { allowanceKey } from "./tokens/sac-allowance.ts";
import { assetOf } from "./tokens/sac-instance.ts";

/** Amounts in base units. */
export type TokenHolding = {
  /** What a transfer can take: without reserve and selling liabilities. */
  readonly spendable: bigint;
  /** What `spender` can take now, and the last ledger it can: 0 without allowance. */
  readonly allowance: bigint;
  readonly liveUntil: number;
  /** Can send and receive. */
  readonly authorized: boolean;
  /** Of trustlines alone. */
  readonly headroom?: bigint;
};

/** What `holder` lets `spender` take of its tokens. */
type Grant = { readonly token: Address; readonly holder: Address; readonly spender: Address };

/** After the latest ledger. Throws a TypeError where there is no such token. */
export function holdingOf(chain: Chain, of: Grant): TokenHolding {
  const { token, holder } = of;
  const allowance = allowanceOf(chain, of);
  const call = { contract: token, fn: "authorized", args: [addressValue(holder)] };
  const authorized = answer(chain, call);
  return {
    ...balanceOf(chain, token, holder),
    allowance,
    liveUntil: allowance === 0n ? 0 : liveUntilOf(chain, of),
    // The plain token does not know the function: it takes anyone.
    authorized: authorized?.type === "bool" ? authorized.value : !isAssetToken(chain, token),
  };
}

export function allowanceOf(chain: Chain, of: Grant): bigint {
  const args = [addressValue(of.holder), addressValue(of.spender)];
  return amountOf(answer(chain, { contract: of.token, fn: "allowance", args }));
}

/** Asked as of the latest ledger, which is the one a reader compares with. */
function answer(chain: Chain, call: Call): Value | undefined {
  const { outcome } = tryCall(chain, call, call.contract, chain.tip.ledger);
  return outcome.ok ? outcome.value : undefined;
}

function amountOf(value: Value | undefined): bigint {
  return value?.type === "i128" ? value.value : 0n;
}

function instanceOf(chain: Chain, token: Address) {
  const entry = chain.state.get(instanceKey(token))?.entry;
  if (entry?.kind !== "instance") throw new TypeError(`no token at ${token}`);
  return entry;
}

function isAssetToken(chain: Chain, token: Address): boolean {
  return instanceOf(chain, token).executable.kind === "token";
}

export function balanceOf(
  chain: Chain,
  token: Address,
  holder: Address,
): { readonly spendable: bigint; readonly headroom?: bigint } {
  if (isContract(holder) || !isAssetToken(chain, token)) {
    const call = { contract: token, fn: "balance", args: [addressValue(holder)] };
    return { spendable: amountOf(answer(chain, call)) };
  }
  const asset = assetOf(instanceOf(chain, token));
  if (asset.kind === "native") {
    const account = accountIn(chain.state, holder);
    if (account === undefined) return { spendable: 0n };
    const { min } = accountRange(account, BigInt(chain.tip.baseReserve));
    return { spendable: positive(account.balance - min) };
  }
  if (asset.issuer === holder) return { spendable: INT64_MAX };
  const trustline = trustlineIn(chain.state, holder, asset);
  if (trustline === undefined) return { spendable: 0n, headroom: 0n };
  const { min, max } = trustlineRange(trustline);
  return {
    spendable: positive(trustline.balance - min),
    headroom: positive(max - trustline.balance),
  };
}

function positive(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

function liveUntilOf(chain: Chain, of: Grant): number {
  const key = allowanceKey({ from: of.holder, spender: of.spender });
  const entry = chain.state.get(dataKey(of.token, key, "temporary"))?.entry;
  const fields = entry?.kind === "data" && entry.value.type === "map" ? entry.value.value : [];
  const last = fields[1]?.[1];
  return last?.type === "u32" ? last.value : 0;
}
