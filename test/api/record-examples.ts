// npm run record-examples: renews the examples of the descriptions from a run.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { EXAMPLES_FOLDER } from "../../src/api/examples.ts";
import { recordRun } from "./recorded-run.ts";

const examples = await recordRun();
rmSync(EXAMPLES_FOLDER, { recursive: true, force: true });
for (const [kind, files] of Object.entries(examples)) {
  const folder = new URL(`${kind}/`, EXAMPLES_FOLDER);
  mkdirSync(folder, { recursive: true });
  for (const [name, rows] of Object.entries(files)) {
    writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(rows, null, 2)}\n`);
  }
}
