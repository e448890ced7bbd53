// Channel parameters as a Query, so that they are read by the code that reads those of the
// endpoints: a string counts as it is, a number as its plain decimal text, true and false as theirs.
import { invalidParameter } from "../api-error.ts";
import type { Query } from "../query.ts";

export function jsonQuery(parameters: Readonly<Record<string, unknown>>): Query {
  // Own members alone: a channel must not find what every object inherits.
  const member = (name: string): unknown =>
    Object.hasOwn(parameters, name) ? (parameters[name] ?? undefined) : undefined;
  const lenient = (name: string): readonly (string | undefined)[] => {
    const value = member(name);
    if (value === undefined || value === "") return [];
    if (typeof value === "string") return [value];
    if (typeof value === "boolean") return [String(value)];
    if (typeof value !== "number" || isInexact(value)) return [undefined];
    return [plainDecimal(value)];
  };
  const all = (name: string): readonly string[] =>
    lenient(name).map((value) => {
      if (value === undefined) throw invalidParameter(name, "Expected a text, or an exact number.");
      return value;
    });
  return {
    has: (name) => member(name) !== undefined,
    lenient,
    all,
    one: (name) => all(name)[0],
  };
}

/** Such an integer is one of several that a client may have written: it was rounded when read. */
function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** JavaScript writes small and large numbers with an exponent, which no parameter takes. */
function plainDecimal(value: number): string {
  const text = String(value);
  const parts = /^(-?)([0-9])(?:\.([0-9]+))?e([+-][0-9]+)$/.exec(text);
  if (parts === null) return text;
  const [, sign = "", whole = "", fraction = "", exponentText = ""] = parts;
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(exponent + 1, "0");
}
