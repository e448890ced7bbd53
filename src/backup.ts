// npm run backup: copies the store of a data folder while an engine runs on it, or while none does.
// Exit code 0 where the copy is whole, 1 where there is none, 2 for a wrong setting.
import { copyCommand } from "./copy-command.ts";
import { backupStore } from "./store/backup.ts";

process.exitCode = await copyCommand({
  name: "backup",
  from: {
    name: "data-dir",
    help: "data folder to copy; an engine may run on it",
    default: "data",
  },
  to: { name: "to", help: "data folder to make, the backup; it may hold nothing yet" },
  copy: backupStore,
});
