// Metrics from plain values that are read at the scrape: nothing is updated between scrapes.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Buckets } from "./buckets.ts";

const MS = 1000;

export type Labels = Readonly<Record<string, string>>;

export type Exposed = { readonly name: string; readonly help: string; readonly registry: Registry };

/** Undefined: no sample is shown. */
export function exposeGauge(
  { name, help, registry }: Exposed,
  value: () => number | undefined,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.remove();
      const now = value();
      if (now !== undefined) this.set(now);
    },
  });
}

/** One sample for each set of labels. */
export function exposeGauges(
  { name, help, registry }: Exposed,
  labelNames: readonly string[],
  values: () => Iterable<readonly [Labels, number]>,
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of values()) this.set(labels, value);
    },
  });
}

/** A total that never falls while the process lives. */
export function exposeCounter(exposed: Exposed, total: () => number): void {
  exposeCounters(exposed, [], () => [[{}, total()]]);
}

/** One total for each set of labels. */
export function exposeCounters(
  { name, help, registry }: Exposed,
  labelNames: readonly string[],
  totals: () => Iterable<readonly [Labels, number]>,
): void {
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, total] of totals()) this.inc(labels, total);
    },
  });
}

export function exposeHistogram(
  exposed: Exposed,
  labelNames: readonly string[],
  series: () => Iterable<readonly [Labels, Buckets]>,
): void {
  new CountedHistogram(exposed, labelNames, series);
}

/** A histogram of the client library whose counts were made elsewhere. */
class CountedHistogram extends Histogram<string> {
  readonly #exposed: Exposed;
  readonly #series: () => Iterable<readonly [Labels, Buckets]>;

  constructor(
    exposed: Exposed,
    labelNames: readonly string[],
    series: () => Iterable<readonly [Labels, Buckets]>,
  ) {
    const { name, help, registry } = exposed;
    super({ name, help, labelNames, registers: [registry] });
    this.#exposed = exposed;
    this.#series = series;
  }

  /** What the registry asks for where it makes the text format; the library's types do not name it. */
  getForPromString() {
    const { name, help } = this.#exposed;
    const values = [...this.#series()].flatMap(([labels, buckets]) =>
      histogramSamples(name, labels, buckets),
    );
    return { name, help, type: "histogram", values };
  }
}

/** In seconds, cumulated, as the text format wants it. */
function histogramSamples(name: string, labels: Labels, buckets: Buckets) {
  const { boundsMs, counts } = buckets;
  let cumulated = 0;
  const samples = Array.from(boundsMs, (boundMs, at) => {
    cumulated += counts[at] ?? 0;
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: boundMs / MS },
      value: cumulated,
    };
  });
  return [
    ...samples,
    { metricName: `${name}_bucket`, labels: { ...labels, le: "+Inf" }, value: buckets.count },
    { metricName: `${name}_sum`, labels, value: buckets.sumMs / MS },
    { metricName: `${name}_count`, labels, value: buckets.count },
  ];
}
