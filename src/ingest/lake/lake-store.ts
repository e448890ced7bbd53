// The objects of a data lake: in a directory, or under an HTTP(S) URL.
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { errorText } from "../ingest-error.ts";
import { readLimited } from "../limited-body.ts";

/** An object could not be read for a reason that may pass. */
export class LakeError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "LakeError";
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

/** `where`: an http(s) URL, or the path of a directory (with or without file://). */
export function lakeStore(where: string): LakeStore {
  return isUrl(where) ? new HttpLake(where) : new DirectoryLake(directoryOf(where));
}

/** False for a directory that does not exist; what is behind a URL only its answers tell. */
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
  private readonly path: string;

  constructor(path: string) {
    this.name = path;
    this.path = path;
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    try {
      const file = await open(join(this.path, key));
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
  private readonly base: URL;

  constructor(url: string) {
    const base = new URL(url);
    if (!base.pathname.endsWith("/")) base.pathname += "/";
    this.base = base;
    this.name = `${base.host}${base.pathname}`;
  }

  async read(key: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const url = new URL(this.base);
    url.pathname += key;
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(url, { signal: AbortSignal.any([signal, timeout]) });
      // Object stores answer 403 for what is not there where listing is not allowed.
      if (response.status === 404 || response.status === 403) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok) {
        await response.body?.cancel();
        throw new LakeError(`${this.name}: HTTP ${response.status} for ${key}`);
      }
      const body = await readLimited(response, OBJECT_BYTES_MAX);
      if (body === undefined) throw new LakeError(`${this.name}: ${key} is too large`);
      return body;
    } catch (thrown) {
      if (thrown instanceof LakeError) throw thrown;
      throw new LakeError(`${this.name}: ${errorText(thrown)}`, thrown);
    }
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
