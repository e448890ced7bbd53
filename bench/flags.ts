// Flags of the load, soak and chaos commands: one table gives a command's help, its defaults and their parsing.
import { parseArgs } from "node:util";

type NumberFlag = { readonly default: number; readonly min?: number; readonly help: string };
/** `value`: stands for it in the help. */
type TextFlag = { readonly value: string; readonly help: string };

/** By name in camel case: `ledgerTime` is --ledger-time. */
export type FlagTable = {
  readonly numbers: Readonly<Record<string, NumberFlag>>;
  readonly texts?: Readonly<Record<string, TextFlag>>;
};

export type Flags<Table extends FlagTable> = {
  readonly numbers: { readonly [Name in keyof Table["numbers"]]: number };
  readonly texts: { readonly [Name in keyof Table["texts"]]?: string };
  readonly json: boolean;
};

/**
 * Runs `npm run <name>` on the process's own flags: those of the table, --json and --help. Resolves to the exit
 * code: what `run` returns, 2 for wrong flags. `say` writes a line to standard error.
 */
export async function runCommand<const Table extends FlagTable>(
  name: string,
  table: Table,
  run: (flags: Flags<Table>, say: (line: string) => void) => Promise<number>,
): Promise<number> {
  const say = (line: string): void => void process.stderr.write(`${name}: ${line}\n`);
  try {
    const flags = readFlags(table);
    if (flags !== undefined) return await run(flags, say);
    process.stdout.write(helpText(name, table));
    return 0;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    say(error.message);
    return 2;
  }
}

/** What is wrong with the flags. */
export class FlagError extends Error {}

/** Undefined where the help is asked for. */
function readFlags<const Table extends FlagTable>(table: Table): Flags<Table> | undefined {
  const names = [...Object.keys(table.numbers), ...Object.keys(table.texts ?? {})];
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = Object.fromEntries(names.map((name) => [kebab(name), text]));
  let given: Readonly<Record<string, string | boolean | undefined>>;
  try {
    given = parseArgs({ options: { ...options, json: flag, help: flag } }).values;
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error));
  }
  if (given.help === true) return undefined;
  const numbers = Object.entries(table.numbers).map(([name, { default: byDefault, min = 0 }]) => {
    const value = given[kebab(name)] ?? String(byDefault);
    if (!/^[0-9]+(\.[0-9]+)?$/.test(String(value)) || Number(value) < min) {
      throw new FlagError(`--${kebab(name)}: expected a number of at least ${min}`);
    }
    return [name, Number(value)];
  });
  const texts = Object.keys(table.texts ?? {}).map((name) => [name, given[kebab(name)]]);
  return {
    numbers: Object.fromEntries(numbers),
    texts: Object.fromEntries(texts),
    json: given.json === true,
  };
}

function helpText(name: string, { numbers, texts = {} }: FlagTable): string {
  const lines = [
    ...Object.entries(texts).map(([flag, { value, help }]) => [`${kebab(flag)} ${value}`, help]),
    ...Object.entries(numbers).map(([flag, { default: byDefault, help }]) => [
      `${kebab(flag)} N`,
      `${help} (${byDefault})`,
    ]),
    ["json", "the report as JSON"],
  ];
  const rows = lines.map(([flag = "", help]) => `  --${flag.padEnd(20)} ${help}\n`);
  return `npm run ${name} -- [--flag value ...]\n\n${rows.join("")}`;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
