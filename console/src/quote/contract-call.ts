// The calls of the exchange contract that take a route: their functions and arguments, in order, with
// the amounts and limits that the API's document assigns to them.

import type { Quote, QuotePath } from "../../../src/api/types.ts";
import { invertPriceDown } from "../../../src/model/settlement.ts";

const SELL = 1;
const BUY = 2;
const LIMIT = 1;
const FILL = 2;
/** Parts of the whole in which tolerances are counted: basis points. */
const WHOLE_BPS = 10_000n;

export type CallValue =
  | null
  | number
  | string
  | readonly string[]
  | readonly { readonly asset: string; readonly orders: readonly string[] }[];

export type ContractCall = {
  readonly fn: "swap" | "trade";
  /** What kind of call it is, for people. */
  readonly kind: string;
  readonly args: readonly (readonly [name: string, value: CallValue])[];
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
  readonly nonce: string;
};

/** The calls that can take the route, the one that fits best first. */
export function contractCalls(
  quote: Quote,
  path: QuotePath,
  options: CallOptions,
): readonly ContractCall[] {
  if (options.limitPrice !== undefined) return [limitCall(quote, path, options)];
  const swap = swapCall(quote, path, options);
  return path.path.length === 1 ? [tradeCall(quote, path, options), swap] : [swap];
}

function swapCall(
  { direction, sellingAsset }: Quote,
  { sold, bought, path }: QuotePath,
  { trader, toleranceBps }: CallOptions,
): ContractCall {
  const sells = direction === "strict_send";
  const tolerance = BigInt(toleranceBps);
  const least = (BigInt(bought) * (WHOLE_BPS - tolerance)) / WHOLE_BPS;
  const most = (BigInt(sold) * (WHOLE_BPS + tolerance) + WHOLE_BPS - 1n) / WHOLE_BPS;
  return {
    fn: "swap",
    kind: sells ? "Sell: exact input, minimum output" : "Buy: exact output, maximum input",
    args: [
      ["direction", sells ? SELL : BUY],
      ["trader", trader],
      ["selling", sellingAsset],
      ["selling_amount", sells ? sold : String(most)],
      ["buying_amount", sells ? String(least) : bought],
      ["path", path.map(({ buying, orders }) => ({ asset: buying, orders }))],
      ["approve", null],
    ],
  };
}

function tradeCall(
  { direction, sellingAsset, buyingAsset }: Quote,
  { sold, bought, path }: QuotePath,
  { trader, nonce }: CallOptions,
): ContractCall {
  const sells = direction === "strict_send";
  const worstPrice = BigInt(path[0]?.worstPrice ?? "1");
  return {
    fn: "trade",
    kind: sells ? "Sell, Fill: down to the worst price" : "Buy, Fill: up to the worst price",
    args: [
      ["direction", sells ? SELL : BUY],
      ["kind", FILL],
      ["trader", trader],
      ["amount", sells ? sold : bought],
      ["selling", sellingAsset],
      ["buying", buyingAsset],
      ["price", String(sells ? invertPriceDown(worstPrice) : worstPrice)],
      ["orders", path[0]?.orders ?? []],
      ["nonce", nonce],
      ["expires", "0"],
      ["approve", null],
    ],
  };
}

/** What is not filled at once rests, so the amount is the one asked for. */
function limitCall(quote: Quote, path: QuotePath, options: CallOptions): ContractCall {
  const call = tradeCall(quote, path, options);
  const sells = quote.direction === "strict_send";
  const own: Readonly<Record<string, CallValue>> = {
    kind: LIMIT,
    price: String(options.limitPrice),
    amount: options.requestedAmount ?? (sells ? path.sold : path.bought),
  };
  return {
    fn: "trade",
    kind: "Limit: what is not filled rests as an order",
    args: call.args.map(([name, value]) => [name, own[name] ?? value]),
  };
}

/** Arguments by name, in the contract's order. 128-bit numbers stay texts: JSON cannot hold them. */
export function callJson({ args }: ContractCall): string {
  return JSON.stringify(Object.fromEntries(args), null, 2);
}

/** For the Stellar command line. */
export function callCommand({ fn, args }: ContractCall, contract: string): string {
  const flags = args
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `--${name} ${shellValue(value)}`);
  return [
    "stellar contract invoke",
    `--id ${contract}`,
    "--source-account YOUR_KEY",
    "--network YOUR_NETWORK",
    `-- ${fn}`,
    ...flags,
  ].join(" \\\n  ");
}

function shellValue(value: CallValue): string {
  return typeof value === "object" ? `'${JSON.stringify(value)}'` : String(value);
}
