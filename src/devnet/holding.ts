// What a holder has in a token, as the network itself would decide it.
import { type Address, isContract } from "../model/address.ts";
import { addressValue, type Value } from "./contract/value.ts";
import type { Chain } from "./ledger/chain.ts";
import type { Call } from "./ledger/event.ts";
import { instanceKey } from "./ledger/key.ts";
import { tryCall } from "./ledger/simulate-call.ts";
import { accountIn, trustlineIn } from "./ledger/state.ts";
import { accountRange, INT64_MAX, trustlineRange } from "./tokens/reserve.ts";
import { assetOf } from "./tokens/sac-instance.ts";

/** What `holder` lets `spender` take of its tokens. */
export type Grant = {
  readonly token: Address;
  readonly holder: Address;
  readonly spender: Address;
};

/** What `spender` can take after the latest ledger, in base units: 0 without allowance. */
export function allowanceOf(chain: Chain, of: Grant): bigint {
  const args = [addressValue(of.holder), addressValue(of.spender)];
  return amountOf(answer(chain, { contract: of.token, fn: "allowance", args }));
}

/** Whether `holder` can send and receive. Throws a TypeError where there is no such token. */
export function isAuthorized(chain: Chain, token: Address, holder: Address): boolean {
  const call = { contract: token, fn: "authorized", args: [addressValue(holder)] };
  const authorized = answer(chain, call);
  // The plain token does not know the function: it takes anyone.
  return authorized?.type === "bool" ? authorized.value : !isAssetToken(chain, token);
}

/**
 * What a transfer can take after the latest ledger, in base units: without reserve and selling liabilities. Throws a
 * TypeError where there is no such token.
 */
export function spendableOf(chain: Chain, token: Address, holder: Address): bigint {
  if (isContract(holder) || !isAssetToken(chain, token)) {
    const call = { contract: token, fn: "balance", args: [addressValue(holder)] };
    return amountOf(answer(chain, call));
  }
  const asset = assetOf(instanceOf(chain, token));
  if (asset.kind === "native") {
    const account = accountIn(chain.state, holder);
    if (account === undefined) return 0n;
    return positive(account.balance - accountRange(account, BigInt(chain.tip.baseReserve)).min);
  }
  if (asset.issuer === holder) return INT64_MAX;
  const trustline = trustlineIn(chain.state, holder, asset);
  return trustline === undefined ? 0n : positive(trustline.balance - trustlineRange(trustline).min);
}

/** Asked as of the latest ledger, which is the one a reader compares with. */
function answer(chain: Chain, call: Call): Value | undefined {
  const { outcome } = tryCall(chain, call, call.contract, chain.tip.ledger);
  return outcome.ok ? outcome.value : undefined;
}

function amountOf(value: Value | undefined): bigint {
  return value?.type === "i128" ? value.value : 0n;
}

/** Throws a TypeError where there is no such token. */
export function instanceOf(chain: Chain, token: Address) {
  const entry = chain.state.get(instanceKey(token))?.entry;
  if (entry?.kind !== "instance") throw new TypeError(`no token at ${token}`);
  return entry;
}

function isAssetToken(chain: Chain, token: Address): boolean {
  return instanceOf(chain, token).executable.kind === "token";
}

function positive(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}
