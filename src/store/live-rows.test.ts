import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountAddress, contractAddress } from "../model/address.ts";
import { orderId } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import { AddressIds } from "./address-ids.ts";
import { positionKey } from "./keys.ts";
import {
  newLiveRow,
  ROW_AMOUNT,
  ROW_ID,
  ROW_POSITION,
  ROW_PRICE,
  readLiveRow,
} from "./live-rows.ts";
import { type OrderRecord, OrderState, writeOrder } from "./order-record.ts";
import { RecordWriter } from "./record-bytes.ts";
import { StoreError } from "./store-error.ts";

const u128 = fc.bigInt(0n, (1n << 128n) - 1n);
// Sizes of every length, not only the largest.
const integer = fc
  .tuple(u128, fc.nat(128))
  .map(([value, bits]) => value >> BigInt(Math.min(bits, 128)));
const record: fc.Arbitrary<OrderRecord> = fc.record({
  state: fc.constant(OrderState.live),
  id: integer.map(orderId),
  owner: fc.constant(accountAddress(new Uint8Array(32).fill(1))),
  selling: fc.constant(contractAddress(new Uint8Array(32).fill(2))),
  buying: fc.constant(contractAddress(new Uint8Array(32).fill(3))),
  price: integer,
  quote: integer,
  amount: integer,
  expires: fc.oneof(fc.constant(0), fc.nat(), fc.integer({ min: 2 ** 40, max: 2 ** 53 - 1 })),
  created: fc.nat(),
  changed: fc.nat(),
  cursor: fc.bigInt(0n, (1n << 80n) - 1n).map((value) => value as Position),
});

function bytesOf(order: OrderRecord) {
  const ids = new AddressIds({ idOf: () => undefined, bytesOf: () => undefined }, 2 ** 31);
  ids.startCommit();
  const [key, value] = [positionKey(order.cursor), writeOrder(new RecordWriter(), ids, order)];
  // As lmdb gives them: with something else before and after.
  const entry = (bytes: Buffer) => {
    const around = Buffer.concat([Buffer.alloc(3, 0xee), bytes, Buffer.alloc(40, 0xee)]);
    return { bytes: around, start: 3, end: 3 + bytes.length };
  };
  return { key: entry(key), value: entry(value), ids };
}

test("a row says what was written of the order", () => {
  const row = newLiveRow();
  const wide = (at: number) =>
    [3, 2, 1, 0].reduce((sum, word) => (sum << 32n) | BigInt(row.words[at + word] ?? 0), 0n);
  fc.assert(
    fc.property(record, (order) => {
      const { key, value, ids } = bytesOf(order);
      readLiveRow(row, key, value);
      const { id, price, amount, cursor, expires, owner, selling, buying } = order;
      assert.deepEqual(
        [wide(ROW_ID), wide(ROW_PRICE), wide(ROW_AMOUNT), wide(ROW_POSITION), row.expires],
        [id, price, amount, cursor, expires],
      );
      assert.deepEqual(
        [row.owner, row.selling, row.buying],
        [ids.idOf(owner), ids.idOf(selling), ids.idOf(buying)],
      );
    }),
  );
});

test("an entry that ends too early is damage", () => {
  fc.assert(
    fc.property(record, fc.nat(), (order, cut) => {
      const { key, value } = bytesOf(order);
      // What only the API shows of an order stands at the end: the expiration is the last needed.
      const rest = new RecordWriter().count(order.created).count(order.changed).take();
      const needed = value.end - value.start - rest.length;
      const short = { ...value, end: value.start + (cut % needed) };
      assert.throws(() => readLiveRow(newLiveRow(), key, short), StoreError);
    }),
  );
});
