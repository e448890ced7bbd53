// What the store hands to the shared book and the backing records at a start, made from orders in memory.

import type { OrderCount } from "../../src/book/live-tally.ts";
import { LiveTally } from "../../src/book/live-tally.ts";
import type { BackingStart, LiveOrders } from "../../src/book/step.ts";
import type { Address } from "../../src/model/address.ts";
import type { Order } from "../../src/model/order.ts";
import {
  newLiveRow,
  ROW_AMOUNT,
  ROW_ID,
  ROW_POSITION,
  ROW_PRICE,
} from "../../src/store/live-rows.ts";

/** What the shared book loads. */
export function liveOrders(orders: Iterable<Order>): LiveOrders {
  const addresses: Address[] = [];
  const numberOf = (address: Address): number => {
    const known = addresses.indexOf(address);
    return known >= 0 ? known : addresses.push(address) - 1;
  };
  return {
    addressOf: (number) => {
      const address = addresses[number];
      if (address === undefined) throw new RangeError(`no address ${number}`);
      return address;
    },
    each: (take) => {
      const [row, tally] = [newLiveRow(), new LiveTally()];
      for (const order of orders) {
        row.owner = numberOf(order.owner);
        row.selling = numberOf(order.selling);
        row.buying = numberOf(order.buying);
        row.expires = order.expires;
        row.words.set(wordsOf(order.id), ROW_ID);
        row.words.set(wordsOf(order.price), ROW_PRICE);
        row.words.set(wordsOf(order.amount), ROW_AMOUNT);
        row.words.set(wordsOf(order.cursor), ROW_POSITION);
        tally.add(row);
        take(row, tally);
      }
    },
  };
}

/** What the backing records start from. */
export function backedOrders(
  orders: () => Iterable<Order>,
): Pick<BackingStart, "references" | "ordersSelling"> {
  const counts = new Map<string, { -readonly [Field in keyof OrderCount]: OrderCount[Field] }>();
  for (const { owner, selling, buying } of orders()) {
    for (const asset of [selling, buying]) {
      const count = counts.get(`${owner}${asset}`) ?? { owner, asset, orders: 0 };
      count.orders += 1;
      counts.set(`${owner}${asset}`, count);
    }
  }
  const ordersSelling = (owner: Address, asset: Address) =>
    [...orders()]
      .filter((order) => order.owner === owner && order.selling === asset)
      .sort((a, b) => (a.cursor < b.cursor ? -1 : 1));
  return { references: [...counts.values()], ordersSelling };
}

function wordsOf(integer: bigint): number[] {
  return Array.from({ length: 4 }, (_, at) => Number((integer >> BigInt(32 * at)) & 0xffff_ffffn));
}

/** The rows of a store whose keys begin with `prefix`, by key. */
export function backingRows(
  rows: ReadonlyMap<string, Uint8Array>,
  prefix: string,
): readonly { readonly key: string; readonly value: Uint8Array }[] {
  return [...rows]
    .filter(([key]) => key.startsWith(prefix))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ({ key, value }));
}
