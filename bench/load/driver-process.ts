// The script's side of the process that drives a load.
import { Child } from "../child.ts";
import type { Asked, FromDriver, Scenarios } from "./driver.ts";
import type { DriverTask, LoadResult, SliceResult } from "./messages.ts";

type Input<Name extends keyof Scenarios> = Parameters<Scenarios[Name]>;
type Output<Name extends keyof Scenarios> = Awaited<ReturnType<Scenarios[Name]>>;

/** Requests that are asked one after the other between two looks at whether it is over. */
const STATUS_BATCH = 20;

export class DriverProcess {
  readonly #child = new Child<Asked, FromDriver>(new URL("./driver.js", import.meta.url));
  #asked = 0;

  get pid(): number {
    return this.#child.pid;
  }

  /** What comes of a scenario; rejects where it fails, or the process ends. */
  async run<Name extends keyof Scenarios>(
    scenario: Name,
    ...[input]: Input<Name>
  ): Promise<Output<Name>> {
    this.#asked += 1;
    const id = this.#asked;
    const answer = this.#child.awaited((message) => {
      if (!("id" in message) || message.id !== id) return undefined;
      if (message.kind === "failed") throw new Error(message.fault);
      return message;
    });
    this.#child.send({ id, scenario, input });
    return (await answer).result as Output<Name>;
  }

  /** Asks for GET / again and again until `work` is done; microseconds of each answer, and what came of `work`. */
  async statusMeanwhile<T>(url: string, work: Promise<T>, batch = STATUS_BATCH) {
    let isOver = false;
    const done = work.finally(() => {
      isOver = true;
    });
    const latenciesUs: number[] = [];
    const requests = { url, connections: 1, paths: ["/"], count: batch };
    do latenciesUs.push(...(await this.run("requests", requests)).latenciesUs);
    while (!isOver);
    return { latenciesUs, result: await done };
  }

  async load(
    task: DriverTask,
    on: { readonly warm: () => void; readonly slice: (slice: SliceResult) => void },
  ): Promise<LoadResult> {
    const off = this.#child.onMessage((message) => {
      if (message.kind === "warm") on.warm();
      if (message.kind === "slice") on.slice(message.slice);
    });
    const result = await this.run("load", task);
    off();
    return result;
  }

  ledgerClosed(ledger: number): void {
    const input = { ledger, atNs: String(process.hrtime.bigint()) };
    this.#child.send({ id: 0, scenario: "closed", input });
  }

  async stop(): Promise<void> {
    await this.#child.kill();
  }
}
