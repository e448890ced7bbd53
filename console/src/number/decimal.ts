// Decimals as text, as the API sends them: cut, grouped and added without ever becoming a float.

/** Thousands of the whole part set apart: `1234567.5` is `1,234,567.5`. */
export function grouped(text: string): string {
  const point = text.indexOf(".");
  const whole = point < 0 ? text : text.slice(0, point);
  const fraction = point < 0 ? "" : text.slice(point);
  return whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ",") + fraction;
}

/**
 * At most so many digits, counted from the first that is not zero; the whole part is never cut. The
 * rest is dropped, not rounded.
 */
export function shortened(text: string, digits: number): string {
  const point = text.indexOf(".");
  if (point < 0) return text;
  const whole = text.slice(0, point);
  const fraction = text.slice(point + 1);
  const leadingZeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  const kept = whole === "0" ? leadingZeros + digits : Math.max(0, digits - whole.length);
  const cut = fraction.slice(0, kept).replace(/0+$/, "");
  return cut === "" ? whole : `${whole}.${cut}`;
}

/** Zeros after the point that are written out; more are counted. */
const ZEROS_WRITTEN_MAX = 3;
/** Digits before the point that are written out; more become a magnitude. */
const WHOLE_MAX = 9;

/**
 * For a place of fixed width: `digits` significant digits, dropped beyond, in at most `digits` + 7
 * characters whatever the number. Zeros after the point are counted (`0.0₅1234` is 0.000001234), large
 * numbers have a magnitude (`1.25B`, `1.7e31`). The exact text belongs into a title.
 */
export function compact(text: string, digits: number): string {
  const [whole = "0", fraction = ""] = text.split(".");
  if (whole.length <= WHOLE_MAX) return countedZeros(grouped(shortened(text, digits)));
  const magnitude = MAGNITUDES.find(({ zeros }) => whole.length <= zeros + 3);
  const zeros = magnitude?.zeros ?? whole.length - 1;
  const moved = `${whole.slice(0, -zeros)}.${whole.slice(-zeros)}${fraction}`;
  return `${shortened(moved, digits)}${magnitude?.letter ?? `e${zeros}`}`;
}

const MAGNITUDES = [
  { zeros: 9, letter: "B" },
  { zeros: 12, letter: "T" },
] as const;

/** `0.000001234` as `0.0₅1234`: many zeros have one width. */
export function countedZeros(text: string): string {
  const zeros = /^0\.(0+)[1-9]/.exec(text)?.[1] ?? "";
  if (zeros.length <= ZEROS_WRITTEN_MAX) return text;
  const count = [...String(zeros.length)].map((digit) => SUBSCRIPTS.charAt(Number(digit))).join("");
  return `0.0${count}${text.slice("0.".length + zeros.length)}`;
}

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

/** Of a float, with so many significant digits: for axes alone. */
export function floatText(value: number, digits: number): string {
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) return "0";
  // Beyond, the language itself writes an exponent.
  if (value >= 1e21) return value.toPrecision(digits).replace(/\.?0*e\+/, "e");
  const places = Math.max(0, Math.min(100, digits - 1 - Math.floor(Math.log10(value))));
  return compact(value.toFixed(places), digits);
}

/** Exactly so many digits after the point, cut or filled with zeros: columns line up. */
export function withFraction(text: string, digits: number): string {
  const [whole = "0", fraction = ""] = text.split(".");
  return digits === 0 ? whole : `${whole}.${fraction.slice(0, digits).padEnd(digits, "0")}`;
}

/** Digits after the point. */
export function fractionDigits(text: string): number {
  const point = text.indexOf(".");
  return point < 0 ? 0 : text.length - point - 1;
}

/** `text` x 10^`digits`; digits beyond are dropped. Plain decimals only. */
export function toUnits(text: string, digits: number): bigint {
  return BigInt(withFraction(text, digits).replace(".", ""));
}

/** `text` x 10^`places`, exact: the point moves to the right. */
export function movePoint(text: string, places: number): string {
  const [whole = "0", fraction = ""] = text.split(".");
  const moved = whole + fraction.slice(0, places).padEnd(places, "0");
  const rest = fraction.slice(places).replace(/0+$/, "");
  const trimmed = moved.replace(/^0+(?=[0-9])/, "");
  return rest === "" ? trimmed : `${trimmed}.${rest}`;
}
