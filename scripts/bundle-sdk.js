// Writes dist/node_modules/@stellar/stellar-sdk: the entry points of Stellar's SDK that are imported
// here, each in one file with what they share in another. The package has a file for every type of the
// protocol, and finding and compiling these hundreds took most of the time that a thread takes to start.
// Node looks for packages in the folders above a file, nearest first, so what lies in dist finds these.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const NAME = "@stellar/stellar-sdk";
const ENTRIES = ["base", "xdr"];
const WHOLE = `../../../../node_modules/${NAME}/lib/esm/index.js`;
const folder = fileURLToPath(new URL(`../dist/node_modules/${NAME}`, import.meta.url));

mkdirSync(folder, { recursive: true });
await build({
  absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
  entryPoints: Object.fromEntries(ENTRIES.map((entry) => [entry, `${NAME}/${entry}`])),
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
});
const exports = Object.fromEntries(ENTRIES.map((entry) => [`./${entry}`, `./${entry}.js`]));
// Everything else is the package's own: tests alone ask for it.
writeFileSync(`${folder}/index.js`, `export * from "${WHOLE}";\n`);
writeFileSync(
  `${folder}/package.json`,
  `${JSON.stringify({ name: NAME, type: "module", exports: { ...exports, ".": "./index.js" } })}\n`,
);
