// The examples as a user runs them.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Row } from "../e2e/api-client.ts";
import { FLAGS } from "../e2e/engine-process.ts";

/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 150_000;

/** Compiled beside this file's folder. */
function pathOf(name: string): string {
  return fileURLToPath(new URL(`../../examples/${name}.js`, import.meta.url));
}

export type Finished = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Resolves when it ended. */
export async function runExample(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const example = new RunningExample(name, args, env);
  const code = await example.exited;
  return { code, stdout: example.stdout, stderr: example.stderr };
}

export class RunningExample {
  readonly exited: Promise<number | null>;
  stdout = "";
  stderr = "";
  readonly #child: ChildProcess;
  readonly #lines: Row[] = [];
  #wake: () => void = () => undefined;

  constructor(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [...FLAGS, pathOf(name), ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 3 * WAIT_MS_MAX,
    });
    this.#child = child;
    child.stdout.on("data", (data) => {
      this.stdout += data;
    });
    child.stderr.on("data", (data) => {
      this.stderr += data;
    });
    createInterface(child.stdout).on("line", (line) => {
      if (!line.startsWith("{")) return;
      if (line !== "{") this.#lines.push(JSON.parse(line));
      this.#wake();
    });
    this.exited = new Promise((resolve) => child.once("close", resolve));
  }

  /** The next line of JSON. */
  async line(): Promise<Row> {
    const deadline = Date.now() + WAIT_MS_MAX;
    while (this.#lines.length === 0) {
      const left = deadline - Date.now();
      assert.ok(left > 0, `nothing printed: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timeout);
          resolve();
        };
      });
    }
    return this.#lines.shift();
  }

  /** The next line of JSON for which this holds; those before it are dropped. */
  async lineWhere(holds: (line: Row) => boolean): Promise<Row> {
    for (;;) {
      const line = await this.line();
      if (holds(line)) return line;
    }
  }

  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    this.#child.kill(signal);
  }
}
