// The script's side of the process that drives the load.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { DriverTask, FromDriver, LoadResult, SliceResult, ToDriver } from "./messages.ts";

export class DriverProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor() {
    this.#child = fork(new URL("./driver.js", import.meta.url), {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#child.setMaxListeners(20);
    this.#exited = once(this.#child, "exit");
  }

  async load(
    task: DriverTask,
    on: { readonly warm: () => void; readonly slice: (slice: SliceResult) => void },
  ): Promise<LoadResult> {
    const told = (message: FromDriver) => {
      if (message.kind === "warm") on.warm();
      if (message.kind === "slice") on.slice(message.result);
    };
    this.#child.on("message", told);
    this.#send({ kind: "start", task });
    const { result } = await this.#next("result");
    this.#child.off("message", told);
    return result;
  }

  ledgerClosed(ledger: number): void {
    this.#send({ kind: "closed", ledger, atNs: String(process.hrtime.bigint()) });
  }

  async disconnectPush(): Promise<void> {
    this.#send({ kind: "disconnectPush" });
    await this.#next("disconnected");
  }

  /** As many requests a second as the connections get answered. */
  async measure(endpoint: string, seconds: number) {
    this.#send({ kind: "measure", endpoint, seconds });
    return this.#next("measured");
  }

  async stop(): Promise<void> {
    this.#send({ kind: "end" });
    await this.#exited;
  }

  #send(message: ToDriver): void {
    if (this.#child.connected) this.#child.send(message);
  }

  /** Rejects where the driver fails or ends. */
  #next<Kind extends FromDriver["kind"]>(
    kind: Kind,
  ): Promise<Extract<FromDriver, { readonly kind: Kind }>> {
    return new Promise((resolve, reject) => {
      const take = (message: FromDriver): void => {
        if (message.kind === "failed") finish(() => reject(new Error(message.message)));
        if (message.kind === kind) {
          finish(() => resolve(message as Extract<FromDriver, { readonly kind: Kind }>));
        }
      };
      const gone = (): void => finish(() => reject(new Error("the load's driver ended")));
      const finish = (settle: () => void): void => {
        this.#child.off("message", take);
        this.#child.off("exit", gone);
        settle();
      };
      this.#child.on("message", take);
      this.#child.on("exit", gone);
    });
  }
}
