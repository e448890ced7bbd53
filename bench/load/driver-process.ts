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
    const { result } = await this.#ask({ kind: "start", task }, "result");
    off();
    return result;
  }

  ledgerClosed(ledger: number): void {
    this.#child.send({ kind: "closed", ledger, atNs: String(process.hrtime.bigint()) });
  }

  async disconnectPush(): Promise<void> {
    await this.#ask({ kind: "disconnectPush" }, "disconnected");
  }

  /** As many requests a second as the connections get answered. */
  measure(endpoint: string, seconds: number) {
    return this.#ask({ kind: "measure", endpoint, seconds }, "measured");
  }

  async stop(): Promise<void> {
    this.#child.send({ kind: "end" });
    await this.#child.ended();
  }

  /** The answer of that kind; rejects where the driver fails or ends. */
  #ask<Kind extends FromDriver["kind"]>(
    question: ToDriver,
    kind: Kind,
  ): Promise<Extract<FromDriver, { readonly kind: Kind }>> {
    const answer = this.#child.awaited((message) => {
      if (message.kind === "failed") throw new Error(message.message);
      return message.kind === kind
        ? (message as Extract<FromDriver, { readonly kind: Kind }>)
        : undefined;
    });
    this.#child.send(question);
    return answer;
  }
}
