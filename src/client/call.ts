// The exchange contract's calls: built from quotes and orders, with the contract's own names and order
// of arguments. `contract.Client` of the Stellar SDK takes `args` as they are; `callOperation` makes the
// operation without asking the network for the contract's description.
//
// Amounts are base units, prices contract prices (times 10^18), times UNIX seconds: all bigint. Assets
// are token contract addresses, as the API answers them. Nothing is checked that the contract checks.
import type { Quote, QuotePath } from "../api/types.ts";
import { costUp, greater, invertPriceDown, mulDivDown, mulDivUp } from "../model/settlement.ts";

export const Direction = { sell: 1, buy: 2 } as const;
export type Direction = (typeof Direction)[keyof typeof Direction];

/** Limit: the rest becomes an order. Fill: it is dropped. FillOrKill: all or error 709. */
export const TradeKind = { limit: 1, fill: 2, fillOrKill: 3 } as const;
export type TradeKind = (typeof TradeKind)[keyof typeof TradeKind];

/** An allowance of the exchange, granted within the call. It replaces the one there is. */
export type Approval = {
  readonly amount: bigint;
  readonly asset: string;
  /** Ledger. */
  readonly live_until: number;
};

export type TradeArguments = {
  readonly direction: Direction;
  readonly kind: TradeKind;
  readonly trader: string;
  /** Sell: of `selling`. Buy: of `buying`. */
  readonly amount: bigint;
  readonly selling: string;
  readonly buying: string;
  /** Sell: least `buying` per `selling`. Buy: most `selling` per `buying`. */
  readonly price: bigint;
  /** Maker orders to cross, in matching order. */
  readonly orders: readonly bigint[];
  /** Makes the id of the order that a Limit call leaves (`orderId`). */
  readonly nonce: bigint;
  /** When that order ends; 0: never. */
  readonly expires: bigint;
  readonly approve: Approval | null;
};

/** One hop: the asset bought, and the orders listed. */
export type SwapStep = { readonly asset: string; readonly orders: readonly bigint[] };

export type SwapArguments = {
  readonly direction: Direction;
  readonly trader: string;
  readonly selling: string;
  /** Sell: exact input. Buy: most input. */
  readonly selling_amount: bigint;
  /** Sell: least output. Buy: exact output. */
  readonly buying_amount: bigint;
  readonly path: readonly SwapStep[];
  readonly approve: Approval | null;
};

/** What an order becomes. `amount` 0 removes it. */
export type UpdatedOrder = {
  readonly amount: bigint;
  readonly expires: bigint;
  readonly id: bigint;
  readonly price: bigint;
};

export type UpdateArguments = {
  readonly trader: string;
  readonly updates: readonly UpdatedOrder[];
  readonly approvals: readonly Approval[];
};

export type CrossfillArguments = {
  readonly trader: string;
  readonly taker_order_id: bigint;
  readonly orders: readonly bigint[];
};

export type TradeCall = { readonly fn: "trade"; readonly args: TradeArguments };
export type SwapCall = { readonly fn: "swap"; readonly args: SwapArguments };
export type UpdateCall = { readonly fn: "update"; readonly args: UpdateArguments };
export type CrossfillCall = { readonly fn: "crossfill"; readonly args: CrossfillArguments };
export type ContractCall = TradeCall | SwapCall | UpdateCall | CrossfillCall;

const WHOLE_BPS = 10_000n;
/** How long an approval lives unless said otherwise (choice): some 10 minutes at 5 s a ledger. */
const APPROVED_LEDGERS = 120;
/** An allowance that ends sooner may be gone when the call is applied (choice). */
const ALLOWANCE_LEDGERS_MIN = 12;

export type QuoteCallOptions = {
  /** Who calls and pays. */
  readonly trader: string;
  /** Which of the quote's paths; the best one by default. */
  readonly path?: QuotePath;
  /** How much worse than quoted a swap may come out: basis points, 0 to 10,000; 0 by default. */
  readonly slippageBps?: number;
  /** Of a trade: what becomes of what is not filled. Fill by default. */
  readonly kind?: typeof TradeKind.fill | typeof TradeKind.fillOrKill;
};

/**
 * The call that takes a quote: `trade` where its path has one hop, `swap` where it has more. Undefined where
 * the quote has no path: its `error` says why. Throws a RangeError for a slippage out of range.
 */
export function quoteCall(
  quote: Quote,
  options: QuoteCallOptions,
): TradeCall | SwapCall | undefined {
  const path = options.path ?? quote.paths[0];
  if (path === undefined) return undefined;
  return path.path.length === 1 ? tradeCall(quote, path, options) : swapCall(quote, path, options);
}

/** A `swap` along a path of any number of hops. Slippage rounds in the trader's disfavour by no more than 1. */
export function swapCall(
  { direction, sellingAsset }: Quote,
  { sold, bought, path }: QuotePath,
  { trader, slippageBps = 0 }: QuoteCallOptions,
): SwapCall {
  if (!(Number.isInteger(slippageBps) && slippageBps >= 0 && slippageBps <= WHOLE_BPS)) {
    throw new RangeError(`slippageBps: expected an integer from 0 to 10000, not ${slippageBps}`);
  }
  const sells = direction === "strict_send";
  const slippage = BigInt(slippageBps);
  const most = mulDivUp(BigInt(sold), WHOLE_BPS + slippage, WHOLE_BPS);
  // The contract takes no bound of nothing.
  const least = greater(1n, mulDivDown(BigInt(bought), WHOLE_BPS - slippage, WHOLE_BPS));
  return {
    fn: "swap",
    args: {
      direction: sells ? Direction.sell : Direction.buy,
      trader,
      selling: sellingAsset,
      selling_amount: sells ? BigInt(sold) : most,
      buying_amount: sells ? least : BigInt(bought),
      path: path.map(({ buying, orders }) => ({ asset: buying, orders: orders.map(BigInt) })),
      approve: null,
    },
  };
}

/** A `trade` over the orders of a path of one hop, at their worst price or better. */
export function tradeCall(
  { direction, sellingAsset, buyingAsset }: Quote,
  { sold, bought, path }: QuotePath,
  { trader, kind = TradeKind.fill }: QuoteCallOptions,
): TradeCall {
  const hop = path[0];
  if (hop === undefined || path.length > 1) {
    throw new RangeError(`path: expected one hop for a trade, not ${path.length}`);
  }
  const sells = direction === "strict_send";
  const worst = BigInt(hop.worstPrice);
  return {
    fn: "trade",
    args: {
      direction: sells ? Direction.sell : Direction.buy,
      kind,
      trader,
      amount: BigInt(sells ? sold : bought),
      selling: sellingAsset,
      buying: buyingAsset,
      price: sells ? invertPriceDown(worst) : worst,
      orders: hop.orders.map(BigInt),
      nonce: 0n,
      expires: 0n,
      approve: null,
    },
  };
}

export type LimitOrder = Pick<
  TradeArguments,
  "direction" | "trader" | "amount" | "selling" | "buying" | "price" | "nonce"
> & {
  /** When the order ends, UNIX seconds; 0, the default: never. */
  readonly expires?: bigint;
  /** Orders to cross first: those that the quote of `limitQuote` lists. None by default: it only rests. */
  readonly orders?: readonly bigint[];
};

/** A `trade` of kind Limit: crosses the orders given, and what is left rests as an order of the trader. */
export function limitCall({ expires = 0n, orders = [], ...order }: LimitOrder): TradeCall {
  const { direction, trader, amount, selling, buying, price, nonce } = order;
  const kind = TradeKind.limit;
  return {
    fn: "trade",
    args: {
      direction,
      kind,
      trader,
      amount,
      selling,
      buying,
      price,
      orders,
      nonce,
      expires,
      approve: null,
    },
  };
}

/** `maxPrice` of the quote that a limit order at `price` crosses: the highest maker price within it. */
export function limitMaxPrice(direction: Direction, price: bigint): bigint {
  return direction === Direction.sell ? invertPriceDown(price) : price;
}

/** Changes orders of the trader in place, or removes them. About 110 fit in one call. */
export function updateCall(
  trader: string,
  updates: readonly UpdatedOrder[],
  approvals: readonly Approval[] = [],
): UpdateCall {
  return { fn: "update", args: { trader, updates, approvals } };
}

/** Removes orders: all that is needed of each is its id. */
export function cancelCall(trader: string, ids: readonly bigint[]): UpdateCall {
  // Price and expiration of a removed order are not looked at, but must be numbers of their type.
  return updateCall(
    trader,
    ids.map((id) => ({ amount: 0n, expires: 0n, id, price: 1n })),
  );
}

/** Fills the taker order with the orders listed (at most `CROSSFILL_ORDERS_MAX`). */
export function crossfillCall(
  trader: string,
  takerOrder: bigint,
  orders: readonly bigint[],
): CrossfillCall {
  return { fn: "crossfill", args: { trader, taker_order_id: takerOrder, orders } };
}

/**
 * Maker fills that fit in a crossfill of any two classic assets: 18 of distinct makers, in assets with codes
 * of 12 letters, take 15,952 of the 16,384 bytes that a transaction's events and return value may have.
 */
export const CROSSFILL_ORDERS_MAX = 18;

/** The most that a trade or a swap can take of what it sells, rests included. */
export function costMax(call: TradeCall | SwapCall): bigint {
  if (call.fn === "swap") return call.args.selling_amount;
  const { direction, amount, price, orders } = call.args;
  // A purchase pays each fill rounded up, and so the rest that stays as an order.
  return direction === Direction.sell ? amount : costUp(amount, price) + BigInt(orders.length);
}

/** What the exchange may move of the trader's: a backing record of the API has these. */
export type HeldAllowance = {
  readonly allowance: string;
  /** Ledger. */
  readonly liveUntil: number;
};

export type ApprovalOptions = {
  /** The latest ledger known, the quote's for example. */
  readonly ledger: number;
  /** The allowance there is in the asset sold; absent: unknown, then the call approves. */
  readonly held?: HeldAllowance | undefined;
  /** Ledgers for which a new approval lives. */
  readonly ledgers?: number;
};

/**
 * The call with an approval in it where the allowance is short of what it can cost, or ends within 12
 * ledgers; the call itself where not. An approval replaces the allowance and never lowers one that lives.
 */
export function withApproval<Call extends TradeCall | SwapCall>(
  call: Call,
  { ledger, held, ledgers = APPROVED_LEDGERS }: ApprovalOptions,
): Call {
  const cost = costMax(call);
  const lives = held !== undefined && held.liveUntil >= ledger;
  const allowance = lives ? BigInt(held.allowance) : 0n;
  const endsSoon = lives && held.liveUntil < ledger + ALLOWANCE_LEDGERS_MIN;
  if (lives && allowance >= cost && !endsSoon) return call;
  const approve: Approval = {
    amount: greater(cost, allowance),
    asset: call.args.selling,
    live_until: ledger + ledgers,
  };
  return { ...call, args: { ...call.args, approve } };
}

/**
 * The arguments by name as JSON, in the contract's order: integers beyond 32 bits as texts, which JSON
 * could not hold, an absent approval as null. stellar-cli takes values in this form.
 */
export function callJson({ args }: ContractCall, indent?: number): string {
  const text = (_: string, value: unknown): unknown =>
    typeof value === "bigint" ? String(value) : value;
  return JSON.stringify(args, text, indent);
}
