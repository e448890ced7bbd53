// Nonces of authorizations: each one used is a temporary entry under the account's own address.
import type { Address } from "../../model/address.ts";
import { type Value, VOID } from "../contract/value.ts";
import { dataKey, type EntryKey, ttlKey } from "./key.ts";
import { putLiveUntil, type Scope, TEMPORARY_TTL_MIN } from "./state.ts";

/** ScValType of LedgerKeyNonce. */
const NONCE = 21;

function nonceValue(nonce: bigint): Value {
  return { type: "other", value: { type: NONCE, nonceKey: { nonce } } };
}

export function nonceKey(account: Address, nonce: bigint): EntryKey {
  return dataKey(account, nonceValue(nonce), "temporary");
}

/** False, and nothing done, where it is used already. Its entry lives through `liveUntil`. */
export function useNonce(
  scope: Scope,
  of: { readonly account: Address; readonly nonce: bigint; readonly liveUntil: number },
): boolean {
  const { account, nonce, liveUntil } = of;
  const key = nonceKey(account, nonce);
  const ttl = scope.get(ttlKey(key))?.entry;
  const isUsed = scope.get(key) !== undefined && ttl?.kind === "ttl";
  if (isUsed && ttl.liveUntil >= scope.ledger) return false;
  scope.put(
    {
      kind: "data",
      contract: account,
      durability: "temporary",
      key: nonceValue(nonce),
      value: VOID,
    },
    key,
  );
  putLiveUntil(scope, key, Math.max(liveUntil, scope.ledger + TEMPORARY_TTL_MIN - 1));
  return true;
}
