// The changes that take the shared book from one step to the next. The writer applies the same
// list to both copies, so a change holds values, never references into a copy.
import type { Address } from "../model/address.ts";
import type { Backing } from "../model/backing.ts";
import type { Order, OrderId } from "../model/order.ts";
import type { Token } from "./backing/ledger-keys.ts";

export type BookChange =
  /** A live order that is new or changed. */
  | { readonly kind: "put"; readonly order: Order }
  /** An order that is no longer live. */
  | { readonly kind: "remove"; readonly id: OrderId }
  /**
   * A backing record that is new or changed, as it counts in the next ledger: an allowance whose last
   * ledger is the one shown is already taken off. `token`: absent while its kind is not known.
   */
  | { readonly kind: "backing"; readonly backing: Backing; readonly token?: Token }
  /** Bytes that the network lets the events and the return value of a call take. */
  | { readonly kind: "eventsMax"; readonly bytes: number }
  /** A backing record that is no longer tracked. */
  | { readonly kind: "forget"; readonly owner: Address; readonly asset: Address };
