// The engine as a process of its own, as an operator would run it.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url));
/** Generous: machines that run tests can be slow, and so is opening a large store. */
const START_MS_MAX = 120_000;
const LOG_LINES_KEPT = 200;
const WARN = 40;
/**
 * An engine of a test lives for seconds: code is optimized once it ran thirty times as much as V8 waits for by default,
 * which is a quarter of the work of a start and of the first ledgers. Later lines of Node, which compile in more steps,
 * have no such flag. Nor has it source maps: the runner of the tests looks up what it prints.
 */
export const FLAGS = [
  "--single-threaded-gc",
  ...(process.version.startsWith("v20.") ? ["--interrupt-budget=2000000"] : []),
];

export type EngineSettings = {
  readonly rpcUrl: string;
  readonly passphrase: string;
  readonly contract: string;
  readonly dataDir: string;
  /** Further variables, which win over those of the tests; undefined: the engine's own default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly flags?: readonly string[];
  /** URLs of modules that are loaded before its own code; they take messages and send them. */
  readonly preloads?: readonly string[];
  /** As operators run it, for benches; otherwise it starts with less work (FLAGS), and its metrics are off. */
  readonly asPackaged?: boolean;
};

/** A log line of the engine. */
type LogLine = {
  readonly level?: number;
  readonly msg?: string;
  readonly port?: number;
  /** URL of the operators' listener. */
  readonly operators?: string;
  readonly ledger?: number;
};

export class EngineProcess {
  readonly child: ChildProcess;
  /** Resolves with the port once the engine listens; rejects where it ends before. */
  readonly listening: Promise<number>;
  /** Called with each port it listens on. */
  #onListening: (port: number) => void = () => undefined;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** URL of its operators' listener, once that listens: where OPERATORS_PORT asks for one. */
  operators: string | undefined;
  /** The last lines it logged. */
  readonly log: LogLine[] = [];
  /** Lines so far that are warnings or worse, by message. */
  readonly complaints = new Map<string, number>();

  constructor(settings: EngineSettings) {
    const { asPackaged = false, flags = [], preloads = [] } = settings;
    const loaded = preloads.flatMap((url) => ["--import", url]);
    const nodeFlags = [...(asPackaged ? ["--enable-source-maps"] : FLAGS), ...loaded];
    const args = [...nodeFlags, MAIN, "engine", ...flags];
    this.child = spawn(process.execPath, args, {
      env: {
        ...process.env,
        RPC_URL: settings.rpcUrl,
        NETWORK_PASSPHRASE: settings.passphrase,
        CONTRACT: settings.contract,
        DATA_DIR: settings.dataDir,
        HOST: "127.0.0.1",
        PORT: "0",
        WORKERS: "1",
        OPERATORS_PORT: asPackaged ? "0" : "off",
        LOG_FORMAT: "json",
        // Tests need not wait as long as a balancer may show another network.
        RESET_PROOF: "1",
        // How busy the machine is must not decide whether a stop ends well.
        STOP_SECONDS: "120",
        // As packaged.
        MALLOC_TRIM_THRESHOLD_: "131072",
        ...settings.environment,
      },
      stdio: ["ignore", "pipe", "inherit", ...(loaded.length > 0 ? ["ipc" as const] : [])],
    });
    // Not at `exit`, which can come before the last lines of the log.
    this.exited = once(this.child, "close").then(([code, signal]) => ({ code, signal }));
    this.listening = this.#readLog();
    // Whoever kills it before it listens does not wait for that.
    this.listening.catch(() => undefined);
  }

  /** The port of the next time it listens, which it does where its network began anew. */
  listensAgain(): Promise<number> {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => reject(this.failure("does not listen again")), START_MS_MAX);
      this.#onListening = (port) => {
        clearTimeout(timeout);
        resolve(port);
      };
    });
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  /** Ends it as an operator does, and checks that it ends well. */
  async stop(): Promise<void> {
    this.child.kill("SIGTERM");
    const { code, signal } = await this.exited;
    if (code !== 0) throw this.failure(`ended with ${signal ?? code}`);
  }

  #readLog(): Promise<number> {
    const { stdout } = this.child;
    assert.ok(stdout !== null);
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => reject(this.failure("does not listen")), START_MS_MAX);
      const lines = createInterface(stdout);
      lines.on("line", (text) => {
        const line = this.#parse(text);
        const { level = 0, msg = "" } = line;
        this.log.push(line);
        if (this.log.length > LOG_LINES_KEPT) this.log.shift();
        if (level >= WARN) this.complaints.set(msg, (this.complaints.get(msg) ?? 0) + 1);
        this.operators ??= line.operators;
        if (line.port === undefined) return;
        clearTimeout(timeout);
        resolve(line.port);
        this.#onListening(line.port);
      });
      lines.on("close", () => {
        clearTimeout(timeout);
        reject(this.failure("ended"));
      });
    });
  }

  failure(what: string): Error {
    return new Error(`the engine ${what}: ${JSON.stringify(this.log)}`);
  }

  #parse(text: string): LogLine {
    try {
      return JSON.parse(text) as LogLine;
    } catch {
      // The last line of a process that was killed may be cut off.
      return { msg: text };
    }
  }
}
