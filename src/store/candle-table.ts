// Where candles are stored. The newest candle of each resolution of a market lies in one row, its
// head, that every fill changes; a candle that a later one has followed lies in a row of its own
// and never changes again. So a fill costs one row, not one a resolution.
import type { Pair } from "../model/address.ts";
import { type Candle, RESOLUTIONS } from "../model/candle.ts";
import type { AddressIds } from "./address-ids.ts";
import { readCandle, readHead } from "./candle-record.ts";
import { indexPrefix } from "./keys.ts";
import { RecordReader } from "./record-bytes.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Tables } from "./tables.ts";

/** Seconds up to the year 8,921,556: six bytes. */
const TIME_BYTES = 6;
const TIME_MAX = 2 ** 48 - 1;
const FINEST = 300;
const WALK_ROWS = 1000;

export class CandleTable {
  readonly #tables: Tables;
  readonly #snapshot: Snapshot;
  readonly #ids: AddressIds;

  constructor(tables: Tables, snapshot: Snapshot, ids: AddressIds) {
    this.#tables = tables;
    this.#snapshot = snapshot;
    this.#ids = ids;
  }

  /** The newest candle of each resolution; empty for a market without fills. Canonical pairs. */
  head(pair: Pair): readonly Candle[] {
    const key = this.#pairKey(pair);
    const row = key && this.#snapshot.get(this.#tables.candleHeads, key);
    return row === undefined ? [] : readHead(new RecordReader(row));
  }

  /** Every market that ever had a fill, with the start of its newest finest candle. */
  *markets(): Generator<{ readonly pair: Pair; readonly newest: number }> {
    const end = indexPrefix(1);
    let start = indexPrefix(0);
    for (;;) {
      const range = { start, end, limit: WALK_ROWS };
      const rows = this.#snapshot.entries(this.#tables.candleHeads, range);
      for (const { key, value } of rows) {
        const base = this.#ids.addressOf(key.readUInt32BE(1));
        const quote = this.#ids.addressOf(key.readUInt32BE(5));
        yield { pair: { base, quote }, newest: new RecordReader(value).count() };
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < WALK_ROWS) return;
      start = Buffer.concat([last.key, Buffer.from([0])]);
    }
  }

  /** The candle that starts at `start`, in a head or not. */
  at(pair: Pair, resolution: number, start: number): Candle | undefined {
    return this.between(pair, resolution, start, start + 1)[0];
  }

  /** The finest candles that start from `from` on, oldest first. */
  since(pair: Pair, from: number): readonly Candle[] {
    return this.between(pair, FINEST, from, TIME_MAX);
  }

  /** Candles that start from `from` and before `to`, oldest first. */
  between(pair: Pair, resolution: number, from: number, to: number): readonly Candle[] {
    const prefix = this.#pairKey(pair);
    if (prefix === undefined || from >= to) return [];
    const start = candleKey(prefix, resolution, from);
    const end = candleKey(prefix, resolution, to);
    const rows = this.#snapshot.entries(this.#tables.candles, { start, end });
    const candles = rows.map(({ key, value }) =>
      readCandle(new RecordReader(value), key.readUIntBE(key.length - TIME_BYTES, TIME_BYTES)),
    );
    const newest = this.head(pair)[resolutionIndex(resolution)];
    if (newest !== undefined && newest.start >= from && newest.start < to) candles.push(newest);
    return candles;
  }

  #pairKey({ base, quote }: Pair): Buffer | undefined {
    const [one, other] = [this.#ids.find(base), this.#ids.find(quote)];
    return one === undefined || other === undefined ? undefined : indexPrefix(0, one, other);
  }
}

/** The key of a candle that is no longer the newest. */
export function candleKey(pairKey: Buffer, resolution: number, start: number): Buffer {
  const key = Buffer.allocUnsafe(pairKey.length + 1 + TIME_BYTES);
  key.set(pairKey);
  key[pairKey.length] = resolutionIndex(resolution);
  key.writeUIntBE(start, pairKey.length + 1, TIME_BYTES);
  return key;
}

function resolutionIndex(resolution: number): number {
  const index = RESOLUTIONS.indexOf(resolution);
  if (index === -1) throw new RangeError(`no resolution: ${resolution}`);
  return index;
}
