// Numbers as the API prints them: plain decimals, exact or rounded half up from the exact value.

/** Decimals of every token amount that is printed in token units. */
const TOKEN_DIGITS = 7;
const PRICE_DIGITS = 8;

/** Base units in token units: exact, at most 7 decimals, none trailing. Not negative. */
export function tokenText(amount: bigint): string {
  return decimalText(amount, TOKEN_DIGITS);
}

/**
 * numerator / denominator with 8 significant digits, half up. "0" for 0; neither may be negative,
 * the denominator must be positive.
 */
export function priceText(numerator: bigint, denominator: bigint): string {
  if (numerator === 0n) return "0";
  // The decimal exponent of the first digit: this, or one less.
  const highest = numerator.toString().length - denominator.toString().length;
  const exponent = floorScaled(numerator, denominator, -highest) > 0n ? highest : highest - 1;
  const digits = PRICE_DIGITS - 1 - exponent;
  const scaled = scaleHalfUp(numerator, denominator, digits);
  return digits >= 0 ? decimalText(scaled, digits) : `${scaled}${"0".repeat(-digits)}`;
}

/** `value` x 10^-`digits` without trailing zeros. */
export function decimalText(value: bigint, digits: number): string {
  if (value < 0n) return `-${decimalText(-value, digits)}`;
  const text = value.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const fraction = text.slice(text.length - digits).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** numerator / denominator x 10^digits, rounded half up. `digits` may be negative. */
export function scaleHalfUp(numerator: bigint, denominator: bigint, digits: number): bigint {
  return (floorScaled(2n * numerator, denominator, digits) + 1n) / 2n;
}

function floorScaled(numerator: bigint, denominator: bigint, digits: number): bigint {
  return digits >= 0
    ? (numerator * 10n ** BigInt(digits)) / denominator
    : numerator / (denominator * 10n ** BigInt(-digits));
}
