// Which order events a list by order, owner or market has. The newest events are in no index: a list looks through them
// one by one. Once there are enough of them they go into the postings together, a share with each commit, since an order
// that is changed again and again then costs one write for many events. `meta` says up to which event the postings are
// complete; a start reads the events after that one again. Main thread.
//
// Invariant: every event after the one that `meta` names is in #indexing or #newest, whatever of them a posting holds.
import type { NewOrderEvent, OrderEventFilter } from "../model/order-event.ts";
import type { Position } from "../model/position.ts";
import type { AddressIds } from "./address-ids.ts";
import { byAccount, byPair } from "./index-entries.ts";
import { positionKey, readPosition } from "./keys.ts";
import {
  type NewestPosting,
  newestIds,
  newestPosting,
  postingDrops,
  postingWrites,
} from "./order-event-postings.ts";
import { byOrder, eventEntries } from "./order-event-record.ts";
import { RecentMap } from "./recent-map.ts";
import { RecordWriter } from "./record-bytes.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Write } from "./step-writes.ts";
import { META_ORDER_EVENTS_INDEXED, type Tables } from "./tables.ts";

/**
 * Events that go into the postings together (choice): the orders of a busy exchange come up four times among them. A list
 * looks through twice as many at most.
 */
const INDEXED_TOGETHER = 2048;
/** Newest postings kept at hand (choice): more than orders, owners and markets that are changed again and again. */
const KNOWN_MAX = 8192;

export type Unindexed = { readonly id: Position; readonly event: NewOrderEvent };

/** What is to be added to the postings of a prefix, whose text is `key`. */
type Group = {
  readonly key: string;
  readonly prefix: Buffer;
  readonly ids: Position[];
  /** Nothing is stored under the prefix, most likely. */
  readonly isFirst: boolean;
};

/** Reads the stored events above a position. */
type EventsFrom = (after: Position) => Iterable<Unindexed>;

export class OrderEventIndex {
  readonly #tables: Tables;
  readonly #snapshot: Snapshot;
  readonly #ids: AddressIds;
  readonly #eventsFrom: EventsFrom;
  readonly #indexedTogether: number;
  /** Going into the postings; what is to be added to each, and how many of these have it. */
  #indexing: readonly Unindexed[] = [];
  #groups: readonly Group[] = [];
  #written = 0;
  readonly #writer = new RecordWriter();
  readonly #known = new RecentMap<string, NewestPosting>(KNOWN_MAX);
  /** After those. */
  #newest: Unindexed[] = [];
  /** Undefined until the events after it have been read. */
  #completeUpTo: Position | undefined;
  /** What is to change once the commit in progress is shown, and commits before it. */
  #next: (() => void) | undefined;
  #unshown: (() => void)[] = [];

  constructor(
    tables: Tables,
    snapshot: Snapshot,
    ids: AddressIds,
    eventsFrom: EventsFrom,
    indexedTogether = INDEXED_TOGETHER,
  ) {
    this.#tables = tables;
    this.#snapshot = snapshot;
    this.#ids = ids;
    this.#eventsFrom = eventsFrom;
    this.#indexedTogether = indexedTogether;
  }

  /** Newest first, below `before`. `last`: the newest event that is shown. */
  *list(
    filter: OrderEventFilter,
    { before, limit, last }: { before: Position; limit: number; last: Position },
  ): Generator<Position> {
    for (const _ of this.#load(last));
    const isOf = filterOf(filter);
    for (const events of [this.#newest, this.#indexing]) {
      for (let at = events.length - 1; at >= 0; at -= 1) {
        const { id, event } = events[at] as Unindexed;
        if (id < before && isOf(event)) yield id;
      }
    }
    const prefix = this.#prefixOf(filter);
    if (prefix === undefined) return;
    const end = ((this.#completeUpTo ?? last) + 1n) as Position;
    const range = { prefix, before: before < end ? before : end, limit };
    yield* newestIds(this.#snapshot, this.#tables.orderEventIndex, range);
  }

  /**
   * What a commit that adds events writes, in portions. `last`: the newest event stored before it; those up to
   * `droppedUpTo` are dropped with it or before it. `stored` follows once it is stored, `shown` once it is read.
   */
  *writes(
    writes: Write[],
    added: readonly Unindexed[],
    { last, droppedUpTo }: { readonly last: Position; readonly droppedUpTo: Position },
  ): Generator<void, void> {
    yield* this.#load(last);
    const together = this.#indexedTogether;
    // Postings are added to as they are read.
    const areRead = this.#unshown.length === 0;
    if (areRead && this.#indexing.length === 0 && this.#newest.length >= together) {
      // As true before the commit as after it.
      const groups = yield* this.#grouped(this.#newest);
      [this.#groups, this.#written] = [groups, 0];
      [this.#indexing, this.#newest] = [this.#newest, []];
    }
    const share = areRead ? Math.ceil((this.#groups.length * added.length) / together) : 0;
    const end = Math.min(this.#groups.length, this.#written + share);
    const [writer, index] = [this.#writer, this.#tables.orderEventIndex];
    const known: [string, NewestPosting][] = [];
    for (const { key, prefix, ids, isFirst } of this.#groups.slice(this.#written, end)) {
      const newest =
        this.#known.get(key) ??
        (isFirst ? undefined : newestPosting(this.#snapshot, index, prefix));
      const next = postingWrites(writes, writer, { index, droppedUpTo }, { prefix, ids, newest });
      if (next !== undefined) known.push([key, next]);
      yield;
    }
    const isComplete = areRead && this.#indexing.length > 0 && end === this.#groups.length;
    const completeUpTo = isComplete ? this.#indexing.at(-1)?.id : this.#completeUpTo;
    if (isComplete || added.length > 0) this.#writeCompleteUpTo(writes, completeUpTo);
    this.#next = () => {
      this.#written = end;
      this.#completeUpTo = completeUpTo;
      if (isComplete) [this.#indexing, this.#groups] = [[], []];
      for (const [key, posting] of known) this.#known.set(key, posting);
      for (const event of added) this.#newest.push(event);
    };
  }

  stored(): void {
    if (this.#next !== undefined) this.#unshown.push(this.#next);
    this.#next = undefined;
  }

  shown(): void {
    for (const change of this.#unshown) change();
    this.#unshown = [];
  }

  /** Removes the postings that hold none of these after `last`. */
  drops(writes: Write[], events: Iterable<NewOrderEvent>, last: Position): void {
    const prefixes = new Map<string, Buffer>();
    for (const event of events) {
      for (const prefix of eventEntries(event, this.#ids)) {
        prefixes.set(prefix.toString("latin1"), prefix);
      }
    }
    const from = { snapshot: this.#snapshot, index: this.#tables.orderEventIndex };
    for (const prefix of prefixes.values()) postingDrops(writes, from, prefix, last);
  }

  *#load(last: Position): Generator<void, void> {
    if (this.#completeUpTo !== undefined) return;
    const stored = this.#snapshot.get(this.#tables.meta, META_ORDER_EVENTS_INDEXED);
    // Versions before this row had every event in the postings with its commit.
    const completeUpTo = stored === undefined ? last : readPosition(stored, 0);
    const newest: Unindexed[] = [];
    for (const event of this.#eventsFrom(completeUpTo)) {
      newest.push(event);
      yield;
    }
    [this.#newest, this.#completeUpTo] = [newest, completeUpTo];
  }

  #writeCompleteUpTo(writes: Write[], id: Position | undefined): void {
    if (id === undefined) return;
    const [table, key] = [this.#tables.meta, META_ORDER_EVENTS_INDEXED];
    writes.push({ table, key, value: positionKey(id) });
  }

  *#grouped(events: readonly Unindexed[]): Generator<void, readonly Group[]> {
    const groups = new Map<string, Group>();
    for (const { id, event } of events) {
      const isNew = event.type === "order" && event.cause === "new";
      for (const [at, prefix] of eventEntries(event, this.#ids).entries()) {
        const key = prefix.toString("latin1");
        const group = groups.get(key);
        if (group !== undefined) group.ids.push(id);
        else groups.set(key, { key, prefix, ids: [id], isFirst: isNew && at === 0 });
      }
      yield;
    }
    return [...groups.values()];
  }

  #prefixOf(filter: OrderEventFilter): Buffer | undefined {
    if ("order" in filter) return byOrder(filter.order);
    if ("owner" in filter) {
      const owner = this.#ids.find(filter.owner);
      return owner === undefined ? undefined : byAccount(owner);
    }
    const [one, other] = filter.market.map((asset) => this.#ids.find(asset));
    return one === undefined || other === undefined ? undefined : byPair(one, other);
  }
}

/** As the prefixes of an event have it (order-event-record.ts). */
function filterOf(filter: OrderEventFilter): (event: NewOrderEvent) => boolean {
  if ("order" in filter) {
    return (event) => event.type === "order" && event.order.id === filter.order;
  }
  if ("owner" in filter) {
    return (event) => (event.type === "order" ? event.order.owner : event.owner) === filter.owner;
  }
  const [one, other] = filter.market;
  return (event) => {
    if (event.type !== "order") return false;
    const { selling, buying } = event.order;
    return (selling === one && buying === other) || (selling === other && buying === one);
  };
}
