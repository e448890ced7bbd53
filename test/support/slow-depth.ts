// Depth by the rules of the API document, word by word, in fractions of integers: the oracle of its tests,
// and what its bench is compared with.
import type { DepthBody, DepthRequest } from "../../src/book/depth.ts";
import { decimalText, priceText, tokenText } from "../../src/model/display.ts";
import type { Order } from "../../src/model/order.ts";
import type { NaiveBook } from "./naive-book.ts";

const ONE = 10n ** 18n;

export function slowDepth(
  book: NaiveBook,
  request: DepthRequest,
  { ledger, now }: { readonly ledger: number; readonly now: number },
): DepthBody {
  const { base, quote } = request.market;
  const asks = filled(book, book.side(base, quote), now).map((order) => ({
    n: order.price,
    d: ONE,
    quantity: order.amount,
  }));
  const bids = filled(book, book.side(quote, base), now).map((order) => ({
    n: ONE,
    d: order.price,
    quantity: (order.amount * order.price + ONE - 1n) / ONE,
  }));
  const [ask] = asks;
  const [bid] = bids;
  const head = {
    ledger,
    timestamp: now,
    bestBid: bid === undefined ? null : priceText(bid.n, bid.d),
    bestAsk: ask === undefined ? null : priceText(ask.n, ask.d),
  };
  if (ask === undefined && bid === undefined) {
    return { ...head, step: request.step ?? null, bids: [], asks: [] };
  }
  const a = ask ?? bid ?? { n: 0n, d: 1n };
  const b = bid ?? ask ?? { n: 0n, d: 1n };
  const mid = { n: a.n * b.d + b.n * a.d, d: 2n * a.d * b.d };
  const step = request.step ?? slowStep(mid);
  const [whole = "", fraction = ""] = step.split(".");
  // A level is so many steps of `unit / 10^18`.
  const unit = BigInt(whole + fraction.padEnd(18, "0"));
  const percent = BigInt(Math.round(request.depth * 10 ** 6));
  const inBand = (n: bigint, d: bigint) =>
    n * mid.d * 10n ** 8n >= mid.n * d * (10n ** 8n - percent) &&
    n * mid.d * 10n ** 8n <= mid.n * d * (10n ** 8n + percent);
  const levels = (side: "bid" | "ask") => {
    const sums = new Map<bigint, bigint>();
    for (const { n, d, quantity } of side === "bid" ? bids : asks) {
      // The wrong side of the band is the wrong side of the mid price, which levels decide.
      const near = side === "bid" ? n * mid.d > mid.n * d : n * mid.d < mid.n * d;
      if (!near && !inBand(n, d)) continue;
      const down = (n * ONE) / (d * unit);
      const exact = down * d * unit === n * ONE;
      const count = side === "bid" || exact ? down : down + 1n;
      const level = count * unit;
      const wrong = side === "bid" ? level * mid.d > mid.n * ONE : level * mid.d < mid.n * ONE;
      if (!wrong && count > 0n) sums.set(level, (sums.get(level) ?? 0n) + quantity);
    }
    const sorted = [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
    if (side === "bid") sorted.reverse();
    return sorted
      .slice(0, request.limit)
      .map(([level, sum]) => [decimalText(level, 18), tokenText(sum)] as const);
  };
  return { ...head, step, bids: levels("bid"), asks: levels("ask") };
}

/** What can be taken of each order, in the contract's order: `amount` is that part. */
function filled(book: NaiveBook, side: readonly Order[], now: number): Order[] {
  const left = new Map<string, bigint>();
  return side.flatMap((order) => {
    if (order.expires !== 0 && order.expires <= now) return [];
    if (book.backing(order.owner, order.buying)?.authorized !== true) return [];
    const budget = left.get(order.owner) ?? book.backing(order.owner, order.selling)?.budget ?? 0n;
    const amount = order.amount > budget ? budget : order.amount;
    if (amount * order.price < ONE) return [];
    left.set(order.owner, budget - amount);
    return [{ ...order, amount }];
  });
}

/** One unit of the fifth significant digit of the mid price. */
function slowStep(mid: { n: bigint; d: bigint }): string {
  for (let decimals = 18; decimals > 0; decimals -= 1) {
    const scaled = (mid.n * 10n ** BigInt(decimals)) / mid.d;
    if (scaled < 100_000n) return `0.${"1".padStart(decimals, "0")}`;
  }
  let step = 1n;
  while (mid.n / mid.d / step >= 100_000n) step *= 10n;
  return step.toString();
}
