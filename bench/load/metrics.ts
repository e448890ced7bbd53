// The few metrics of a running engine that a load run needs, from its operators' listener.
import type { EngineSlice } from "./load-figures.ts";

const MS_PER_SECOND = 1000;

/** Throws an Error where the URL does not serve them. */
export async function readMetrics(url: string): Promise<EngineSlice> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  const metric = (name: string): number => {
    const line = text.split("\n").find((of) => of.startsWith(`${name} `));
    const value = line?.slice(name.length + 1);
    if (value === undefined) throw new Error(`${url} serves no ${name}`);
    return Number(value);
  };
  return {
    rssBytes: metric("process_resident_memory_bytes"),
    cpuSeconds: metric("process_cpu_seconds_total"),
    loopDelayMs: {
      p50: MS_PER_SECOND * metric('hopbook_loop_delay_seconds{quantile="0.5"}'),
      p99: MS_PER_SECOND * metric('hopbook_loop_delay_seconds{quantile="0.99"}'),
      max: MS_PER_SECOND * metric('hopbook_loop_delay_seconds{quantile="1"}'),
    },
  };
}
