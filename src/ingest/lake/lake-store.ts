// The objects of a data lake: in a directory, or under an HTTP(S) URL.
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { errorText } from "../ingest-error.ts";
import { RequestWatch, readLimited, retryAfterMs, splitCredentials } from "../source-http.ts";

/** An object could not be read for a reason that may pass. The message names its URL without credentials. */
export class LakeError extends Error {
  /** Retry-After of the lake, or 0. */
  readonly retryAfterMs: number;

  constructor(message: string, cause?: unknown, retryAfter = 0) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "LakeError";
    this.retryAfterMs = retryAfter;
  }
}

export interface LakeStore {
  /** As it may be shown: no credentials. */
  readonly name: string;
  /** Undefined where there is no such object. Throws LakeError. */
  read(key: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/** The largest object that is read: a batch of 64 of the largest ledgers seen, compressed. */
const OBJECT_BYTES_MAX = 64 << 20;
const TIMEOUT_MS = 60_000;
/** Without a byte of it. */
const IDLE_MS = 10_000;
/** Pause after an overload response without Retry-After (choice). */
const OVERLOAD_MS = 5_000;

/** `where`: an http(s) URL, or the path of a directory (with or without file://). */
export function lakeStore(where: string): LakeStore {
  return isUrl(where) ? new HttpLake(where) : new DirectoryLake(directoryOf(where));
}

/** False for a directory that does not exist. A URL is not checked before its first response. */
export function canBeLake(where: string): boolean {
  return isUrl(where) || existsSync(directoryOf(where));
}

function isUrl(where: string): boolean {
  return /^https?:\/\//i.test(where);
}

function directoryOf(where: string): string {
  return where.startsWith("file://") ? new URL(where).pathname : where;
}

class DirectoryLake implements LakeStore {
  readonly name: string;
  readonly #path: string;

  constructor(path: string) {
    this.name = path;
    this.#path = path;
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    try {
      const file = await open(join(this.#path, key));
      try {
        const { size } = await file.stat();
        if (size > OBJECT_BYTES_MAX) throw new LakeError(`${key} has ${size} bytes`);
        return await file.readFile();
      } finally {
        await file.close();
      }
    } catch (thrown) {
      if (thrown instanceof LakeError) throw thrown;
      if (codeOf(thrown) === "ENOENT") return undefined;
      throw new LakeError(`${key} cannot be read: ${errorText(thrown)}`, thrown);
    }
  }
}

class HttpLake implements LakeStore {
  readonly name: string;
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;
  /** Something could be read: a refusal after that is of one object. */
  #isOpen = false;

  constructor(url: string) {
    const { url: base, headers } = splitCredentials(url);
    if (!base.pathname.endsWith("/")) base.pathname += "/";
    this.#base = base;
    this.#headers = headers;
    this.name = `${base.host}${base.pathname}`;
  }

  async read(key: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const url = new URL(this.#base);
    url.pathname += key;
    const watch = new RequestWatch({ timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS }, signal);
    try {
      const response = await fetch(url, { headers: this.#headers, signal: watch.signal });
      if (!response.ok) {
        await response.body?.cancel();
        return this.#absent(key, response);
      }
      if (/\bhtml\b/i.test(response.headers.get("content-type") ?? "")) {
        await response.body?.cancel();
        throw this.#webPage(key, response);
      }
      const body = await readLimited(response, OBJECT_BYTES_MAX, () => watch.heard());
      if (body === undefined) throw new LakeError(`${this.#where(key)} is too large`);
      if (isMarkup(body)) throw this.#webPage(key, response);
      this.#isOpen = true;
      return body;
    } catch (thrown) {
      if (thrown instanceof LakeError) throw thrown;
      throw new LakeError(`${this.#where(key)}: ${errorText(thrown)}`, thrown);
    } finally {
      watch.done();
    }
  }

  /** Undefined where that is all that the status says. */
  #absent(key: string, { status, headers }: Response): undefined {
    // Object stores answer 403 for what is not there where listing is not allowed; a lake of which
    // nothing could be read yet refuses altogether.
    if (status === 404 || status === 410 || (status === 403 && this.#isOpen)) return undefined;
    const refuses = status === 401 || status === 403;
    const asked = retryAfterMs(headers.get("retry-after"));
    const retryAfter = asked ?? (status === 429 || status === 503 ? OVERLOAD_MS : 0);
    const what = refuses ? "the lake refuses" : "the lake does not answer";
    throw new LakeError(`${what}: HTTP ${status} for ${this.#where(key)}`, undefined, retryAfter);
  }

  #webPage(key: string, { status }: Response): LakeError {
    return new LakeError(`${this.#where(key)} answers with a web page (HTTP ${status})`);
  }

  /** The object's URL without credentials. */
  #where(key: string): string {
    return `${this.#base.protocol}//${this.name}${key}`;
  }
}

/** A page of a web site in place of an object: no form of ours begins so. */
function isMarkup(body: Uint8Array): boolean {
  const start = Buffer.from(body.subarray(0, 256)).toString("latin1").trimStart();
  return /^<(!doctype|html|head|\?xml|body|script|div)/i.test(start);
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
