// Reads the arguments of a failed call that its failure record shows (contract.md, Functions and arguments).
import type { Address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";
import { readOrderId } from "./exchange-event.ts";
import { readAddress, readField, readVec, type ScValue } from "./sc-value.ts";

export type CallArguments = {
  /** The trader or sponsor; absent for functions without one. */
  readonly caller?: Address;
  readonly orders: readonly OrderId[];
  readonly takerOrder?: OrderId;
};

/** Orders named in a record at most: a call cannot list more than fit its transaction (guess). */
const ORDERS_MAX = 1000;

/** Arguments that are missing or of another kind are left out: a failed call may carry anything. */
export function readCallArguments(fn: string, args: readonly ScValue[]): CallArguments {
  switch (fn) {
    case "trade":
      return { ...callerOf(args[2]), orders: ids(readVec(args[7])) };
    case "update":
      return {
        ...callerOf(args[0]),
        orders: ids(readVec(args[1])?.map((update) => readField(update, "id"))),
      };
    case "crossfill": {
      const takerOrder = readOrderId(args[1]);
      return {
        ...callerOf(args[0]),
        orders: ids(readVec(args[2])),
        ...(takerOrder === undefined ? {} : { takerOrder }),
      };
    }
    case "swap":
      return {
        ...callerOf(args[1]),
        orders: ids(readVec(args[5])?.flatMap((hop) => readVec(readField(hop, "orders")) ?? [])),
      };
    case "subsidize":
      return { ...callerOf(args[0]), orders: [] };
    default:
      return { orders: [] };
  }
}

function callerOf(value: ScValue | undefined): { readonly caller?: Address } {
  const caller = readAddress(value);
  return caller === undefined ? {} : { caller };
}

function ids(values: readonly (ScValue | undefined)[] | undefined): readonly OrderId[] {
  const found: OrderId[] = [];
  for (const value of values ?? []) {
    const id = readOrderId(value);
    if (id !== undefined && found.length < ORDERS_MAX) found.push(id);
  }
  return found;
}
