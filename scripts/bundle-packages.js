// Writes dist/node_modules/@stellar/stellar-sdk: the entry points of Stellar's SDK that are imported
// here, each in one file with what they share in another. The package has a file for every type of the
// protocol, and finding and compiling these hundreds took most of the time that a thread takes to start.
// Node looks for packages in the folders above a file, nearest first, so what lies in dist finds these.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const NAME = "@stellar/stellar-sdk";
/** By what follows the package's name in an import. */
const ENTRIES = { index: "", base: "/base", contract: "/contract", xdr: "/xdr" };
const folder = fileURLToPath(new URL(`../dist/node_modules/${NAME}`, import.meta.url));

mkdirSync(folder, { recursive: true });
await build({
  absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
  entryPoints: Object.fromEntries(
    Object.entries(ENTRIES).map(([file, path]) => [file, NAME + path]),
  ),
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // For the client's HTTP library, which is of the older kind.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
const exports = Object.fromEntries(
  Object.entries(ENTRIES).map(([file, path]) => [`.${path}`, `./${file}.js`]),
);
writeFileSync(
  `${folder}/package.json`,
  `${JSON.stringify({ name: NAME, type: "module", exports })}\n`,
);
