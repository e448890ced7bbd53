import {
  type Approval,
  crossfillParameters,
  Direction,
  swapParameters,
  TradeKind,
  tradeParameters,
  updateParameters,
} from "../../src/devnet/contract/call.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import type { SettlementCase } from "./settlement-case.ts";

const DIRECTIONS = { Sell: Direction.sell, Buy: Direction.buy } as const;
const KINDS = {
  Limit: TradeKind.limit,
  Fill: TradeKind.fill,
  FillOrKill: TradeKind.fillOrKill,
} as const;

/** The case's arguments as the contract takes them. */
export function callArguments(vector: SettlementCase): readonly Value[] {
  switch (vector.fn) {
    case "trade": {
      const { trader, amount, selling, buying, price, expires } = vector.args;
      return tradeParameters.write({
        direction: DIRECTIONS[vector.args.direction],
        kind: KINDS[vector.args.kind],
        orders: vector.args.ids,
        // The vectors give the id a rest would get, not the nonce it derives from.
        nonce: 0n,
        ...{ trader, amount, selling, buying, price, expires },
        ...approveOption(vector.args.approve),
      });
    }
    case "update": {
      const { trader, approvals } = vector.args;
      const updates = vector.args.updates.map(([id, amount, price, expires]) => {
        return { id, amount, price, expires };
      });
      return updateParameters.write({ trader, updates, approvals });
    }
    case "crossfill": {
      const { trader, taker_id: takerOrder, ids: orders } = vector.args;
      return crossfillParameters.write({ trader, takerOrder, orders });
    }
    case "swap": {
      const { trader, selling } = vector.args;
      return swapParameters.write({
        direction: DIRECTIONS[vector.args.direction],
        trader,
        selling,
        sellingAmount: vector.args.selling_amount,
        buyingAmount: vector.args.buying_amount,
        path: vector.args.path.map(([asset, orders]) => ({ asset, orders })),
        ...approveOption(vector.args.approve),
      });
    }
  }
}

function approveOption(approve: Approval | null | undefined): { readonly approve?: Approval } {
  return approve === null || approve === undefined ? {} : { approve };
}
