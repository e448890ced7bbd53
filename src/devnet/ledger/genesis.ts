// Genesis: the entries of ledger 1, which exist before the first close and are in no meta.
import type { Entry, EventsSettingEntry } from "./entry.ts";
import { sha256 } from "./hash.ts";
import { hasLife, keyOfEntry } from "./key.ts";
import type { ChainTip } from "./ledger-meta.ts";
import { type LedgerState, putLiveUntil, Scope, TTL_MAX } from "./state.ts";

export type Genesis = {
  readonly passphrase: string;
  readonly protocol: number;
  /** Close time of ledger 1, UNIX seconds. */
  readonly closeTime: number;
  /** Stroops. */
  readonly baseReserve: number;
  /**
   * The events setting among them: without it every call throws. Contract data and code live as long as
   * they can.
   */
  readonly entries: readonly Entry[];
};

/** Sequence of the genesis ledger; the first one with a meta follows it. */
export const GENESIS_LEDGER = 1;
const BASE_FEE = 100;
/** All lumens: 10^11 of them, in stroops. */
const TOTAL_COINS = 10n ** 18n;

/** As on the public network. */
export const EVENTS_SETTING_ENTRY: EventsSettingEntry = {
  kind: "eventsSetting",
  bytesMax: 16_384,
  feePerKilobyte: 10_000n,
};

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

export function writeGenesis(state: LedgerState, { entries }: Genesis): void {
  const scope = new Scope(state, GENESIS_LEDGER);
  for (const entry of entries) {
    const key = keyOfEntry(entry);
    scope.put(entry, key);
    if (hasLife(key)) putLiveUntil(scope, key, GENESIS_LEDGER + TTL_MAX);
  }
  scope.commit();
}
