// A process that a bench starts from a file beside it, and talks with.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";

export class Child<To extends object, From> {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  #isClosed = false;
  readonly #file: string;

  /** `file`: compiled. `flags`: of Node, beside this process's own. */
  constructor(file: URL, flags: readonly string[] = []) {
    this.#file = basename(file.pathname);
    this.#process = fork(file, {
      execArgv: [...process.execArgv, ...flags],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    // Not at `exit`, which can come before the last messages.
    this.#closed = once(this.#process, "close").then(() => {
      this.#isClosed = true;
    });
  }

  get pid(): number {
    return this.#process.pid ?? assert.fail(`${this.#file} did not start`);
  }

  /** Calls `listener` with every message; returns what ends that. */
  onMessage(listener: (message: From) => void): () => void {
    this.#process.on("message", listener);
    return () => void this.#process.off("message", listener);
  }

  /** Lost where the process has ended; `awaited` then rejects. */
  send(message: To): void {
    tell(this.#process, message);
  }

  ask(message: To): Promise<From> {
    const answer = this.next();
    this.send(message);
    return answer;
  }

  next(): Promise<From> {
    return this.awaited((message) => message);
  }

  /**
   * What `take` makes of the first message of which it makes something. Rejects with what `take`
   * throws, and where the process has ended.
   */
  awaited<T>(take: (message: From) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const gone = (): void => finish(() => reject(new Error(`${this.#file} ended`)));
      const off = this.onMessage((message) => {
        try {
          const taken = take(message);
          if (taken !== undefined) finish(() => resolve(taken));
        } catch (error) {
          finish(() => reject(error));
        }
      });
      const finish = (settle: () => void): void => {
        off();
        this.#process.off("close", gone);
        settle();
      };
      this.#process.on("close", gone);
      if (this.#isClosed) gone();
    });
  }

  /** At once. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#closed;
  }

  /** Resolves once it has ended by itself. */
  async ended(): Promise<void> {
    await this.#closed;
  }
}

/** Ignores a failed send: that the process has ended is seen by its `close`. */
export function tell(child: ChildProcess, message: object): void {
  if (child.connected) child.send(message, () => undefined);
}
