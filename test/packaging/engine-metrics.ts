// The metrics that the engine has.
import { Operations } from "../../src/operations/operations.ts";

const SUFFIXES = /_(?:bucket|sum|count)$/;

export async function metricNames(): Promise<ReadonlySet<string>> {
  const operations = new Operations({ clock: () => 0, readyLagSeconds: 30, isAsked: false });
  const { body } = await operations.metrics();
  operations.stop();
  return new Set(Array.from(body.matchAll(/^# TYPE ([a-z_]+) /gm), ([, name = ""]) => name));
}

/** The metric that a time series of this name belongs to. */
export function metricOf(series: string): string {
  return series.replace(SUFFIXES, "");
}
