// A disk that can be full: a tmpfs whose size follows what is asked of it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, statfsSync } from "node:fs";

const SIZE = "2g";
/** What is left to write when it is full. */
const LEFT_BYTES = 64 * 1024;
const ATTEMPTS_MAX = 10;
/** Each is mounted under its process's number: what is left of one that was killed is found by that. */
const NAME = "hopbook-chaos";

export class SmallDisk {
  readonly #path: string;

  /** Throws an Error where this user cannot mount one here. */
  constructor(path: string) {
    unmountLeftOvers();
    mkdirSync(path, { recursive: true });
    mount("-t", "tmpfs", "-o", `size=${SIZE}`, `${NAME}-${process.pid}`, path);
    this.#path = path;
  }

  /** Throws an Error where it grows faster than it can be made small. */
  fill(): void {
    for (let attempt = 1; ; attempt += 1) {
      const { blocks, bfree, bsize } = statfsSync(this.#path);
      const used = (blocks - bfree) * bsize;
      try {
        mount("-o", `remount,size=${used + attempt * LEFT_BYTES}`, this.#path);
        return;
      } catch (error) {
        // It has more in it by now than was to be its size.
        if (attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  empty(): void {
    mount("-o", `remount,size=${SIZE}`, this.#path);
  }

  unmount(): void {
    execFileSync("umount", [this.#path], { stdio: "ignore" });
    rmdirSync(this.#path);
  }
}

/** Of runs that were killed. */
function unmountLeftOvers(): void {
  const mounts = existsSync("/proc/self/mounts") ? readFileSync("/proc/self/mounts", "utf8") : "";
  for (const line of mounts.split("\n")) {
    const [source = "", path = ""] = line.split(" ");
    const pid = new RegExp(`^${NAME}-(\\d+)$`).exec(source)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    execFileSync("umount", [path], { stdio: "ignore" });
  }
}

function mount(...args: readonly string[]): void {
  execFileSync("mount", args, { stdio: ["ignore", "ignore", "pipe"] });
}
