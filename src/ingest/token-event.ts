// Events of followed tokens that are no Stellar Asset Contracts: whose balance or allowance may
// have changed. Such contracts emit what they like, so every address they name counts.
import type { ContractEvent, ScVal } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../model/address.ts";
import type { TokenEvent } from "../model/entry-tracking.ts";
import { contractOf } from "./address-cache.ts";
import { readAddress, readI128, readText, readU32, readVec } from "./sc-value.ts";

/** Addresses of one event at most, and values looked at: the rest of a larger one is ignored. */
const ADDRESSES_MAX = 64;
const VALUES_MAX = 1_000;

export function tokenEventsOf(
  tokens: ReadonlySet<Address>,
  events: readonly ContractEvent[],
): readonly TokenEvent[] {
  if (tokens.size === 0) return [];
  const found: TokenEvent[] = [];
  for (const event of events) {
    if (event.type.name !== "contract" || event.contractId === null) continue;
    const token = contractOf(event.contractId.value);
    if (tokens.has(token)) found.push(decodeTokenEvent(token, event));
  }
  return found;
}

function decodeTokenEvent(token: Address, { body }: ContractEvent): TokenEvent {
  const { topics, data } = body.v0;
  const liveUntil = readText(topics[0]) === "approve" ? approvedUntil(data) : undefined;
  return {
    token,
    addresses: addressesIn([...topics, data]),
    ...(liveUntil === undefined ? {} : { liveUntil }),
  };
}

/** SEP-41: approve carries [amount, live_until_ledger]. */
function approvedUntil(data: ScVal): number | undefined {
  const fields = readVec(data);
  const amount = readI128(fields?.[0]);
  return amount === undefined || amount <= 0n ? undefined : readU32(fields?.[1]);
}

function addressesIn(values: readonly ScVal[]): readonly Address[] {
  const found = new Set<Address>();
  const open = values.toReversed();
  for (let looked = 0; looked < VALUES_MAX && found.size < ADDRESSES_MAX; looked += 1) {
    const value = open.pop();
    if (value === undefined) break;
    const address = readAddress(value);
    if (address !== undefined) found.add(address);
    else if (value.type === "scvVec") open.push(...(value.vec ?? []).toReversed());
    else if (value.type === "scvMap") {
      for (const { key, val } of (value.map ?? []).toReversed()) open.push(val, key);
    }
  }
  return [...found];
}
