// Byte offsets of a ledger's transactions in its LedgerCloseMeta, stored beside it at the close, so that one
// transaction or its events is read without walking the XDR of all.
import type { EventPlace } from "./transaction-xdr.ts";
import { XdrWriter } from "./xdr-writer.ts";

export type Span = { readonly at: number; readonly bytes: number };

/** Spans within the LedgerCloseMeta. */
export type TransactionPlace = {
  readonly hash: Uint8Array;
  /** Of the transaction inside a fee bump. */
  readonly innerHash?: Uint8Array;
  readonly soroban: boolean;
  /** Stroops an operation, without the fee for resources. */
  readonly inclusionFee: bigint;
  /** TransactionEnvelope, TransactionResult, TransactionMeta. */
  readonly envelope: Span;
  readonly result: Span;
  readonly meta: Span;
  readonly events: readonly EventPlace[];
};

const HASH_BYTES = 32;
const SPAN_BYTES = 8;
const EVENT_BYTES = 12;
const Flag = { bumped: 1, soroban: 2 } as const;
/** Set in the number of an event's operation where it is a stage of the transaction. */
const STAGE = 0x8000_0000;

/** In apply order. */
export function encodePlaces(places: readonly TransactionPlace[]): Buffer {
  const writer = new XdrWriter();
  const span = ({ at, bytes }: Span): void => {
    writer.uint32(at);
    writer.uint32(bytes);
  };
  writer.uint32(places.length);
  for (const { hash, innerHash, soroban, inclusionFee, events, ...spans } of places) {
    const bumped = innerHash === undefined ? 0 : Flag.bumped;
    writer.uint32(bumped | (soroban ? Flag.soroban : 0));
    writer.opaque(hash, HASH_BYTES);
    if (innerHash !== undefined) writer.opaque(innerHash, HASH_BYTES);
    writer.int64(inclusionFee);
    span(spans.envelope);
    span(spans.result);
    span(spans.meta);
    writer.uint32(events.length);
    for (const event of events) {
      writer.uint32("stage" in event ? STAGE + event.stage : event.operation);
      span(event);
    }
  }
  return writer.takeBytes();
}

/** Throws a RangeError where the bytes end too early. */
export function decodePlaces(bytes: Buffer): readonly TransactionPlace[] {
  let at = 0;
  const uint32 = (): number => {
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const hash = (): Uint8Array => {
    at += HASH_BYTES;
    return bytes.subarray(at - HASH_BYTES, at);
  };
  const span = (): Span => ({ at: uint32(), bytes: uint32() });
  const event = (): EventPlace => {
    const of = uint32();
    return of >= STAGE ? { stage: of - STAGE, ...span() } : { operation: of, ...span() };
  };
  const place = (): TransactionPlace => {
    const flags = uint32();
    const own = hash();
    const inner = (flags & Flag.bumped) === 0 ? {} : { innerHash: hash() };
    at += 8;
    const inclusionFee = bytes.readBigInt64BE(at - 8);
    const spans = { envelope: span(), result: span(), meta: span() };
    const events = Array.from({ length: uint32() }, event);
    const soroban = (flags & Flag.soroban) !== 0;
    return { hash: own, ...inner, soroban, inclusionFee, ...spans, events };
  };
  return Array.from({ length: uint32() }, place);
}

/** The hashes alone, with the place of each transaction in the order. */
export function forEachHash(bytes: Buffer, add: (hash: Buffer, order: number) => void): void {
  const count = bytes.readUInt32BE(0);
  let at = 4;
  for (let order = 1; order <= count; order += 1) {
    const bumped = (bytes.readUInt32BE(at) & Flag.bumped) !== 0;
    at += 4;
    for (let hashes = bumped ? 2 : 1; hashes > 0; hashes -= 1) {
      add(bytes.subarray(at, at + HASH_BYTES), order);
      at += HASH_BYTES;
    }
    at += 8 + 3 * SPAN_BYTES;
    at += 4 + EVENT_BYTES * bytes.readUInt32BE(at);
  }
}
