import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];
// Not in a hook of the caller: one set within `before` runs at its end, when the tests still need the folder.
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed when the process of the tests ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hopbook-test-"));
  folders.push(folder);
  return folder;
}
