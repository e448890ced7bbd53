import type { OrderId } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { AddressIds } from "./address-ids.ts";
import type { RecordReader, RecordWriter } from "./record-bytes.ts";

const SWAP = 0;
const FILL = 1;
const CROSSFILL = 2;

export function writeTrade(writer: RecordWriter, ids: AddressIds, record: Trade | Swap): Buffer {
  if (record.type === "swap") {
    writer.byte(SWAP).uint32(ids.idOf(record.trader));
  } else {
    writer
      .byte(record.crossfill ? CROSSFILL : FILL)
      .uint(record.order)
      .uint32(ids.idOf(record.taker))
      .uint32(ids.idOf(record.maker))
      .uint(record.left);
  }
  return writer
    .uint32(ids.idOf(record.soldAsset))
    .uint32(ids.idOf(record.boughtAsset))
    .uint(record.sold)
    .uint(record.bought)
    .count(record.timestamp)
    .take();
}

/** `id` is the record's key. */
export function readTrade(reader: RecordReader, ids: AddressIds, id: Position): Trade | Swap {
  const kind = reader.byte();
  if (kind === SWAP) {
    const trader = ids.addressOf(reader.uint32());
    return { type: "swap", id, trader, ...readAmounts(reader, ids) };
  }
  const order = reader.uint() as OrderId;
  const taker = ids.addressOf(reader.uint32());
  const maker = ids.addressOf(reader.uint32());
  const left = reader.uint();
  const crossfill = kind === CROSSFILL;
  return { type: "trade", id, order, taker, maker, left, crossfill, ...readAmounts(reader, ids) };
}

function readAmounts(reader: RecordReader, ids: AddressIds) {
  return {
    soldAsset: ids.addressOf(reader.uint32()),
    boughtAsset: ids.addressOf(reader.uint32()),
    sold: reader.uint(),
    bought: reader.uint(),
    timestamp: reader.count(),
  };
}
