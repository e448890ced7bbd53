// The export's rows as an Apache Parquet file, a row group at a time, so that memory does not grow with the
// history but for the footer, which has about a kilobyte for each column of a group.
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import {
  type Column,
  type ColumnType,
  columnsOf,
  columnTexts,
  type Exported,
} from "./exported-rows.ts";

/** A row group ends with so many rows or characters of JSON. */
const GROUP_ROWS_MAX = 50_000;
const GROUP_LENGTH_MAX = 32 << 20;

type Schema = ConstructorParameters<typeof ParquetWriter>[0]["schema"];
type Value = string | number | bigint | boolean | Date;

/** Every column may be null. Amounts and ids stay texts: they have up to 39 digits, readers' decimals 38. */
const ELEMENTS = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
} as const satisfies Record<ColumnType, Partial<Schema[number]>>;

/** The bytes of the file, of rows as `exportedLines` has them. */
export function* parquetFile(
  what: Exported,
  lines: Iterable<string>,
  groupRows = GROUP_ROWS_MAX,
): Generator<Uint8Array> {
  const columns = columnsOf(what);
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: "hopbook" });
  for (const { rows, values } of groups(what, lines, groupRows)) {
    const columnData = columns.map(({ name }, at) => ({ name, data: values[at] ?? [] }));
    // Synchronous: this writer has nothing to wait for.
    void file.write({ columnData, rowGroupSize: rows });
    yield taken(writer);
  }
  void file.finish();
  yield taken(writer);
}

function schemaOf(columns: readonly Column[]): Schema {
  const elements = columns.map(
    ({ name, type }) => ({ name, ...ELEMENTS[type], repetition_type: "OPTIONAL" }) as const,
  );
  return [{ name: "root", num_children: columns.length }, ...elements];
}

type Group = { readonly rows: number; readonly values: readonly (Value | undefined)[][] };

function* groups(what: Exported, lines: Iterable<string>, rowsMax: number): Generator<Group> {
  const columns = columnsOf(what);
  const empty = () => columns.map((): (Value | undefined)[] => []);
  let [values, rows, length] = [empty(), 0, 0];
  for (const line of lines) {
    columnTexts(what, line).forEach((text, at) => {
      values[at]?.push(text && columnValue(text, columns[at]?.type ?? "text"));
    });
    rows += 1;
    length += line.length;
    if (rows < rowsMax && length < GROUP_LENGTH_MAX) continue;
    yield { rows, values };
    [values, rows, length] = [empty(), 0, 0];
  }
  if (rows > 0) yield { rows, values };
}

function columnValue(text: string, type: ColumnType): Value {
  switch (type) {
    case "text":
      return text;
    case "time":
      return new Date(`${text.replace(" ", "T")}Z`);
    case "integer":
      return BigInt(text);
    case "number":
      return Number(text);
    case "boolean":
      return text === "true";
  }
}

/** What was written since it was asked last. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}
