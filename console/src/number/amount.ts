// Amounts between base units, in which the API and the contract count, and tokens, in which people do.
import { decimalText } from "../../../src/model/display.ts";
import { PRICE_UNIT } from "../../../src/model/settlement.ts";
import { grouped } from "./decimal.ts";

/** Decimals of every classic asset's token. */
export const CLASSIC_DECIMALS = 7;
/** Decimals of contract prices. */
export const PRICE_DECIMALS = 18;

/** Exact. `decimals` undefined: unknown, so the base units themselves. */
export function amountText(units: string | bigint, decimals: number | undefined): string {
  const value = BigInt(units);
  return grouped(decimals === undefined ? value.toString() : decimalText(value, decimals));
}

/** Base units of what a person typed; undefined for anything but a decimal they can hold exactly. */
export function parseAmount(text: string, decimals: number | undefined): bigint | undefined {
  const digits = decimals ?? 0;
  const parts = /^([0-9]{1,39})(?:\.([0-9]*))?$/.exec(text.trim().replaceAll(",", ""));
  const whole = parts?.[1];
  if (whole === undefined) return undefined;
  const fraction = (parts?.[2] ?? "").replace(/0+$/, "");
  if (fraction.length > digits) return undefined;
  return BigInt(whole + fraction.padEnd(digits, "0"));
}

/** A contract price as a plain decimal, exact. */
export function contractPriceText(price: string | bigint): string {
  return grouped(decimalText(BigInt(price), PRICE_DECIMALS));
}

/**
 * A price typed as tokens per token, as base units per base unit times 10^18, rounded down; undefined
 * where it is none or below the smallest. An unknown number of decimals counts as none, as it does
 * where amounts are typed.
 */
export function parseContractPrice(
  text: string,
  { paid, got }: { readonly paid: number | undefined; readonly got: number | undefined },
): bigint | undefined {
  const price = parseAmount(text, PRICE_DECIMALS);
  if (price === undefined) return undefined;
  const scaled = (price * 10n ** BigInt(paid ?? 0)) / 10n ** BigInt(got ?? 0);
  return scaled > 0n && scaled <= PRICE_UNIT * PRICE_UNIT ? scaled : undefined;
}
