// The built files of the console, read once at start: they are small and never change while it runs.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, sep } from "node:path";

export type SiteFile = {
  readonly contentType: string;
  /** Quoted, of the plain bytes. */
  readonly etag: string;
  /** The name holds a hash of the content: a client may keep it for ever. */
  readonly hashed: boolean;
  readonly plain: Uint8Array;
  /** Absent where the build made no compressed twin. */
  readonly gzip?: Uint8Array;
  readonly brotli?: Uint8Array;
};

/** Bounds of a folder that is what it should be, many times over (choice). */
const FILES_MAX = 1000;
const BYTES_MAX = 64 * 1024 * 1024;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
  ".yaml": "application/yaml",
};

/** `name-4JQW7XKD.js`: what esbuild calls a file by its content. */
const HASHED = /-[A-Z0-9]{8}\.[a-z0-9]+$/;

/**
 * Files by their path in the folder, with `/` between names; `x.html` is listed as `x`, `index.html`
 * as the empty path. Throws an Error fit for an operator where the folder is not there or no site.
 */
export function readSiteFiles(folder: string): ReadonlyMap<string, SiteFile> {
  const names = listed(folder);
  if (names.length > FILES_MAX) throw new Error(`${folder} holds more than ${FILES_MAX} files`);
  const known = new Set(names);
  const files = new Map<string, SiteFile>();
  let bytes = 0;
  for (const name of names) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    const read = (file: string): Uint8Array => readFileSync(join(folder, file));
    const plain = read(name);
    const gzip = known.has(`${name}.gz`) ? read(`${name}.gz`) : undefined;
    const brotli = known.has(`${name}.br`) ? read(`${name}.br`) : undefined;
    bytes += plain.length + (gzip?.length ?? 0) + (brotli?.length ?? 0);
    if (bytes > BYTES_MAX) throw new Error(`${folder} holds more than ${BYTES_MAX} bytes`);
    files.set(pathOf(name), {
      contentType,
      etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 16)}"`,
      hashed: HASHED.test(name),
      plain,
      ...(gzip === undefined ? {} : { gzip }),
      ...(brotli === undefined ? {} : { brotli }),
    });
  }
  if (!files.has("")) throw new Error(`the console is not built: ${folder} has no index.html`);
  return files;
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      statSync(join(folder, name)).isFile(),
    );
  } catch (error) {
    throw new Error(`the console is not built: ${folder} cannot be read; npm run build makes it`, {
      cause: error,
    });
  }
}

function pathOf(name: string): string {
  const path = name.split(sep).join("/");
  if (path === "index.html") return "";
  return path.endsWith(".html") ? path.slice(0, -".html".length) : path;
}
