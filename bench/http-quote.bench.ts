// Quotes from socket to socket: the engine in one process, its clients in another, and the devnet's
// large world behind it, idle and then busy. Beside every figure, in the same run, the same load on
// a path of the same listener that answers with a fixed body of 2 KB.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Devnet } from "../src/devnet/devnet.ts";
import { orderEntry } from "../src/devnet/ledger/exchange-storage.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { DriverProcess } from "./load/driver-process.ts";
import { FIXED_PATH } from "./load/fixed-body.ts";
import { type Stack, startStack } from "./load/stack.ts";
import { quantile } from "./quantile.ts";
import { askQuotes, QuoteRequests, type RequestKind } from "./quote-worlds.ts";

const CONNECTIONS = 50;
const EVENTS_PER_SECOND = 1000;

type Scale = {
  readonly scale: "small" | "large";
  /** Requests of a measurement with one connection, and with many. */
  readonly single: number;
  readonly crowd: number;
  readonly rounds: number;
};

const FULL: Scale = { scale: "large", single: 3000, crowd: 15_000, rounds: 3 };
const TINY: Scale = { scale: "small", single: 20, crowd: 100, rounds: 1 };

type Kind = RequestKind & { readonly name: string; readonly throughput: string };

const KINDS: readonly Kind[] = [
  { name: "3-hop, small", direct: false, size: 0.1, throughput: "0.4 or more" },
  { name: "3-hop, large", direct: false, size: 2, throughput: "0.25 or more" },
  { name: "direct, small", direct: true, size: 0.1, throughput: "0.5 or more" },
  { name: "direct, large", direct: true, size: 2, throughput: "0.5 or more" },
];

export const bench: Bench = async ({ tiny }) => {
  const scale = tiny ? TINY : FULL;
  const stack = await startStack({
    devnet: {
      ...{ seed: "benches", scale: scale.scale, manual: true, diagnostics: false },
      // While it is frozen nothing is searched: the figures would be of that, and no quote has a route.
      freezes: false,
    },
    ...{ dataDir: undefined, engineFlags: [], say: () => undefined },
  });
  const driver = new DriverProcess();
  try {
    return await measureAll(new Measured(driver, stack, tiny), scale, tiny);
  } finally {
    await driver.stop();
    await stack.stop();
  }
};

function ordersOf(devnet: Devnet) {
  const { exchange } = devnet.network;
  return [...devnet.chain.state.entries()].flatMap(([, { entry }]) =>
    entry.kind === "data" && entry.contract === exchange && entry.value.type === "vec"
      ? [orderEntry(entry.value)]
      : [],
  );
}

class Measured {
  readonly #driver: DriverProcess;
  readonly #url: string;
  readonly devnet: Devnet;
  readonly #requests: QuoteRequests;
  readonly #tiny: boolean;
  /** Quotes answered with a failure: of overload, or of time that ran out. */
  refused = 0;

  constructor(driver: DriverProcess, { url, devnet }: Stack, tiny: boolean) {
    this.#driver = driver;
    this.#url = url;
    this.devnet = devnet;
    this.#requests = new QuoteRequests({ orders: ordersOf(devnet) });
    this.#tiny = tiny;
  }

  async fixed(connections: number, count: number) {
    const load = { url: this.#url, connections, paths: [FIXED_PATH], count };
    return await this.#driver.run("requests", load);
  }

  async quotes(kind: Kind, connections: number, count: number) {
    const { direct, size } = kind;
    const load = { url: this.#url, connections, count, direct, size };
    const result = await askQuotes(this.#driver, this.#requests, load);
    this.refused += result.refused;
    // Those that are refused for their time say nothing of the requests; in a tiny run that may be all.
    const answered = count - result.refused;
    const isRouted = result.routed > answered / 2 || (this.#tiny && answered === 0);
    assert.ok(isRouted, `${result.routed} of ${answered} quotes have routes`);
    return result;
  }
}

async function measureAll(on: Measured, scale: Scale, tiny: boolean): Promise<readonly Figure[]> {
  // Warm: the first thousands of requests are interpreted.
  for (const kind of KINDS) {
    await on.fixed(CONNECTIONS, scale.crowd / 4);
    await on.quotes(kind, CONNECTIONS, scale.crowd / 4);
  }
  const figures: Figure[] = [];
  const idle = new Map<string, number>();
  for (const kind of KINDS) {
    figures.push(...(await throughput(on, kind, scale)));
    const alone = await latency(on, kind, scale);
    idle.set(kind.name, alone.medianUs);
    figures.push(...alone.figures);
  }
  const feed = new Feed(on.devnet);
  // The first ledgers find their way into the engine.
  await delay(tiny ? 100 : 3000);
  for (const kind of KINDS) {
    const { name } = kind;
    const { latenciesUs } = await on.quotes(kind, 1, scale.single);
    const median = quantile(latenciesUs, 0.5);
    const label = (what: string) => `${name}, 1 connection, fed: ${what}`;
    figures.push(
      figure(label("median"), median, "us"),
      figure(label("p99"), quantile(latenciesUs, 0.99), "us"),
      figure(
        label("median to the idle one"),
        median / (idle.get(name) ?? Number.NaN),
        "ratio",
        "1.5 or less",
      ),
    );
  }
  figures.push(
    figure("events of the exchange fed", await feed.end(), "1/s"),
    figure("quotes refused", on.refused, ""),
  );
  return figures;
}

/** Fixed before and after each round: a machine that slows down meanwhile slows down both. */
async function throughput(on: Measured, kind: Kind, scale: Scale): Promise<readonly Figure[]> {
  const ratios: number[] = [];
  const rates: number[] = [];
  const fixedRates: number[] = [];
  let bytes = 0;
  for (let round = 0; round < scale.rounds; round += 1) {
    const before = await on.fixed(CONNECTIONS, scale.crowd);
    const quotes = await on.quotes(kind, CONNECTIONS, scale.crowd);
    const after = await on.fixed(CONNECTIONS, scale.crowd);
    const rate = scale.crowd / quotes.seconds;
    const fixed = (2 * scale.crowd) / (before.seconds + after.seconds);
    rates.push(rate);
    fixedRates.push(fixed);
    ratios.push(rate / fixed);
    bytes = quotes.bytes / scale.crowd;
  }
  const label = (what: string) => `${kind.name}, ${CONNECTIONS} connections: ${what}`;
  return [
    figure(label("bytes an answer"), bytes, "bytes"),
    figure(label("quotes"), quantile(rates, 0.5), "1/s"),
    figure(label("fixed bodies"), quantile(fixedRates, 0.5), "1/s"),
    figure(label("quotes to fixed bodies"), quantile(ratios, 0.5), "ratio", kind.throughput),
  ];
}

async function latency(
  on: Measured,
  kind: Kind,
  scale: Scale,
): Promise<{ readonly medianUs: number; readonly figures: readonly Figure[] }> {
  const before = await on.fixed(1, scale.single);
  const quotes = await on.quotes(kind, 1, scale.single);
  const after = await on.fixed(1, scale.single);
  const fixedUs = quantile([...before.latenciesUs, ...after.latenciesUs], 0.5);
  const medianUs = quantile(quotes.latenciesUs, 0.5);
  const label = (what: string) => `${kind.name}, 1 connection: ${what}`;
  return {
    medianUs,
    figures: [
      figure(label("median"), medianUs, "us"),
      figure(label("p99"), quantile(quotes.latenciesUs, 0.99), "us"),
      figure(label("fixed body, median"), fixedUs, "us"),
      figure(label("median to the fixed body's"), medianUs / fixedUs, "ratio", "4 or less"),
    ],
  };
}

/** Closes ledgers so that about EVENTS_PER_SECOND events of the exchange come. */
class Feed {
  readonly #devnet: Devnet;
  readonly #start = performance.now();
  readonly #closing: Promise<void>;
  #ended = false;
  #events = 0;

  constructor(devnet: Devnet) {
    this.#devnet = devnet;
    this.#closing = this.#close();
  }

  /** The rate it had. */
  async end(): Promise<number> {
    this.#ended = true;
    await this.#closing;
    return (this.#events / (performance.now() - this.#start)) * 1000;
  }

  async #close(): Promise<void> {
    const { exchange } = this.#devnet.network;
    while (!this.#ended) {
      const { transactions } = this.#devnet.closeLedger();
      for (const { emitted } of transactions) {
        this.#events += emitted.filter(({ contract }) => contract === exchange).length;
      }
      const due = this.#start + (this.#events / EVENTS_PER_SECOND) * 1000;
      await delay(Math.max(1, due - performance.now()));
    }
  }
}
