// The ledger entries that are followed: what the ledger holds under each key, exactly as of the
// visible ledger, and which records depend on it.
import type { EntriesLoaded } from "../../model/entry-tracking.ts";
import type { EntryChange, TrackedEntry } from "../../model/ledger-delta.ts";
import { Dependents } from "./dependents.ts";
import { Overlay } from "./overlay.ts";

/**
 * Ledgers for which an entry stays followed after the last record that needs it: a maker who cancels
 * all orders and places new ones finds its backing known. A guess: ten minutes of 5-second ledgers.
 */
export const IDLE_LEDGERS_MAX = 120;

export type FollowedEntry =
  | { readonly known: true; readonly entry?: TrackedEntry }
  /** Asked for with `request`; `change` is the last change seen before the answer. */
  | {
      readonly known: false;
      readonly request: number;
      readonly change?: { readonly ledger: number; readonly entry?: TrackedEntry };
    };

/** Keys that the reader has to be told of once a draft is durable. */
export type FollowedKeys = {
  readonly track: readonly string[];
  readonly untrack: readonly string[];
};

/** The visible state. Main thread. */
export class FollowedEntries {
  readonly entries = new Map<string, FollowedEntry>();
  /** Records that need a key. */
  readonly dependents = new Dependents();
  /** Keys that no record needs, oldest first, with the ledger since when. */
  readonly idle = new Map<string, number>();
  readonly idleLedgersMax: number;

  constructor(idleLedgersMax: number) {
    this.idleLedgersMax = idleLedgersMax;
  }
}

/** The followed entries as one step would leave them. */
export class FollowedEntriesDraft {
  readonly #visible: FollowedEntries;
  readonly #entries: Overlay<string, FollowedEntry>;
  /** Number of the request for the keys that this draft starts to follow. */
  readonly #request: number;
  readonly #added = new Map<string, Set<string>>();
  readonly #removed: { readonly key: string; readonly record: string }[] = [];
  readonly #untrack: string[] = [];

  constructor(visible: FollowedEntries, request: number) {
    this.#visible = visible;
    this.#entries = new Overlay(visible.entries);
    this.#request = request;
  }

  get(key: string): FollowedEntry | undefined {
    return this.#entries.get(key);
  }

  follow(key: string, record: string): void {
    if (this.#entries.get(key) === undefined) {
      this.#entries.set(key, { known: false, request: this.#request });
    }
    const added = this.#added.get(key);
    if (added === undefined) this.#added.set(key, new Set([record]));
    else added.add(record);
  }

  release(key: string, record: string): void {
    this.#removed.push({ key, record });
  }

  /** May name records that were released in this draft. */
  *dependents(key: string): Iterable<string> {
    yield* this.#visible.dependents.of(key);
    yield* this.#added.get(key) ?? [];
  }

  /** False where the key is not followed: a change of a former tracking still on its way. */
  change({ key, entry }: EntryChange, ledger: number): boolean {
    const followed = this.#entries.get(key);
    if (followed === undefined) return false;
    if (followed.known) {
      this.#entries.set(key, known(entry));
    } else {
      const change = entry === undefined ? { ledger } : { ledger, entry };
      this.#entries.set(key, { known: false, request: followed.request, change });
    }
    return true;
  }

  /** The ledger of `loaded` must be reached, all its changes included. Returns the keys now known. */
  loaded({ request, ledger, entries }: EntriesLoaded): readonly string[] {
    const keys: string[] = [];
    for (const { key, entry } of entries) {
      const followed = this.#entries.get(key);
      if (followed === undefined || followed.known || followed.request !== request) continue;
      const later = followed.change !== undefined && followed.change.ledger > ledger;
      this.#entries.set(key, known(later ? followed.change?.entry : entry));
      keys.push(key);
    }
    return keys;
  }

  /** Stops following what no record has needed for long. */
  expireIdle(ledger: number): void {
    for (const [key, since] of this.#visible.idle) {
      if (since + this.#visible.idleLedgersMax > ledger) return;
      if (this.#added.has(key)) continue;
      this.#entries.delete(key);
      this.#untrack.push(key);
    }
  }

  /** Every known entry that changed; undefined: no longer followed. */
  *changes(): Iterable<readonly [string, { readonly entry?: TrackedEntry } | undefined]> {
    for (const [key, followed] of this.#entries.changes()) {
      if (followed === undefined || followed.known) yield [key, followed];
    }
  }

  commit(ledger: number): FollowedKeys {
    const { dependents, entries, idle } = this.#visible;
    const track = [...this.#added.keys()].filter((key) => !entries.has(key));
    this.#entries.commit();
    for (const [key, records] of this.#added) {
      for (const record of records) dependents.add(key, record);
      idle.delete(key);
    }
    for (const { key, record } of this.#removed) {
      dependents.delete(key, record);
      if (!dependents.has(key)) idle.set(key, ledger);
    }
    for (const key of this.#untrack) idle.delete(key);
    return { track, untrack: this.#untrack };
  }
}

function known(entry: TrackedEntry | undefined): FollowedEntry {
  return entry === undefined ? { known: true } : { known: true, entry };
}
