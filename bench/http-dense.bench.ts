// The worst book there is for quotes, 60 assets with a market for every pair: what 20 clients wait
// for 3-hop quotes, and what GET / takes meanwhile. Server and clients are processes of their own.
import assert from "node:assert/strict";
import { type Bench, type Figure, figure } from "./bench.ts";
import { Child } from "./child.ts";
import type { DensePort, DenseStart } from "./http-dense-server.ts";
import { DriverProcess } from "./load/driver-process.ts";
import { quantile } from "./quantile.ts";
import { askQuotes, denseWorld, QuoteRequests } from "./quote-worlds.ts";

const CONNECTIONS = 20;
/** Median orders that a request is for (see router-quotes). */
const SIZES = { small: 0.1, large: 2, crowded: 8 } as const;

type Size = keyof typeof SIZES;
type Quotes = Awaited<ReturnType<typeof askQuotes>>;

export const bench: Bench = async ({ tiny }) => {
  const start: DenseStart = tiny ? { assets: 8, levels: 5 } : { assets: 60, levels: 30 };
  const requests = new QuoteRequests(denseWorld(start.assets, start.levels));
  const server = new Child<DenseStart, DensePort>(
    new URL("./http-dense-server.js", import.meta.url),
  );
  const [quoting, watching] = [new DriverProcess(), new DriverProcess()];
  try {
    const url = `http://127.0.0.1:${(await server.ask(start)).port}`;
    const quotes = (size: Size, count: number): Promise<Quotes> => {
      const kind = { direct: false, size: SIZES[size] };
      return askQuotes(quoting, requests, { url, connections: CONNECTIONS, count, ...kind });
    };
    const count = tiny ? 60 : 1000;
    await quotes("small", count);
    const figures: Figure[] = [];
    for (const size of ["small", "large", "crowded"] as const) {
      const asked = quotes(size, count);
      const { latenciesUs, result } = await watching.statusMeanwhile(url, asked, tiny ? 5 : 50);
      // A busy machine may leave all of a tiny run no time.
      const isRouted = result.routed > 0 || (tiny && result.refused === count);
      assert.ok(isRouted, "no quote has a route");
      figures.push(...figuresOf(size, count, result, latenciesUs));
    }
    return figures;
  } finally {
    await Promise.all([server.kill(), quoting.stop(), watching.stop()]);
  }
};

function figuresOf(
  size: Size,
  count: number,
  quotes: Quotes,
  statusUs: readonly number[],
): readonly Figure[] {
  const label = (what: string) => `3-hop, ${size}, ${CONNECTIONS} connections: ${what}`;
  return [
    figure(label("quotes"), count / quotes.seconds, "1/s"),
    figure(label("median"), quantile(quotes.latenciesUs, 0.5) / 1000, "ms"),
    figure(label("p99"), quantile(quotes.latenciesUs, 0.99) / 1000, "ms"),
    figure(label("refused"), quotes.refused, ""),
    figure(label("GET / meanwhile, p99"), quantile(statusUs, 0.99) / 1000, "ms", "below 20"),
  ];
}
