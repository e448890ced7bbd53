// Replaces the entries of processes and threads in dist/src by ones that load a bundle of the modules they use,
// in dist/src/bundled: finding and loading some hundred files took a third of the work of a start.
// The modules themselves stay where they are, for tests and benches.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../dist/src/", import.meta.url));
const FOLDER = "bundled";
const ENTRIES = [
  "main",
  "backup",
  "export",
  "put-back",
  "replay",
  "restore",
  "verify",
  "devnet/devnet-process",
  "ingest/catch-up/range-worker",
  "ingest/reader-worker",
  "router-worker/worker",
  "sink/sink-worker",
  "store/probe",
];

/**
 * Node opens its debugger to whoever sends SIGUSR1 until something listens: that comes before the long load. In a
 * thread it does nothing.
 */
const entry = (bundle) => `process.on("SIGUSR1", () => {});\nawait import(${bundle});\n`;

/** Packages stay outside of the bundle; a module's own address stays the one that it had. */
const ownModules = {
  name: "own-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" ? undefined : { path, external: true },
    );
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const address = `new URL("../${relative(ROOT, path)}", import.meta.url).href`;
      const contents = readFileSync(path, "utf8").replaceAll("import.meta.url", address);
      return { contents, resolveDir: dirname(path) };
    });
  },
};

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES.map((entry) => `./${entry}.js`),
  entryNames: "[name]",
  outdir: FOLDER,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  plugins: [ownModules],
  logLevel: "warning",
});
for (const [path, { entryPoint, exports }] of Object.entries(metafile.outputs)) {
  // Chunks of dynamic imports have an entry point, too.
  const name = entryPoint?.replace(/\.js$/, "");
  if (!ENTRIES.includes(name)) continue;
  const file = resolve(ROOT, entryPoint);
  const bundle = JSON.stringify(`./${relative(dirname(entryPoint), path)}`.replace("./..", ".."));
  writeFileSync(
    file,
    exports.length > 0 ? `export { ${exports.join(", ")} } from ${bundle};\n` : entry(bundle),
  );
  rmSync(`${file}.map`, { force: true });
}
// The next tsc writes every file anew: entries among them, which would otherwise load a bundle of older modules.
rmSync(resolve(ROOT, "../.tsbuildinfo"), { force: true });
