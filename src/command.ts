// The head of the commands beside the engine: help, settings from flags and environment, and how they end.
import { readSettings, type Setting, type SettingValues, settingsHelp } from "./config/setting.ts";
import { StoreError } from "./store/store-error.ts";

/** Ends a command with a line that names it. 1: it could not be done. 2: a setting is wrong. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs `npm run <name>` on the process's own flags. Resolves to the exit code: what `run` returns, that of a
 * CommandError, 1 for a StoreError, 2 for a wrong setting. Rejects with any other error.
 */
export async function runCommand<const Settings extends readonly Setting[]>(
  name: string,
  settings: Settings,
  run: (values: SettingValues<Settings>) => Promise<number>,
): Promise<number> {
  const args = process.argv.slice(2);
  if (args.includes("--help")) {
    process.stdout.write(`npm run ${name} -- [--flag value ...]\n\n${settingsHelp(settings)}\n`);
    return 0;
  }
  const read = readSettings(settings, args, { environment: process.env });
  try {
    if (!read.ok) throw new CommandError(2, read.message);
    return await run(read.values);
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof StoreError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}
