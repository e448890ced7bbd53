// Random valid XDR of any type of the SDK's schema, its sizes pushed to their bounds: every arm of a union,
// every value of an enum and every length that has a bound has its turn, the longest one too.
import {
  childrenOf,
  describe,
  resolved,
  type Schema,
  type SchemaNode,
} from "../../src/model/xdr-schema.ts";
import type { Random } from "./random-ledgers.ts";

/** Lengths up to this one are tried in full. */
const LENGTH_MAX = 200;
/** Bytes of a value, unless told. */
const BYTES_MAX = 4_000;
/** Elements or bytes where a length has no such bound. */
const UNBOUNDED = [0, 1, 2, 3, 17] as const;

/** XDR instead of what the schema alone would give; undefined: as the schema says. */
export type Rule = (xdr: RandomXdr) => Uint8Array | undefined;

export type RandomXdrOptions = {
  readonly random: Random;
  /** By the name of a struct or union, or `Struct.field`, or `*.field`. */
  readonly rules?: Readonly<Record<string, Rule>>;
  /** Opaques of that many bytes, where the rest of the test has a use for some. */
  readonly ids?: readonly Uint8Array[];
  /** Names and other texts of up to 32 bytes. */
  readonly words?: readonly string[];
  /** Bytes that a value of such a type may take before all in it gets as small as it can be. */
  readonly bytesMax: Readonly<Record<string, number>>;
};

export class RandomXdr {
  readonly random: Random;
  readonly #options: RandomXdrOptions;
  #out: Uint8Array[] = [];
  #written = 0;
  #until = 0;
  /** By type those at or below it that may have turns left. */
  readonly #pending = new Map<Schema, Set<Schema>>();
  readonly #smallest = new Map<Schema, number>();
  readonly #done = new Set<string>();
  readonly #names = new Map<Schema, string>();

  constructor(options: RandomXdrOptions) {
    this.random = options.random;
    this.#options = options;
  }

  /** A value of the type, with bytes of its own to fill; a rule for the type itself does not count. */
  value(schema: Schema, bytesMax = BYTES_MAX): Uint8Array {
    const outer = { out: this.#out, written: this.#written, until: this.#until };
    this.#out = [];
    this.#until = this.#written + bytesMax;
    this.#measure(schema);
    this.#write(schema, false);
    const value = Buffer.concat(this.#out);
    this.#out = outer.out;
    this.#written = outer.written;
    this.#until = outer.until;
    return value;
  }

  /** A union's value of that arm. */
  arm(union: Schema, discriminant: number, bytesMax = BYTES_MAX): Uint8Array {
    const arm = behind(describe(union), String(discriminant));
    const value = arm === undefined ? new Uint8Array() : this.value(arm, bytesMax);
    this.#done.add(`${this.#nameOf(resolved(union))} ${discriminant}`);
    return Buffer.concat([word(discriminant), value]);
  }

  /** `count` values after their number. */
  list(element: Schema, count: number): Uint8Array {
    return Buffer.concat([
      word(count),
      ...Array.from({ length: count }, () => this.value(element)),
    ]);
  }

  /** What of the type had no turn yet: arms, values of enums, lengths. */
  missing(root: Schema): readonly string[] {
    this.#measure(root);
    const all = new Set<string>();
    for (const schema of this.#smallest.keys()) {
      const name = this.#nameOf(schema);
      for (const turn of turnsOf(describe(schema))) all.add(`${name} ${turn}`);
    }
    return [...all].filter((turn) => !this.#done.has(turn));
  }

  /** Whether what is written now is to be as small as it can be. */
  get isFull(): boolean {
    return this.#written >= this.#until;
  }

  #write(of: Schema, isRuled = true): void {
    const schema = resolved(of);
    const node = describe(schema);
    switch (node.kind) {
      case "fixed":
        this.#put(this.#opaque(node.bytes));
        break;
      case "opaque":
        this.#put(padded(this.#opaque(node.length)));
        break;
      case "bool":
      case "enum":
        this.#put(word(Number(this.#turn(schema, node))));
        break;
      case "varOpaque": {
        const bytes = this.#text(node, this.#length(schema, node));
        this.#put(Buffer.concat([word(bytes.length), padded(bytes)]));
        break;
      }
      case "option": {
        const isThere = !this.isFull && this.#turn(schema, node) === "1";
        this.#put(word(isThere ? 1 : 0));
        if (isThere) this.#write(node.element);
        break;
      }
      case "array": {
        const count = this.#length(schema, node);
        this.#put(word(count));
        for (let at = 0; at < count; at += 1) this.#write(node.element);
        break;
      }
      case "fixedArray":
        for (let at = 0; at < node.length; at += 1) this.#write(node.element);
        break;
      case "struct":
        this.#ruled(isRuled ? [node.name] : [], () => {
          for (const { name, schema: of } of node.fields) {
            this.#ruled([`${node.name}.${name}`, `*.${name}`], () => this.#write(of));
          }
        });
        break;
      case "union":
        this.#ruled(isRuled ? [node.name] : [], () => {
          const turn = this.isFull ? this.#smallestArm(node) : this.#turn(schema, node);
          this.#put(word(Number(turn)));
          const arm = behind(node, turn);
          if (arm !== undefined) this.#write(arm);
        });
    }
  }

  /** By the first rule of these names, and within the bytes of such a value. */
  #ruled(names: readonly string[], bySchema: () => void): void {
    const { rules = {}, bytesMax } = this.#options;
    for (const name of names) {
      const bytes = rules[name]?.(this);
      if (bytes === undefined) continue;
      this.#put(bytes);
      return;
    }
    const own = names.map((name) => bytesMax[name]).find((bytes) => bytes !== undefined);
    const until = this.#until;
    this.#until = Math.min(until, this.#written + (own ?? until));
    bySchema();
    this.#until = until;
  }

  /** What the type can be, what had no turn yet or leads to it first in every other case. */
  #turn(schema: Schema, node: SchemaNode): string {
    const turns = turnsOf(node);
    const name = this.#nameOf(schema);
    const wanted = turns.filter(
      (turn) => !this.#done.has(`${name} ${turn}`) || this.#leadsOn(behind(node, turn)),
    );
    const among = wanted.length > 0 && this.random(2) === 0 ? wanted : turns;
    const turn = among[this.random(among.length)] ?? "";
    this.#done.add(`${name} ${turn}`);
    return turn;
  }

  #leadsOn(schema: Schema | undefined): boolean {
    if (schema === undefined) return false;
    const pending = this.#pendingBelow(resolved(schema));
    for (const at of pending) {
      const name = this.#nameOf(at);
      if (turnsOf(describe(at)).some((turn) => !this.#done.has(`${name} ${turn}`))) return true;
      pending.delete(at);
    }
    return false;
  }

  #pendingBelow(schema: Schema): Set<Schema> {
    const known = this.#pending.get(schema);
    if (known !== undefined) return known;
    const found = new Set<Schema>();
    const open = [schema];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (found.has(at)) continue;
      found.add(at);
      open.push(...childrenOf(describe(at)).map(resolved));
    }
    this.#pending.set(schema, found);
    return found;
  }

  #length(
    schema: Schema,
    node: Extract<SchemaNode, { readonly kind: "array" | "varOpaque" }>,
  ): number {
    if (this.isFull) return 0;
    if (node.lengthMax <= LENGTH_MAX) return Number(this.#turn(schema, node));
    return UNBOUNDED[this.random(UNBOUNDED.length)] ?? 0;
  }

  #text({ lengthMax }: { readonly lengthMax: number }, length: number): Uint8Array {
    const { words = [] } = this.#options;
    const text = words[this.random(words.length * 2)];
    if (text !== undefined && text.length <= lengthMax && length > 0 && length !== lengthMax) {
      return Buffer.from(text);
    }
    return this.#bytes(length);
  }

  #opaque(length: number): Uint8Array {
    const { ids = [] } = this.#options;
    const id = ids[this.random(ids.length + 1)];
    return id?.length === length ? id : this.#bytes(length);
  }

  /** Any, often those at the ends of what such a number can be. */
  #bytes(length: number): Uint8Array {
    const extreme = [0, 0xff, 0x7f, 0x80][this.random(8)];
    const bytes = Uint8Array.from({ length }, () => extreme ?? this.random(256));
    if (extreme === 0x7f) bytes.fill(0xff, 1);
    if (extreme === 0x80) bytes.fill(0, 1);
    return bytes;
  }

  #put(bytes: Uint8Array): void {
    this.#out.push(bytes);
    this.#written += bytes.length;
  }

  #smallestArm({ cases }: Extract<SchemaNode, { readonly kind: "union" }>): string {
    const sized = cases.map(({ discriminant, arm }) => ({
      discriminant,
      bytes: arm === undefined ? 0 : (this.#smallest.get(resolved(arm)) ?? 0),
    }));
    return String(sized.sort((a, b) => a.bytes - b.bytes)[0]?.discriminant);
  }

  /** The fewest bytes of every type below `root`: a recursive one ends by its smallest arm. */
  #measure(root: Schema): void {
    if (this.#smallest.has(resolved(root))) return;
    const open = [resolved(root)];
    this.#names.set(resolved(root), "top");
    const found = new Set<Schema>();
    for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
      if (found.has(schema)) continue;
      found.add(schema);
      this.#smallest.set(schema, Number.POSITIVE_INFINITY);
      for (const [index, child] of childrenOf(describe(schema)).entries()) {
        const at = resolved(child);
        if (!this.#names.has(at)) this.#names.set(at, `${this.#nameOf(schema)}.${index}`);
        open.push(at);
      }
    }
    for (let changed = true; changed; ) {
      changed = false;
      for (const schema of found) {
        const bytes = this.#smallestOf(describe(schema));
        changed ||= bytes !== this.#smallest.get(schema);
        this.#smallest.set(schema, bytes);
      }
    }
  }

  #smallestOf(node: SchemaNode): number {
    const of = (schema: Schema) => this.#smallest.get(resolved(schema)) ?? 0;
    switch (node.kind) {
      case "fixed":
        return node.bytes;
      case "opaque":
        return node.length;
      case "fixedArray":
        return of(node.element) * node.length;
      case "struct":
        return node.fields.reduce((sum, field) => sum + of(field.schema), 0);
      case "union":
        return 4 + Math.min(...node.cases.map(({ arm }) => (arm === undefined ? 0 : of(arm))));
      case "bool":
      case "enum":
      case "varOpaque":
      case "option":
      case "array":
        return 4;
    }
  }

  #nameOf(schema: Schema): string {
    const node = describe(schema);
    return "name" in node ? node.name : (this.#names.get(schema) ?? node.kind);
  }
}

/** What a type can be, as far as it can be counted. */
function turnsOf(node: SchemaNode): readonly string[] {
  switch (node.kind) {
    case "bool":
    case "option":
      return ["0", "1"];
    case "enum":
      return node.values.map(String);
    case "union":
      return node.cases.map(({ discriminant }) => String(discriminant));
    case "array":
    case "varOpaque":
      return node.lengthMax > LENGTH_MAX
        ? []
        : [...new Set([0, 1, Math.ceil(node.lengthMax / 2), node.lengthMax])].map(String);
    case "fixed":
    case "opaque":
    case "fixedArray":
    case "struct":
      return [];
  }
}

function behind(node: SchemaNode, turn: string): Schema | undefined {
  if (node.kind === "option" || node.kind === "array")
    return turn === "0" ? undefined : node.element;
  if (node.kind !== "union") return undefined;
  return node.cases.find(({ discriminant }) => String(discriminant) === turn)?.arm;
}

export function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value | 0);
  return bytes;
}

function padded(bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  all.set(bytes);
  return all;
}
