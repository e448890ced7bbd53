// What a load is driven at: a network and engine of its own, or a service that runs already.

import type { EngineSlice } from "./load-figures.ts";
import { readMetrics } from "./metrics.ts";
import { type StackOptions, startStack } from "./stack.ts";

export type Target = {
  readonly url: string;
  /** Undefined where the process cannot be asked. */
  readonly probe: () => Promise<EngineSlice | undefined>;
  /** Of every ledger once it can be read, where the network is ours. */
  readonly onLedger: (listener: (ledger: number) => void) => void;
  readonly stop: () => Promise<void>;
};

export async function ownTarget(options: StackOptions): Promise<Target> {
  const stack = await startStack(options);
  return {
    url: stack.url,
    probe: () => stack.engine.probe(),
    onLedger: (listener) => stack.devnet.onClosed(({ tip }) => listener(tip.ledger)),
    stop: () => stack.stop(),
  };
}

/** `metricsUrl`: of its operators' listener. */
export function runningTarget(url: string, metricsUrl: string | undefined): Target {
  return {
    url: url.replace(/\/+$/, ""),
    probe: async () => (metricsUrl === undefined ? undefined : readMetrics(metricsUrl)),
    onLedger: () => undefined,
    stop: async () => undefined,
  };
}
