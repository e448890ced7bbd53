// Metrics from plain values that are read at the scrape: nothing is updated between scrapes.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Buckets } from "./buckets.ts";

const MS = 1000;

export type Labels = Readonly<Record<string, string>>;
type Values = () => Iterable<readonly [Labels, number]>;
type Series = () => Iterable<readonly [Labels, Buckets]>;

/** Registers metrics, whose names begin with `hopbook_`. */
export class Exposer {
  readonly #registers: Registry[];

  constructor(registry: Registry) {
    this.#registers = [registry];
  }

  /** Undefined: no sample is shown. */
  gauge(name: string, help: string, value: () => number | undefined): void {
    new Gauge({
      ...this.#of(name, help, []),
      collect() {
        this.remove();
        const now = value();
        if (now !== undefined) this.set(now);
      },
    });
  }

  /** One sample for each set of labels. */
  gauges(name: string, help: string, labelNames: readonly string[], values: Values): void {
    new Gauge({
      ...this.#of(name, help, labelNames),
      collect() {
        this.reset();
        for (const [labels, value] of values()) this.set(labels, value);
      },
    });
  }

  /** A total that never falls while the process lives. */
  counter(name: string, help: string, total: () => number): void {
    this.counters(name, help, [], () => [[{}, total()]]);
  }

  /** One total for each set of labels. */
  counters(name: string, help: string, labelNames: readonly string[], totals: Values): void {
    new Counter({
      ...this.#of(name, help, labelNames),
      collect() {
        this.reset();
        for (const [labels, total] of totals()) this.inc(labels, total);
      },
    });
  }

  histogram(name: string, help: string, labelNames: readonly string[], series: Series): void {
    new CountedHistogram(this.#of(name, help, labelNames), series);
  }

  #of(name: string, help: string, labelNames: readonly string[]) {
    return { name: `hopbook_${name}`, help, labelNames, registers: this.#registers };
  }
}

/** A histogram of the client library whose counts were made elsewhere. */
class CountedHistogram extends Histogram<string> {
  readonly #exposed: { readonly name: string; readonly help: string };
  readonly #series: Series;

  constructor(exposed: ConstructorParameters<typeof Histogram<string>>[0], series: Series) {
    super(exposed);
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
