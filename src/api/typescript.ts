// TypeScript types of the schemas: plain, documented and without imports, for clients.
import { CHANNELS } from "./channels.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { Parameter } from "./parameters.ts";
import type { JsonType, NamedSchemas, Schema } from "./schema.ts";
import { SCHEMAS_POINTER } from "./schema.ts";

const LINE_MAX = 100;
const UNION_LINE_MAX = 80;

export function typesModule(schemas: NamedSchemas): string {
  return [
    "// Types of every answer and message of the API, for clients: import type { ... } from\n" +
      '// "hopbook/api". Made from the API\'s description by `npm run describe`: not to be edited.\n',
    ...Object.entries(schemas).map(
      ([name, schema]) =>
        `${comment(schema.description, "")}export type ${name} =${after(typeOf(schema, ""), `export type ${name} =`)};\n`,
    ),
    answersType(),
    parametersType(),
    snapshotsType(),
  ].join("\n");
}

function answersType(): string {
  const members = ENDPOINTS.map(
    ({ path, summary, answer }) =>
      `${comment(`${summary}.`, "  ")}  readonly "${path}": ${typeOf(answer, "  ")};\n`,
  );
  return `/** The body of an answer with status 200, by path. */\nexport type Answers = {\n${members.join("")}};\n`;
}

function parametersType(): string {
  const members = ENDPOINTS.map(({ path, parameters }) => {
    const query = parameters.filter((parameter) => parameter.in === "query");
    const texts = query.map((parameter) => {
      const mark = parameter.required ? "" : "?";
      return `${comment(parameter.description, "    ")}    readonly ${parameter.name}${mark}:${after(parameterType(parameter), `    readonly ${parameter.name}${mark}:`)};\n`;
    });
    const type = texts.length === 0 ? "Record<string, never>" : `{\n${texts.join("")}  }`;
    return `  readonly "${path}": ${type};\n`;
  });
  return `/** Query parameters, by path. */\nexport type Parameters = {\n${members.join("")}};\n`;
}

function snapshotsType(): string {
  const members = CHANNELS.map(
    ({ name, summary, snapshot }) =>
      `${comment(`${summary}.`, "  ")}  readonly ${name}: ${snapshot};\n`,
  );
  return `/** What answers a subscribe, by channel. */\nexport type Snapshots = {\n${members.join("")}};\n`;
}

function parameterType({ schema, repeated }: Parameter): string {
  const type = typeOf(schema, "    ");
  const text = type === "number" ? "number | string" : type;
  return repeated ? `readonly ${/[|]/.test(text) ? `(${text})` : text}[]` : text;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(SCHEMAS_POINTER.length);
  if (schema.oneOf !== undefined) {
    return union(
      schema.oneOf.map((one) => typeOf(one, indent)),
      indent,
    );
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) {
    return union(
      schema.enum.map((value) => JSON.stringify(value)),
      indent,
    );
  }
  if (schema.type === undefined) return "unknown";
  if (typeof schema.type !== "string") {
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(" | ");
  }
  return typeOfKind(schema, schema.type, indent);
}

/** On one line where it is short; else it begins with a line break. */
function union(types: readonly string[], indent: string): string {
  const line = types.join(" | ");
  return line.length < UNION_LINE_MAX
    ? line
    : types.map((type) => `\n${indent}  | ${type}`).join("");
}

/** A type after `:` or `=`; `before` is what stands before it on the line. */
function after(type: string, before: string): string {
  if (!type.startsWith("\n")) return ` ${type}`;
  const line = type.replace(/\n\s*\| /, "").replace(/\n\s*\| /g, " | ");
  return `${before} ${line};`.length <= LINE_MAX ? ` ${line}` : type;
}

function typeOfKind(schema: Schema, type: JsonType, indent: string): string {
  if (type === "object") return objectType(schema, indent);
  if (type === "array") return arrayType(schema, indent);
  return type === "integer" ? "number" : type;
}

function objectType(
  { properties, required, additionalProperties }: Schema,
  indent: string,
): string {
  if (properties === undefined) {
    const values =
      additionalProperties === undefined ? "unknown" : typeOf(additionalProperties, indent);
    // A key that is data may be missing, whatever the values are.
    return `{ readonly [key: string]: ${values} | undefined }`;
  }
  const members = Object.entries(properties).map(([name, member]) => {
    const mark = required?.includes(name) ? "" : "?";
    const inner = `${indent}  `;
    const before = `${inner}readonly ${name}${mark}:`;
    return `${comment(member.description, inner)}${before}${after(typeOf(member, inner), before)};\n`;
  });
  return `{\n${members.join("")}${indent}}`;
}

function arrayType({ prefixItems, items }: Schema, indent: string): string {
  if (prefixItems !== undefined) {
    const members = prefixItems.map((item) => `${item.title}: ${typeOf(item, indent)}`);
    const line = `readonly [${members.join(", ")}]`;
    if (line.length < LINE_MAX - 24) return line;
    return `readonly [\n${members.map((member) => `${indent}  ${member},\n`).join("")}${indent}]`;
  }
  if (items === undefined || items === false) return "readonly []";
  const item = typeOf(items, indent);
  return `readonly ${/[|{]/.test(item) ? `(${item})` : item}[]`;
}

/** Wrapped at the width of the code; empty without a text. */
function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return "";
  const width = LINE_MAX - indent.length;
  const single = `/** ${text} */`;
  if (single.length <= width) return `${indent}${single}\n`;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + word.length + 4 > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return `${indent}/**\n${lines.map((one) => `${indent} * ${one}\n`).join("")}${indent} */\n`;
}
