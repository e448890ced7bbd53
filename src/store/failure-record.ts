import type { Failure, FailureReason } from "../model/failure.ts";
import type { OrderId } from "../model/order.ts";
import { ledgerOf, type Position } from "../model/position.ts";
import type { AddressIds } from "./address-ids.ts";
import type { RecordReader, RecordWriter } from "./record-bytes.ts";

const REASONS: readonly FailureReason[] = ["contract", "transfer", "resources", "auth", "unknown"];
const CAUGHT = 1;
const TAKER_ORDER = 2;
const ERROR = 4;
const ERROR_NAME = 8;
const TRANSFER = 16;
const TRANSFER_FROM = 32;

export function writeFailure(writer: RecordWriter, ids: AddressIds, record: Failure): Buffer {
  const { takerOrder, error, transfer } = record;
  writer
    .byte(
      (record.caught ? CAUGHT : 0) |
        (takerOrder === undefined ? 0 : TAKER_ORDER) |
        (error === undefined ? 0 : ERROR) |
        (error?.name === undefined ? 0 : ERROR_NAME) |
        (transfer === undefined ? 0 : TRANSFER) |
        (transfer?.fn === "transfer_from" ? TRANSFER_FROM : 0),
    )
    .byte(REASONS.indexOf(record.reason))
    .bytes(Buffer.from(record.txHash, "hex"))
    .count(record.timestamp)
    .text(record.fn)
    .uint32(ids.idOf(record.caller))
    .text(record.result)
    .count(record.orders.length);
  for (const order of record.orders) writer.uint(order);
  if (takerOrder !== undefined) writer.uint(takerOrder);
  if (error !== undefined) {
    writer.uint32(ids.idOf(error.contract)).count(error.code);
    if (error.name !== undefined) writer.text(error.name);
  }
  if (transfer !== undefined) {
    const { token, from, to, amount } = transfer;
    writer.uint32(ids.idOf(token)).uint32(ids.idOf(from)).uint32(ids.idOf(to));
    // A failed transfer names whatever amount it was asked for, negative ones included.
    writer.text(amount.toString());
  }
  return writer.take();
}

/** `id` is the record's key. */
export function readFailure(reader: RecordReader, ids: AddressIds, id: Position): Failure {
  const flags = reader.byte();
  const reason = REASONS[reader.byte()] ?? "unknown";
  const txHash = reader.bytes().toString("hex");
  const timestamp = reader.count();
  const fn = reader.text();
  const caller = ids.addressOf(reader.uint32());
  const result = reader.text();
  const orders: OrderId[] = [];
  for (let left = reader.count(); left > 0; left -= 1) orders.push(reader.uint() as OrderId);
  const caught = (flags & CAUGHT) !== 0;
  const ledger = ledgerOf(id);
  return {
    ...{ id, txHash, ledger, timestamp, fn, caller, orders, result, caught, reason },
    ...((flags & TAKER_ORDER) !== 0 && { takerOrder: reader.uint() as OrderId }),
    ...((flags & ERROR) !== 0 && { error: readError(reader, ids, (flags & ERROR_NAME) !== 0) }),
    ...((flags & TRANSFER) !== 0 && {
      transfer: readTransfer(reader, ids, (flags & TRANSFER_FROM) !== 0),
    }),
  };
}

function readError(reader: RecordReader, ids: AddressIds, named: boolean) {
  const contract = ids.addressOf(reader.uint32());
  const code = reader.count();
  return named ? { contract, code, name: reader.text() } : { contract, code };
}

function readTransfer(reader: RecordReader, ids: AddressIds, spent: boolean) {
  return {
    token: ids.addressOf(reader.uint32()),
    fn: spent ? ("transfer_from" as const) : ("transfer" as const),
    from: ids.addressOf(reader.uint32()),
    to: ids.addressOf(reader.uint32()),
    amount: BigInt(reader.text()),
  };
}
