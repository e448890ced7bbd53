// The candle table. Complete candles have rows of their own and never change again. For the others, a market has two
// rows: its newest candle of the finest resolution, which every fill changes, and for each coarser resolution its part,
// the candle of the complete finest candles in the bucket that the last of them lies in. So a fill costs one small row,
// and the coarser resolutions cost one more in 5 minutes.
import type { Pair } from "../model/address.ts";
import { bucketStart, type Candle, joinCandles, RESOLUTIONS } from "../model/candle.ts";
import { readCandle, readCandles } from "./candle-record.ts";
import { indexPrefix } from "./keys.ts";
import { RecordReader } from "./record-bytes.ts";
import type { StoreParts } from "./store-parts.ts";
import type { Table } from "./tables.ts";

/** Seconds up to the year 8,921,556: six bytes. */
const TIME_BYTES = 6;
const TIME_MAX = 2 ** 48 - 1;
const FINEST = 300;
const WALK_ROWS = 1000;

export class CandleTable {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** The newest candle of the finest resolution; none in a market without fills. */
  newest(pair: Pair): Candle | undefined {
    return this.#candlesOf(this.#parts.tables.newestCandles, pair)[0];
  }

  /** The parts of the coarser resolutions, finest first; empty before the first is complete. */
  parts(pair: Pair): readonly Candle[] {
    return this.#candlesOf(this.#parts.tables.candleParts, pair);
  }

  /** Every market that ever had a fill, with the start of its newest finest candle. */
  *markets(): Iterable<{ readonly pair: Pair; readonly newest: number }> {
    const end = indexPrefix(1);
    let start = indexPrefix(0);
    for (;;) {
      const range = { start, end, limit: WALK_ROWS };
      const rows = this.#parts.snapshot.entries(this.#parts.tables.newestCandles, range);
      for (const { key, value } of rows) {
        const base = this.#parts.ids.addressOf(key.readUInt32BE(1));
        const quote = this.#parts.ids.addressOf(key.readUInt32BE(5));
        yield { pair: { base, quote }, newest: new RecordReader(value).count() };
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < WALK_ROWS) return;
      start = Buffer.concat([last.key, Buffer.from([0])]);
    }
  }

  at(pair: Pair, resolution: number, start: number): Candle | undefined {
    return this.between(pair, resolution, start, start + 1)[0];
  }

  /** The finest candles that start from `from` on, oldest first. */
  since(pair: Pair, from: number): readonly Candle[] {
    return this.between(pair, FINEST, from, TIME_MAX);
  }

  /** Candles that start from `from` and before `to`, oldest first. */
  between(pair: Pair, resolution: number, from: number, to: number): readonly Candle[] {
    return Array.from(this.walk(pair, resolution, from, to));
  }

  /** As `between`, read so many at a time. */
  *walk(
    pair: Pair,
    resolution: number,
    from: number,
    to: number,
    atOnce = WALK_ROWS,
  ): Generator<Candle> {
    const prefix = this.#pairKey(pair);
    if (prefix === undefined || from >= to) return;
    const end = candleKey(prefix, resolution, Math.min(to, TIME_MAX));
    let next = from;
    for (;;) {
      const start = candleKey(prefix, resolution, next);
      const rows = this.#parts.snapshot.entries(this.#parts.tables.candles, {
        start,
        end,
        limit: atOnce,
      });
      for (const { key, value } of rows) {
        const at = startOf(key);
        yield readCandle(new RecordReader(value), at);
        next = at + 1;
      }
      if (rows.length < atOnce || next >= to) break;
    }
    for (const candle of this.#incomplete(pair, resolution)) {
      if (candle.start >= from && candle.start < to) yield candle;
    }
  }

  /** At most two: a part whose bucket is over is complete, but has no row yet. */
  #incomplete(pair: Pair, resolution: number): readonly Candle[] {
    const newest = this.newest(pair);
    if (newest === undefined || resolution === FINEST) return newest === undefined ? [] : [newest];
    const part = this.parts(pair)[resolutionIndex(resolution) - 1];
    const last = { ...newest, start: bucketStart(newest.start, resolution) };
    if (part === undefined) return [last];
    return part.start === last.start ? [joinCandles(part, newest)] : [part, last];
  }

  #candlesOf(table: Table, pair: Pair): readonly Candle[] {
    const key = this.#pairKey(pair);
    const row = key && this.#parts.snapshot.get(table, key);
    return row === undefined ? [] : readCandles(new RecordReader(row));
  }

  #pairKey({ base, quote }: Pair): Buffer | undefined {
    const [one, other] = [this.#parts.ids.find(base), this.#parts.ids.find(quote)];
    return one === undefined || other === undefined ? undefined : indexPrefix(0, one, other);
  }
}

export function candleKey(pairKey: Buffer, resolution: number, start: number): Buffer {
  const key = Buffer.allocUnsafe(pairKey.length + 1 + TIME_BYTES);
  key.set(pairKey);
  key[pairKey.length] = resolutionIndex(resolution);
  key.writeUIntBE(start, pairKey.length + 1, TIME_BYTES);
  return key;
}

function startOf(key: Buffer): number {
  return key.readUIntBE(key.length - TIME_BYTES, TIME_BYTES);
}

function resolutionIndex(resolution: number): number {
  const index = RESOLUTIONS.indexOf(resolution);
  if (index === -1) throw new RangeError(`no resolution: ${resolution}`);
  return index;
}
