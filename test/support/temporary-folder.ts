import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** A folder that is removed when the tests of the file are done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hopbook-test-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
