// The main thread's side of the sink thread: starts it, signals steps, keeps its status, and ends it.
import { Worker } from "node:worker_threads";
import type { FromSink, SinkLog, SinkOptions, SinkStatus, ToSink } from "./messages.ts";

/** How long the thread may take to end of itself (choice): the process has 5 s for all of it. */
const STOP_MS_MAX = 2000;
/** After a thread that died the next one begins so much later (choice). */
const RESTART_MS = 10_000;

export class HistorySink {
  readonly #options: SinkOptions;
  readonly #log: SinkLog;
  #thread: { readonly worker: Worker; readonly ended: Promise<void> } | undefined;
  #restart: NodeJS.Timeout | undefined;
  #stopped = false;
  /** The latest status, also of a thread that died. */
  status: SinkStatus = { state: "waiting", ledger: 0, closeTime: 0, rows: {}, failures: 0 };

  constructor(options: SinkOptions, log: SinkLog) {
    this.#options = options;
    this.#log = log;
    this.#begin();
  }

  /** A step is shown, so that it is in the store. */
  shown(): void {
    this.#post({ kind: "shown" });
  }

  /** Resolves once the thread is gone. What it was writing is rolled back. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#restart);
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#post({ kind: "stop" });
    const late = setTimeout(() => void thread.worker.terminate(), STOP_MS_MAX);
    await thread.ended;
    clearTimeout(late);
  }

  #begin(): void {
    const worker = new Worker(new URL("./sink-worker.js", import.meta.url), {
      workerData: this.#options,
    });
    worker.on("message", (message: FromSink) => {
      if (message.kind === "log") this.#log(message.level, message.message);
      else this.status = message;
    });
    worker.on("error", (error) => {
      this.#log("error", `the history sink's thread died: ${error.message}`);
    });
    const ended = new Promise<void>((resolve) => {
      worker.on("exit", () => {
        resolve();
        if (this.#stopped) return;
        this.#thread = undefined;
        this.status = { ...this.status, state: "waiting", failures: this.status.failures + 1 };
        this.#restart = setTimeout(() => this.#begin(), RESTART_MS).unref();
      });
    });
    this.#thread = { worker, ended };
  }

  #post(message: ToSink): void {
    this.#thread?.worker.postMessage(message);
  }
}
