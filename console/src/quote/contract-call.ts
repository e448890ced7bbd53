// The calls of the exchange contract that take a route, as people read and copy them.
import type { Quote, QuotePath } from "../../../src/api/types.ts";
import {
  type ContractCall,
  callJson,
  Direction,
  limitCall,
  type SwapCall,
  swapCall,
  type TradeCall,
  tradeCall,
} from "../../../src/client/call.ts";

export type ShownCall = {
  readonly call: TradeCall | SwapCall;
  /** What kind of call it is. */
  readonly kind: string;
};

export type CallOptions = {
  /** Who calls; a placeholder where nobody said. */
  readonly trader: string;
  /** How much worse than quoted a swap may come out, in hundredths of a percent. */
  readonly toleranceBps: number;
  /** The order's own limit as a contract price, in the call's direction; with `maxPrice` quotes. */
  readonly limitPrice?: bigint;
  /** Base units that were asked for, which a limit call takes whole. */
  readonly requestedAmount?: string;
  /** Of the order that a limit call leaves: unique for its owner. */
  readonly nonce: bigint;
};

/** The calls that can take the route, the one that fits best first. */
export function contractCalls(
  quote: Quote,
  path: QuotePath,
  { trader, toleranceBps, limitPrice, requestedAmount, nonce }: CallOptions,
): readonly ShownCall[] {
  const sells = quote.direction === "strict_send";
  if (limitPrice !== undefined) {
    const call = limitCall({
      direction: sells ? Direction.sell : Direction.buy,
      trader,
      amount: BigInt(requestedAmount ?? (sells ? path.sold : path.bought)),
      selling: quote.sellingAsset,
      buying: quote.buyingAsset,
      price: limitPrice,
      orders: (path.path[0]?.orders ?? []).map(BigInt),
      nonce,
    });
    return [{ call, kind: "Limit: what is not filled rests as an order" }];
  }
  const swap = {
    call: swapCall(quote, path, { trader, slippageBps: toleranceBps }),
    kind: sells ? "Sell: exact input, minimum output" : "Buy: exact output, maximum input",
  };
  if (path.path.length > 1) return [swap];
  const call = tradeCall(quote, path, { trader });
  return [
    {
      call,
      kind: sells ? "Sell, Fill: down to the worst price" : "Buy, Fill: up to the worst price",
    },
    swap,
  ];
}

/** The arguments as names and texts, in the contract's order. */
export function shownArguments(call: ContractCall): readonly (readonly [string, string])[] {
  const args = JSON.parse(callJson(call)) as Readonly<Record<string, unknown>>;
  return Object.entries(args).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
}

/** For the Stellar command line. */
export function callCommand(call: ContractCall, contract: string): string {
  const flags = shownArguments(call)
    .filter(([, text]) => text !== "null")
    .map(([name, text]) => `--${name} ${/^[[{]/.test(text) ? `'${text}'` : text}`);
  return [
    "stellar contract invoke",
    `--id ${contract}`,
    "--source-account YOUR_KEY",
    "--network YOUR_NETWORK",
    `-- ${call.fn}`,
    ...flags,
  ].join(" \\\n  ");
}
