// The SDK's schema descriptors (js-xdr), from which the reader's walker and the devnet's encoder are compiled.
// They are public, but typed only down to their `kind`: each is checked here once, so that a change of their
// form fails at start.
import type { XdrType } from "@stellar/stellar-sdk/xdr";

export type Schema = XdrType<unknown>;

export type UnionCase = {
  readonly discriminant: number;
  /** Undefined for a void arm. */
  readonly arm: Schema | undefined;
  /** The arm's property in the SDK's objects; empty for a void arm. */
  readonly field: string;
};

type FixedKind = "int32" | "uint32" | "float" | "int64" | "uint64" | "double" | "void" | "opaque";

export type SchemaNode =
  /** Scalars and unpadded opaques of `bytes` bytes, any of which are valid. */
  | { readonly kind: "fixed"; readonly bytes: number; readonly of: FixedKind }
  | { readonly kind: "bool" }
  | { readonly kind: "enum"; readonly name: string; readonly values: readonly number[] }
  | { readonly kind: "opaque"; readonly length: number }
  /** Bytes after their length; texts are an XdrString in the SDK's objects. */
  | { readonly kind: "varOpaque"; readonly lengthMax: number; readonly isText: boolean }
  | { readonly kind: "option"; readonly element: Schema }
  | { readonly kind: "array"; readonly element: Schema; readonly lengthMax: number }
  | { readonly kind: "fixedArray"; readonly element: Schema; readonly length: number }
  | {
      readonly kind: "struct";
      readonly name: string;
      readonly fields: readonly { readonly name: string; readonly schema: Schema }[];
    }
  | {
      readonly kind: "union";
      readonly name: string;
      readonly switchOn: Schema;
      /** The discriminant's property in the SDK's objects. */
      readonly switchKey: string;
      readonly cases: readonly UnionCase[];
    };

/** What a lazy reference stands for. */
export function resolved(schema: Schema): Schema {
  let at = schema;
  // A reference to a reference does not occur; the bound keeps a mistake from hanging us.
  for (let step = 0; step < 8 && at.kind === "lazy"; step += 1) {
    const getSchema = property(at, "getSchema");
    if (typeof getSchema !== "function") throw malformed(at, "getSchema");
    at = asSchema(getSchema(), at);
  }
  return at;
}

/** Throws a TypeError for a kind of schema that is not known here. */
export function describe(of: Schema): SchemaNode {
  const schema = resolved(of);
  switch (schema.kind) {
    case "int32":
    case "uint32":
    case "float":
      return { kind: "fixed", bytes: 4, of: schema.kind };
    case "int64":
    case "uint64":
    case "double":
      return { kind: "fixed", bytes: 8, of: schema.kind };
    case "void":
      return { kind: "fixed", bytes: 0, of: schema.kind };
    case "bool":
      return { kind: "bool" };
    case "enum":
      return { kind: "enum", name: nameOf(schema), values: enumValues(schema) };
    case "opaque": {
      const length = number(schema, "length");
      return length % 4 === 0
        ? { kind: "fixed", bytes: length, of: schema.kind }
        : { kind: "opaque", length };
    }
    case "varOpaque":
    case "string":
      return {
        kind: "varOpaque",
        lengthMax: number(schema, "maxLength"),
        isText: schema.kind === "string",
      };
    case "option":
      return { kind: "option", element: child(schema, "element") };
    case "array":
      return {
        kind: "array",
        element: child(schema, "element"),
        lengthMax: number(schema, "maxLength"),
      };
    case "fixedArray":
      return {
        kind: "fixedArray",
        element: child(schema, "element"),
        length: number(schema, "length"),
      };
    case "struct":
      return { kind: "struct", name: nameOf(schema), fields: structFields(schema) };
    case "union":
      return describeUnion(schema);
    default:
      throw new TypeError(`XDR schemas of kind ${schema.kind} are not known`);
  }
}

/** The schemas of what a value holds. */
export function childrenOf(node: SchemaNode): readonly Schema[] {
  switch (node.kind) {
    case "struct":
      return node.fields.map(({ schema }) => schema);
    case "union":
      return node.cases.flatMap(({ arm }) => (arm === undefined ? [] : [arm]));
    case "option":
    case "array":
    case "fixedArray":
      return [node.element];
    case "fixed":
    case "bool":
    case "enum":
    case "opaque":
    case "varOpaque":
      return [];
  }
}

function describeUnion(schema: Schema): SchemaNode {
  if (property(schema, "defaultArm") !== undefined) throw malformed(schema, "defaultArm");
  const cases = list(schema, "cases").map((item): UnionCase => {
    const discriminant = property(item, "discriminant");
    const arm = property(item, "arm");
    if (typeof discriminant !== "number") throw malformed(schema, "discriminant");
    const kind = property(arm, "kind");
    if (kind === "void") return { discriminant, arm: undefined, field: "" };
    if (kind !== "field") throw malformed(schema, "arm");
    const field = text(arm, "name", schema);
    return { discriminant, arm: asSchema(property(arm, "schema"), schema), field };
  });
  const switchKey = text(schema, "switchKey", schema);
  const switchOn = child(schema, "switchOn");
  return { kind: "union", name: nameOf(schema), switchOn, switchKey, cases };
}

function structFields(schema: Schema) {
  return list(schema, "entries").map((entry) => {
    if (!Array.isArray(entry)) throw malformed(schema, "entries");
    const [name, field] = entry as readonly unknown[];
    if (typeof name !== "string") throw malformed(schema, "entries");
    return { name, schema: asSchema(field, schema) };
  });
}

function enumValues(schema: Schema): readonly number[] {
  return [...namesOf(schema).keys()].sort((a, b) => a - b);
}

/** Of the members of an enumeration, each at its number. */
export function enumNames(schema: Schema): readonly string[] {
  const names: string[] = [];
  for (const [value, name] of namesOf(resolved(schema))) names[value] = name;
  return names;
}

function namesOf(schema: Schema): ReadonlyMap<number, string> {
  const names = property(schema, "nameByValue");
  if (!(names instanceof Map)) throw malformed(schema, "nameByValue");
  return names;
}

function nameOf(schema: Schema): string {
  return schema.name ?? schema.kind;
}

function child(schema: Schema, key: string): Schema {
  return asSchema(property(schema, key), schema);
}

function number(schema: Schema, key: string): number {
  const value = property(schema, key);
  if (typeof value !== "number") throw malformed(schema, key);
  return value;
}

function text(of: unknown, key: string, within: Schema): string {
  const value = property(of, key);
  if (typeof value !== "string") throw malformed(within, key);
  return value;
}

function list(schema: Schema, key: string): readonly unknown[] {
  const value = property(schema, key);
  if (!Array.isArray(value)) throw malformed(schema, key);
  return value;
}

function asSchema(value: unknown, within: Schema): Schema {
  if (typeof property(value, "kind") !== "string") throw malformed(within, "schema");
  return value as Schema;
}

function property(of: unknown, key: string): unknown {
  if (typeof of !== "object" || of === null) return undefined;
  return (of as Readonly<Record<string, unknown>>)[key];
}

function malformed(schema: Schema, key: string): TypeError {
  return new TypeError(`the XDR schema ${nameOf(schema)} has no known form of ${key}`);
}
