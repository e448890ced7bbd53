// A setting is one flag and one environment variable of the same name: `--data-dir` is `DATA_DIR`.
import type { z } from "zod";

export type Setting = {
  /** Kebab case, without the dashes. */
  readonly name: string;
  /** Shown by --help. */
  readonly help: string;
  /** Used where neither flag nor environment says anything; absent: none. */
  readonly default?: string;
  /** What the flag says where it is written without a value; absent: it needs one. */
  readonly bare?: string;
  /** No message shows its value. */
  readonly isSecret?: boolean;
  /** Reads the text; its error message says what was expected. */
  readonly schema: z.ZodType<unknown, string>;
};

/** The values of `Settings`, by name; undefined where a setting without default was not given. */
export type SettingValues<Settings extends readonly Setting[]> = {
  readonly [S in Settings[number] as S["name"]]: S extends { readonly default: string }
    ? z.output<S["schema"]>
    : z.output<S["schema"]> | undefined;
};

export type ReadSettings<Settings extends readonly Setting[]> =
  | {
      readonly ok: true;
      readonly values: SettingValues<Settings>;
      /** Names that flag, environment or file gave. */
      readonly given: ReadonlySet<string>;
    }
  /** One line that names the setting. */
  | { readonly ok: false; readonly message: string };

export function environmentName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

export type SettingsFile = {
  /** As it was given. */
  readonly path: string;
  /** By the setting's name, written as a flag's value would be. */
  readonly values: ReadonlyMap<string, string>;
};

/** Where values come from beside the flags. */
export type SettingSources = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absent: there is none. */
  readonly file?: SettingsFile;
};

/**
 * `args` without the mode: `--name value` and `--name=value`. A flag wins over the environment, and
 * that over the file. Flags of `others` are allowed and not read.
 */
export function readSettings<const Settings extends readonly Setting[]>(
  settings: Settings,
  args: readonly string[],
  { environment, file }: SettingSources,
  others: readonly Setting[] = [],
): ReadSettings<Settings> {
  const flags = readFlags([...settings, ...others], args);
  if (typeof flags === "string") return { ok: false, message: flags };
  const values: Record<string, unknown> = {};
  const given = new Set<string>();
  for (const setting of settings) {
    const { name, schema } = setting;
    const flag = flags.get(name);
    // An empty variable is how shells and compose files write an unset one.
    const variable = environment[environmentName(name)] || undefined;
    const written = flag ?? variable ?? file?.values.get(name);
    if (written !== undefined) given.add(name);
    const text = written ?? setting.default;
    if (text === undefined) continue;
    const result = schema.safeParse(text);
    if (!result.success) {
      const reason = result.error.issues[0]?.message ?? "invalid value";
      const source = sourceName(name, { flag, variable, file });
      const got = setting.isSecret === true ? "" : `, got ${JSON.stringify(text)}`;
      return { ok: false, message: `${source}: ${reason}${got}` };
    }
    values[name] = result.data;
  }
  return { ok: true, values: values as SettingValues<Settings>, given };
}

/** How the value was given, by flag first; for messages. */
function sourceName(
  name: string,
  from: {
    readonly flag: string | undefined;
    readonly variable: string | undefined;
    readonly file: SettingsFile | undefined;
  },
): string {
  if (from.flag !== undefined) return `--${name}`;
  if (from.variable === undefined && from.file !== undefined) return `${from.file.path}: ${name}`;
  return environmentName(name);
}

/** The text of each flag, or the message of what is wrong with them. */
function readFlags(
  settings: readonly Setting[],
  args: readonly string[],
): ReadonlyMap<string, string> | string {
  const known = new Map(settings.map((setting) => [setting.name, setting]));
  const flags = new Map<string, string>();
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    const parts = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(arg);
    const name = parts?.[1];
    if (name === undefined) {
      return `${JSON.stringify(withoutPassword(arg))}: not a flag; --help lists them all`;
    }
    const setting = known.get(name);
    if (setting === undefined) return `--${name}: unknown flag in this mode; --help lists them all`;
    if (flags.has(name)) return `--${name}: given twice`;
    let value = parts?.[2];
    if (value === undefined) {
      const next = args[at + 1];
      if (next !== undefined && !next.startsWith("--")) {
        value = next;
        at += 1;
      } else if (setting.bare !== undefined) value = setting.bare;
      else return `--${name}: needs a value`;
    }
    flags.set(name, value);
  }
  return flags;
}

/** Of a URL that was given where none belongs. */
export function withoutPassword(text: string): string {
  return text.replace(/:.*@/s, ":***@");
}

/** One line a setting: flag, variable, help, default. */
export function settingsHelp(settings: readonly Setting[]): string {
  const width = Math.max(...settings.map(({ name }) => name.length)) + 2;
  return settings
    .map((setting) => {
      const shownDefault = setting.default === undefined ? "none" : setting.default;
      return (
        `  ${`--${setting.name}`.padEnd(width)}  ${setting.help}\n` +
        `  ${"".padEnd(width)}  [${environmentName(setting.name)}, default: ${shownDefault}]`
      );
    })
    .join("\n");
}
