// Hot path at start: fills a copy of the shared book with all live orders, several times as fast as
// one put after the other. Rows bring words, not bigints, and addresses by number; each side is
// sorted once instead of finding a place for each order. Main thread, before the book's first step.
import { type LiveRow, ROW_AMOUNT, ROW_ID, ROW_POSITION, ROW_PRICE } from "../store/live-rows.ts";
import { internAddress } from "./shared-addresses.ts";
import type { BookCopy } from "./shared-copy.ts";
import {
  type AddressTable,
  type BookView,
  ORDER_AMOUNT_F64,
  ORDER_AMOUNT_U64,
  ORDER_EXPIRES_F64,
  ORDER_ID_U64,
  ORDER_POSITION_U64,
  ORDER_PRICE_F64,
  ORDER_PRICE_U64,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
} from "./shared-layout.ts";
import { type Pool, takeIndex } from "./shared-pool.ts";
import { fillSide } from "./shared-sides.ts";
import { linkRecord } from "./shared-writer.ts";
import type { LiveOrders } from "./step.ts";

const WORD = 2 ** 32;

export class BookLoader {
  readonly #copy: BookCopy;
  /** Indexes in the copy by the numbers of the store. */
  readonly #owners = new Map<number, number>();
  readonly #assets = new Map<number, number>();
  /** Slots by what their orders sell and what they buy (indexes). */
  readonly #sides = new Map<number, Map<number, number[]>>();

  constructor(copy: BookCopy) {
    this.#copy = copy;
  }

  /** The ids must differ from each other: the book has nothing else yet. */
  load({ each, addressOf }: LiveOrders): void {
    const copy = this.#copy;
    const { view } = copy;
    const indexOf = (known: Map<number, number>, table: AddressTable, pool: Pool, of: number) => {
      const present = known.get(of);
      if (present !== undefined) return present;
      const index = internAddress(view, table, pool, addressOf(of));
      known.set(of, index);
      return index;
    };
    each((row) => {
      const slot = takeIndex(view, copy.orders);
      writeRow(view, slot, row);
      const owner = indexOf(this.#owners, view.owners, copy.owners, row.owner);
      const selling = indexOf(this.#assets, view.assets, copy.assets, row.selling);
      const buying = indexOf(this.#assets, view.assets, copy.assets, row.buying);
      linkRecord(copy, slot, { owner, selling, buying });
      this.#slotsOf(selling, buying).push(slot);
    });
  }

  /** Files the orders under their sides. Nothing can be loaded after it. */
  finish(): void {
    for (const [selling, sides] of this.#sides) {
      for (const [buying, slots] of sides) fillSide(this.#copy, selling, buying, slots);
    }
    this.#sides.clear();
  }

  #slotsOf(selling: number, buying: number): number[] {
    const sides = this.#sides.get(selling) ?? new Map<number, number[]>();
    const present = sides.get(buying);
    if (present !== undefined) return present;
    const slots: number[] = [];
    this.#sides.set(selling, sides.set(buying, slots));
    return slots;
  }
}

function writeRow(view: BookView, slot: number, { words, expires }: LiveRow): void {
  const at = slot * ORDER_STRIDE_U32;
  for (let word = 0; word < 4; word += 1) {
    view.orderU32[at + 2 * ORDER_ID_U64 + word] = words[ROW_ID + word]!;
    view.orderU32[at + 2 * ORDER_PRICE_U64 + word] = words[ROW_PRICE + word]!;
    view.orderU32[at + 2 * ORDER_AMOUNT_U64 + word] = words[ROW_AMOUNT + word]!;
    view.orderU32[at + 2 * ORDER_POSITION_U64 + word] = words[ROW_POSITION + word]!;
  }
  const atF64 = slot * ORDER_STRIDE_F64;
  view.orderF64[atF64 + ORDER_PRICE_F64] = nearest(words, ROW_PRICE);
  view.orderF64[atF64 + ORDER_AMOUNT_F64] = nearest(words, ROW_AMOUNT);
  view.orderF64[atF64 + ORDER_EXPIRES_F64] = expires === 0 ? Number.POSITIVE_INFINITY : expires;
}

/** The integer at `at` as `Number` rounds it. */
function nearest(words: Uint32Array, at: number): number {
  const [first, second, third, fourth] = [
    words[at]!,
    words[at + 1]!,
    words[at + 2]!,
    words[at + 3]!,
  ];
  // Both terms are exact, so that their sum is rounded once; of three it would be twice.
  if ((third | fourth) === 0) return second * WORD + first;
  const high = (BigInt(fourth) << 32n) | BigInt(third);
  return Number((high << 64n) | (BigInt(second) << 32n) | BigInt(first));
}
