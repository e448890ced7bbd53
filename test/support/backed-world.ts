// Ledger entries behind the makers of random ledgers: whatever is followed is there, and some of it changes with every
// ledger. Answers come late, as the reader's do.

import { plentyOf } from "../../bench/plenty.ts";
import { BackingRecords } from "../../src/book/backing/backing-records.ts";
import type { EntriesLoaded, TrackingRequest } from "../../src/model/entry-tracking.ts";
import type { EntryChange, LedgerDelta, TrackedEntry } from "../../src/model/ledger-delta.ts";
import { exchangeIdentity } from "./exchange.ts";
import type { Random } from "./random-ledgers.ts";

/** Around the amounts of random orders: nothing, a part of one, some, all of them. */
const AMOUNTS = [0n, 60_000n, 700_000n, 2_000_000n, 10n ** 12n, 1n << 126n];
const CHANGES_MAX = 6;
const ALLOWANCE_LEDGERS = 12;

export class BackedWorld {
  readonly #random: Random;
  readonly #entries = new Map<string, TrackedEntry>();
  #asked: Extract<TrackingRequest, { kind: "track" }>[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Backing records of an exchange that is opened on the world; what another one asked for is void. */
  records(): BackingRecords {
    this.#asked = [];
    return new BackingRecords({
      contract: exchangeIdentity.contract,
      watchedAccountsMax: 10,
      track: (request) => {
        if (request.kind === "track" && request.load) this.#asked.push(request);
      },
    });
  }

  /** The ledger with changes of entries that somebody follows. */
  ledger(delta: LedgerDelta): LedgerDelta {
    const random = this.#random;
    const keys = [...this.#entries.keys()];
    const entries = Array.from({ length: random(CHANGES_MAX) }, (): EntryChange | undefined => {
      const key = keys[random(keys.length)];
      const entry = key === undefined ? undefined : this.#entries.get(key);
      if (key === undefined || entry === undefined) return undefined;
      const changed = this.#changed(entry, delta.ledger);
      this.#entries.set(key, changed);
      return { key, entry: changed };
    });
    return { ...delta, entries: entries.filter((change) => change !== undefined) };
  }

  /** Answers some of what is asked for, as of the ledger. */
  load(ledger: number): readonly EntriesLoaded[] {
    const answered = this.#asked.splice(0, this.#random(this.#asked.length + 1));
    return answered.map(({ request, keys }) => ({
      request,
      ledger,
      entries: keys.map((key) => {
        const entry = this.#entries.get(key) ?? this.#first(key, ledger);
        this.#entries.set(key, entry);
        return { key, entry };
      }),
    }));
  }

  get isAwaited(): boolean {
    return this.#asked.length > 0;
  }

  #first(key: string, ledger: number): TrackedEntry {
    const { entry } = plentyOf(key);
    if (entry === undefined) throw new Error(`no entry for ${key}`);
    return this.#changed(entry, ledger);
  }

  #changed(entry: TrackedEntry, ledger: number): TrackedEntry {
    const random = this.#random;
    const amount = AMOUNTS[random(AMOUNTS.length)] ?? 0n;
    switch (entry.kind) {
      case "allowance":
        return { ...entry, amount, liveUntil: ledger + 1 + random(ALLOWANCE_LEDGERS) };
      case "trustline":
        return { ...entry, balance: amount, flags: random(8) === 0 ? 0 : 1 };
      case "account":
        return { ...entry, balance: amount };
      case "balance":
        return { ...entry, amount };
      case "token":
      case "eventsSetting":
        return entry;
    }
  }
}
