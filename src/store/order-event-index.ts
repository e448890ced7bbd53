// Which order events a list by order, owner or market has: the stored postings (order-event-postings.ts), and the ids
// that are pending, in memory. Those of a prefix go into its postings together, once the first of them has waited for
// some thousands of events: an order that is changed again and again costs one write for many events, of a leaf page of
// lmdb that is mostly its own. `meta` has the first pending id; a start reads the events from there on. Main thread.
//
// Invariant: what of a prefix is in no stored posting is pending, and it is all of the prefix from the first pending id
// on. A pending id may be stored too, after a start or until a commit is shown.
import type { Address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";
import type { NewOrderEvent, OrderEventFilter } from "../model/order-event.ts";
import { POSITION_MAX, type Position } from "../model/position.ts";
import { atOnce, portions } from "../model/slice-turns.ts";
import { byAccount, byPair } from "./index-entries.ts";
import { positionKey, readPosition } from "./keys.ts";
import {
  type NewestPosting,
  newestIds,
  newestPosting,
  postingDrops,
  postingWrites,
} from "./order-event-postings.ts";
import { byOrder, type EventSubject, eventEntries } from "./order-event-record.ts";
import { RecentMap } from "./recent-map.ts";
import { RecordWriter } from "./record-bytes.ts";
import type { Write } from "./step-writes.ts";
import type { StoreParts } from "./store-parts.ts";
import { META_ORDER_EVENTS_PENDING } from "./tables.ts";

/** Events that a prefix waits for (choice): the orders of a busy exchange come up some times among them. */
const PENDING_EVENTS = 8192;
/** Newest postings kept at hand (choice): more than orders, owners and markets that are changed again and again. */
const KNOWN_MAX = 8192;
/** Prefixes of an event at most: a commit stores as many prefixes as it can make pending, and some more. */
const PREFIXES_MAX = 3;
const PREFIXES_MORE = 64;
/** Prefixes of a portion. */
const AT_ONCE = 16;

type Pending = {
  readonly prefix: Buffer;
  readonly ids: Position[];
  /** Nothing is stored under the prefix, most likely. */
  readonly isFirst: boolean;
  /** Events before its first. */
  readonly since: number;
};

/** A stored event that may be pending. */
export type PastEvent = { readonly id: Position; readonly event: EventSubject };

/** What a commit stores of a prefix: up to `last`. */
type Storing = {
  readonly key: string;
  readonly last: Position | undefined;
  readonly posting: NewestPosting | undefined;
};

/** Of one commit or of several. */
type Commit = {
  /** The first id added; undefined: none was. */
  readonly first: Position | undefined;
  readonly storing: readonly Storing[];
};

const NO_COMMIT: Commit = { first: undefined, storing: [] };

export class OrderEventIndex {
  readonly #parts: StoreParts;
  readonly #eventsFrom: (first: Position) => Iterable<PastEvent>;
  readonly #pendingEvents: number;
  /** By `textOf`, in the order of their first ids; undefined until they are read. */
  #pending: Map<string, Pending> | undefined;
  #reading: Iterator<void> | undefined;
  /** Events that are or were pending. */
  #count = 0;
  readonly #known = new RecentMap<string, NewestPosting>(KNOWN_MAX);
  readonly #writer = new RecordWriter();
  /** Begun, and not stored: it may have failed. */
  #current = NO_COMMIT;
  /** Stored: `first` is of those not shown; once there is none, what they stored is no longer pending. */
  #stored = NO_COMMIT;

  /** `eventsFrom` reads the stored events from an id on. */
  constructor(
    parts: StoreParts,
    eventsFrom: (first: Position) => Iterable<PastEvent>,
    pendingEvents = PENDING_EVENTS,
  ) {
    this.#parts = parts;
    this.#eventsFrom = eventsFrom;
    this.#pendingEvents = pendingEvents;
  }

  /** Newest first, below `before`. */
  *list(
    filter: OrderEventFilter,
    { before, limit }: { readonly before: Position; readonly limit: number },
  ): Generator<Position> {
    atOnce(this.load());
    let end = before;
    for (const { first } of [this.#current, this.#stored]) {
      if (first !== undefined && first < end) end = first;
    }
    const ids = this.#pending?.get(textOf(filter))?.ids ?? [];
    for (let at = ids.length - 1; at >= 0; at -= 1) {
      const id = ids[at] as Position;
      if (id >= end) continue;
      yield id;
      end = id;
    }
    const prefix = this.#prefixOf(filter);
    if (prefix === undefined) return;
    const range = { prefix, before: end, limit };
    yield* newestIds(this.#parts.snapshot, this.#parts.tables.orderEventIndex, range);
  }

  /** To be called before a commit adds events; the first one of a run reads what is pending. In portions. */
  *begin(): Generator<void, void> {
    yield* this.load();
    const pending = this.#pending ?? new Map<string, Pending>();
    const { first: failed } = this.#current;
    if (failed !== undefined) {
      for (const [key, { ids }] of pending) {
        while ((ids.at(-1) ?? 0n) >= failed) ids.pop();
        if (ids.length === 0) pending.delete(key);
      }
    }
    this.#current = NO_COMMIT;
    if (!this.isShown) return;
    for (const { key, last } of this.#stored.storing) {
      if (pending.get(key)?.ids.at(-1) === last) pending.delete(key);
    }
    this.#stored = NO_COMMIT;
  }

  /** Ids come in their order. */
  add(id: Position, event: NewOrderEvent): void {
    if (this.#current.first === undefined) this.#current = { ...this.#current, first: id };
    if (this.#pending === undefined) throw new Error("no commit was begun");
    this.#put(this.#pending, { id, event }, event.type === "order" && event.cause === "new");
  }

  /**
   * What a commit that added events up to `last` stores of those that waited, `droppedUpTo` and older ones not. In
   * portions.
   */
  *writes(
    writes: Write[],
    {
      added,
      last,
      droppedUpTo,
    }: Readonly<{ added: number; last: Position; droppedUpTo: Position }>,
  ): Generator<void, void> {
    const { meta, orderEventIndex: index } = this.#parts.tables;
    let firstPending = (last + 1n) as Position;
    const storing: Storing[] = [];
    // Postings are added to as they are read.
    let left = this.isShown ? PREFIXES_MAX * added + PREFIXES_MORE : 0;
    for (const [key, { prefix, ids, isFirst, since }] of this.#pending ?? []) {
      if (left === 0 || since + this.#pendingEvents > this.#count) {
        firstPending = ids[0] ?? firstPending;
        break;
      }
      const newest =
        this.#known.get(key) ??
        (isFirst ? undefined : newestPosting(this.#parts.snapshot, index, prefix));
      const to = { index, droppedUpTo };
      const posting = postingWrites(writes, this.#writer, to, { prefix, ids, newest });
      storing.push({ key, last: ids.at(-1), posting });
      left -= 1;
      if (left % AT_ONCE === 0) yield;
    }
    this.#current = { ...this.#current, storing };
    const value = positionKey(firstPending);
    writes.push({ table: meta, key: META_ORDER_EVENTS_PENDING, value });
  }

  /** The commit that added events is stored. */
  stored(): void {
    const { first, storing } = this.#current;
    for (const { key, posting } of storing) {
      if (posting !== undefined) this.#known.set(key, posting);
    }
    const before = this.#stored;
    this.#stored = { first: before.first ?? first, storing: [...before.storing, ...storing] };
    this.#current = NO_COMMIT;
  }

  /** What was stored is what is read from now on. */
  shown(): void {
    this.#stored = { ...this.#stored, first: undefined };
  }

  /** False after a commit whose postings are not read yet: until then nothing may be dropped by what is read. */
  get isShown(): boolean {
    return this.#stored.first === undefined;
  }

  /** Removes the postings that hold none of these after `last`, in portions. While `isShown`. */
  *drops(writes: Write[], events: Iterable<NewOrderEvent>, last: Position): Generator<void, void> {
    const prefixes = new Map<string, Buffer>();
    yield* portions(events, (event) => {
      for (const prefix of eventEntries(event, this.#parts.ids)) {
        prefixes.set(prefix.toString("latin1"), prefix);
      }
    });
    const from = { snapshot: this.#parts.snapshot, index: this.#parts.tables.orderEventIndex };
    yield* portions(prefixes.values(), (prefix) => postingDrops(writes, from, prefix, last));
  }

  /** What is read from now on was written by another thread or process. */
  forget(): void {
    this.#pending = undefined;
    this.#reading = undefined;
  }

  /** Reads what is pending, in portions, once: whoever needs it sooner goes on where another is. */
  *load(): Generator<void, void> {
    while (this.#pending === undefined) {
      this.#reading ??= this.#read();
      if (this.#reading.next().done !== true) yield;
    }
  }

  *#read(): Generator<void, void> {
    try {
      const pending = new Map<string, Pending>();
      const stored = this.#parts.snapshot.get(this.#parts.tables.meta, META_ORDER_EVENTS_PENDING);
      // Versions before this row stored every id with its event.
      const first = stored === undefined ? POSITION_MAX : readPosition(stored, 0);
      yield* portions(this.#eventsFrom(first), (past) => this.#put(pending, past, false));
      this.#pending = pending;
    } finally {
      this.#reading = undefined;
    }
  }

  #put(pending: Map<string, Pending>, { id, event }: PastEvent, isFirst: boolean): void {
    const append = (key: string): boolean => {
      const ids = pending.get(key)?.ids;
      ids?.push(id);
      return ids !== undefined;
    };
    const since = this.#count;
    this.#count += 1;
    const { owner } = event.type === "budget" ? event : event.order;
    if (!append(owner)) {
      const prefix = byAccount(this.#parts.ids.idOf(owner));
      pending.set(owner, { prefix, ids: [id], isFirst: false, since });
    }
    if (event.type === "budget") return;
    const { id: order, selling, buying } = event.order;
    const orderKey = orderText(order);
    if (!append(orderKey)) {
      pending.set(orderKey, { prefix: byOrder(order), ids: [id], isFirst, since });
    }
    const marketKey = marketText(selling, buying);
    if (!append(marketKey)) {
      const prefix = byPair(this.#parts.ids.idOf(selling), this.#parts.ids.idOf(buying));
      pending.set(marketKey, { prefix, ids: [id], isFirst: false, since });
    }
  }

  #prefixOf(filter: OrderEventFilter): Buffer | undefined {
    if ("order" in filter) return byOrder(filter.order);
    if ("owner" in filter) {
      const owner = this.#parts.ids.find(filter.owner);
      return owner === undefined ? undefined : byAccount(owner);
    }
    const [one, other] = filter.market.map((asset) => this.#parts.ids.find(asset));
    return one === undefined || other === undefined ? undefined : byPair(one, other);
  }
}

/** Prefixes as texts that are there already, or made at little cost. */
function textOf(filter: OrderEventFilter): string {
  if ("order" in filter) return orderText(filter.order);
  return "owner" in filter ? filter.owner : marketText(...filter.market);
}

function orderText(order: OrderId): string {
  return order.toString(16);
}

function marketText(one: Address, other: Address): string {
  return one < other ? one + other : other + one;
}
