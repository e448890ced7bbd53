// The query string of a request. The raw text is parsed here rather than by the binding, whose
// versions differ in decoding and give only one of repeated keys.
import { invalidParameter } from "./api-error.ts";

export type Query = {
  /** True for `key`, `key=` and `key=anything`. */
  has(name: string): boolean;
  /** Non-empty values of a repeated key, in order; undefined in place of one that does not decode. */
  lenient(name: string): readonly (string | undefined)[];
  /** The same, but throws an ApiError naming the key where a value does not decode. */
  all(name: string): readonly string[];
  /** The decoded value, or undefined where it is missing or empty; an ApiError where repeated. */
  one(name: string): string | undefined;
};

type Part = { readonly name: string; readonly raw: string };

const EMPTY: Query = {
  has: () => false,
  lenient: () => [],
  all: () => [],
  one: () => undefined,
};

/** Bounded by the length of the URL. A key that does not decode is no key of ours: left out. */
export function parseQuery(text: string): Query {
  if (text === "") return EMPTY;
  const parts: Part[] = [];
  for (const piece of text.split("&")) {
    if (piece === "") continue;
    const at = piece.indexOf("=");
    const name = decode(at < 0 ? piece : piece.slice(0, at));
    if (name !== undefined) parts.push({ name, raw: at < 0 ? "" : piece.slice(at + 1) });
  }
  return new ParsedQuery(parts);
}

class ParsedQuery implements Query {
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  has(name: string): boolean {
    return this.#parts.some((part) => part.name === name);
  }

  lenient(name: string): readonly (string | undefined)[] {
    return this.#parts
      .filter((part) => part.name === name && part.raw !== "")
      .map((part) => decode(part.raw));
  }

  all(name: string): readonly string[] {
    return this.#parts.filter((part) => part.name === name && part.raw !== "").map(decoded);
  }

  one(name: string): string | undefined {
    let value: string | undefined;
    let count = 0;
    for (const part of this.#parts) {
      if (part.name !== name || part.raw === "") continue;
      value = decoded(part);
      count += 1;
    }
    if (count > 1) throw invalidParameter(name, "Expected a single value.");
    return value;
  }
}

function decoded({ name, raw }: Part): string {
  const value = decode(raw);
  if (value === undefined) throw invalidParameter(name, "Malformed percent-encoding.");
  return value;
}

/** Form decoding: `+` is a blank. Undefined where an escape is malformed or no UTF-8. */
function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // A URIError is the only thing decodeURIComponent throws.
    return undefined;
  }
}

/** A path segment, in which `+` stands for itself. Undefined as for `decode`. */
export function decodePathSegment(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // As above.
    return undefined;
  }
}
