// The command line of the examples.
import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * What the flags say. `--help` prints the usage and ends the process; a wrong flag ends
 * it with exit code 2 and the usage.
 */
export function readFlags<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  usage: string,
  options: Options,
) {
  if (process.argv.includes("--help")) {
    console.log(`usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return wrongUsage(usage, error instanceof Error ? error.message : String(error));
  }
}

export function wrongUsage(usage: string, problem: string): never {
  console.error(problem);
  console.error(`usage: ${usage}`);
  process.exit(2);
}

/** Of these flags each that is given must be an integer of digits alone, and above 0 where it says so. */
export function requireIntegers(
  usage: string,
  flags: Readonly<Record<string, string | undefined>>,
  min: 0 | 1,
): void {
  for (const [name, text] of Object.entries(flags)) {
    if (text === undefined || (/^[0-9]+$/.test(text) && BigInt(text) >= min)) continue;
    wrongUsage(usage, `--${name}: expected an integer of at least ${min}, not ${text}`);
  }
}
