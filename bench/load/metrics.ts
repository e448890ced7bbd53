// Metrics of a running engine, from its operators' listener.
import type { EngineSlice } from "./load-figures.ts";

const MS_PER_SECOND = 1000;

/** What a load run needs of them. Rejects with an Error where the URL does not serve them. */
export async function readMetrics(url: string): Promise<EngineSlice> {
  const metric = await metricsAt(url);
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

/** Values by name and labels as printed: throws an Error where there is none. */
export async function metricsAt(url: string): Promise<(name: string) => number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  return (name) => {
    const line = text.split("\n").find((of) => of.startsWith(`${name} `));
    const value = line?.slice(name.length + 1);
    if (value === undefined) throw new Error(`${url} serves no ${name}`);
    return Number(value);
  };
}
