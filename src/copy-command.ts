// The command line of backup and restore: two folders, and what was copied from one to the other.
import { textSchema } from "./config/schema.ts";
import { environmentName, readSettings, type Setting, settingsHelp } from "./config/setting.ts";
import type { StoreCopy } from "./store/backup.ts";
import { StoreError } from "./store/store-error.ts";

type Folder = Omit<Setting, "schema">;

export type CopyCommand = {
  readonly name: string;
  readonly args: readonly string[];
  readonly from: Folder;
  readonly to: Folder;
  readonly copy: (from: string, to: string) => Promise<StoreCopy>;
};

const BYTES_A_MB = 1_000_000;

/** Resolves to the exit code. */
export async function copyCommand({ name, args, copy, ...given }: CopyCommand): Promise<number> {
  const folders = [given.from, given.to].map((folder) => ({ ...folder, schema: textSchema }));
  if (args.includes("--help")) {
    process.stdout.write(`npm run ${name} -- [--flag value ...]\n\n${settingsHelp(folders)}\n`);
    return 0;
  }
  const read = readSettings(folders, args, { environment: process.env });
  if (!read.ok) return wrong(name, read.message);
  const [from, to] = [read.values[given.from.name], read.values[given.to.name]];
  if (from === undefined) return wrong(name, missing(given.from));
  if (to === undefined) return wrong(name, missing(given.to));
  try {
    const { ledger, networkPassphrase, contract, bytes } = await copy(from, to);
    process.stdout.write(
      `${to}: ledger ${ledger ?? "none"}, ${(bytes / BYTES_A_MB).toFixed(1)} MB, ` +
        `contract ${contract} on "${networkPassphrase}"\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    return 1;
  }
}

function missing({ name }: Folder): string {
  return `--${name}: not set; give it or ${environmentName(name)}`;
}

function wrong(name: string, message: string): number {
  process.stderr.write(`${name}: ${message}\n`);
  return 2;
}
