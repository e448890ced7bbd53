// Writes dist/node_modules: packages of hundreds of files, each entry point that is imported here in one
// file, with what they share in another. Stellar's SDK has a file for every type of the protocol and zod one
// for every language: finding and compiling these took most of the time that a thread takes to start.
// Node looks for packages in the folders above a file, nearest first, so what lies in dist finds these.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** By package: its entry points, by what follows its name in an import. */
const PACKAGES = {
  "@stellar/stellar-sdk": { index: "", base: "/base", contract: "/contract", xdr: "/xdr" },
  zod: { index: "" },
};

for (const [name, entries] of Object.entries(PACKAGES)) {
  const folder = fileURLToPath(new URL(`../dist/node_modules/${name}`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([file, path]) => [file, name + path]),
    ),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // For the SDK's HTTP library, which is of the older kind.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const exports = Object.fromEntries(
    Object.entries(entries).map(([file, path]) => [`.${path}`, `./${file}.js`]),
  );
  writeFileSync(`${folder}/package.json`, `${JSON.stringify({ name, type: "module", exports })}\n`);
}
