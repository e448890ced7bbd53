// Codecs of contract values: one description gives the type in the contract's specification, the Value written and the
// Value read. A contract is a table of functions, each with its parameters' codecs.
import type { ScSpecEntryWire } from "@stellar/stellar-sdk/xdr";
import {
  asAddress,
  asBool,
  asI128,
  asId,
  asSymbol,
  asU32,
  asU64,
  asVec,
  field,
  invalid,
  missingFunction,
} from "./arguments.ts";
import type { CallHost, ContractModel } from "./host.ts";
import {
  defined,
  enumeration,
  type Fields,
  fn,
  option,
  Spec,
  type SpecType,
  struct,
  vecOf,
} from "./spec.ts";
import type { Value } from "./value.ts";
import * as value from "./value.ts";

/** `read` throws a CallFailure of kind `invalid` where the value does not fit. */
export type Codec<T> = {
  readonly type: SpecType;
  readonly write: (value: T) => Value;
  readonly read: (value: Value) => T;
  /** Of a parameter or field, where it is not the property's own in snake case. */
  readonly name?: string;
};

export const address = { type: Spec.address, write: value.addressValue, read: asAddress };
export const bool = { type: Spec.bool, write: value.bool, read: asBool };
export const i128 = { type: Spec.i128, write: value.i128, read: asI128 };
export const u32 = { type: Spec.u32, write: value.u32, read: asU32 };
export const u64 = { type: Spec.u64, write: value.u64, read: asU64 };
export const symbol = { type: Spec.symbol, write: value.symbol, read: asSymbol };
/** An order's. */
export const id = { type: Spec.u128, write: value.u128, read: asId };
/** Any value, as it is. */
export const anyValue: Codec<Value> = { type: Spec.val, write: (of) => of, read: (of) => of };

export function named<T>(name: string, codec: Codec<T>): Codec<T> {
  return { ...codec, name };
}

export function list<T>({ type, write, read }: Codec<T>): Codec<readonly T[]> {
  return {
    type: vecOf(type),
    write: (items) => value.vec(items.map(write)),
    read: (items) => asVec(items).map(read),
  };
}

/** Void where it is undefined. */
export function optional<T>({ type, write, read }: Codec<T>): Codec<T | undefined> {
  return {
    type: option(type),
    write: (item) => (item === undefined ? value.VOID : write(item)),
    read: (item) => (item.type === "void" ? undefined : read(item)),
  };
}

/** A type with a name, and the entry that describes it. */
export type Defined<T> = Codec<T> & { readonly entry: ScSpecEntryWire };

export function oneOf<T extends number>(
  name: string,
  cases: Readonly<Record<string, T>>,
): Defined<T> {
  const entry = enumeration(name, cases);
  const numbers = Object.values(cases);
  const read = (item: Value): T => {
    const number = asU32(item);
    return numbers.find((one) => one === number) ?? invalid(`no ${name} ${number}`);
  };
  return { type: defined(name), write: value.u32, read, entry };
}

export type Codecs<T> = { readonly [K in keyof T]-?: Codec<T[K]> };

export function structOf<T>(name: string, codecs: Codecs<T>): Defined<T> {
  const fields = fieldsOf(codecs).sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    type: defined(name),
    write: (of) => value.map(fields.map(({ key, name, write }) => [name, write(of[key])])),
    read: (item) => built(fields, ({ name, read }) => read(field(item, name))),
    entry: struct(name, typesOf(fields)),
  };
}

export type Parameters<T> = {
  readonly inputs: Fields;
  readonly write: (call: T) => readonly Value[];
  readonly read: (args: readonly Value[]) => T;
};

/** In the order of the properties. `read` throws unless there are exactly so many. */
export function parametersOf<T>(codecs: Codecs<T>): Parameters<T> {
  const fields = fieldsOf(codecs);
  return {
    inputs: typesOf(fields),
    write: (call) => fields.map(({ key, write }) => write(call[key])),
    read: (args) => {
      if (args.length !== fields.length) invalid(`${args.length} arguments, not ${fields.length}`);
      return built(fields, ({ read }, at) => read(args[at] ?? value.VOID));
    },
  };
}

type Field<T> = Codec<T[keyof T]> & { readonly key: keyof T; readonly name: string };

function fieldsOf<T>(codecs: Codecs<T>): Field<T>[] {
  return Object.entries(codecs as unknown as Record<string, Codec<T[keyof T]>>).map(
    ([key, codec]) => {
      const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return { name, ...codec, key: key as keyof T };
    },
  );
}

function typesOf<T>(fields: readonly Field<T>[]): Fields {
  return Object.fromEntries(fields.map(({ name, type }) => [name, type]));
}

function built<T>(
  fields: readonly Field<T>[],
  read: (field: Field<T>, at: number) => T[keyof T],
): T {
  const made: Partial<T> = {};
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at];
    if (field !== undefined) made[field.key] = read(field, at);
  }
  return made as T;
}

/** A function of a contract that runs in a host `H`. */
export type Method<H> = {
  readonly inputs: Fields;
  readonly output: SpecType | undefined;
  readonly run: (host: H, args: readonly Value[]) => Value;
};

/** `output`: what it returns, as the specification says it; undefined: nothing. */
export function method<H, T>(
  parameters: Codecs<T> | Parameters<T>,
  output: SpecType | undefined,
  run: (host: H, call: T) => Value,
): Method<H> {
  const { inputs, read } = isParameters(parameters) ? parameters : parametersOf(parameters);
  return { inputs, output, run: (host, args) => run(host, read(args)) };
}

/** A function that returns nothing. */
export function action<H, T>(
  parameters: Codecs<T> | Parameters<T>,
  run: (host: H, call: T) => void,
): Method<H> {
  return method(parameters, undefined, (host: H, call: T) => {
    run(host, call);
    return value.VOID;
  });
}

function isParameters<T>(of: Codecs<T> | Parameters<T>): of is Parameters<T> {
  return "inputs" in of;
}

export type Methods<H> = Readonly<Record<string, Method<H>>>;

export function contractOf<H extends CallHost>(methods: Methods<H>): ContractModel<H> {
  return (host, name, args) => runMethod(methods, host, name, args);
}

export function runMethod<H>(
  methods: Methods<H>,
  host: H,
  name: string,
  args: readonly Value[],
): Value {
  const found = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return found === undefined ? missingFunction(name) : found.run(host, args);
}

export function specOf<H>(methods: Methods<H>): readonly ScSpecEntryWire[] {
  return Object.entries(methods).map(([name, { inputs, output }]) => fn(name, inputs, output));
}
