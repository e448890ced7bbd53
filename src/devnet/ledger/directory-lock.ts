// One process a directory: two that wrote the same chain would tear it.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const NAME = "lock";
/** Directories that this process holds. */
const held = new Set<string>();

/** Takes the directory for this process. Throws an Error where a living process holds it. */
export function lockDirectory(directory: string): void {
  const path = join(directory, NAME);
  for (;;) {
    try {
      writeFileSync(path, holderText(process.pid), { flag: "wx" });
      held.add(path);
      return;
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
    const holder = readFileSync(path, "utf8");
    const pid = Number.parseInt(holder, 10);
    const isHeld = pid === process.pid ? held.has(path) : isAlive(pid);
    if (isHeld && holder === holderText(pid)) {
      throw new Error(`${directory} is in use by the process ${pid}`);
    }
    // Left behind by a kill; the number may be another process's by now.
    rmSync(path, { force: true });
  }
}

export function unlockDirectory(directory: string): void {
  const path = join(directory, NAME);
  held.delete(path);
  rmSync(path, { force: true });
}

/**
 * The process and, where the system tells, when it started: numbers are used again. One that was
 * killed and that nobody has taken note of yet is still listed, but holds nothing.
 */
function holderText(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return ENDED.has(fields[0] ?? "") ? `${pid} ended` : `${pid} ${fields[STARTED_AT]}`;
  } catch {
    // Other systems have no /proc: the number has to do.
    return `${pid} `;
  }
}

/** Values of state, the first field. */
const ENDED = new Set(["Z", "X"]);
/** Index of starttime among the fields of /proc/<pid>/stat that follow the command's name. */
const STARTED_AT = 19;

/** A process of another user counts as living: it may be looked at, if not signalled. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
