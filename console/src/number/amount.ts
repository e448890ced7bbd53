// Amounts between base units, in which the API and the contract count, and tokens, in which people do.
import { decimalText } from "../../../src/model/display.ts";
import { PRICE_UNIT } from "../../../src/model/settlement.ts";
import { compact, grouped } from "./decimal.ts";

/** Decimals of a token, whichever: in these the API gives volumes and display prices. */
export const TOKEN_DECIMALS = 7;
/** Decimals of contract prices. */
export const PRICE_DECIMALS = 18;

/** Exact. */
export function amountText(units: string | bigint): string {
  return grouped(decimalText(BigInt(units), TOKEN_DECIMALS));
}

/** Digits of an amount in a table: what most amounts have, exactly. */
const AMOUNT_DIGITS = 9;

/** For a place of fixed width; the exact amount belongs into its title. */
export function shortAmount(units: string | bigint, digits: number = AMOUNT_DIGITS): string {
  return compact(decimalText(BigInt(units), TOKEN_DECIMALS), digits);
}

/** Base units of what a person typed; undefined for anything but a decimal they can hold exactly. */
export function parseAmount(text: string, decimals: number): bigint | undefined {
  const parts = /^([0-9]{1,39})(?:\.([0-9]*))?$/.exec(text.trim().replaceAll(",", ""));
  const whole = parts?.[1];
  if (whole === undefined) return undefined;
  const fraction = (parts?.[2] ?? "").replace(/0+$/, "");
  if (fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** A contract price as a plain decimal, exact. */
export function contractPriceText(price: string | bigint): string {
  return grouped(decimalText(BigInt(price), PRICE_DECIMALS));
}

/** A price typed as tokens per token, times 10^18; undefined where it is none. */
export function parseContractPrice(text: string): bigint | undefined {
  const price = parseAmount(text, PRICE_DECIMALS);
  return price !== undefined && price > 0n && price <= PRICE_UNIT * PRICE_UNIT ? price : undefined;
}
