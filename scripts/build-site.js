// Makes dist/site of console/: what the engine serves under /console. Bundles get names with a hash
// of their content, so that clients may keep them; every file gets compressed twins, once here
// instead of at each request.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "console");
const site = join(root, "dist/site");
const COMPRESSED = new Set([".css", ".html", ".js", ".json", ".svg", ".txt", ".yaml"]);
/** Bytes; compressing smaller files gains nothing. */
const COMPRESSED_BYTES_MIN = 512;

mkdirSync(site, { recursive: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { console: join(source, "src/main.ts"), style: join(source, "style/style.css") },
  outdir: site,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  // What signs transactions is loaded once somebody does.
  splitting: true,
  minify: true,
  format: "esm",
  // The first with light-dark(), which the stylesheet is written in.
  target: ["chrome123", "firefox120", "safari17.5"],
  legalComments: "linked",
  loader: { ".woff2": "file" },
  assetNames: "[name]-[hash]",
  metafile: true,
  logLevel: "warning",
});

/** The built file of an entry. */
const outputs = Object.keys(metafile.outputs).map((path) => path.slice("dist/site/".length));
const nameOf = (entry, extension) =>
  outputs.find((name) => name.startsWith(`${entry}-`) && extname(name) === extension);
// The page is served at /console, so its files lie below console/ for it.
const page = readFileSync(join(source, "index.html"), "utf8")
  .replace("%SCRIPT%", `console/${nameOf("console", ".js")}`)
  .replace("%STYLE%", `console/${nameOf("style", ".css")}`);
writeFileSync(join(site, "index.html"), page);
// The typeface may be given away with its licence only.
cpSync(
  join(root, "node_modules/@fontsource-variable/inter/LICENSE"),
  join(site, "inter-LICENSE.txt"),
);
if (existsSync(join(source, "static"))) cpSync(join(source, "static"), site, { recursive: true });

for (const name of readdirSync(site, { recursive: true, encoding: "utf8" })) {
  if (!COMPRESSED.has(extname(name))) continue;
  const bytes = readFileSync(join(site, name));
  if (bytes.length < COMPRESSED_BYTES_MIN) continue;
  writeFileSync(join(site, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  const params = { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY };
  writeFileSync(join(site, `${name}.br`), brotliCompressSync(bytes, { params }));
}
