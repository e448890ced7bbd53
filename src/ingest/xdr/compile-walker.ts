// Compiles the SDK's schema of an XDR type into a function that walks over a value of it without
// building objects, and calls handlers at chosen types and fields ("taps").
//
// The walk accepts exactly what the schema's own decoder accepts: every discriminant, enum value,
// boolean, length limit and padding byte is checked, so what was walked can be decoded. Reads go
// through a DataView, whose bounds check is the only one needed: a length that points past the end
// is found by the next read, or by the caller, who compares the end with the length.
//
// Source text is compiled (`new Function`) rather than closures composed: one closure a node costs
// a call through a megamorphic site each, about ten times the walk. All text comes from the SDK's
// schemas and from the taps in our own code.
import {
  childrenOf,
  describe,
  resolved,
  type Schema,
  type SchemaNode,
} from "../../model/xdr-schema.ts";

/**
 * Where a handler is called, and how:
 * - `Type`: at values of a struct or union of that name;
 * - `Type.field`: at a field of a struct; `*.field` in whatever struct;
 * - `Type.field[]`: at each element of an array field.
 * `begin`: before it is walked, with its offset; `put` makes that a property instead. `end`: after it, with its
 * offsets from and to, and for elements their index.
 */
export type Tap<H> = {
  readonly at: string;
  readonly when: "begin" | "put" | "end";
  readonly call: keyof H & string;
};

/** Returns the offset after the value at `offset`. Throws XdrWalkError or a RangeError. */
export type Walk<H> = (view: DataView, offset: number, handlers: H) => number;

export class XdrWalkError extends Error {
  readonly offset: number;

  constructor(what: string, offset: number) {
    super(`unknown or invalid ${what} at byte ${offset}`);
    this.name = "XdrWalkError";
    this.offset = offset;
  }
}

/**
 * Recursive types nested deeper are refused. The network's own bound: XDR of a transaction nests at most
 * 500 deep (stellar-core), and so does every value of a contract (rs-soroban-env). Each recursive
 * type that counts here counts there too, beside the types between them, so nothing that is in a
 * valid ledger comes near it.
 */
const DEPTH_MAX = 500;

/** Throws a TypeError where a tap names nothing in the schema. */
export function compileWalker<H>(root: Schema, taps: readonly Tap<H>[]): Walk<H> {
  const compiler = new Compiler(taps);
  const source = compiler.compile(root);
  const walk = new Function("fail", source)((what: string, offset: number) => {
    throw new XdrWalkError(what, offset);
  }) as Walk<H>;
  return walk;
}

const PRELUDE = `"use strict";
let depth = 0;
function padded(v, p, length) {
  const end = p + length, next = p + Math.ceil(length / 4) * 4;
  for (let at = end; at < next; at += 1) if (v.getUint8(at) !== 0) fail("padding", at);
  return next;
}
function sized(v, p, max) {
  const length = v.getUint32(p);
  if (length > max) fail("length", p);
  return padded(v, p + 4, length);
}
`;

function beginOf<H>({ when, call }: Tap<H>): string {
  return when === "put" ? `h.${call} = p;` : `h.${call}(v, p);`;
}

class Compiler<H> {
  readonly #taps: readonly Tap<H>[];
  readonly #used = new Set<string>();
  readonly #names = new Map<Schema, string>();
  readonly #functions: string[] = [];
  readonly #tapped = new Map<Schema, boolean>();
  readonly #sizes = new Map<Schema, number | undefined>();
  /** Of types looked at: which are recursive is asked of each, and nearly all of them lie below some. */
  readonly #children = new Map<Schema, readonly Schema[]>();

  constructor(taps: readonly Tap<H>[]) {
    this.#taps = taps;
  }

  compile(root: Schema): string {
    const entry = this.#functionOf(root);
    for (const { at } of this.#taps) {
      if (!this.#used.has(at)) throw new TypeError(`no XDR type or field ${at} to tap`);
    }
    return `${PRELUDE}${this.#functions.join("\n")}
return function walk(v, p, h) { depth = 0; return ${entry}(v, p, h); };`;
  }

  /** A function per type: walks the value at p and returns what follows. */
  #functionOf(of: Schema): string {
    const schema = resolved(of);
    const known = this.#names.get(schema);
    if (known !== undefined) return known;
    const name = `walk${this.#names.size}`;
    this.#names.set(schema, name);
    const node = describe(schema);
    const own = node.kind === "struct" || node.kind === "union" ? this.#tapsAt(node.name) : [];
    const recursive = this.#isRecursive(schema);
    const body = [
      own.length > 0 ? "const from = p;" : "",
      ...own.filter(({ when }) => when !== "end").map(beginOf),
      recursive ? `if (++depth > ${DEPTH_MAX}) fail("depth of nesting", p);` : "",
      this.#bodyOf(node),
      recursive ? "depth -= 1;" : "",
      ...own.filter(({ when }) => when === "end").map(({ call }) => `h.${call}(v, from, p);`),
      "return p;",
    ];
    this.#functions.push(`function ${name}(v, p, h) { let t = 0; ${body.join(" ")} }`);
    return name;
  }

  #bodyOf(node: SchemaNode): string {
    switch (node.kind) {
      case "struct":
        return this.#structBody(node);
      case "union":
        return this.#unionBody(node);
      case "array": {
        const limit =
          node.lengthMax < 0xffff_ffff ? `if (c > ${node.lengthMax}) fail("length", p);` : "";
        return `const c = v.getUint32(p); ${limit} p += 4; ${this.#elements(node.element, "c", [])}`;
      }
      case "fixedArray":
        return this.#elements(node.element, String(node.length), []);
      case "fixed":
      case "bool":
      case "enum":
      case "opaque":
      case "varOpaque":
      case "option":
        return this.#inline(node);
    }
  }

  #structBody({ name, fields }: Extract<SchemaNode, { readonly kind: "struct" }>): string {
    const out: string[] = [];
    let pending = 0;
    const flush = (): void => {
      if (pending > 0) out.push(`p += ${pending};`);
      pending = 0;
    };
    for (const [index, field] of fields.entries()) {
      const taps = this.#fieldTaps(name, field.name);
      const elementTaps = this.#fieldTaps(name, `${field.name}[]`);
      const bytes = this.#sizeOf(field.schema);
      if (bytes !== undefined && taps.length === 0) {
        pending += bytes;
        continue;
      }
      flush();
      const ends = taps.filter(({ when }) => when === "end");
      if (ends.length > 0) out.push(`const f${index} = p;`);
      for (const tap of taps) if (tap.when !== "end") out.push(beginOf(tap));
      out.push(
        elementTaps.length > 0
          ? this.#tappedArray(field.schema, elementTaps, index)
          : this.#advance(field.schema),
      );
      for (const { call } of ends) out.push(`h.${call}(v, f${index}, p);`);
    }
    flush();
    return out.join(" ");
  }

  #unionBody({ name, switchOn, cases }: Extract<SchemaNode, { readonly kind: "union" }>): string {
    if (this.#sizeOf(switchOn) !== 4 && describe(switchOn).kind !== "enum") {
      throw new TypeError(`the union ${name} switches on something other than 32 bits`);
    }
    // Cases of equal arms share their code.
    const byCode = new Map<string, number[]>();
    for (const { discriminant, arm } of cases) {
      const code = arm === undefined ? "" : this.#advance(arm);
      byCode.set(code, [...(byCode.get(code) ?? []), discriminant]);
    }
    const arms = [...byCode].map(
      ([code, values]) => `${values.map((value) => `case ${value}:`).join(" ")} ${code} break;`,
    );
    const unknown = `fail(${JSON.stringify(name)} + " " + t, p - 4)`;
    return `t = v.getInt32(p); p += 4; switch (t) { ${arms.join(" ")} default: ${unknown}; }`;
  }

  /** Statements that move p past a value. */
  #advance(schema: Schema): string {
    const bytes = this.#sizeOf(schema);
    if (bytes !== undefined) return bytes === 0 ? "" : `p += ${bytes};`;
    const node = describe(schema);
    switch (node.kind) {
      case "bool":
      case "enum":
      case "opaque":
      case "varOpaque":
      case "option":
      case "fixed":
        return this.#inline(node);
      case "array":
      case "fixedArray":
      case "struct":
      case "union":
        return `p = ${this.#functionOf(schema)}(v, p, h);`;
    }
  }

  #inline(
    node: Extract<
      SchemaNode,
      { readonly kind: "fixed" | "bool" | "enum" | "opaque" | "varOpaque" | "option" }
    >,
  ): string {
    switch (node.kind) {
      case "fixed":
        return `p += ${node.bytes};`;
      case "bool":
        return 'if (v.getUint32(p) > 1) fail("boolean", p); p += 4;';
      case "enum":
        return enumCheck(node.name, node.values);
      case "opaque":
        return `p = padded(v, p, ${node.length});`;
      case "varOpaque":
        return `p = sized(v, p, ${node.lengthMax});`;
      case "option":
        return `t = v.getUint32(p); if (t > 1) fail("option", p); p += 4; if (t === 1) { ${this.#advance(node.element)} }`;
    }
  }

  #tappedArray(schema: Schema, taps: readonly Tap<H>[], field: number): string {
    const node = describe(schema);
    if (node.kind !== "array") throw new TypeError("only arrays have elements to tap");
    const count = `c${field}`;
    const limit =
      node.lengthMax < 0xffff_ffff ? `if (${count} > ${node.lengthMax}) fail("length", p);` : "";
    return `const ${count} = v.getUint32(p); ${limit} p += 4; ${this.#elements(node.element, count, taps)}`;
  }

  #elements(element: Schema, count: string, taps: readonly Tap<H>[]): string {
    const bytes = this.#sizeOf(element);
    if (bytes !== undefined && taps.length === 0) return `p += ${count} * ${bytes};`;
    const begins = taps
      .filter(({ when }) => when === "begin")
      .map(({ call }) => `h.${call}(v, p);`);
    const ends = taps
      .filter(({ when }) => when === "end")
      .map(({ call }) => `h.${call}(v, e, p, i);`);
    return `for (let i = 0; i < ${count}; i += 1) { ${ends.length > 0 ? "const e = p;" : ""} ${begins.join(" ")} ${this.#advance(element)} ${ends.join(" ")} }`;
  }

  #fieldTaps(struct: string, field: string): readonly Tap<H>[] {
    return [...this.#tapsAt(`${struct}.${field}`), ...this.#tapsAt(`*.${field}`)];
  }

  #tapsAt(at: string): readonly Tap<H>[] {
    const found = this.#taps.filter((tap) => tap.at === at);
    if (found.length > 0) this.#used.add(at);
    return found;
  }

  /** Bytes of a value that needs no look at all: fixed in size, nothing to check, nothing tapped. */
  #sizeOf(of: Schema): number | undefined {
    const schema = resolved(of);
    if (this.#sizes.has(schema)) return this.#sizes.get(schema);
    this.#sizes.set(schema, undefined); // A recursive type has no fixed size.
    const bytes = this.#hasTaps(schema) ? undefined : this.#fixedBytes(describe(schema));
    this.#sizes.set(schema, bytes);
    return bytes;
  }

  #fixedBytes(node: SchemaNode): number | undefined {
    switch (node.kind) {
      case "fixed":
        return node.bytes;
      case "struct": {
        let bytes = 0;
        for (const { schema } of node.fields) {
          const size = this.#sizeOf(schema);
          if (size === undefined) return undefined;
          bytes += size;
        }
        return bytes;
      }
      case "fixedArray": {
        const size = this.#sizeOf(node.element);
        return size === undefined ? undefined : size * node.length;
      }
      case "bool":
      case "enum":
      case "opaque":
      case "varOpaque":
      case "option":
      case "array":
      case "union":
        return undefined;
    }
  }

  /** Whether the type itself or anything in it is tapped. */
  #hasTaps(of: Schema): boolean {
    const schema = resolved(of);
    const known = this.#tapped.get(schema);
    if (known !== undefined) return known;
    this.#tapped.set(schema, false);
    const node = describe(schema);
    const own =
      node.kind === "struct"
        ? this.#tapsAt(node.name).length > 0 ||
          node.fields.some(
            ({ name }) =>
              this.#fieldTaps(node.name, name).length > 0 ||
              this.#fieldTaps(node.name, `${name}[]`).length > 0,
          )
        : node.kind === "union" && this.#tapsAt(node.name).length > 0;
    const found = own || childrenOf(node).some((child) => this.#hasTaps(child));
    this.#tapped.set(schema, found);
    return found;
  }

  #isRecursive(schema: Schema): boolean {
    const seen = new Set<Schema>();
    const open = [...this.#childrenOf(schema)];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at === schema) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      open.push(...this.#childrenOf(at));
    }
    return false;
  }

  #childrenOf(schema: Schema): readonly Schema[] {
    const known = this.#children.get(schema);
    if (known !== undefined) return known;
    const children = childrenOf(describe(schema)).map(resolved);
    this.#children.set(schema, children);
    return children;
  }
}

function enumCheck(name: string, values: readonly number[]): string {
  const low = values[0] ?? 0;
  const high = values.at(-1) ?? 0;
  const what = `${JSON.stringify(name)} + " " + t`;
  if (high - low + 1 === values.length) {
    return `t = v.getInt32(p); if (t < ${low} || t > ${high}) fail(${what}, p); p += 4;`;
  }
  const cases = values.map((value) => `case ${value}:`).join(" ");
  return `t = v.getInt32(p); switch (t) { ${cases} break; default: fail(${what}, p); } p += 4;`;
}
