// The command line of backup and restore: two folders, and what was copied from one to the other.
import { CommandError, runCommand } from "./command.ts";
import { textSchema } from "./config/schema.ts";
import { environmentName, type Setting } from "./config/setting.ts";
import type { StoreCopy } from "./store/backup.ts";

type Folder = Omit<Setting, "schema">;

export type CopyCommand = {
  readonly name: string;
  readonly from: Folder;
  readonly to: Folder;
  readonly copy: (from: string, to: string) => Promise<StoreCopy>;
};

const BYTES_A_MB = 1_000_000;

/** Resolves to the exit code. */
export function copyCommand({ name, copy, ...given }: CopyCommand): Promise<number> {
  const folders = [given.from, given.to].map((folder) => ({ ...folder, schema: textSchema }));
  return runCommand(name, folders, async (values) => {
    const [from, to] = [values[given.from.name], values[given.to.name]];
    if (from === undefined) throw missing(given.from);
    if (to === undefined) throw missing(given.to);
    const { ledger, networkPassphrase, contract, bytes } = await copy(from, to);
    process.stdout.write(
      `${to}: ledger ${ledger ?? "none"}, ${(bytes / BYTES_A_MB).toFixed(1)} MB, ` +
        `contract ${contract} on "${networkPassphrase}"\n`,
    );
    return 0;
  });
}

function missing({ name }: Folder): CommandError {
  return new CommandError(2, `--${name}: not set; give it or ${environmentName(name)}`);
}
