import type { Address } from "../../model/address.ts";
import {
  type CrossfillCall,
  crossfillParameters,
  type SwapCall,
  swapParameters,
  type TradeCall,
  tradeParameters,
  type UpdateCall,
  updateParameters,
} from "../contract/call.ts";
import { routerArguments } from "../contract/router.ts";
import type { Value } from "../contract/value.ts";
import type { TransactionIntent } from "../intent.ts";
import type { Maker, World } from "./world.ts";

export type CallIntent = Extract<TransactionIntent, { kind: "call" }>;

/** A call of the exchange whose trader is `source`. */
export function exchangeCall(
  world: World,
  source: Address,
  fn: string,
  args: readonly Value[],
): CallIntent {
  return { kind: "call", source, contract: world.addresses.exchange, fn, args };
}

export function tradeIntent(world: World, call: TradeCall): CallIntent {
  return exchangeCall(world, call.trader, "trade", tradeParameters.write(call));
}

export function updateIntent(world: World, call: UpdateCall): CallIntent {
  return exchangeCall(world, call.trader, "update", updateParameters.write(call));
}

export function crossfillIntent(world: World, call: CrossfillCall): CallIntent {
  return exchangeCall(world, call.trader, "crossfill", crossfillParameters.write(call));
}

export function swapIntent(world: World, call: SwapCall): CallIntent {
  return exchangeCall(world, call.trader, "swap", swapParameters.write(call));
}

/** `intent` as its maker sends it: a contract's goes through the router, whose operator signs. */
export function asMaker(world: World, maker: Maker, intent: CallIntent): CallIntent {
  if (maker.address === maker.operator) return intent;
  return routed(world, maker.operator, [{ intent, caught: false }]);
}

export type RoutedIntent = { readonly intent: CallIntent; readonly caught: boolean };

/** The calls in one transaction through the router. */
export function routed(
  world: World,
  source: Address,
  calls: readonly RoutedIntent[],
  fn: "run" | "run_then_fail" = "run",
): CallIntent {
  const batch = calls.map(({ intent: { contract, fn: called, args }, caught }) => {
    return { contract, fn: called, args, caught };
  });
  return {
    kind: "call",
    source,
    contract: world.addresses.router,
    fn,
    args: routerArguments(batch),
  };
}
