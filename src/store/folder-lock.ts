// Lock of a folder for one process, an engine or a devnet: the holder listens on a Unix socket in it. A dead
// process no longer listens, so a lock is never stale; and the socket is reached through the file, so that
// containers which share the folder see each other where they share the kernel.
//
// Invariant: a socket bears its name only while it listens, and a process that wants the folder checks
// the others' sockets after its own has its name. Of two at the same moment at least one sees the
// other then; the one with the lower name stays.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, rmSync } from "node:fs";
import { chmod, readdir, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeFolder } from "./data-folder.ts";
import { StoreError, unavailable } from "./store-error.ts";

export type FolderLock = {
  /** Of the lock's file in the folder. */
  readonly name: string;
  /** Releases the folder. The end of the process does the same. */
  release(): void;
};

const SOCKET_NAME = /^(engine|devnet)-([0-9]+)-[0-9a-f]{8}\.sock$/;
/** Of `sun_path` in the systems that have the least, with room for the closing zero. */
const SOCKET_PATH_BYTES_MAX = 100;
/** Time for a holder to identify itself; without an answer it still counts as one. */
const ANSWER_MS_MAX = 1000;
const ANSWER_BYTES_MAX = 1000;
/** Attempts to ask a process that ends meanwhile. */
const ASKS_MAX = 3;
/** Checks of others that are about to give way, and the time between two. */
const LOOKS_MAX = 100;
const LOOK_MS = 50;

/** What a socket says of its process. `held`: it has the folder and does not just want it. */
type Holder = {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly held: boolean;
};

/**
 * Takes the folder for this process, making it where there is none. Rejects with a StoreError:
 * `in_use` names the folder and the process that has it.
 */
export async function lockFolder(
  folder: string,
  program: "engine" | "devnet" = "engine",
): Promise<FolderLock> {
  try {
    await makeFolder(folder);
    return await takeFolder(folder, program);
  } catch (cause) {
    throw unavailable(`${folder} cannot be locked`, cause);
  }
}

/** The error that names the process on the folder; undefined where there is none, or no folder. */
export async function runningEngine(folder: string): Promise<StoreError | undefined> {
  try {
    const [holder] = (await livingHolders(folder)).filter(({ held }) => held);
    return holder && inUse(folder, holder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function takeFolder(folder: string, program: string): Promise<FolderLock> {
  const name = `${program}-${process.pid}-${randomBytes(4).toString("hex")}.sock`;
  const self = { name, pid: process.pid, host: hostname(), held: false };
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(JSON.stringify(self));
  });
  server.unref();
  const release = () => {
    process.removeListener("exit", release);
    rmSync(join(folder, name), { force: true });
    server.close();
  };
  process.once("exit", release);
  try {
    await listenAs(server, folder, name);
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const others = await livingHolders(folder, name);
      if (others.length === 0) {
        self.held = true;
        return { name, release };
      }
      const first = others.find(({ held }) => held) ?? others.find((other) => other.name < name);
      if (first !== undefined) throw inUse(folder, first);
      await delay(LOOK_MS);
    }
    throw new Error("others that want it do not give way");
  } catch (error) {
    release();
    throw error;
  }
}

function inUse(folder: string, { name, pid, host }: Holder): StoreError {
  const where = host === hostname() ? "" : ` on ${host}`;
  return new StoreError(
    "in_use",
    `${folder} is in use by a running ${SOCKET_NAME.exec(name)?.[1]}, process ${pid}${where}`,
  );
}

async function listenAs(server: Server, folder: string, name: string): Promise<void> {
  const unnamed = `${name}.new`;
  const near = nearPath(folder, unnamed);
  try {
    server.listen({ path: near.path });
    await once(server, "listening");
  } finally {
    near.close();
  }
  // Other users' engines must be able to ask, where the folder lets them in at all.
  await chmod(join(folder, unnamed), 0o666);
  await rename(join(folder, unnamed), join(folder, name));
}

/** Those that answer. The sockets of those that are gone are removed where that can be done. */
async function livingHolders(folder: string, own?: string): Promise<readonly Holder[]> {
  const names = (await readdir(folder)).filter((name) => SOCKET_NAME.test(name) && name !== own);
  const asked = await Promise.all(names.map((name) => askHolder(folder, name)));
  return asked.filter((holder) => holder !== undefined);
}

/** Undefined where no process listens. */
async function askHolder(folder: string, name: string): Promise<Holder | undefined> {
  for (let attempt = 0; attempt < ASKS_MAX; attempt += 1) {
    const answer = await askSocket(folder, name);
    if (answer === "nobody") {
      await rm(join(folder, name)).catch(() => undefined);
      return undefined;
    }
    if (answer === "silent") break;
    const holder = parseHolder(answer);
    if (holder !== undefined) return { ...holder, name };
  }
  // It is stopped or very busy: only its socket's name is known.
  return { name, pid: Number(SOCKET_NAME.exec(name)?.[2]), host: hostname(), held: true };
}

/** What the listener says: nothing at all where it ends meanwhile. */
function askSocket(folder: string, name: string): Promise<string | "nobody" | "silent"> {
  const near = nearPath(folder, name);
  return new Promise<string>((resolve, reject) => {
    const socket = connect({ path: near.path });
    let text = "";
    const timer = setTimeout(() => {
      resolve("silent");
      socket.destroy();
    }, ANSWER_MS_MAX);
    socket.setEncoding("utf8");
    socket.on("data", (data: string) => {
      text += data;
      if (text.length > ANSWER_BYTES_MAX) socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve("nobody");
      // Too many connections at once: a process listens.
      else if (error.code === "EAGAIN") resolve("silent");
      else if (error.code !== "ECONNRESET") reject(error);
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
  }).finally(() => near.close());
}

function parseHolder(text: string): Omit<Holder, "name"> | undefined {
  try {
    const { pid, host, held } = JSON.parse(text) as Record<string, unknown>;
    if (typeof pid !== "number" || typeof host !== "string" || typeof held !== "boolean") {
      return undefined;
    }
    return { pid, host, held };
  } catch {
    return undefined;
  }
}

/** A path of the socket that its address has room for: a long one leads through the open folder. */
function nearPath(folder: string, name: string): { readonly path: string; close(): void } {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return { path, close: () => undefined };
  if (process.platform !== "linux") throw new Error("its path is too long for a socket in it");
  const handle = openSync(folder, "r");
  return { path: `/proc/self/fd/${handle}/${name}`, close: () => closeSync(handle) };
}
