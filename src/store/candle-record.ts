import type { Candle, PriceRatio } from "../model/candle.ts";
import type { RecordReader, RecordWriter } from "./record-bytes.ts";

/** Appends a candle without its start, which is part of a key or of the head's own layout. */
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

/** The newest candle of each resolution, in the order of `RESOLUTIONS`. */
export function writeHead(writer: RecordWriter, head: readonly Candle[]): Buffer {
  for (const candle of head) {
    writer.count(candle.start);
    writeCandle(writer, candle);
  }
  return writer.take();
}

export function readHead(reader: RecordReader): readonly Candle[] {
  const head: Candle[] = [];
  while (!reader.isAtEnd) head.push(readCandle(reader, reader.count()));
  return head;
}

function readPrice(reader: RecordReader): PriceRatio {
  const quote = reader.uint();
  return { quote, base: reader.uint() };
}
