// A process that reads a store as the engine will, and may die of it: node probe.js <path> <how>.
// Exit code 0 when everything could be read. `quick` reads what a start reads, and the ends of the
// other tables; `deep` reads all.
import { openRoot, openTable, type Table, tableNames } from "./tables.ts";

/** Entries read at each end of a table by the quick way. */
const QUICK_ENTRIES = 1000;
const FIRST_KEY = Buffer.from([0]);
const LAST_KEY = Buffer.alloc(64, 0xff);

const [path = "", how] = process.argv.slice(2);
try {
  const root = openRoot(path, { readOnly: true });
  for (const name of tableNames(root)) {
    const table = openTable(root, name);
    const whole = how === "deep" || name === "live";
    readEntries(table, { reverse: false, limit: whole ? Number.MAX_SAFE_INTEGER : QUICK_ENTRIES });
    if (!whole) readEntries(table, { reverse: true, limit: QUICK_ENTRIES });
  }
  await root.close();
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

function readEntries(table: Table, options: { reverse: boolean; limit: number }): void {
  const [start, end] = options.reverse ? [LAST_KEY, FIRST_KEY] : [FIRST_KEY, LAST_KEY];
  for (const { key, value } of table.getRange({ start, end, ...options })) {
    if (key.length + value.length < 1) throw new Error("an entry without a key");
  }
}
