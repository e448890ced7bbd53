// Turns what was measured into figures.
import type { Probe } from "./engine-preload.ts";
import { DRIVER_DELAY, type LoadFigure } from "./figure.ts";
import type { EndpointResult, Latencies, LoadResult } from "./messages.ts";

const MIB = 2 ** 20;

export type EngineSlice = Pick<Probe, "rssBytes" | "cpuSeconds" | "loopDelayMs">;

export type Share = {
  readonly endpoint: string;
  readonly requestsPerSecond: number;
  /** To the fixed body. */
  readonly ratio: number;
  /** Of all the engine's threads, for one request; undefined where it cannot be asked. */
  readonly cpuUs: number | undefined;
  /** The same of the fixed body. */
  readonly fixedCpuUs: number;
};

export function loadFigures(result: LoadResult): readonly LoadFigure[] {
  const { seconds, endpoints, total, push } = result;
  const sliceSeconds = seconds / total.slices.length;
  const figures: LoadFigure[] = [
    {
      name: "throughput",
      value: total.all.count / seconds,
      unit: "requests/s",
      better: "higher",
      slices: total.slices.map(({ count }) => count / sliceSeconds),
    },
    {
      name: "errors",
      value: Object.values(result.wrong).reduce((sum, count) => sum + count, 0),
      unit: "requests",
      better: "lower",
    },
    ...[total, ...endpoints].flatMap(latencyFigures),
  ];
  if (push.connections > 0) figures.push(...pushFigures(result));
  figures.push({
    name: DRIVER_DELAY,
    value: result.driverLagMs,
    unit: "ms",
    better: "neither",
  });
  return figures;
}

function latencyFigures({ name, all, slices }: EndpointResult): LoadFigure[] {
  if (all.count === 0) return [];
  const figure = (label: string, of: (latencies: Latencies) => number): LoadFigure => ({
    name: `${name}: ${label}`,
    value: of(all),
    unit: "ms",
    better: "lower",
    slices: slices.map(of),
  });
  return [
    figure("p50", ({ p50 }) => p50),
    figure("p99", ({ p99 }) => p99),
    figure("p99.9", ({ p999 }) => p999),
    { name: `${name}: longest`, value: all.max, unit: "ms", better: "neither" },
  ];
}

function pushFigures({ push, seconds }: LoadResult): LoadFigure[] {
  const figures: LoadFigure[] = [
    { name: "push connections", value: push.connections, unit: "clients", better: "neither" },
    { name: "push topics held", value: push.subscriptions, unit: "topics", better: "neither" },
    {
      name: "push messages",
      value: push.messages / seconds,
      unit: "messages/s",
      better: "neither",
    },
    { name: "push bytes", value: push.bytes / seconds / MIB, unit: "MiB/s", better: "neither" },
    { name: "push connections lost", value: push.lost, unit: "clients", better: "lower" },
    { name: "push errors", value: push.errors, unit: "messages", better: "lower" },
  ];
  if (push.delay.count === 0) return figures;
  const delay = (label: string, of: (latencies: Latencies) => number): LoadFigure => ({
    name: `push delay, ledger served to client: ${label}`,
    value: of(push.delay),
    unit: "ms",
    better: "lower",
    slices: push.delaySlices.filter(({ count }) => count > 0).map(of),
  });
  return [
    ...figures,
    delay("p50", ({ p50 }) => p50),
    delay("p99", ({ p99 }) => p99),
    { ...delay("longest", ({ max }) => max), better: "neither" },
  ];
}

/** `slices`: one probe at the end of each; `before`: at the start of the first. */
export function engineFigures(
  before: EngineSlice,
  slices: readonly EngineSlice[],
  seconds: number,
): readonly LoadFigure[] {
  const rss = slices.map(({ rssBytes }) => rssBytes / MIB);
  const p99 = slices.map(({ loopDelayMs }) => loopDelayMs.p99);
  const last = slices.at(-1) ?? before;
  return [
    {
      name: "engine: resident memory, largest",
      value: Math.max(...rss, before.rssBytes / MIB),
      unit: "MiB",
      better: "lower",
      slices: rss,
    },
    {
      name: "engine: event-loop delay, p99",
      value: Math.max(0, ...p99),
      unit: "ms",
      better: "lower",
      slices: p99,
    },
    {
      name: "engine: event-loop delay, longest",
      value: Math.max(0, ...slices.map(({ loopDelayMs }) => loopDelayMs.max)),
      unit: "ms",
      better: "neither",
    },
    {
      name: "engine: processor time",
      value: (last.cpuSeconds - before.cpuSeconds) / seconds,
      unit: "cores",
      better: "lower",
    },
  ];
}

export function shareFigures(shares: readonly Share[]): readonly LoadFigure[] {
  return shares.flatMap(({ endpoint, requestsPerSecond, ratio, cpuUs, fixedCpuUs }) => [
    {
      name: `${endpoint}: alone`,
      value: requestsPerSecond,
      unit: "requests/s",
      better: "neither",
    } as const,
    {
      name: `${endpoint}: share of a fixed 2 KB body`,
      value: ratio,
      unit: "ratio",
      better: "higher",
    } as const,
    ...(cpuUs === undefined
      ? []
      : ([
          {
            name: `${endpoint}: processor time`,
            value: cpuUs,
            unit: "us/request",
            better: "neither",
          },
          {
            // What others do on the machine moves it least.
            name: `${endpoint}: share by processor time`,
            value: fixedCpuUs / cpuUs,
            unit: "ratio",
            better: "higher",
          },
        ] as const)),
  ]);
}
