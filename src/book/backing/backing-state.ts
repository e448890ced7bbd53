// The state of the backing records. Only the commit of a batch changes the visible state; a batch computes over it in a
// view of what a step would leave.
import type { Address } from "../../model/address.ts";
import type { EntriesLoaded } from "../../model/entry-tracking.ts";
import type { EntryChange, LedgerDelta, TrackedEntry } from "../../model/ledger-delta.ts";
import { OrderShares } from "../order-shares.ts";
import { EVENTS_MAX_DEFAULT } from "../shared-layout.ts";
import type { ParsedRow, RecordRow } from "./backing-rows.ts";
import { eventsSettingKey, RecordKeyBuilder, type Token, tokenOf } from "./ledger-keys.ts";
import { type BackingRecord, type RecordId, recordId } from "./record.ts";

/**
 * The key of the network's limit of what a call writes into the ledger: followed like the entries of the
 * records, whatever those are.
 */
export const EVENTS_SETTING = eventsSettingKey();
/** Stands among the records that need an entry: the name of none. */
export const NETWORK = "network";

/** Bytes. A network that does not say counts as the usual one. */
export function eventsMaxOf(setting: TrackedEntry | undefined): number {
  return setting?.kind === "eventsSetting" ? setting.bytesMax : EVENTS_MAX_DEFAULT;
}

export type OwnedRecord = { readonly id: RecordId; readonly record: BackingRecord };

export class BackingState {
  /** The exchange. */
  readonly contract: Address;
  readonly keys: RecordKeyBuilder;
  /** 0 before the first ledger. */
  ledger = 0;
  /** Of `ledger`, UNIX seconds. */
  closeTime = 0;
  /** Stroops. */
  baseReserve = 0n;
  /** Bytes that the events and the return value of a call may take. */
  eventsMax = EVENTS_MAX_DEFAULT;
  readonly records = new Map<RecordId, BackingRecord>();
  /** Of these the book's that have no values yet. */
  unloaded = 0;
  /** The same records by owner and asset: found without making the text of an id. */
  readonly owners = new Map<Address, Map<Address, OwnedRecord>>();
  readonly entries: FollowedEntries;
  /** Tokens whose kind is known. */
  readonly tokens = new Map<Address, Token>();
  /** Tokens of markets opened on-chain or of an order seen: never fewer while the process runs. */
  readonly marketTokens = new Set<Address>();
  readonly watched = new Set<Address>();
  readonly lapses = new Lapses();
  /**
   * Last ledger of the allowance that the owner's last approve event gave the exchange in a custom
   * token. Kept without a record too: an approval comes before its first order.
   */
  readonly approvals = new Map<RecordId, number>();
  readonly approvalEnds = new Lapses();
  readonly shares = new OrderShares();
  /** Last skip by owner and asset, from the store. */
  skipped: (owner: Address, asset: Address) => number | undefined = () => undefined;
  /** Rows of the store that no record has claimed yet; empty once started. */
  readonly restored = new Map<RecordId, RecordRow>();
  /** Number of the next tracking request. */
  nextRequest = 1;

  constructor(contract: Address, idleLedgersMax: number) {
    this.contract = contract;
    this.keys = new RecordKeyBuilder(contract);
    this.entries = new FollowedEntries(idleLedgersMax);
  }

  /** Takes in a row of the store. */
  restore(row: ParsedRow): void {
    switch (row.kind) {
      case "network":
        this.baseReserve = row.baseReserve;
        break;
      case "entry":
        this.entries.entries.set(row.key, known(row.entry));
        this.entries.idle.set(row.key, this.ledger);
        break;
      case "approval": {
        const id = recordId(row.owner, row.asset);
        this.approvals.set(id, row.liveUntil);
        this.approvalEnds.change(id, 0, row.liveUntil);
        break;
      }
      case "record":
        this.restored.set(recordId(row.record.owner, row.record.asset), row.record);
        break;
    }
  }

  setOfOwner(id: RecordId, record: BackingRecord): void {
    const { owner, asset } = record;
    const records = this.owners.get(owner);
    if (records === undefined) this.owners.set(owner, new Map([[asset, { id, record }]]));
    else records.set(asset, { id, record });
  }

  /** Of makers with many orders, in portions. */
  *keepShares(makers: readonly Pick<BackingRecord, "owner" | "asset">[]): Generator<void, void> {
    for (const { owner, asset } of makers) {
      yield* this.shares.keepInPortions(recordId(owner, asset), { owner, asset });
    }
  }

  removeFromOwner({ owner, asset }: BackingRecord): void {
    const records = this.owners.get(owner);
    if (records?.delete(asset) && records.size === 0) this.owners.delete(owner);
  }
}

/**
 * Records by the last ledger of their allowance: a lapse emits nothing, so the ledger number alone
 * says when a budget ends.
 */
class Lapses {
  readonly #records = new Map<number, Set<string>>();

  change(record: string, before: number, after: number): void {
    if (before === after) return;
    const former = this.#records.get(before);
    if (former?.delete(record) && former.size === 0) this.#records.delete(before);
    if (after === 0) return;
    const records = this.#records.get(after);
    if (records === undefined) this.#records.set(after, new Set([record]));
    else records.add(record);
  }

  /** Records whose allowance is live in `ledger` for the last time. */
  endingIn(ledger: number): Iterable<string> {
    return this.#records.get(ledger) ?? [];
  }

  /** Records whose allowance was live in `from` and is not in `to`. */
  *between(from: number, to: number): Iterable<string> {
    if (to - from <= this.#records.size) {
      for (let last = from; last < to; last += 1) yield* this.#records.get(last) ?? [];
      return;
    }
    for (const [last, records] of this.#records) {
      if (last >= from && last < to) yield* records;
    }
  }
}

// The ledger entries that are followed: what the ledger holds under each key, exactly as of the
// visible ledger, and which records depend on it.

/**
 * Ledgers for which an entry stays followed after the last record that needs it: a maker who cancels
 * all orders and places new ones finds its backing known. A guess: ten minutes of 5-second ledgers.
 */
export const IDLE_LEDGERS_MAX = 120;

type FollowedEntry =
  | { readonly known: true; readonly entry?: TrackedEntry }
  /** Asked for with `request`; `change` is the last change seen before the answer. */
  | {
      readonly known: false;
      readonly request: number;
      readonly change?: { readonly ledger: number; readonly entry?: TrackedEntry };
    };

/** Keys to name to the reader once a batch is durable. */
export type FollowedKeys = {
  readonly track: readonly string[];
  readonly untrack: readonly string[];
};

/** The visible state. Main thread. */
class FollowedEntries {
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
class FollowedEntriesBatch {
  readonly #visible: FollowedEntries;
  readonly #entries: Overlay<string, FollowedEntry>;
  /** Number of the request for the keys that this batch starts to follow. */
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

  /** May name records that were released in this batch. */
  *dependents(key: string): Iterable<string> {
    yield* this.#visible.dependents.of(key);
    yield* this.#added.get(key) ?? [];
  }

  /**
   * False where nothing follows from it: the key is not followed (a change of a former tracking still on its way), or a
   * token is what it was, all of whose records would be looked at.
   */
  change({ key, entry }: EntryChange, ledger: number): boolean {
    const followed = this.#entries.get(key);
    if (followed === undefined) return false;
    if (followed.known) {
      if (isSameToken(followed.entry, entry)) return false;
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

function isSameToken(one: TrackedEntry | undefined, other: TrackedEntry | undefined): boolean {
  return one?.kind === "token" && other?.kind === "token" && one.asset === other.asset;
}

function known(entry: TrackedEntry | undefined): FollowedEntry {
  return entry === undefined ? { known: true } : { known: true, entry };
}

/** Records by the keys they need. Most keys have one record: a set for each would cost more than it. */
class Dependents {
  readonly #records = new Map<string, string | Set<string>>();

  has(key: string): boolean {
    return this.#records.has(key);
  }

  of(key: string): Iterable<string> {
    const records = this.#records.get(key);
    if (records === undefined) return [];
    return typeof records === "string" ? [records] : records;
  }

  add(key: string, record: string): void {
    const records = this.#records.get(key);
    if (records === undefined) this.#records.set(key, record);
    else if (typeof records !== "string") records.add(record);
    else if (records !== record) this.#records.set(key, new Set([records, record]));
  }

  delete(key: string, record: string): void {
    const records = this.#records.get(key);
    if (records === undefined) return;
    if (typeof records === "string") {
      if (records === record) this.#records.delete(key);
    } else if (records.delete(record) && records.size === 0) this.#records.delete(key);
  }
}

// The backing records as a step would leave them: what the parts of a batch read and write.

export class StepView {
  /** What is visible, unchanged. */
  readonly state: BackingState;
  /** After the step. */
  readonly ledger: number;
  readonly closeTime: number;
  readonly baseReserve: bigint;
  readonly records: Overlay<RecordId, BackingRecord>;
  readonly tokens: Overlay<Address, Token>;
  readonly entries: FollowedEntriesBatch;
  readonly approvals: Overlay<RecordId, number>;
  /** Records to compute again. Naming one too many costs time alone. */
  readonly touched = new Set<RecordId>();

  constructor(state: BackingState, last: LedgerDelta | undefined) {
    this.state = state;
    this.ledger = last?.ledger ?? state.ledger;
    this.closeTime = last?.closeTime ?? state.closeTime;
    this.baseReserve = last === undefined ? state.baseReserve : BigInt(last.baseReserve);
    this.records = new Overlay(state.records);
    this.tokens = new Overlay(state.tokens);
    this.approvals = new Overlay(state.approvals);
    this.entries = new FollowedEntriesBatch(state.entries, state.nextRequest);
  }

  /** As in `BackingState`, once the step's changes of entries are in. */
  get eventsMax(): number {
    const setting = this.entries.get(EVENTS_SETTING);
    return setting?.known === true ? eventsMaxOf(setting.entry) : this.state.eventsMax;
  }

  /** Undefined until the token's instance entry is known. */
  tokenOf(asset: Address): Token | undefined {
    return this.tokens.get(asset) ?? this.readToken(asset);
  }

  /** As `tokenOf`, but looks at the entry again, which may have changed. */
  readToken(asset: Address): Token | undefined {
    const instance = this.entries.get(this.state.keys.instance(asset));
    if (instance === undefined || !instance.known) return undefined;
    const token = tokenOf(instance.entry);
    this.tokens.set(asset, token);
    return token;
  }
}

/**
 * A map as a step would leave it, over the visible one, which stays as it is until `commit`. Values
 * must be immutable.
 */
class Overlay<K, V> {
  readonly #base: Map<K, V>;
  readonly #changed = new Map<K, V | undefined>();

  constructor(base: Map<K, V>) {
    this.#base = base;
  }

  get(key: K): V | undefined {
    return this.#changed.has(key) ? this.#changed.get(key) : this.#base.get(key);
  }

  set(key: K, value: V): void {
    this.#changed.set(key, value);
  }

  delete(key: K): void {
    this.#changed.set(key, undefined);
  }

  /** What was set or deleted (undefined) since the start, each key once. */
  changes(): Iterable<[K, V | undefined]> {
    return this.#changed;
  }

  commit(): void {
    for (const [key, value] of this.#changed) {
      if (value === undefined) this.#base.delete(key);
      else this.#base.set(key, value);
    }
  }
}
