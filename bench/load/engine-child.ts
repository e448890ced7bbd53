// The engine as it is shipped, in a process of its own with a preload that tells about it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tell } from "../child.ts";
import type { FromEngine, Probe, ToEngine } from "./engine-preload.ts";

const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));
const PRELOAD = new URL("./engine-preload.js", import.meta.url).href;
/** Opening a large store can take a while on a busy machine. */
const START_MS_MAX = 120_000;
const LOG_LINES_KEPT = 200;
const WARN = 40;

export type EngineChildOptions = {
  readonly rpcUrl: string;
  readonly passphrase: string;
  readonly contract: string;
  readonly dataDir: string;
  /** 0: any. */
  readonly port: number;
  /** More flags of the engine. */
  readonly flags?: readonly string[];
  /** More modules loaded before its own code. */
  readonly preloads?: readonly string[];
};

export type EngineLogLine = {
  readonly level?: number;
  readonly msg?: string;
  readonly port?: number;
};

export class EngineChild {
  readonly child: ChildProcess;
  /** The port of the API; rejects where it ends before it listens. */
  readonly listening: Promise<number>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Its last log lines. */
  readonly log: EngineLogLine[] = [];
  /** Lines logged so far that are warnings or worse, by message. */
  readonly complaints = new Map<string, number>();
  readonly #waiting = new Map<number, (probe: Probe) => void>();
  #nextId = 0;

  constructor(options: EngineChildOptions) {
    const preloads = [PRELOAD, ...(options.preloads ?? [])].flatMap((url) => ["--import", url]);
    const flags = [
      ["--host", "127.0.0.1"],
      ["--port", String(options.port)],
      ["--rpc-url", options.rpcUrl],
      ["--network-passphrase", options.passphrase],
      ["--contract", options.contract],
      ["--data-dir", options.dataDir],
      ["--operators-port", "0"],
      ["--log-format", "json"],
      options.flags ?? [],
    ].flat();
    const args = ["--enable-source-maps", ...preloads, MAIN, "engine", ...flags];
    this.child = spawn(process.execPath, args, {
      // As packaged.
      env: { MALLOC_TRIM_THRESHOLD_: "131072", ...process.env },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    this.exited = once(this.child, "exit").then(([code, signal]) => ({ code, signal }));
    this.child.on("message", (message: FromEngine) => {
      if (message.kind !== "probe") return;
      this.#waiting.get(message.id)?.(message.probe);
      this.#waiting.delete(message.id);
    });
    this.listening = this.#readLog();
    // Whoever kills it before it listens does not wait for that.
    this.listening.catch(() => undefined);
  }

  /** Undefined where the process ends before it answers. */
  probe(): Promise<Probe | undefined> {
    const id = this.#nextId;
    this.#nextId += 1;
    const answered = new Promise<Probe>((resolve) => this.#waiting.set(id, resolve));
    this.send({ kind: "probe", id } satisfies ToEngine);
    return Promise.race([answered, this.exited.then(() => undefined)]);
  }

  send(message: object): void {
    tell(this.child, message);
  }

  /** Ends it as `kill -9` does. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exited;
  }

  /** Ends it as an operator does; throws an Error where it does not end well. */
  async stop(): Promise<void> {
    this.child.kill("SIGTERM");
    const { code, signal } = await this.exited;
    if (code !== 0) throw this.failure(`ended with ${code ?? signal}`);
  }

  failure(what: string): Error {
    return new Error(`the engine ${what}: ${JSON.stringify(this.log.slice(-10))}`);
  }

  #readLog(): Promise<number> {
    const { stdout } = this.child;
    if (stdout === null) throw new Error("the engine has no output");
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => reject(this.failure("does not listen")), START_MS_MAX);
      const lines = createInterface(stdout);
      lines.on("line", (text) => {
        const line = parseLine(text);
        this.log.push(line);
        if (this.log.length > LOG_LINES_KEPT) this.log.shift();
        if ((line.level ?? 0) >= WARN) {
          const message = line.msg ?? "";
          this.complaints.set(message, (this.complaints.get(message) ?? 0) + 1);
        }
        if (line.port === undefined || line.msg?.startsWith("serving the API") !== true) return;
        clearTimeout(timeout);
        resolve(line.port);
      });
      lines.on("close", () => {
        clearTimeout(timeout);
        reject(this.failure("ended"));
      });
    });
  }
}

function parseLine(text: string): EngineLogLine {
  try {
    return JSON.parse(text) as EngineLogLine;
  } catch {
    // Not of the engine's logger: kept as it is.
    return { msg: text };
  }
}
