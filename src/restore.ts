// npm run restore: makes a data folder from a backup.
// Exit code 0 where it is whole, 1 where there is none, 2 for a wrong setting.
import { copyCommand } from "./copy-command.ts";
import { restoreStore } from "./store/backup.ts";

process.exitCode = await copyCommand({
  name: "restore",
  from: { name: "from", help: "the backup: a folder made by npm run backup" },
  to: { name: "data-dir", help: "data folder to make; it may hold nothing yet" },
  copy: restoreStore,
});
