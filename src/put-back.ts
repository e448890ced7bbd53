// npm run put-back: a store that was set aside takes its place again.
// Exit code 0 where it does, 1 where there is none, 2 for a wrong setting or a folder in use.
import { textSchema } from "./config/schema.ts";
import { readSettings, type Setting, settingsHelp } from "./config/setting.ts";
import { systemClock } from "./model/clock.ts";
import { lockFolder } from "./store/folder-lock.ts";
import { putBack } from "./store/put-back.ts";
import { StoreError } from "./store/store-error.ts";

const settings = [
  { name: "data-dir", help: "data folder of the engine", default: "data", schema: textSchema },
  { name: "store", help: "which one; without it the one set aside last", schema: textSchema },
] as const satisfies readonly Setting[];

process.exit(await main(process.argv.slice(2)));

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(`npm run put-back -- [--flag value ...]\n\n${settingsHelp(settings)}\n`);
    return 0;
  }
  const read = readSettings(settings, args, { environment: process.env });
  if (!read.ok) {
    process.stderr.write(`put-back: ${read.message}\n`);
    return 2;
  }
  const { "data-dir": dataDir, store } = read.values;
  try {
    await lockFolder(dataDir);
    const { from, aside } = await putBack(dataDir, systemClock, store);
    const rest = aside === undefined ? "" : `; what was there is ${aside}`;
    process.stdout.write(`${from} is the store again${rest}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    process.stderr.write(`put-back: ${error.message}\n`);
    return error.code === "in_use" ? 2 : 1;
  }
}
