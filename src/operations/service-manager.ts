// Notifies systemd that the process serves and that its event loop runs (sd_notify(3)), by the command
// `systemd-notify`, since Node has no Unix datagram sockets. Does nothing unless a unit of Type=notify started
// the process. Main thread: a hanging loop sends nothing, and systemd restarts the process.
import { spawn } from "node:child_process";

/** Longest pause between two watchdog notifications. */
const PAUSE_MS_MAX = 10_000;
/** Each notification during a start extends its timeout by this. */
const START_EXTENSION_MS = 60_000;

export type ServiceManagerOptions = {
  /** NOTIFY_SOCKET, WATCHDOG_USEC and PATH are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: { warn(fields: object, message: string): void };
};

export class ServiceManager {
  readonly #environment: ServiceManagerOptions["environment"];
  readonly #log: ServiceManagerOptions["log"];
  #isTelling = false;
  #hasFailed = false;
  #start: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;

  constructor({ environment, log }: ServiceManagerOptions) {
    this.#environment = environment;
    this.#log = log;
  }

  /**
   * The process starts. A start that takes longer than the unit allows is not ended while the loop turns: a large
   * store is read whole or migrated.
   */
  starting(): void {
    const extend = (): void => this.#tell(`EXTEND_TIMEOUT_USEC=${START_EXTENSION_MS * 1000}`);
    extend();
    this.#start ??= setInterval(extend, PAUSE_MS_MAX).unref();
  }

  /** The API is served. From here on the watchdog hears of every turn of its timer. */
  serving(): void {
    clearInterval(this.#start);
    this.#tell("READY=1");
    const pauseMs = watchdogPauseMs(this.#environment.WATCHDOG_USEC);
    if (pauseMs === undefined || this.#watchdog !== undefined) return;
    this.#watchdog = setInterval(() => this.#tell("WATCHDOG=1"), pauseMs);
    this.#watchdog.unref();
  }

  /** A signal asked for the end. */
  stopping(): void {
    clearInterval(this.#start);
    clearInterval(this.#watchdog);
    this.#tell("STOPPING=1");
  }

  #tell(state: string): void {
    if (!this.#environment.NOTIFY_SOCKET) return;
    // One at a time: a word that is still on its way says the same.
    if (this.#isTelling && state !== "READY=1" && state !== "STOPPING=1") return;
    this.#isTelling = true;
    const child = spawn("systemd-notify", [state], {
      env: this.#environment,
      stdio: "ignore",
    });
    child.unref();
    child.once("error", (error) => this.#failed(error));
    child.once("exit", (code, signal) => {
      this.#isTelling = false;
      if (code !== 0) this.#failed(new Error(`systemd-notify ended with ${signal ?? code}`));
    });
  }

  /** Logged once: the same happens every time. */
  #failed(error: Error): void {
    this.#isTelling = false;
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#log.warn({ err: error }, "systemd cannot be told that the engine runs");
  }
}

/** Half of the watchdog's time (sd_watchdog_enabled(3)), in milliseconds; undefined where there is none. */
export function watchdogPauseMs(microseconds: string | undefined): number | undefined {
  if (microseconds === undefined || !/^[1-9][0-9]{0,14}$/.test(microseconds)) return undefined;
  return Math.min(PAUSE_MS_MAX, Math.max(1, Math.floor(Number(microseconds) / 2000)));
}
