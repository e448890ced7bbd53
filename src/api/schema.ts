// JSON Schema (2020-12) as far as the API's descriptions need it, and short ways to write it.

export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

export type Schema = {
  readonly $ref?: string;
  /** Also the label of a tuple's member. */
  readonly title?: string;
  readonly description?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number)[];
  readonly default?: string | number | boolean;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly oneOf?: readonly Schema[];
};

/** Schemas by the name under which the documents keep them and the types are exported. */
export type NamedSchemas = Readonly<Record<string, Schema>>;

/** Where both documents keep their schemas. */
export const SCHEMAS_POINTER = "#/components/schemas/";

const absentable = Symbol("may be absent");
/** A member of an object that is not always there. */
export type Absentable = { readonly [absentable]: Schema };

export function optional(schema: Schema): Absentable {
  return { [absentable]: schema };
}

/** Members are always there unless marked with `optional`. */
export function object(
  description: string,
  members: Readonly<Record<string, Schema | Absentable>>,
): Schema {
  const entries = Object.entries(members);
  return {
    type: "object",
    description,
    required: entries.filter(([, member]) => !(absentable in member)).map(([name]) => name),
    properties: Object.fromEntries(
      entries.map(([name, member]) => [name, absentable in member ? member[absentable] : member]),
    ),
  };
}

/** A schema by its name, with what it means where it is used. */
export function ref(name: string, description?: string): Schema {
  const $ref = SCHEMAS_POINTER + name;
  return description === undefined ? { $ref } : { $ref, description };
}

export function array(items: Schema, description: string, maxItems?: number): Schema {
  const schema: Schema = { type: "array", description, items };
  return maxItems === undefined ? schema : { ...schema, maxItems };
}

/** Exactly these members; each has its label as `title`. */
export function tuple(description: string, members: readonly Schema[]): Schema {
  return {
    type: "array",
    description,
    prefixItems: members,
    items: false,
    minItems: members.length,
    maxItems: members.length,
  };
}

/** An object whose keys are data. */
export function map(description: string, keys: Schema, values: Schema): Schema {
  return { type: "object", description, propertyNames: keys, additionalProperties: values };
}

export function text(description: string, pattern?: string): Schema {
  const schema: Schema = { type: "string", description };
  return pattern === undefined ? schema : { ...schema, pattern };
}

export function constant(value: string | boolean, description?: string): Schema {
  const type = typeof value === "string" ? "string" : "boolean";
  return description === undefined ? { type, const: value } : { type, const: value, description };
}

export function oneOfTexts(description: string, values: readonly string[]): Schema {
  return { type: "string", description, enum: values };
}

export function number(description: string): Schema {
  return { type: "number", description };
}

export function integer(description: string, minimum = 0): Schema {
  return { type: "integer", description, minimum };
}

export function boolean(description: string): Schema {
  return { type: "boolean", description };
}

export function either(description: string, ...schemas: readonly Schema[]): Schema {
  return { description, oneOf: schemas };
}
