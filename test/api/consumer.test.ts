// The exported types as a package elsewhere finds them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The compiled file lies in dist/test/api. */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

test("a client compiles against the package's types, and what they forbid does not", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules/hopbook"));
  copyFileSync(join(ROOT, "test/api/consumer.ts"), join(folder, "consumer.ts"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const tsc = spawnSync(
    process.execPath,
    [
      join(ROOT, "node_modules/typescript/bin/tsc"),
      ...["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--types", ""],
      ...["--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--traceResolution"],
      "consumer.ts",
    ],
    { cwd: folder, encoding: "utf8", timeout: 120_000 },
  );
  assert.equal(tsc.status, 0, tsc.stdout.replace(/^(===|'|File|Resolv|Found|Using).*\n/gm, ""));
  // Through the exports, to the declarations, not to a source.
  assert.match(tsc.stdout, /'hopbook\/api' was successfully resolved to '.*types\.d\.ts'/);
});

test("the package exports the documents", () => {
  const resolve = createRequire(import.meta.url).resolve;
  for (const name of ["openapi", "asyncapi"]) {
    const document = JSON.parse(readFileSync(resolve(`hopbook/${name}.json`), "utf8"));
    assert.match(document[name], /^3\./);
  }
});
