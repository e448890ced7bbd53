// npm run put-back: a store that was set aside takes its place again.
// Exit code 0 where it does, 1 where there is none, 2 for a wrong setting or a folder in use.
import { CommandError, runCommand } from "./command.ts";
import { textSchema } from "./config/schema.ts";
import type { Setting, SettingValues } from "./config/setting.ts";
import { systemClock } from "./model/clock.ts";
import { lockFolder } from "./store/folder-lock.ts";
import { putBack } from "./store/set-aside.ts";
import { StoreError } from "./store/store-error.ts";

const settings = [
  { name: "data-dir", help: "data folder of the engine", default: "data", schema: textSchema },
  { name: "store", help: "which one; without it the one set aside last", schema: textSchema },
] as const satisfies readonly Setting[];

process.exit(await runCommand("put-back", settings, takeBack));

async function takeBack(values: SettingValues<typeof settings>): Promise<number> {
  const { "data-dir": dataDir, store } = values;
  try {
    await lockFolder(dataDir);
    const { from, aside } = await putBack(dataDir, systemClock, store);
    const rest = aside === undefined ? "" : `; what was there is ${aside}`;
    process.stdout.write(`${from} is the store again${rest}\n`);
    return 0;
  } catch (error) {
    const isInUse = error instanceof StoreError && error.code === "in_use";
    throw isInUse ? new CommandError(2, error.message) : error;
  }
}
