// A file of settings: one object whose members are the settings' names (`"data-dir": "/data"`), in JSON, or in
// TOML where the file's name ends in .toml. Read once, at start.
import { readFileSync, statSync } from "node:fs";
import { parse as parseToml, TomlError } from "smol-toml";
import { messageOf } from "../model/thrown.ts";
import type { Setting, SettingsFile } from "./setting.ts";

/** More than every setting at its longest takes. */
const FILE_BYTES_MAX = 1 << 20;

export type ReadSettingsFile =
  | { readonly ok: true; readonly file: SettingsFile }
  /** One line that names the file, and the member at fault. */
  | { readonly ok: false; readonly message: string };

/** `names`: the settings that exist; any other member is refused. */
export function readSettingsFile(path: string, names: ReadonlySet<string>): ReadSettingsFile {
  const refused = (reason: string): ReadSettingsFile => ({
    ok: false,
    message: `${path}: ${reason}`.replaceAll(/\s*\n\s*/g, " "),
  });
  let parsed: unknown;
  try {
    if (statSync(path).size > FILE_BYTES_MAX) return refused(`larger than ${FILE_BYTES_MAX} bytes`);
    const text = readFileSync(path, "utf8");
    parsed = path.endsWith(".toml") ? parseToml(text) : JSON.parse(text);
  } catch (error) {
    return refused(readFault(error));
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return refused("expected an object of settings");
  }
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(parsed)) {
    if (name === "$schema") continue;
    if (!names.has(name)) return refused(`${JSON.stringify(name)}: no such setting`);
    const text = settingText(value);
    if (text === undefined) {
      return refused(`${name}: expected a text, a number, true, false or a list of texts`);
    }
    values.set(name, text);
  }
  return { ok: true, file: { path, values } };
}

/** Where the text is wrong, and none of it: both parsers quote lines around the place, which may hold a password. */
function readFault(error: unknown): string {
  if (error instanceof TomlError) {
    return `no valid TOML at line ${error.line}, column ${error.column}`;
  }
  if (error instanceof SyntaxError) {
    const position = /at position [0-9]+/.exec(error.message)?.[0];
    return position === undefined ? "no valid JSON" : `no valid JSON ${position}`;
  }
  return messageOf(error);
}

/** JSON Schema (2020-12) of a file of these settings, for editors and checks before a start. */
export function settingsFileSchema(settings: readonly Setting[]): object {
  const list = { type: "array", items: { type: "string" } };
  const value = { anyOf: [{ type: ["string", "number", "boolean"] }, list] };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of hopbook",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      ...Object.fromEntries(
        settings.map(({ name, help, default: byDefault }) => [
          name,
          {
            ...value,
            description: help,
            ...(byDefault === undefined ? {} : { default: byDefault }),
          },
        ]),
      ),
    },
  };
}

function settingText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (["number", "bigint", "boolean"].includes(typeof value)) return String(value);
  if (!Array.isArray(value) || !value.every((part) => typeof part === "string")) return undefined;
  return value.join(",");
}
