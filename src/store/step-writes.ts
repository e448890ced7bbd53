// What a step writes to each table. The list is complete before lmdb sees any of it, so that an
// error in here leaves nothing behind.
import type { AddressIds } from "./address-ids.ts";
import { writeCandle, writeCandles } from "./candle-record.ts";
import { candleKey } from "./candle-table.ts";
import { writeContract, writeMarket } from "./contract-record.ts";
import { writeCursor } from "./cursor-record.ts";
import { writeFailure } from "./failure-record.ts";
import { archiveEntries, failureEntries, liveEntries, tradeEntries } from "./index-entries.ts";
import { indexKey, indexPrefix, orderKey, positionKey, timeBytes } from "./keys.ts";
import { isOnChain, type OrderRecord, OrderState, writeOrder } from "./order-record.ts";
import { RecordWriter } from "./record-bytes.ts";
import type { OrderChange, StepRecord } from "./step-record.ts";
import {
  META_CONTRACT,
  META_CURSOR,
  META_HORIZON,
  type Root,
  type Table,
  type Tables,
} from "./tables.ts";
import { writeTrade } from "./trade-record.ts";

/** A put, or a removal where there is no value. */
export type Write = { readonly table: Table; readonly key: Buffer; readonly value?: Buffer };

const EMPTY = Buffer.alloc(0);

/**
 * Writes them in one transaction, on lmdb's own thread. A batch is dropped whole when one of its writes or the flush
 * fails, and nothing in here can throw between two writes.
 */
export async function writeAll(root: Root, writes: readonly Write[]): Promise<void> {
  await root.batch(() => {
    for (const { table, key, value } of writes) {
      if (value === undefined) void table.remove(key);
      else void table.put(key, value);
    }
  });
}

/** In portions of one record. */
export function* stepWrites(
  writes: Write[],
  tables: Tables,
  ids: AddressIds,
  step: StepRecord,
): Generator<void, void> {
  const writer = new RecordWriter();
  const number = ids.idOf.bind(ids);
  const put = (table: Table, key: Buffer, value: Buffer) => writes.push({ table, key, value });

  // An id that passed on to a new order is let go before it is taken again.
  const [taken, gone] = [step.orders.filter(takesId), step.orders.filter((one) => !takesId(one))];
  for (const change of [...gone, ...taken]) {
    orderWrites(writes, writer, tables, ids, change);
    yield;
  }

  for (const trade of step.trades) {
    put(tables.trades, positionKey(trade.id), writeTrade(writer, ids, trade));
    for (const prefix of tradeEntries(trade, number)) {
      put(tables.tradeIndex, indexKey(prefix, trade.id), EMPTY);
    }
    yield;
  }
  for (const failure of step.failures) {
    put(tables.failures, positionKey(failure.id), writeFailure(writer, ids, failure));
    for (const prefix of failureEntries(failure, number)) {
      put(tables.failureIndex, indexKey(prefix, failure.id), EMPTY);
    }
    yield;
  }
  for (const { pair, newest, parts, closed } of step.candles) {
    const pairKey = indexPrefix(0, number(pair.base), number(pair.quote));
    put(tables.newestCandles, pairKey, writeCandles(writer, [newest]));
    if (parts !== undefined) put(tables.candleParts, pairKey, writeCandles(writer, parts));
    for (const { resolution, candle } of closed) {
      writeCandle(writer, candle);
      put(tables.candles, candleKey(pairKey, resolution, candle.start), writer.take());
    }
    yield;
  }
  for (const { owner, asset, time } of step.skips) {
    const key = indexPrefix(0, number(owner), number(asset));
    put(tables.skips, key, writer.count(time).take());
  }
  for (const { key, value } of step.backing) {
    const row = { table: tables.backing, key: Buffer.from(key) };
    writes.push(value === undefined ? row : { ...row, value: Buffer.from(value) });
    yield;
  }
  for (const { number: at, market } of step.markets) {
    put(tables.markets, writer.uint32(at).take(), writeMarket(writer, ids, market));
  }
  if (step.contract !== undefined) {
    put(tables.meta, META_CONTRACT, writeContract(writer, ids, step.contract));
  }
  const { time, cursor } = step.horizon;
  put(tables.meta, META_HORIZON, indexKey(timeBytes(time), cursor));
  if (step.cursor !== undefined) put(tables.meta, META_CURSOR, writeCursor(writer, step.cursor));
}

/** The numbers that were given out while the step of a commit was written. */
export function addressWrites(tables: Tables, ids: AddressIds): Write[] {
  return ids.given().flatMap(({ key, id }) => {
    const number = indexPrefix(0, id);
    return [
      { table: tables.addressIds, key, value: number },
      { table: tables.addresses, key: number, value: key },
    ];
  });
}

function takesId(change: OrderChange): boolean {
  return isOnChain(change.after);
}

function orderWrites(
  writes: Write[],
  writer: RecordWriter,
  tables: Tables,
  ids: AddressIds,
  { before, after }: OrderChange,
): void {
  const key = positionKey(after.cursor);
  const number = ids.idOf.bind(ids);
  const isLive = after.state === OrderState.live;
  const wasLive = before === undefined ? undefined : before.state === OrderState.live;
  const [rows, index] = placeOf(tables, isLive);
  if (wasLive !== undefined && wasLive !== isLive) {
    const [oldRows, oldIndex] = placeOf(tables, wasLive);
    writes.push({ table: oldRows, key });
    for (const prefix of (wasLive ? liveEntries : archiveEntries)(after, number)) {
      writes.push({ table: oldIndex, key: indexKey(prefix, after.cursor) });
    }
  }
  writes.push({ table: rows, key, value: writeOrder(writer, ids, after) });
  if (wasLive !== isLive) {
    for (const prefix of (isLive ? liveEntries : archiveEntries)(after, number)) {
      writes.push({ table: index, key: indexKey(prefix, after.cursor), value: EMPTY });
    }
  }
  chainWrites(writes, tables, before, after);
}

/** The entry by id and, where it has an expiration, by that. */
function chainWrites(
  writes: Write[],
  tables: Tables,
  before: OrderRecord | undefined,
  after: OrderRecord,
): void {
  const wasOnChain = before !== undefined && isOnChain(before);
  const id = orderKey(after.id);
  if (isOnChain(after) && !wasOnChain) {
    writes.push({ table: tables.chain, key: id, value: positionKey(after.cursor) });
  } else if (!isOnChain(after) && wasOnChain) {
    writes.push({ table: tables.chain, key: id });
  }
  const oldTime = wasOnChain ? before.expires : 0;
  const newTime = isOnChain(after) ? after.expires : 0;
  if (oldTime === newTime) return;
  if (oldTime !== 0) {
    writes.push({ table: tables.expiries, key: indexKey(timeBytes(oldTime), after.cursor) });
  }
  if (newTime !== 0) {
    const key = indexKey(timeBytes(newTime), after.cursor);
    writes.push({ table: tables.expiries, key, value: id });
  }
}

function placeOf(tables: Tables, live: boolean): readonly [Table, Table] {
  return live ? [tables.live, tables.liveIndex] : [tables.archive, tables.archiveIndex];
}
