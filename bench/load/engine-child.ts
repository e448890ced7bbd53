// The engine as it is shipped, in a process of its own with a preload that tells about it.
import { EngineProcess, type EngineSettings } from "../../test/e2e/engine-process.ts";
import { tell } from "../child.ts";
import type { FromEngine, Probe, ToEngine } from "./engine-preload.ts";

const PRELOAD = new URL("./engine-preload.js", import.meta.url).href;

export type EngineChildOptions = Omit<EngineSettings, "environment" | "asPackaged"> & {
  /** 0: any. */
  readonly port: number;
};

export class EngineChild extends EngineProcess {
  readonly #waiting = new Map<number, (probe: Probe) => void>();
  #nextId = 0;

  constructor({ port, preloads = [], ...settings }: EngineChildOptions) {
    const { WORKERS, RESET_PROOF } = process.env;
    super({
      ...settings,
      asPackaged: true,
      preloads: [PRELOAD, ...preloads],
      environment: { PORT: String(port), WORKERS, RESET_PROOF },
    });
    this.child.on("message", (message: FromEngine) => {
      if (message.kind !== "probe") return;
      this.#waiting.get(message.id)?.(message.probe);
      this.#waiting.delete(message.id);
    });
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
}
