// Loaded into the engine's process before its own code, by benches and tests alone: answers its
// parent's questions about the process, and adds a path with a fixed body to its listener, which
// everything it serves is measured against. The engine itself knows nothing of it.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";
import { loadUws } from "../../src/http/uws.ts";
import { serveFixedBody } from "./fixed-body.ts";

const LOOP_RESOLUTION_MS = 1;
const NS_PER_MS = 1e6;

export type Probe = {
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Of all threads, since the start. */
  readonly cpuSeconds: number;
  /** Of the main thread since the last probe: how much later than due it was, ms. */
  readonly loopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
};

export type ToEngine = { readonly kind: "probe"; readonly id: number };
export type FromEngine = { readonly kind: "probe"; readonly id: number; readonly probe: Probe };

// Workers run the same preloads.
if (isMainThread) {
  const uws = loadUws();
  const createApp = uws.App;
  uws.App = () => {
    const app = createApp();
    serveFixedBody(app);
    return app;
  };
  answerProbes();
  // An engine must not outlive the script that measures it.
  process.once("disconnect", () => process.exit(1));
}

function answerProbes(): void {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delay.enable();
  process.on("message", (message: ToEngine) => {
    if (message.kind !== "probe") return;
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const late = (ns: number) => Math.max(0, ns / NS_PER_MS - LOOP_RESOLUTION_MS);
    const probe: Probe = {
      rssBytes: rss,
      heapBytes: heapUsed,
      cpuSeconds: (user + system) / 1e6,
      loopDelayMs: {
        p50: late(delay.percentile(50)),
        p99: late(delay.percentile(99)),
        max: late(delay.max),
      },
    };
    delay.reset();
    const answer: FromEngine = { kind: "probe", id: message.id, probe };
    process.send?.(answer);
  });
}
