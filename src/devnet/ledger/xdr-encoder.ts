// Encodes the SDK's plain objects ("wire") as XDR, byte for byte as the SDK's own schemas do, by functions
// compiled from those schemas: the SDK's encoder allocates 8 KB and a path a value, and a ledger is made of
// some ten thousand entries, keys and events. Anything in an object may be XDR that was encoded before, so
// that what occurs in several places is encoded once.
//
// Source text is compiled (`new Function`) for the reason that src/ingest/xdr/compile-walker.ts states.
// All text comes from the SDK's schemas and from the taps in our own code.
import type { XdrString, XdrType } from "@stellar/stellar-sdk/xdr";
import { describe, resolved, type Schema, type SchemaNode } from "../../model/xdr-schema.ts";
import { type XdrText, XdrWriter } from "./xdr-writer.ts";

type Leaf = bigint | number | boolean | null | Uint8Array | XdrString;

/** The SDK's object, or XDR of it or of any struct or union in it. */
export type Encodable<W> = W extends Leaf
  ? W
  : W extends readonly (infer Element)[]
    ? readonly Encodable<Element>[]
    : { readonly [Field in keyof W]: Encodable<W[Field]> } | XdrText | Uint8Array;

export type XdrClass<W> = { readonly schema: XdrType<W> };

/**
 * Called with the offsets of a written value: after a struct or union of that name, a field
 * `Type.field`, or each element `Type.field[]`, with its offsets from and to.
 */
export type Taps = Readonly<Record<string, (from: number, to: number) => void>>;

type Write = (to: XdrWriter, value: unknown, taps: Taps) => void;

/** One value at a time: a value is encoded within one turn. */
export class XdrEncoder {
  readonly #writer = new XdrWriter();
  readonly #taps: readonly string[];
  /** Each type's function, compiled when it is first called. */
  readonly #functions: Write[] = [];
  readonly #indexes = new Map<Schema, number>();

  /** `taps`: names that each call of `bytes` can tap. */
  constructor(taps: readonly string[] = []) {
    this.#taps = taps;
  }

  /** Throws a RangeError or a TypeError for a value that is not of the type. */
  text<W>(type: XdrClass<W>, value: Encodable<W>): XdrText {
    this.#write(type.schema, value, {});
    return this.#writer.takeText();
  }

  /** As `text`, for what is large or goes into a hash. */
  bytes<W>(type: XdrClass<W>, value: Encodable<W>, taps: Taps = {}): Buffer {
    this.#write(type.schema, value, taps);
    return this.#writer.takeBytes();
  }

  #write(schema: Schema, value: unknown, taps: Taps): void {
    this.#writer.clear();
    this.#functions[this.#indexOf(schema)]?.(this.#writer, value, taps);
  }

  #indexOf(of: Schema): number {
    const known = this.#indexes.get(of);
    if (known !== undefined) return known;
    const schema = resolved(of);
    const index = this.#indexes.get(schema) ?? this.#functions.length;
    this.#indexes.set(of, index).set(schema, index);
    if (index < this.#functions.length) return index;
    this.#functions.push((to, value, taps) => {
      const source = new Source((child) => this.#indexOf(child), this.#taps).of(schema);
      const write = new Function("f", "fail", source)(this.#functions, fail) as Write;
      this.#functions[index] = write;
      write(to, value, taps);
    });
    return index;
  }
}

const plain = new XdrEncoder();

/** XDR of one value. Throws a RangeError or a TypeError where it is not of the type. */
export function encode<W>(type: XdrClass<W>, value: Encodable<W>): XdrText {
  return plain.text(type, value);
}

/** As `encode`, for what is large or goes into a hash. */
export function encodeBytes<W>(type: XdrClass<W>, value: Encodable<W>): Buffer {
  return plain.bytes(type, value);
}

function fail(what: string, value: unknown): never {
  throw new RangeError(`not a ${what}: ${String(value)}`);
}

/** The text of one type's function: what is in it inline, down to the next struct or union. */
class Source {
  readonly #indexOf: (schema: Schema) => number;
  readonly #taps: readonly string[];
  #variables = 0;

  constructor(indexOf: (schema: Schema) => number, taps: readonly string[]) {
    this.#indexOf = indexOf;
    this.#taps = taps;
  }

  of(schema: Schema): string {
    const node = describe(schema);
    const named = node.kind === "struct" || node.kind === "union";
    const given = "if (typeof v === 'string') to.xdr(v); else";
    const own = `${named ? given : ""} { ${this.#body(node)} }`;
    const body = named ? this.#tapped(node.name, own) : own;
    return `"use strict"; return function (to, v, taps) { ${body} };`;
  }

  #body(node: SchemaNode): string {
    // Bytes are asked for last: they have neither fields nor a discriminant. Only FrozenLedgerKeys
    // begins with a field, `keys`, whose name bytes have as well: there they are asked for at once.
    if (node.kind === "struct") {
      const fields = node.fields.map(({ name, schema }) => {
        const at = `${node.name}.${name}`;
        return this.#tapped(at, this.#value(schema, `v.${name}`, `${at}[]`));
      });
      const first = String(node.fields[0]?.name);
      const isLacking = first in Buffer.prototype ? "" : `v.${first} === undefined && `;
      return `if (${isLacking}v instanceof Uint8Array) to.xdr(v); else { ${fields.join(" ")} }`;
    }
    if (node.kind !== "union") return this.#inline(node, "v", "");
    const cases = node.cases.map(({ discriminant, arm, field }) => {
      const code = arm === undefined ? "" : this.#value(arm, `v.${field}`, "");
      return `case ${discriminant}: to.int32(${discriminant}); ${code} break;`;
    });
    const key = `v.${node.switchKey}`;
    const other = `if (v instanceof Uint8Array) to.xdr(v); else fail("${node.name}", ${key});`;
    return `switch (${key}) { ${cases.join(" ")} default: ${other} }`;
  }

  #value(schema: Schema, value: string, elementTap: string): string {
    const node = describe(schema);
    return node.kind === "struct" || node.kind === "union"
      ? `f[${this.#indexOf(schema)}](to, ${value}, taps);`
      : this.#inline(node, value, elementTap);
  }

  #inline(
    node: Exclude<SchemaNode, { readonly kind: "struct" | "union" }>,
    value: string,
    elementTap: string,
  ): string {
    switch (node.kind) {
      case "fixed":
        if (node.of === "void") return "";
        if (node.of === "opaque") return `to.opaque(${value}, ${node.bytes});`;
        return `to.${node.of}(${value});`;
      case "opaque":
        return `to.opaque(${value}, ${node.length});`;
      case "varOpaque":
        return `to.varOpaque(${value}${node.isText ? ".bytes" : ""}, ${node.lengthMax});`;
      case "bool":
        return `to.bool(${value});`;
      case "enum": {
        const known = node.values.map((one) => `case ${one}:`).join(" ");
        return `switch (${value}) { ${known} break; default: fail("${node.name}", ${value}); } to.int32(${value});`;
      }
      case "option": {
        const of = this.#variable();
        return `const ${of} = ${value}; to.bool(${of} !== null); if (${of} !== null) { ${this.#value(node.element, of, "")} }`;
      }
      case "array":
      case "fixedArray": {
        const of = this.#variable();
        const at = this.#variable();
        const length =
          node.kind === "array"
            ? `to.length(${of}.length, ${node.lengthMax});`
            : `if (${of}.length !== ${node.length}) fail("list of ${node.length}", ${of}.length);`;
        const element = this.#tapped(elementTap, this.#value(node.element, `${of}[${at}]`, ""));
        return `const ${of} = ${value}; ${length} for (let ${at} = 0; ${at} < ${of}.length; ${at} += 1) { ${element} }`;
      }
    }
  }

  #tapped(at: string, code: string): string {
    if (!this.#taps.includes(at)) return code;
    const from = this.#variable();
    return `const ${from} = to.bytes; ${code} taps["${at}"]?.(${from}, to.bytes);`;
  }

  #variable(): string {
    this.#variables += 1;
    return `x${this.#variables}`;
  }
}
