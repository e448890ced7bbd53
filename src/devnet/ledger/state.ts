// The entries of the ledger, and scopes of change over them: a transaction, an operation, a contract
// call. A scope's changes are seen through it alone until they are committed to what it lies over.
import type { Address } from "../../model/address.ts";
import type { IssuedAsset } from "./asset.ts";
import type { AccountEntry, Entry, InstanceEntry, OfferEntry, TrustlineEntry } from "./entry.ts";
import {
  accountKey,
  type EntryKey,
  isTemporary,
  isTtl,
  keyOfEntry,
  offerKey,
  offerSeller,
  trustlineKey,
  ttlKey,
  ttlKeyHash,
} from "./key.ts";
import { StoredEntry } from "./stored-entry.ts";

/** Ledgers a new temporary entry lives at least (minTemporaryTTL as core's tests set it). */
export const TEMPORARY_TTL_MIN = 16;
/** Ledgers an entry can live at most (network setting maxEntryTTL): about 180 days. */
export const TTL_MAX = 3_110_400;

export type EntryReader = { get(key: EntryKey): StoredEntry | undefined };

export function accountIn(entries: EntryReader, of: Address): AccountEntry | undefined {
  const entry = entries.get(accountKey(of))?.entry;
  return entry?.kind === "account" ? entry : undefined;
}

export function trustlineIn(
  entries: EntryReader,
  of: Address,
  asset: IssuedAsset,
): TrustlineEntry | undefined {
  const entry = entries.get(trustlineKey(of, asset))?.entry;
  return entry?.kind === "trustline" ? entry : undefined;
}

/** One entry's values before and after; absent where it did not or does not exist. */
export type EntryDiff = {
  readonly key: EntryKey;
  readonly before: StoredEntry | undefined;
  readonly after: StoredEntry | undefined;
};

/**
 * Most ledgers between a temporary entry's end of life and its eviction: the network's eviction scan reaches
 * it some ledgers later. Guess; the delay depends on the entry's key.
 */
const EVICTION_DELAY_MAX = 8;

export class LedgerState implements EntryReader {
  readonly #entries = new Map<EntryKey, StoredEntry>();
  /** Keys written since the last `takeWritten`. */
  #written = new Set<EntryKey>();
  /** Of temporary data alone, by the key of its TTL entry. */
  readonly #temporary = new Map<EntryKey, EntryKey>();
  /** Keys of open offers, by seller. */
  readonly #offers = new Map<string, Set<EntryKey>>();
  /** TTL keys that may be due for eviction, by the ledger that evicts them. */
  readonly #evictions = new Map<number, EntryKey[]>();

  get(key: EntryKey): StoredEntry | undefined {
    return this.#entries.get(key);
  }

  /** Of the account's open offers, the oldest first. */
  offers(seller: Address): readonly OfferEntry[] {
    const keys = this.#offers.get(offerSeller(offerKey(seller, 0n)) ?? "") ?? [];
    // A key ends with the offer's id.
    return [...keys].sort().flatMap((key) => {
      const entry = this.#entries.get(key)?.entry;
      return entry?.kind === "offer" ? [entry] : [];
    });
  }

  entries(): IterableIterator<[EntryKey, StoredEntry]> {
    return this.#entries.entries();
  }

  write(writes: Iterable<readonly [EntryKey, StoredEntry | undefined]>): void {
    const ttls: EntryKey[] = [];
    for (const [key, stored] of writes) {
      this.#written.add(key);
      const seller = offerSeller(key);
      if (seller !== undefined) this.#indexOffer(seller, key, stored !== undefined);
      if (stored === undefined) {
        this.#entries.delete(key);
        if (isTtl(key)) this.#temporary.delete(key);
        continue;
      }
      this.#entries.set(key, stored);
      if (isTemporary(key)) this.#temporary.set(ttlKey(key), key);
      else if (isTtl(key)) ttls.push(key);
    }
    for (const key of ttls) {
      // Of persistent data there is nothing to schedule.
      if (this.#temporary.has(key)) this.#scheduleEviction(key);
    }
  }

  #indexOffer(seller: string, key: EntryKey, isOpen: boolean): void {
    const keys = this.#offers.get(seller) ?? new Set();
    if (isOpen) keys.add(key);
    else keys.delete(key);
    if (keys.size === 0) this.#offers.delete(seller);
    else this.#offers.set(seller, keys);
  }

  #scheduleEviction(key: EntryKey): void {
    const entry = this.#entries.get(key)?.entry;
    if (entry?.kind !== "ttl") return;
    const ledger = evictionLedger(key, entry.liveUntil);
    const due = this.#evictions.get(ledger);
    if (due === undefined) this.#evictions.set(ledger, [key]);
    else due.push(key);
  }

  /**
   * Removes the temporary entries due at `ledger`; gives their keys, data and TTL, in the order of the
   * TTL keys: that of the writes is not all kept with the entries, and a chain opened again goes on
   * as if it had never been closed.
   */
  evict(ledger: number): EntryKey[] {
    const due = this.#evictions.get(ledger);
    if (due === undefined) return [];
    this.#evictions.delete(ledger);
    const evicted: EntryKey[] = [];
    for (const key of new Set(due.sort())) {
      const dataKey = this.#temporary.get(key);
      const ttl = this.#entries.get(key)?.entry;
      // The entry may have been extended or written anew since it was scheduled.
      if (dataKey === undefined || ttl?.kind !== "ttl") continue;
      if (evictionLedger(key, ttl.liveUntil) !== ledger) continue;
      evicted.push(dataKey, key);
      this.write([
        [dataKey, undefined],
        [key, undefined],
      ]);
    }
    return evicted;
  }

  /** What was written since the last call, with its present value: absent where it is gone. */
  takeWritten(): (readonly [EntryKey, StoredEntry | undefined])[] {
    const written = [...this.#written].map((key) => [key, this.#entries.get(key)] as const);
    this.#written = new Set();
    return written;
  }
}

function evictionLedger(key: EntryKey, liveUntil: number): number {
  return liveUntil + 2 + (key.charCodeAt(key.length - 1) % EVICTION_DELAY_MAX);
}

export class Scope implements EntryReader {
  readonly #below: Scope | LedgerState;
  readonly #writes = new Map<EntryKey, StoredEntry | undefined>();
  /** Sequence of the ledger that is being closed. */
  readonly ledger: number;

  constructor(below: Scope | LedgerState, ledger: number) {
    this.#below = below;
    this.ledger = ledger;
  }

  child(): Scope {
    return new Scope(this, this.ledger);
  }

  get(key: EntryKey): StoredEntry | undefined {
    return this.#writes.has(key) ? this.#writes.get(key) : this.#below.get(key);
  }

  /** The entry as it is without this scope's changes. */
  below(key: EntryKey): StoredEntry | undefined {
    return this.#below.get(key);
  }

  put(entry: Entry, key: EntryKey = keyOfEntry(entry)): void {
    this.#writes.set(key, StoredEntry.written(entry, this.ledger));
  }

  delete(key: EntryKey): void {
    this.#writes.set(key, undefined);
  }

  write(writes: Iterable<readonly [EntryKey, StoredEntry | undefined]>): void {
    for (const [key, stored] of writes) this.#writes.set(key, stored);
  }

  /** The changes against what lies below, in the order of first writing. */
  diffs(): EntryDiff[] {
    const diffs: EntryDiff[] = [];
    for (const [key, after] of this.#writes) {
      const before = this.#below.get(key);
      if (before !== undefined || after !== undefined) diffs.push({ key, before, after });
    }
    return diffs;
  }

  commit(): void {
    this.#below.write(this.#writes);
  }
}

/** Lets the contract data under `key` live through ledger `liveUntil`. */
export function putLiveUntil(scope: Scope, key: EntryKey, liveUntil: number): void {
  const at = ttlKey(key);
  scope.put({ kind: "ttl", keyHash: ttlKeyHash(at), liveUntil }, at);
}

/** A contract's instance, with the longest life. */
export function putInstance(scope: Scope, entry: InstanceEntry): void {
  const key = keyOfEntry(entry);
  scope.put(entry, key);
  putLiveUntil(scope, key, scope.ledger + TTL_MAX);
}
