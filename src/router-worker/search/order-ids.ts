// Hot path: order ids without making a bigint of 128 bits for every selection: the orders on top of
// the books are quoted again and again. A hit costs some 5 ns, a miss 150.

import type { BookView } from "../../book/shared-layout.ts";
import { ORDER_ID_U64, ORDER_STRIDE_U64 } from "../../book/shared-layout.ts";
import { orderId } from "../../book/shared-reader.ts";
import type { OrderId } from "../../model/order.ts";

/** A power of two; 64 bytes each. A guess: what the tops of a thousand sides hold. */
const IDS = 1 << 14;

const ID_WORDS = 4;
const ID_U32 = 2 * ORDER_ID_U64;
const STRIDE_U32 = 2 * ORDER_STRIDE_U64;

export class OrderIds {
  readonly #ids = new Array<OrderId | undefined>(IDS).fill(undefined);
  readonly #words = new Uint32Array(ID_WORDS * IDS);

  /** The id of the order in a slot. */
  id(view: BookView, slot: number): OrderId {
    const place = slot & (IDS - 1);
    const known = this.#ids[place];
    const from = slot * STRIDE_U32 + ID_U32;
    const to = place * ID_WORDS;
    const { orderU32 } = view;
    const words = this.#words;
    if (
      known !== undefined &&
      words[to] === orderU32[from] &&
      words[to + 1] === orderU32[from + 1] &&
      words[to + 2] === orderU32[from + 2] &&
      words[to + 3] === orderU32[from + 3]
    ) {
      return known;
    }
    const id = orderId(view, slot);
    this.#ids[place] = id;
    for (let word = 0; word < ID_WORDS; word += 1) words[to + word] = orderU32[from + word]!;
    return id;
  }
}
