// The index of the order events: by prefix (order, owner, market) postings, lists of event ids. A posting's key is the
// prefix and its first id, its value the ids after that one as differences. An empty value is a single id, as versions
// before the postings wrote one for every event.
import { ledgerOf, ledgerStart, POSITION_MAX, type Position } from "../model/position.ts";
import { indexKey, readPosition } from "./keys.ts";
import { RecordReader, type RecordWriter } from "./record-bytes.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Write } from "./step-writes.ts";
import type { Table } from "./tables.ts";

/** Bytes of a posting that is not added to any more: some 40 ids (choice: what is rewritten for one more). */
const POSTING_BYTES = 96;
/** Postings of a prefix read at once to be dropped. */
const DROPPED_AT_ONCE = 64;

const EMPTY = Buffer.alloc(0);

type Posting = { readonly first: Position; readonly value: Buffer };

/** Ids of a prefix below `before`, newest first. */
export function* newestIds(
  snapshot: Snapshot,
  index: Table,
  { prefix, before, limit }: { prefix: Buffer; before: Position; limit: number },
): Generator<Position> {
  // A few hold a small page; those of one id are read as fast as a large page needs them.
  const atOnce = 4 + Math.ceil(limit / 16);
  let end = before;
  for (;;) {
    const postings = postingsOf(snapshot, index, { prefix, from: end, to: 0n, limit: atOnce });
    for (const posting of postings) {
      for (const id of idsOf(posting).reverse()) if (id < end) yield id;
      end = posting.first;
    }
    if (postings.length < atOnce) return;
  }
}

/** The posting of a prefix that is added to. */
export type NewestPosting = Posting & { readonly last: Position };

/** Ids of a prefix to be added to its postings, in their order. */
export type NewIds = {
  readonly prefix: Buffer;
  readonly ids: readonly Position[];
  /** Undefined: a posting of its own holds them. */
  readonly newest: NewestPosting | undefined;
};

export function newestPosting(
  snapshot: Snapshot,
  index: Table,
  prefix: Buffer,
): NewestPosting | undefined {
  const range = { prefix, from: POSITION_MAX, to: 0n, limit: 1 };
  const [posting] = postingsOf(snapshot, index, range);
  return posting && { ...posting, last: idsOf(posting).at(-1) ?? posting.first };
}

/** Ids up to `droppedUpTo`, and those that are stored, are left out. Returns what is then the newest posting. */
export function postingWrites(
  writes: Write[],
  writer: RecordWriter,
  { index, droppedUpTo }: { readonly index: Table; readonly droppedUpTo: Position },
  { prefix, ids, newest }: NewIds,
): NewestPosting | undefined {
  // One that is wholly dropped is removed by this commit or was by an earlier one.
  const kept = newest !== undefined && newest.last > droppedUpTo ? newest : undefined;
  const above = kept?.last ?? droppedUpTo;
  let { first, value, last } = kept ?? { first: undefined, value: EMPTY, last: droppedUpTo };
  const end = () => {
    const added = writer.take();
    if (first === undefined || last === above) return;
    if (added.length > 0) value = Buffer.concat([value, added]);
    writes.push({ table: index, key: indexKey(prefix, first), value });
  };
  for (const id of ids) {
    if (id <= above) continue;
    if (first === undefined || writer.length + value.length >= POSTING_BYTES) {
      end();
      [first, value] = [id, EMPTY];
    } else writeDifference(writer, last, id);
    last = id;
  }
  end();
  return first === undefined ? undefined : { first, value, last };
}

/** Removes the postings of a prefix all of whose ids are up to `last`. */
export function postingDrops(
  writes: Write[],
  { snapshot, index }: { readonly snapshot: Snapshot; readonly index: Table },
  prefix: Buffer,
  last: Position,
): void {
  let from = 0n;
  for (;;) {
    const range = { prefix, from, to: last + 1n, limit: DROPPED_AT_ONCE };
    const postings = postingsOf(snapshot, index, range);
    for (const posting of postings) {
      const isOver = (idsOf(posting).at(-1) ?? last) <= last;
      if (isOver) writes.push({ table: index, key: indexKey(prefix, posting.first) });
      from = posting.first + 1n;
    }
    if (postings.length < DROPPED_AT_ONCE) return;
  }
}

function writeDifference(writer: RecordWriter, last: Position, id: Position): void {
  const ledgers = ledgerOf(id) - ledgerOf(last);
  const from = ledgers === 0 ? last : ledgerStart(ledgerOf(id));
  writer.count(ledgers).count(Number(id - from));
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
  let id = first;
  const reader = new RecordReader(value);
  for (; !reader.isAtEnd; ids.push(id)) {
    const ledgers = reader.count();
    const from = ledgers === 0 ? id : ledgerStart(ledgerOf(id) + ledgers);
    id = (from + BigInt(reader.count())) as Position;
  }
  return ids;
}
