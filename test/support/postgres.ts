// A PostgreSQL server of a test's own: data and socket in a folder of its own, no port, gone with the process.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { temporaryFolder } from "./temporary-folder.ts";

/** What tests print that are left out for it. */
export const NO_POSTGRES =
  "no PostgreSQL found that can be started: tests of the history sink are left out; install postgresql, or set PG_BIN to its programs";

/** nobody, on every Linux: the server runs for no administrator. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const LOOK_MS = 30;
const START_MS_MAX = 60_000;

/** Folder of the server's programs: PG_BIN, that of the newest version where Debian has them, or PATH's. */
export function findPostgres(): string | undefined {
  const versions = "/usr/lib/postgresql";
  const installed = existsSync(versions) ? readdirSync(versions) : [];
  const newestFirst = installed.sort((one, other) => Number(other) - Number(one));
  const folders = [
    process.env.PG_BIN ?? "",
    ...newestFirst.map((version) => join(versions, version, "bin")),
    ...(process.env.PATH ?? "").split(":"),
  ];
  return folders.find(
    (folder) =>
      folder !== "" &&
      existsSync(join(folder, "initdb")) &&
      // The server refuses to run for a user id without a name.
      spawnSync("id", ["-un"], { ...USER, cwd: "/" }).status === 0 &&
      spawnSync(join(folder, "postgres"), ["--version"], { ...USER, cwd: "/" }).status === 0,
  );
}

export class Postgres {
  readonly #bin: string;
  /** Of the socket. */
  readonly folder: string;
  #server: ChildProcess | undefined;

  private constructor(bin: string, folder: string) {
    this.#bin = bin;
    this.folder = folder;
  }

  static make(bin: string): Postgres {
    const folder = temporaryFolder();
    if (USER.uid !== undefined) chownSync(folder, USER.uid, USER.gid);
    const args = ["-D", join(folder, "data"), "-U", "hopbook", "-A", "trust", "-E", "UTF8"];
    const more = ["--locale=C", "--no-sync", "--no-instructions"];
    const made = spawnSync(join(bin, "initdb"), [...args, ...more], {
      ...USER,
      cwd: folder,
      encoding: "utf8",
    });
    assert.equal(made.status, 0, made.stderr);
    return new Postgres(bin, folder);
  }

  /** As --history-sink takes it; the password is not asked for. */
  url(user = "hopbook"): string {
    return `postgres://${user}:s%40cret-of-tests@/postgres?host=${this.folder}`;
  }

  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const all = {
      listen_addresses: "",
      unix_socket_directories: this.folder,
      // Without flushes a killed server loses nothing; only a power failure would.
      fsync: "off",
      shared_buffers: "16MB",
      ...settings,
    };
    const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#server = spawn(join(this.#bin, "postgres"), ["-D", join(this.folder, "data"), ...args], {
      ...USER,
      cwd: this.folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#server.stderr?.resume();
    const end = Date.now() + START_MS_MAX;
    for (;;) {
      try {
        await (await this.connect()).end();
        return;
      } catch (error) {
        if (Date.now() > end) throw error;
        await delay(LOOK_MS);
      }
    }
  }

  async connect(): Promise<Client> {
    const client = new Client(this.url());
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  /** `now`: as a crash, without a word to clients and without writing what is in memory. */
  async stop(how: "now" | "in order" = "in order"): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const ended = once(server, "exit");
    server.kill(how === "now" ? "SIGQUIT" : "SIGINT");
    await ended;
  }
}
