// Hot path at start: fills a copy of the shared book with all live orders, several times as fast as
// one put after the other. Rows bring words, not bigints, and addresses by number; each side is
// sorted once instead of finding a place for each order. Main thread, before the book's first step.
import { type LiveRow, ROW_AMOUNT, ROW_ID, ROW_POSITION, ROW_PRICE } from "../store/live-rows.ts";
import { internAddress } from "./shared-addresses.ts";
import { addToBacking, backingOf } from "./shared-backings.ts";
import type { BookCopy } from "./shared-copy.ts";
import {
  type AddressTable,
  BACKING_ASSET,
  BACKING_OWNER,
  BACKING_STRIDE_U32,
  type BookView,
  ORDER_AMOUNT_F64,
  ORDER_AMOUNT_U64,
  ORDER_BUYING,
  ORDER_EXPIRES_F64,
  ORDER_ID_U64,
  ORDER_OWNER,
  ORDER_POSITION_U64,
  ORDER_PRICE_F64,
  ORDER_PRICE_U64,
  ORDER_RECEIVED_BACKING,
  ORDER_SELLING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
} from "./shared-layout.ts";
import { hashOfOrder } from "./shared-lookup.ts";
import { fillHash, type Pool, takeIndex, takenCount } from "./shared-pool.ts";
import { fillSide } from "./shared-sides.ts";
import type { LiveOrders } from "./step.ts";

const WORD = 2 ** 32;

export class BookLoader {
  readonly #copy: BookCopy;
  /** Indexes in the copy by the numbers of the store. */
  readonly #owners = new Map<number, number>();
  readonly #assets = new Map<number, number>();
  /** Backing records by the places of their owners and assets. */
  readonly #records: number[] = [];
  /** Order slots by the places of what the orders sell and buy. */
  readonly #sides: number[][] = [];

  constructor(copy: BookCopy) {
    this.#copy = copy;
  }

  /** The ids must differ from each other: the book has nothing else yet. Once. */
  load({ each, addressOf }: LiveOrders): void {
    const copy = this.#copy;
    const { view } = copy;
    const recordOf = (place: number, owner: number, asset: number): number => {
      const record = backingOf(
        copy,
        indexOf(copy, this.#owners, view.owners, copy.owners, owner, addressOf),
        indexOf(copy, this.#assets, view.assets, copy.assets, asset, addressOf),
      );
      this.#records[place] = record;
      return record;
    };
    each((row, { sold, received, side }) => {
      const slot = takeIndex(view, copy.orders);
      writeRow(view, slot, row);
      linkRow(
        view,
        slot,
        this.#records[sold] ?? recordOf(sold, row.owner, row.selling),
        this.#records[received] ?? recordOf(received, row.owner, row.buying),
      );
      const slots = this.#sides[side];
      if (slots === undefined) this.#sides[side] = [slot];
      else slots.push(slot);
    });
  }

  /** Files the orders under their ids and sides. Nothing can be loaded after it. */
  finish(): void {
    const { view, orders } = this.#copy;
    fillHash(view.orderHash, takenCount(view, orders), (of) => hashOfOrder(view, of));
    for (const slots of this.#sides) {
      const at = slots[0]! * ORDER_STRIDE_U32;
      const [selling, buying] = [
        view.orderU32[at + ORDER_SELLING]!,
        view.orderU32[at + ORDER_BUYING]!,
      ];
      fillSide(this.#copy, selling, buying, slots);
    }
  }
}

function indexOf(
  { view }: BookCopy,
  known: Map<number, number>,
  table: AddressTable,
  pool: Pool,
  number: number,
  addressOf: LiveOrders["addressOf"],
): number {
  const present = known.get(number);
  if (present !== undefined) return present;
  const index = internAddress(view, table, pool, addressOf(number));
  known.set(number, index);
  return index;
}

/** Links an order to the two records behind it, which also say whose it is and what it trades. */
function linkRow(view: BookView, slot: number, sold: number, received: number): void {
  const at = slot * ORDER_STRIDE_U32;
  view.orderU32[at + ORDER_OWNER] = view.backingU32[sold * BACKING_STRIDE_U32 + BACKING_OWNER]!;
  view.orderU32[at + ORDER_SELLING] = view.backingU32[sold * BACKING_STRIDE_U32 + BACKING_ASSET]!;
  view.orderU32[at + ORDER_BUYING] =
    view.backingU32[received * BACKING_STRIDE_U32 + BACKING_ASSET]!;
  view.orderU32[at + ORDER_SOLD_BACKING] = sold;
  view.orderU32[at + ORDER_RECEIVED_BACKING] = received;
  addToBacking(view, slot);
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
