// The query string of a request. The raw text is parsed here rather than by the binding, whose
// versions differ in decoding and give only one of repeated keys.
import type { QUOTE_NAMES } from "../api/parameter-table.ts";
import type { Parameters } from "../api/types.ts";
import { invalidParameter } from "./api-error.ts";

type NamesOf<Members> = string extends keyof Members ? never : keyof Members;
/** A name that the API's description has: any other does not compile. */
export type ParameterName =
  | { readonly [Path in keyof Parameters]: NamesOf<Parameters[Path]> }[keyof Parameters]
  | (typeof QUOTE_NAMES)[keyof typeof QUOTE_NAMES][number]
  /** In the path of REST requests. */
  | "address"
  | "pretty_print";

export type Query<Name extends string = ParameterName> = {
  /** True for `key`, `key=` and `key=anything`. */
  has(name: Name): boolean;
  /** Non-empty values of a repeated key, in order; undefined in place of one that does not decode. */
  lenient(name: Name): readonly (string | undefined)[];
  /** The same, but throws an ApiError naming the key where a value does not decode. */
  all(name: Name): readonly string[];
  /** The decoded value, or undefined where it is missing or empty; an ApiError where repeated. */
  one(name: Name): string | undefined;
};

const EMPTY: Query<string> = {
  has: () => false,
  lenient: () => [],
  all: () => [],
  one: () => undefined,
};

/** Bounded by the length of the URL. A key that does not decode is no key of ours: left out. */
export function parseQuery(text: string): Query<string> {
  if (text === "") return EMPTY;
  const names: string[] = [];
  const raws: string[] = [];
  const isPlain = !ENCODED.test(text);
  // The first of each at or after `from`.
  let equals = -1;
  for (let from = 0; from < text.length; ) {
    const end = indexOrEnd(text, "&", from);
    if (equals < from) equals = indexOrEnd(text, "=", from);
    if (end > from) {
      const raw = text.slice(from, Math.min(equals, end));
      const name = isPlain ? raw : decode(raw);
      if (name !== undefined) {
        names.push(name);
        raws.push(text.slice(equals + 1, end));
      }
    }
    from = end + 1;
  }
  return new ParsedQuery(names, raws, isPlain);
}

function indexOrEnd(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at < 0 ? text.length : at;
}

// Asked ten times for a quote: walks over what is there, and allocates only what it answers.
class ParsedQuery implements Query<string> {
  readonly #names: readonly string[];
  /** Still encoded; empty for a key without a value. */
  readonly #raws: readonly string[];
  /** Whether none of them is encoded. */
  readonly #isPlain: boolean;

  constructor(names: readonly string[], raws: readonly string[], isPlain: boolean) {
    this.#names = names;
    this.#raws = raws;
    this.#isPlain = isPlain;
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  lenient(name: string): readonly (string | undefined)[] {
    const raws = this.#rawsOf(name);
    return this.#isPlain ? raws : raws.map(decode);
  }

  all(name: string): readonly string[] {
    return this.#rawsOf(name).map((raw) => this.#decoded(name, raw));
  }

  one(name: string): string | undefined {
    let value: string | undefined;
    let count = 0;
    for (let at = 0; at < this.#names.length; at += 1) {
      const raw = this.#raws[at];
      if (this.#names[at] !== name || raw === undefined || raw === "") continue;
      value = this.#decoded(name, raw);
      count += 1;
    }
    if (count > 1) throw invalidParameter(name, "Expected a single value.");
    return value;
  }

  #decoded(name: string, raw: string): string {
    const value = this.#isPlain ? raw : decode(raw);
    if (value === undefined) throw invalidParameter(name, "Malformed percent-encoding.");
    return value;
  }

  #rawsOf(name: string): string[] {
    const found: string[] = [];
    for (let at = 0; at < this.#names.length; at += 1) {
      const raw = this.#raws[at];
      if (this.#names[at] === name && raw !== undefined && raw !== "") found.push(raw);
    }
    return found;
  }
}

const ENCODED = /[%+]/;

/** Form decoding: `+` is a blank. Undefined where an escape is malformed or no UTF-8. */
function decode(text: string): string | undefined {
  if (!ENCODED.test(text)) return text;
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
