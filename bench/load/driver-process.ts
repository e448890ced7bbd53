// The script's side of the process that drives the load.
import { Child } from "../child.ts";
import type { DriverTask, FromDriver, LoadResult, SliceResult, ToDriver } from "./messages.ts";

export class DriverProcess {
  readonly #child = new Child<ToDriver, FromDriver>(new URL("./driver.js", import.meta.url));

  async load(
    task: DriverTask,
    on: { readonly warm: () => void; readonly slice: (slice: SliceResult) => void },
  ): Promise<LoadResult> {
    const off = this.#child.onMessage((message) => {
      if (message.kind === "warm") on.warm();
      if (message.kind === "slice") on.slice(message.result);
    });
    const loaded = this.#next("result");
    this.#child.send({ kind: "start", task });
    const { result } = await loaded;
    off();
    return result;
  }

  ledgerClosed(ledger: number): void {
    this.#child.send({ kind: "closed", ledger, atNs: String(process.hrtime.bigint()) });
  }

  async disconnectPush(): Promise<void> {
    const disconnected = this.#next("disconnected");
    this.#child.send({ kind: "disconnectPush" });
    await disconnected;
  }

  /** As many requests a second as the connections get answered. */
  measure(endpoint: string, seconds: number) {
    const measured = this.#next("measured");
    this.#child.send({ kind: "measure", endpoint, seconds });
    return measured;
  }

  async stop(): Promise<void> {
    this.#child.send({ kind: "end" });
    await this.#child.ended();
  }

  /** Rejects where the driver fails or ends. */
  #next<Kind extends FromDriver["kind"]>(
    kind: Kind,
  ): Promise<Extract<FromDriver, { readonly kind: Kind }>> {
    return this.#child.awaited((message) => {
      if (message.kind === "failed") throw new Error(message.message);
      return message.kind === kind
        ? (message as Extract<FromDriver, { readonly kind: Kind }>)
        : undefined;
    });
  }
}
