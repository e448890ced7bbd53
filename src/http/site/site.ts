// Serves the console and what is built beside it under /console. Main thread.
import { endWithBody } from "../answer-body.ts";
import { endHead, mayStayOpen } from "../response.ts";
import type { HttpRequest, HttpResponse } from "../uws.ts";
import type { SiteFile } from "./site-files.ts";

/** All paths of the site are this one or lie below it. */
const ROOT = "/console";

/**
 * No sources of other origins and nothing inline: injected text cannot run.
 * `connect-src 'self'` covers the push connection of the same host too; `origins` are asked besides.
 */
function contentSecurityPolicy(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    ["connect-src 'self'", ...origins].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

export type SiteOptions = {
  /** By path below /console, without the slash between; the empty path is the page itself. */
  readonly files: ReadonlyMap<string, SiteFile>;
  /** JSON texts made anew for each request, by path like files. */
  readonly documents: ReadonlyMap<string, () => string>;
  /** Other servers that pages may ask: the RPC that transactions are sent to. */
  readonly origins?: readonly string[];
};

export class Site {
  readonly #options: SiteOptions;
  readonly #policy: string;

  constructor(options: SiteOptions) {
    this.#options = options;
    this.#policy = contentSecurityPolicy(options.origins ?? []);
  }

  /** False for a path that is not the site's: nothing is written then. */
  serve(path: string, res: HttpResponse, req: HttpRequest, head: boolean): boolean {
    if (!path.startsWith(ROOT)) return false;
    if (path === ROOT) return this.#serveBelow("", res, req, head);
    if (path.charAt(ROOT.length) !== "/") return false;
    const below = path.slice(ROOT.length + 1);
    if (below === "" || below.endsWith("/")) return this.#redirect(path, below, res);
    return this.#serveBelow(below, res, req, head);
  }

  #serveBelow(below: string, res: HttpResponse, req: HttpRequest, head: boolean): boolean {
    const document = this.#options.documents.get(below);
    if (document !== undefined) {
      writeHeaders(res, "application/json", "no-store");
      writeBody(res, Buffer.from(document()), head);
      return true;
    }
    const file = this.#options.files.get(below);
    if (file === undefined) return false;
    if (file.contentType.startsWith("text/html")) {
      const policy = below === "" ? this.#policy : contentSecurityPolicy([]);
      return writeFile(file, res, req, { head, policy });
    }
    return writeFile(file, res, req, { head });
  }

  /**
   * A page is at its path without a slash, where its links lead to the right place. The target is
   * relative, so that it holds behind a proxy that adds a prefix.
   */
  #redirect(path: string, below: string, res: HttpResponse): boolean {
    const page = below.slice(0, -1);
    if (below === "/" || !this.#options.files.has(page)) return false;
    res.writeStatus("308 Permanent Redirect");
    res.writeHeader("Location", `../${path.slice(0, -1).split("/").at(-1) ?? ""}`);
    res.writeHeader("Access-Control-Allow-Origin", "*");
    endHead(res, 0);
    return true;
  }
}

type FileAnswer = { readonly head: boolean; readonly policy?: string };

function writeFile(
  file: SiteFile,
  res: HttpResponse,
  req: HttpRequest,
  { head, policy }: FileAnswer,
): true {
  const accepted = req.getHeader("accept-encoding");
  const known = req.getHeader("if-none-match");
  const has = known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === file.etag);
  const unchanged = has && mayStayOpen();
  if (unchanged) res.writeStatus("304 Not Modified");
  writeHeaders(
    res,
    file.contentType,
    file.hashed ? "public, max-age=31536000, immutable" : "no-cache",
  );
  if (policy !== undefined) {
    res.writeHeader("Content-Security-Policy", policy);
    res.writeHeader("Referrer-Policy", "no-referrer");
    res.writeHeader("Cross-Origin-Opener-Policy", "same-origin");
  }
  res.writeHeader("ETag", file.etag);
  res.writeHeader("Vary", "Accept-Encoding");
  if (unchanged) {
    res.endWithoutBody();
    return true;
  }
  if (file.brotli !== undefined && accepts(accepted, "br")) {
    res.writeHeader("Content-Encoding", "br");
    writeBody(res, file.brotli, head);
  } else if (file.gzip !== undefined && accepts(accepted, "gzip")) {
    res.writeHeader("Content-Encoding", "gzip");
    writeBody(res, file.gzip, head);
  } else writeBody(res, file.plain, head);
  return true;
}

function writeHeaders(res: HttpResponse, contentType: string, caching: string): void {
  res.writeHeader("Content-Type", contentType);
  res.writeHeader("Cache-Control", caching);
  res.writeHeader("Access-Control-Allow-Origin", "*");
  res.writeHeader("X-Content-Type-Options", "nosniff");
}

function writeBody(res: HttpResponse, body: Uint8Array, head: boolean): void {
  if (head) {
    endHead(res, body.length);
  } else endWithBody(res, body);
}

/** Whether an Accept-Encoding names the coding without refusing it by `q=0`. */
function accepts(header: string, coding: string): boolean {
  return header.split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    return name === coding && !parameters.some((text) => /^q=0(?:\.0*)?$/.test(text));
  });
}
