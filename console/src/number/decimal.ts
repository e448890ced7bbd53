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
