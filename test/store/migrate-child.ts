// Migrates the store of a data folder and kills itself as soon as it has told of a stage: node migrate-child.js
// <data folder> <stage>.
import { systemClock } from "../../src/model/clock.ts";
import { migrateStore } from "../../src/store/migration.ts";

const [dataDir = "", stage] = process.argv.slice(2);
await migrateStore(dataDir, {
  clock: systemClock,
  sliceRows: 1,
  progress: (made) => {
    if (made.stage === stage) process.kill(process.pid, "SIGKILL");
  },
});
