// A contract call as an operation of a transaction.
import { Contract, nativeToScVal, xdr } from "@stellar/stellar-sdk";
import type { Approval, ContractCall, SwapStep, UpdatedOrder } from "./call.ts";

/**
 * `contract`: the exchange's address, as GET /contract answers it. Throws where an argument does not fit its
 * type: an address that is none, an integer out of range.
 */
export function callOperation(contract: string, call: ContractCall): xdr.Operation {
  return new Contract(contract).call(call.fn, ...callArguments(call));
}

function callArguments(call: ContractCall): readonly xdr.ScVal[] {
  switch (call.fn) {
    case "trade": {
      const { args } = call;
      return [
        u32(args.direction),
        u32(args.kind),
        address(args.trader),
        i128(args.amount),
        address(args.selling),
        address(args.buying),
        i128(args.price),
        ids(args.orders),
        u64(args.nonce),
        u64(args.expires),
        option(args.approve),
      ];
    }
    case "swap": {
      const { args } = call;
      return [
        u32(args.direction),
        address(args.trader),
        address(args.selling),
        i128(args.selling_amount),
        i128(args.buying_amount),
        xdr.ScVal.scvVec(args.path.map(swapStep)),
        option(args.approve),
      ];
    }
    case "update": {
      const { trader, updates, approvals } = call.args;
      return [
        address(trader),
        xdr.ScVal.scvVec(updates.map(updatedOrder)),
        xdr.ScVal.scvVec(approvals.map(approval)),
      ];
    }
    case "crossfill": {
      const { trader, taker_order_id, orders } = call.args;
      return [address(trader), u128(taker_order_id), ids(orders)];
    }
  }
}

function swapStep({ asset, orders }: SwapStep): xdr.ScVal {
  return struct({ asset: address(asset), orders: ids(orders) });
}

function updatedOrder({ amount, expires, id, price }: UpdatedOrder): xdr.ScVal {
  return struct({ amount: i128(amount), expires: u64(expires), id: u128(id), price: i128(price) });
}

function approval({ amount, asset, live_until }: Approval): xdr.ScVal {
  return struct({ amount: i128(amount), asset: address(asset), live_until: u32(live_until) });
}

function option(value: Approval | null): xdr.ScVal {
  return value === null ? xdr.ScVal.scvVoid() : approval(value);
}

/** A contract's struct: a map by symbols, which must be given in the order of the alphabet. */
function struct(fields: Readonly<Record<string, xdr.ScVal>>): xdr.ScVal {
  return xdr.ScVal.scvMap(
    Object.entries(fields).map(
      ([name, val]) => new xdr.ScMapEntry({ key: nativeToScVal(name, { type: "symbol" }), val }),
    ),
  );
}

const address = (value: string): xdr.ScVal => nativeToScVal(value, { type: "address" });
const u32 = (value: number): xdr.ScVal => nativeToScVal(value, { type: "u32" });
const u64 = (value: bigint): xdr.ScVal => nativeToScVal(value, { type: "u64" });
const i128 = (value: bigint): xdr.ScVal => nativeToScVal(value, { type: "i128" });
const u128 = (value: bigint): xdr.ScVal => nativeToScVal(value, { type: "u128" });
const ids = (values: readonly bigint[]): xdr.ScVal => xdr.ScVal.scvVec(values.map(u128));
