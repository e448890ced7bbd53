import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];
// Not in a hook: one that is set in `before` ends with it, and what still runs loses its files.
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed when the process of the tests ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hopbook-test-"));
  folders.push(folder);
  return folder;
}
