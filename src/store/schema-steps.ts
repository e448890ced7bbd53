// Migration steps, from each schema of the store to the next. A step says what takes the place of each row of some
// tables; all other rows stay. It reads and writes bytes as they are in its two schemas: what a later schema changes of
// a record's form, the earlier steps keep a reader of.
import { bucketStart, joinCandles, RESOLUTIONS } from "../model/candle.ts";
import { readCandle, readCandles, writeCandles } from "./candle-record.ts";
import { candleKey } from "./candle-table.ts";
import { RecordReader, RecordWriter } from "./record-bytes.ts";
import type { Write } from "./step-writes.ts";
import { StoreError } from "./store-error.ts";
import type { Table } from "./tables.ts";

export type StoredRow = { readonly key: Buffer; readonly value: Buffer };

/** A table by its name, which need not be one of the present schema's; a name that is new makes it. */
export type TableOf = (name: string) => Table;

export type TableStep = {
  readonly table: string;
  /**
   * What is written for a row, the row's own removal included. Rows come in the order of keys, and a row that a
   * write puts behind the one it was made for in the same table comes as well. What `tables` reads is the state
   * before the slice of rows that this one lies in.
   */
  readonly row: (row: StoredRow, tables: TableOf) => readonly Write[];
  /** The schema after it has no such table. */
  readonly isDropped?: true;
};

export type SchemaStep = {
  /** The schema it starts from; it ends at the next number. */
  readonly from: number;
  readonly tables: readonly TableStep[];
};

const [FINEST = 300, ...COARSER] = RESOLUTIONS;

/**
 * Schema 1 kept the newest candle of every resolution of a market in one row, its head. Schema 2 keeps the finest
 * of them, and of each coarser one the part without it (candle-table.ts).
 */
const candleHeads: TableStep = {
  table: "candleHeads",
  isDropped: true,
  row: ({ key: market, value }, tables) => {
    const candles = tables("candles");
    const [newest, ...heads] = readCandles(new RecordReader(value));
    if (newest === undefined) throw new StoreError("damaged", "the store is damaged: no candle");
    const writer = new RecordWriter();
    const newestRow = writeCandles(writer, [newest]);
    const writes: Write[] = [{ table: tables("newestCandles"), key: market, value: newestRow }];
    const complete = {
      start: candleKey(market, FINEST, newest.start),
      end: candleKey(market, FINEST, 0),
    };
    const [last] = candles.getKeys({ ...complete, reverse: true, limit: 1 });
    if (last === undefined) return writes;
    const lastStart = last.readUIntBE(last.length - 6, 6);
    const parts = COARSER.map((resolution, at) => {
      const start = bucketStart(lastStart, resolution);
      if (heads[at]?.start !== start) {
        // The newest candle is the first of its bucket: the part is the one before, which has a row of its own.
        const key = candleKey(market, resolution, start);
        const row = candles.getBinary(key);
        if (row === undefined) throw new StoreError("damaged", "the store is damaged: no candle");
        writes.push({ table: candles, key });
        return readCandle(new RecordReader(row), start);
      }
      const range = {
        start: candleKey(market, FINEST, start),
        end: candleKey(market, FINEST, newest.start),
      };
      return Array.from(candles.getRange(range), ({ value: row }) =>
        readCandle(new RecordReader(row), start),
      ).reduce(joinCandles);
    });
    writes.push({ table: tables("candleParts"), key: market, value: writeCandles(writer, parts) });
    return writes;
  },
};

/** In order; stores of a schema before the first are built anew from ledgers. */
export const SCHEMA_STEPS: readonly SchemaStep[] = [{ from: 1, tables: [candleHeads] }];
