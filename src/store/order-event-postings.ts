// The index of the order events: by prefix (order, owner, market) postings, lists of event ids. A posting's key is the
// prefix and its first id, its value the ids after that one as differences. An empty value is a single id, as versions
// before the postings wrote one for every event.
import { POSITION_MAX, type Position } from "../model/position.ts";
import { indexKey, readPosition } from "./keys.ts";
import { eventId, ledgerOf } from "./order-event-record.ts";
import { RecentMap } from "./recent-map.ts";
import { RecordReader, RecordWriter } from "./record-bytes.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Write } from "./step-writes.ts";
import type { Table } from "./tables.ts";

/** Bytes of a posting that is not added to any more: some 40 ids (choice: what is rewritten for one more). */
const POSTING_BYTES = 96;
/** Postings kept at hand (choice): more than the owners, markets and orders that are changed again and again. */
const KNOWN_MAX = 8192;
/** Postings of a prefix read at once to be dropped. */
const DROPPED_AT_ONCE = 64;

type Posting = { readonly first: Position; readonly value: Buffer };

/** Ids of a prefix below `before`, newest first. */
export function* newestIds(
  snapshot: Snapshot,
  index: Table,
  { prefix, before, limit }: { prefix: Buffer; before: Position | undefined; limit: number },
): Generator<Position> {
  // A few hold a small page; those of one id are read as fast as a large page needs them.
  const atOnce = 4 + Math.ceil(limit / 16);
  let end = before ?? POSITION_MAX;
  for (;;) {
    const postings = postingsOf(snapshot, index, { prefix, from: end, to: 0n, limit: atOnce });
    for (const posting of postings) {
      for (const id of idsOf(posting).reverse()) if (id < end) yield id;
      end = posting.first;
    }
    if (postings.length < atOnce) return;
  }
}

type Newest = { readonly prefix: Buffer; readonly posting: Posting; readonly last: Position };

/** The newest postings of the prefixes added to last, as they are stored. */
export type KnownPostings = RecentMap<string, Newest>;

export function knownPostings(): KnownPostings {
  return new RecentMap(KNOWN_MAX);
}

/** The postings that a commit changes. */
export class NewPostings {
  readonly #snapshot: Snapshot;
  readonly #index: Table;
  readonly #known: KnownPostings;
  readonly #newest = new Map<string, Newest>();
  readonly #full: Newest[] = [];
  readonly #dropped = new Set<string>();
  readonly #writer = new RecordWriter();

  constructor(snapshot: Snapshot, index: Table, known: KnownPostings) {
    this.#snapshot = snapshot;
    this.#index = index;
    this.#known = known;
  }

  /** Ids come in their order. `isFirst`: nothing is known under the prefix, most likely. */
  add(prefix: Buffer, id: Position, isFirst: boolean): void {
    const key = prefix.toString("latin1");
    const newest =
      this.#newest.get(key) ??
      this.#known.get(key) ??
      (isFirst ? undefined : this.#stored(prefix, id));
    if (newest === undefined || newest.posting.value.length >= POSTING_BYTES) {
      if (this.#newest.has(key) && newest !== undefined) this.#full.push(newest);
      const posting = { first: id, value: Buffer.alloc(0) };
      this.#newest.set(key, { prefix, posting, last: id });
      return;
    }
    const { posting, last } = newest;
    const value = Buffer.concat([posting.value, this.#difference(last, id)]);
    this.#newest.set(key, { prefix, posting: { ...posting, value }, last: id });
  }

  /** To be called once the commit is stored. */
  stored(): void {
    for (const key of this.#dropped) this.#known.delete(key);
    for (const [key, newest] of this.#newest) this.#known.set(key, newest);
  }

  writes(): readonly Write[] {
    return [...this.#full, ...this.#newest.values()].map(({ prefix, posting }) => ({
      table: this.#index,
      key: indexKey(prefix, posting.first),
      value: posting.value,
    }));
  }

  /** Removes the postings of a prefix all of whose ids are up to `last`. */
  drops(prefix: Buffer, last: Position): readonly Write[] {
    const writes: Write[] = [];
    const key = prefix.toString("latin1");
    const added = this.#newest.get(key)?.posting.first;
    this.#dropped.add(key);
    let from = 0n;
    for (;;) {
      const range = { prefix, from, to: last + 1n, limit: DROPPED_AT_ONCE };
      const postings = postingsOf(this.#snapshot, this.#index, range);
      for (const posting of postings) {
        const isOver = (idsOf(posting).at(-1) ?? last) <= last && posting.first !== added;
        if (isOver) writes.push({ table: this.#index, key: indexKey(prefix, posting.first) });
        from = posting.first + 1n;
      }
      if (postings.length < DROPPED_AT_ONCE) return writes;
    }
  }

  #stored(prefix: Buffer, before: Position): Newest | undefined {
    const range = { prefix, from: before, to: 0n, limit: 1 };
    const [posting] = postingsOf(this.#snapshot, this.#index, range);
    return posting && { prefix, posting, last: idsOf(posting).at(-1) ?? posting.first };
  }

  #difference(last: Position, id: Position): Buffer {
    const ledgers = ledgerOf(id) - ledgerOf(last);
    const from = ledgers === 0 ? last : eventId(ledgerOf(id), 0n);
    return this.#writer
      .count(ledgers)
      .count(Number(id - from))
      .take();
  }
}

/** Ascending from `from` (inclusive) to `to` (exclusive), or descending from below `from`. */
function postingsOf(
  snapshot: Snapshot,
  index: Table,
  { prefix, from, to, limit }: { prefix: Buffer; from: bigint; to: bigint; limit: number },
): readonly Posting[] {
  const isDescending = from > to;
  if (from === to || limit === 0) return [];
  const start = indexKey(prefix, (isDescending ? from - 1n : from) as Position);
  const end = indexKey(prefix, to as Position);
  return snapshot
    .entries(index, { start, end, limit })
    .map(({ key, value }) => ({ first: readPosition(key, prefix.length), value }));
}

function idsOf({ first, value }: Posting): Position[] {
  const ids = [first];
  const reader = new RecordReader(value);
  for (let id = first; !reader.isAtEnd; ids.push(id)) {
    const ledgers = reader.count();
    const from = ledgers === 0 ? id : eventId(ledgerOf(id) + ledgers, 0n);
    id = (from + BigInt(reader.count())) as Position;
  }
  return ids;
}
