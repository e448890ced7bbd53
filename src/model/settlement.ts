// The arithmetic of one fill, exactly as the exchange contract rounds it (contract.md, Settlement).
// The contract model of the devnet and the router settle with these same functions.

/** Fixed-point unit of contract prices: 10^18. */
export const PRICE_UNIT = 1_000_000_000_000_000_000n;
/** Valid contract prices, both inclusive. */
export const PRICE_MIN = 1n;
export const PRICE_MAX = PRICE_UNIT * PRICE_UNIT;
export const I128_MAX = (1n << 127n) - 1n;
export const U128_MAX = (1n << 128n) - 1n;

/** The smaller of two amounts. Math.min would go through a float. */
export function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

export function greater(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

/** floor(a * b / divisor) of non-negative integers. */
export function mulDivDown(a: bigint, b: bigint, divisor: bigint): bigint {
  return (a * b) / divisor;
}

/** ceil(a * b / divisor) of non-negative integers. */
export function mulDivUp(a: bigint, b: bigint, divisor: bigint): bigint {
  return (a * b + divisor - 1n) / divisor;
}

/** What a taker pays for `got` at a maker price, rounded up. */
export function costUp(got: bigint, price: bigint): bigint {
  return mulDivUp(got, price, PRICE_UNIT);
}

/** What `paid` buys at a maker price, rounded down. */
export function outputDown(paid: bigint, price: bigint): bigint {
  return mulDivDown(paid, PRICE_UNIT, price);
}

/** A rest of `amount` that is worth less than one base unit of what its maker buys. */
export function isDust(amount: bigint, price: bigint): boolean {
  return mulDivDown(amount, price, PRICE_UNIT) === 0n;
}

/** The highest maker price that a Sell limit of `price` crosses, and the reverse. `price` > 0. */
export function invertPriceDown(price: bigint): bigint {
  return PRICE_MAX / price;
}

export function invertPriceUp(price: bigint): bigint {
  return (PRICE_MAX + price - 1n) / price;
}

/** One fill: `sold` is what the taker pays the maker, `bought` what the maker delivers. */
export type FillAmounts = { readonly sold: bigint; readonly bought: bigint };

/**
 * What a taker who still has `left` to sell gets of an order, or undefined where that is nothing.
 * The maker's backing is the caller's to check: a fill counts only if it covers all of `bought`.
 */
export function fillSelling(left: bigint, amount: bigint, price: bigint): FillAmounts | undefined {
  const whole = costUp(amount, price);
  if (left >= whole) return { sold: whole, bought: amount };
  const bought = outputDown(left, price);
  return bought === 0n ? undefined : { sold: costUp(bought, price), bought };
}

/** What a taker who still has `left` to buy pays an order. `left` and `amount` are positive. */
export function fillBuying(left: bigint, amount: bigint, price: bigint): FillAmounts {
  const bought = left < amount ? left : amount;
  return { sold: costUp(bought, price), bought };
}
