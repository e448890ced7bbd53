// Turns what was measured into figures.
import type { Probe } from "./engine-preload.ts";
import { DRIVER_DELAY, type LoadFigure } from "./figure.ts";
import type { Latencies, LoadResult } from "./messages.ts";

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
  const { seconds, endpoints, total, push, driverLagMs } = result;
  const sliceSeconds = seconds / total.slices.length;
  const wrong = Object.values(result.wrong).reduce((sum, count) => sum + count, 0);
  const rates = total.slices.map(({ count }) => count / sliceSeconds);
  return [
    figure("throughput", total.all.count / seconds, "requests/s", "higher", rates),
    figure("errors", wrong, "requests", "lower"),
    ...[total, ...endpoints].flatMap(({ name, all, slices }) =>
      latencyFigures(name, all, slices, { p999: true }),
    ),
    ...(push.connections > 0 ? pushFigures(result) : []),
    figure(DRIVER_DELAY, driverLagMs, "ms", "neither"),
  ];
}

function figure(
  name: string,
  value: number,
  unit: string,
  better: LoadFigure["better"],
  slices?: readonly number[],
): LoadFigure {
  return { name, value, unit, better, ...(slices !== undefined && { slices }) };
}

/** None where nothing was measured. */
function latencyFigures(
  name: string,
  all: Latencies,
  slices: readonly Latencies[],
  { p999 }: { readonly p999: boolean },
): readonly LoadFigure[] {
  if (all.count === 0) return [];
  const latency = (label: string, of: (latencies: Latencies) => number) =>
    figure(`${name}: ${label}`, of(all), "ms", "lower", slices.map(of));
  return [
    latency("p50", ({ p50 }) => p50),
    latency("p99", ({ p99 }) => p99),
    ...(p999 ? [latency("p99.9", (of) => of.p999)] : []),
    figure(`${name}: longest`, all.max, "ms", "neither"),
  ];
}

function pushFigures({ push, seconds }: LoadResult): readonly LoadFigure[] {
  const { connections, subscriptions, messages, bytes, lost, errors, delay, delaySlices } = push;
  const slices = delaySlices.filter(({ count }) => count > 0);
  return [
    figure("push connections", connections, "clients", "neither"),
    figure("push topics held", subscriptions, "topics", "neither"),
    figure("push messages", messages / seconds, "messages/s", "neither"),
    figure("push bytes", bytes / seconds / MIB, "MiB/s", "neither"),
    figure("push connections lost", lost, "clients", "lower"),
    figure("push errors", errors, "messages", "lower"),
    ...latencyFigures("push delay, ledger served to client", delay, slices, { p999: false }),
  ];
}

/** `slices`: one probe at the end of each; `before`: at the start of the first. */
export function engineFigures(
  before: EngineSlice,
  slices: readonly EngineSlice[],
  seconds: number,
): readonly LoadFigure[] {
  const rss = slices.map(({ rssBytes }) => rssBytes / MIB);
  const largest = Math.max(...rss, before.rssBytes / MIB);
  const p99 = slices.map(({ loopDelayMs }) => loopDelayMs.p99);
  const longest = Math.max(0, ...slices.map(({ loopDelayMs }) => loopDelayMs.max));
  const cpuSeconds = (slices.at(-1) ?? before).cpuSeconds - before.cpuSeconds;
  return [
    figure("engine: resident memory, largest", largest, "MiB", "lower", rss),
    figure("engine: event-loop delay, p99", Math.max(0, ...p99), "ms", "lower", p99),
    figure("engine: event-loop delay, longest", longest, "ms", "neither"),
    figure("engine: processor time", cpuSeconds / seconds, "cores", "lower"),
  ];
}

export function shareFigures(shares: readonly Share[]): readonly LoadFigure[] {
  return shares.flatMap(({ endpoint, requestsPerSecond, ratio, cpuUs, fixedCpuUs }) => [
    figure(`${endpoint}: alone`, requestsPerSecond, "requests/s", "neither"),
    figure(`${endpoint}: share of a fixed 2 KB body`, ratio, "ratio", "higher"),
    ...(cpuUs === undefined
      ? []
      : [
          figure(`${endpoint}: processor time`, cpuUs, "us/request", "neither"),
          // What others do on the machine moves it least.
          figure(`${endpoint}: share by processor time`, fixedCpuUs / cpuUs, "ratio", "higher"),
        ]),
  ]);
}
