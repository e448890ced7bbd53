// Runs every *.test.js under dist, or those whose path contains one of the arguments.
// Node 20 takes no quoted globs and Node 22 no folders, so the files are listed here.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = process.argv.slice(2);
const files = ["dist/src", "dist/console", "dist/test"]
  .filter((folder) => existsSync(`${root}${folder}`))
  .flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file}`,
    ),
  )
  .filter((file) => file.endsWith(".test.js") && !file.endsWith(".live.test.js"))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`no test file matches ${wanted.join(" ")}\n`);
  process.exit(1);
}
const run = spawnSync(
  process.execPath,
  [
    "--enable-source-maps",
    // A file's process can wait for ever at its end, for a thread that compiles and waits for it
    // (nodejs/node, issue 54918): seen once in some thousands. It is slower by nothing to speak of.
    "--no-concurrent-recompilation",
    "--import=./dist/test/support/property-seed.js",
    "--test",
    "--test-timeout=600000",
    ...files,
  ],
  { cwd: root, stdio: "inherit" },
);
if (files.some((file) => file.startsWith("dist/test/console/"))) {
  const { findBrowser, NO_BROWSER } = await import("../dist/test/console/find-browser.js");
  if (findBrowser() === undefined) process.stderr.write(`${NO_BROWSER}\n`);
}
process.exit(run.status ?? 1);
