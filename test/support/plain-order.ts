import { type Order, orderId } from "../../src/model/order.ts";
import { position } from "../../src/model/position.ts";

type Fields = Pick<Order, "owner" | "selling" | "buying" | "amount">;

/** A live order without an end; `age`: the ledger that it is from. */
export function plainOrder(number: number, age: number, fields: Fields): Order {
  return {
    ...fields,
    id: orderId(BigInt(number)),
    status: "ACTIVE",
    price: 1n,
    quote: fields.amount,
    expires: 0,
    created: 0,
    updated: 0,
    cursor: position({ ledger: age, transaction: 1, operation: 1, index: 0 }),
  };
}
