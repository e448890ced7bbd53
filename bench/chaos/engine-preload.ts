// Loaded into the engine's process before its own code, by chaos runs alone: its clock can be moved,
// and a router thread ended, on the word of its parent.
import { createRequire, syncBuiltinESMExports } from "node:module";
import {
  getEnvironmentData,
  isMainThread,
  setEnvironmentData,
  type Worker,
  type WorkerOptions,
} from "node:worker_threads";

export type ToChaosEngine =
  | { readonly kind: "shiftClock"; readonly seconds: number }
  | { readonly kind: "endRouter" };

const SHIFT = "seconds that the clock is moved by";
const shift = isMainThread
  ? new Int32Array(new SharedArrayBuffer(4))
  : (getEnvironmentData(SHIFT) as Int32Array);
const realNow = Date.now;
Date.now = () => realNow() + 1000 * Atomics.load(shift, 0);

if (isMainThread) {
  // Every thread of a process has one clock.
  setEnvironmentData(SHIFT, shift);
  const routers = watchRouters();
  process.on("message", (message: ToChaosEngine) => {
    if (message.kind === "shiftClock") Atomics.store(shift, 0, message.seconds);
    if (message.kind === "endRouter") {
      const [router] = routers;
      void router?.terminate();
    }
  });
}

/** The threads of the router pool that run. */
function watchRouters(): ReadonlySet<Worker> {
  const threads = createRequire(import.meta.url)("node:worker_threads") as {
    Worker: typeof Worker;
  };
  const running = new Set<Worker>();
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(file, options);
      if (!String(file).includes("piscina")) return;
      running.add(this);
      this.once("exit", () => running.delete(this));
    }
  };
  syncBuiltinESMExports();
  return running;
}
