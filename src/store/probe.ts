// Probe process: reads a store as the engine will, since a damaged file can kill the reader. node probe.js <path>
// <how>. Exit code 0 when everything could be read and the tables hold as many entries as they say. `quick` reads what
// a start reads, and the ends of the other tables; `deep` reads all.

import { messageOf } from "../model/thrown.ts";
import { entryCount, openRoot, openTable, type Table, tableNames } from "./tables.ts";

/** Entries read at each end of a table by the quick way. */
const QUICK_ENTRIES = 1000;
const FIRST_KEY = Buffer.from([0]);
const LAST_KEY = Buffer.alloc(64, 0xff);

const [path = "", how] = process.argv.slice(2);
try {
  const root = openRoot(path, { readOnly: true });
  const names = tableNames(root);
  if (names.length !== entryCount(root)) throw new Error("tables are missing");
  for (const name of names) readTable(name, openTable(root, name));
  await root.close();
} catch (error) {
  process.stdout.write(messageOf(error));
  process.exitCode = 1;
}

function readTable(name: string, table: Table): void {
  const whole = how === "deep" || name === "live";
  const count = entryCount(table);
  const limit = whole ? count + 1 : Math.min(count, QUICK_ENTRIES);
  const forward = readEntries(table, { start: FIRST_KEY, end: LAST_KEY, limit });
  const backward = whole
    ? forward
    : readEntries(table, { start: LAST_KEY, end: FIRST_KEY, reverse: true, limit });
  const expected = Math.min(count, limit);
  if (forward !== expected || backward !== expected) {
    throw new Error(`the table ${name} does not hold what it says`);
  }
}

function readEntries(
  table: Table,
  range: { start: Buffer; end: Buffer; reverse?: boolean; limit: number },
): number {
  let count = 0;
  for (const { key, value } of table.getRange(range)) {
    if (key.length === 0 || value === undefined) throw new Error("an entry without a key or value");
    count += 1;
  }
  return count;
}
