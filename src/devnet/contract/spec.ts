// Contract specification entries (ScSpecEntry, SEP-48): how a contract's code describes its functions to clients.
import {
  ScSpecEntry,
  type ScSpecEntryWire,
  type ScSpecTypeDefWire,
  XdrString,
} from "@stellar/stellar-sdk/xdr";

export type SpecType = ScSpecTypeDefWire;
/** Names with their types, in the order in which they are passed. */
export type Fields = Readonly<Record<string, SpecType>>;

/** ScSpecType. */
export const Spec = {
  val: { type: 0 },
  bool: { type: 1 },
  u32: { type: 4 },
  u64: { type: 6 },
  u128: { type: 10 },
  i128: { type: 11 },
  string: { type: 16 },
  symbol: { type: 17 },
  address: { type: 19 },
} as const satisfies Record<string, SpecType>;

export function option(valueType: SpecType): SpecType {
  return { type: 1000, option: { valueType } };
}

export function vecOf(elementType: SpecType): SpecType {
  return { type: 1002, vec: { elementType } };
}

export function tuple(...valueTypes: SpecType[]): SpecType {
  return { type: 1005, tuple: { valueTypes } };
}

/** A struct, an enumeration or the errors that the contract defines. */
export function defined(name: string): SpecType {
  return { type: 2000, udt: { name: new XdrString(name) } };
}

const NO_DOC = new XdrString("");

/** `output` is absent for a function that returns nothing. */
export function fn(name: string, inputs: Fields, output?: SpecType): ScSpecEntryWire {
  return {
    kind: 0,
    functionV0: {
      doc: NO_DOC,
      name: new XdrString(name),
      inputs: Object.entries(inputs).map(([input, type]) => ({
        doc: NO_DOC,
        name: new XdrString(input),
        type,
      })),
      outputs: output === undefined ? [] : [output],
    },
  };
}

/** The fields come in the order of their names, as Soroban keeps them. */
export function struct(name: string, fields: Fields): ScSpecEntryWire {
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    kind: 1,
    udtStructV0: {
      doc: NO_DOC,
      lib: NO_DOC,
      name: new XdrString(name),
      fields: sorted.map(([field, type]) => ({ doc: NO_DOC, name: new XdrString(field), type })),
    },
  };
}

export function enumeration(
  name: string,
  cases: Readonly<Record<string, number>>,
): ScSpecEntryWire {
  return { kind: 3, udtEnumV0: named(name, cases) };
}

export function errors(name: string, cases: Readonly<Record<string, number>>): ScSpecEntryWire {
  return { kind: 4, udtErrorEnumV0: named(name, cases) };
}

function named(name: string, cases: Readonly<Record<string, number>>) {
  return {
    doc: NO_DOC,
    lib: NO_DOC,
    name: new XdrString(name),
    cases: Object.entries(cases).map(([one, value]) => ({
      doc: NO_DOC,
      name: new XdrString(one),
      value,
    })),
  };
}

const MAGIC_AND_VERSION = Buffer.from("0061736d01000000", "hex");
const CUSTOM_SECTION = 0;
const SECTION_NAME = Buffer.from("contractspecv0");

/**
 * A WebAssembly module that holds the entries in its custom section `contractspecv0` and no code: the
 * contract itself is a model in TypeScript, but clients read what it can do from here.
 */
export function specModule(entries: readonly ScSpecEntryWire[]): Uint8Array {
  const spec = Buffer.concat(entries.map((entry) => ScSpecEntry.schema.encode(entry)));
  const content = Buffer.concat([leb128(SECTION_NAME.length), SECTION_NAME, spec]);
  return Buffer.concat([
    MAGIC_AND_VERSION,
    Buffer.from([CUSTOM_SECTION]),
    leb128(content.length),
    content,
  ]);
}

/** An unsigned number as WebAssembly writes it. */
function leb128(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return Buffer.from(bytes);
}
