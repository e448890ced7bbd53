// Events of followed custom tokens: they name accounts whose balance or allowance may have changed. A custom
// token emits what it likes, so every address in an event counts. Approvals of the exchange count for every
// contract, since a maker approves before its token is known.
import type { Address } from "../model/address.ts";
import type { TokenEvent } from "../model/ledger-delta.ts";
import {
  type HostEvent,
  readAddress,
  readI128,
  readText,
  readU32,
  readVec,
  type ScValue,
} from "./sc-value.ts";

/** Addresses of one event at most, and values looked at: the rest of a larger one is ignored. */
const ADDRESSES_MAX = 64;
const VALUES_MAX = 1_000;

/** The name of SEP-41's event [approve, owner, spender] [amount, live_until_ledger]. */
export const APPROVE = "approve";

export function tokenEventsOf(
  exchange: Address,
  tokens: ReadonlySet<Address>,
  events: readonly HostEvent[],
): readonly TokenEvent[] {
  const found: TokenEvent[] = [];
  for (const event of events) {
    const { contract: token, topics } = event;
    if (event.type !== "contract" || token === undefined) continue;
    const counts =
      tokens.has(token) || (readText(topics[0]) === APPROVE && readAddress(topics[2]) === exchange);
    if (counts) found.push(decodeTokenEvent(token, event));
  }
  return found;
}

function decodeTokenEvent(token: Address, { topics, data }: HostEvent): TokenEvent {
  const liveUntil = readText(topics[0]) === APPROVE ? approvedUntil(data) : undefined;
  return {
    token,
    addresses: addressesIn([...topics, data]),
    ...(liveUntil === undefined ? {} : { liveUntil }),
  };
}

function approvedUntil(data: ScValue): number | undefined {
  const fields = readVec(data);
  const amount = readI128(fields?.[0]);
  return amount === undefined || amount <= 0n ? undefined : readU32(fields?.[1]);
}

function addressesIn(values: readonly ScValue[]): readonly Address[] {
  const found = new Set<Address>();
  const open = values.toReversed();
  for (let looked = 0; looked < VALUES_MAX && found.size < ADDRESSES_MAX; looked += 1) {
    const value = open.pop();
    if (value === undefined) break;
    const address = readAddress(value);
    if (address !== undefined) found.add(address);
    else if (value.kind === "vec") open.push(...value.items.toReversed());
    else if (value.kind === "map") {
      for (const { key, val } of value.entries.toReversed()) open.push(val, key);
    }
  }
  return [...found];
}
