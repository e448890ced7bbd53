import type { Candle, PriceRatio } from "../model/candle.ts";
import type { RecordReader, RecordWriter } from "./record-bytes.ts";

/** Appends a candle without its start, which may be part of a key. */
export function writeCandle(writer: RecordWriter, candle: Candle): void {
  for (const { quote, base } of [candle.open, candle.high, candle.low, candle.close]) {
    writer.uint(quote).uint(base);
  }
  writer.uint(candle.baseVolume).uint(candle.quoteVolume).count(candle.fills);
}

export function readCandle(reader: RecordReader, start: number): Candle {
  return {
    start,
    open: readPrice(reader),
    high: readPrice(reader),
    low: readPrice(reader),
    close: readPrice(reader),
    baseVolume: reader.uint(),
    quoteVolume: reader.uint(),
    fills: reader.count(),
  };
}

/** Candles with their starts, one after the other. */
export function writeCandles(writer: RecordWriter, candles: readonly Candle[]): Buffer {
  for (const candle of candles) {
    writer.count(candle.start);
    writeCandle(writer, candle);
  }
  return writer.take();
}

export function readCandles(reader: RecordReader): readonly Candle[] {
  const candles: Candle[] = [];
  while (!reader.isAtEnd) candles.push(readCandle(reader, reader.count()));
  return candles;
}

function readPrice(reader: RecordReader): PriceRatio {
  const quote = reader.uint();
  return { quote, base: reader.uint() };
}
