// Runs several test files, its arguments, in one process. A file that cannot be loaded fails as a test
// of its own and leaves the others alone.
import { test } from "node:test";
import { pathToFileURL } from "node:url";

// No test starts before every file is loaded, as in a process for one file: until then this test, which
// scripts/test-events.js leaves out, is in progress.
let loaded = () => undefined;
const loading = new Promise((resolve) => {
  loaded = resolve;
});
test("the files are loaded", () => loading);
for (const file of process.argv.slice(2)) {
  await import(pathToFileURL(file).href).catch((error) => {
    test(file, () => {
      throw error;
    });
  });
}
loaded();
