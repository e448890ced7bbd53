// The run of http-push-flood, on a real engine over the test network. Each flood is repeated until enough requests and
// pushes were seen, and so is the same time without any. Network and flooding clients, which are on other machines in
// the field, have what the engine and the measuring client, in processes of their own, leave of the cores.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Figure } from "./bench.ts";
import { Child } from "./child.ts";
import type { FloodRunEnd, FloodRunStart } from "./http-push-flood.bench.ts";
import type { Watch, Watched } from "./http-push-flood-watch.ts";
import { DriverProcess } from "./load/driver-process.ts";
import { type Stack, startStack } from "./load/stack.ts";
import { cpuMs, threadTimes } from "./process-figures.ts";
import { quantile } from "./quantile.ts";

type Case = {
  readonly name: string;
  readonly connections: number;
  /** Of one connection. */
  readonly messages: readonly string[];
};
type Market = { readonly baseAsset: string; readonly quoteAsset: string };
type Enough = { readonly requests: number; readonly ledgers: number; readonly msMax: number };

const ENOUGH: Enough = { requests: 500, ledgers: 10, msMax: 60_000 };
const TINY: Enough = { requests: 10, ledgers: 1, msMax: 10_000 };
/** The network, which has what is left of the cores, must be done with a ledger before the engine asks for it. */
const LEDGER_MS = 2000;
/** Of Linux alone. */
const THREADS = "/proc/self/task";
/** Between two looks at what was seen. */
const LOOK_MS = 100;

process.once("message", (start: FloodRunStart) => {
  run(start).then(
    (figures) => tell({ figures }),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      tell({});
    },
  );
});

function tell(end: FloodRunEnd): void {
  process.send?.(end, () => process.disconnect());
}

async function run({ tiny, only }: FloodRunStart): Promise<readonly Figure[]> {
  const stack = await startStack({
    devnet: { seed: "flood", scale: tiny ? "small" : "large", ledgerTime: LEDGER_MS },
    dataDir: undefined,
    engineFlags: [],
    say: () => undefined,
  });
  const watching = new Child<Watch, Watched>(
    new URL("./http-push-flood-watch.js", import.meta.url),
  );
  giveWay();
  const flooding = new DriverProcess();
  try {
    const run = new FloodRun(stack, { flooding, watching, enough: tiny ? TINY : ENOUGH });
    await run.open();
    const quiet = await run.seen(undefined);
    const figures = [...figuresOf("nothing", quiet)];
    for (const flood of cases(await firstMarket(stack.url), tiny ? 40 : 1)) {
      if (!flood.name.includes(only)) continue;
      const seen = await run.seen(flood);
      const toQuiet = (q: number) => quantile(seen.pushesMs, q) / quantile(quiet.pushesMs, q);
      figures.push(
        ...figuresOf(flood.name, seen),
        { name: `${flood.name}: floods`, value: seen.floods, unit: "" },
        { name: `${flood.name}: connections closed`, value: seen.closed, unit: "" },
        {
          ...{ name: `${flood.name}: ledger push, median to that of nothing`, value: toQuiet(0.5) },
          ...{ unit: "ratio", goal: "1.1 or less" },
        },
        {
          ...{ name: `${flood.name}: ledger push, slowest to that of nothing`, value: toQuiet(1) },
          unit: "ratio",
        },
      );
    }
    return figures;
  } finally {
    await Promise.all([flooding.stop(), watching.kill()]);
    await stack.stop();
  }
}

/** From here on this process, and those that it starts, run where nobody else wants a core. */
function giveWay(): void {
  // On Linux each thread has a priority of its own, and new ones have that of whoever starts them.
  const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [process.pid];
  for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_LOW);
}

type Seen = {
  readonly requestsMs: readonly number[];
  /** From the moment the RPC serves a ledger until its push arrives. */
  readonly pushesMs: readonly number[];
  /** What the engine's main thread ran meanwhile, whatever for: on two idle cores no push takes much longer. */
  readonly pushesCpuMs: readonly number[];
  readonly floods: number;
  /** Connections that the engine closed. */
  readonly closed: number;
  /** Percent of the time: on a core, and, of the engine's main thread, in wait for one. */
  readonly ran: Readonly<Record<"main" | "workers" | "network" | "floods", number>>;
  readonly waited: number;
};

function figuresOf(name: string, seen: Seen): readonly Figure[] {
  const { requestsMs, pushesMs, pushesCpuMs, ran, waited } = seen;
  const goal = name === "nothing" ? {} : { goal: "below 100" };
  const p99 = quantile(requestsMs, 0.99);
  return [
    { name: `${name}: GET / of another client, p99`, value: p99, unit: "ms", ...goal },
    { name: `${name}: requests`, value: requestsMs.length, unit: "" },
    { name: `${name}: ledger push, median`, value: quantile(pushesMs, 0.5), unit: "ms" },
    { name: `${name}: ledger push, slowest`, value: quantile(pushesMs, 1), unit: "ms" },
    {
      name: `${name}: main thread's CPU until the push, median`,
      value: quantile(pushesCpuMs, 0.5),
      unit: "ms",
    },
    {
      name: `${name}: main thread's CPU until the push, most`,
      value: quantile(pushesCpuMs, 1),
      unit: "ms",
    },
    { name: `${name}: ledger pushes`, value: pushesMs.length, unit: "" },
    { name: `${name}: main thread on a core`, value: ran.main, unit: "%" },
    { name: `${name}: main thread kept from one`, value: waited, unit: "%" },
    { name: `${name}: the engine's other threads on cores`, value: ran.workers, unit: "%" },
    { name: `${name}: network on cores`, value: ran.network, unit: "%" },
    { name: `${name}: flooding clients on cores`, value: ran.floods, unit: "%" },
  ];
}

type FloodRunOptions = {
  readonly flooding: DriverProcess;
  readonly watching: Child<Watch, Watched>;
  readonly enough: Enough;
};

class FloodRun {
  readonly #options: FloodRunOptions;
  readonly #port: number;
  readonly #pid: number;
  /** When the RPC began to serve each ledger, of the machine's clock, and what the main thread had run by then. */
  readonly #served = new Map<number, { readonly atMs: number; readonly ranMs: number }>();

  constructor(stack: Stack, options: FloodRunOptions) {
    this.#options = options;
    this.#port = Number(new URL(stack.url).port);
    this.#pid = stack.engine.child.pid ?? assert.fail("the engine has ended");
    stack.devnet.onClosed(({ tip }) => {
      const atMs = performance.timeOrigin + performance.now();
      this.#served.set(tip.ledger, { atMs, ranMs: threadTimes(this.#pid).ranMs });
    });
  }

  async open(): Promise<void> {
    await this.#options.watching.ask({ kind: "open", port: this.#port, pid: this.#pid });
  }

  /** What other clients see while the flood comes again and again, until that is enough. */
  async seen(flood: Case | undefined): Promise<Seen> {
    const { watching, enough } = this.#options;
    await watching.ask({ kind: "take" });
    const before = this.#times();
    const endMs = performance.now() + enough.msMax;
    const requestsMs: number[] = [];
    const pushesMs: number[] = [];
    const pushesCpuMs: number[] = [];
    const isEnough = (): boolean =>
      (requestsMs.length >= enough.requests && pushesMs.length >= enough.ledgers) ||
      performance.now() > endMs;
    const flooded = flood === undefined ? undefined : this.#flood(flood);
    while (!isEnough()) {
      await delay(LOOK_MS);
      const { latenciesMs, pushes } = await watching.ask({ kind: "take" });
      requestsMs.push(...latenciesMs);
      for (const { ledger, atMs, ranMs } of pushes) {
        const served = this.#served.get(ledger);
        if (served === undefined) continue;
        pushesMs.push(atMs - served.atMs);
        pushesCpuMs.push(ranMs - served.ranMs);
      }
    }
    const after = this.#times();
    const share = (of: Exclude<keyof typeof after, "atMs">) =>
      (100 * (after[of] - before[of])) / (after.atMs - before.atMs);
    const main = share("mainMs");
    const ran = {
      ...{ main, workers: share("engineMs") - main },
      ...{ network: share("networkMs"), floods: share("floodsMs") },
    };
    await this.#options.flooding.run("endFlood");
    const { floods, closed } = (await flooded) ?? { floods: 0, closed: 0 };
    assert.ok(requestsMs.length > 0 && pushesMs.length > 0, "nothing was seen");
    return { requestsMs, pushesMs, pushesCpuMs, floods, closed, ran, waited: share("waitedMs") };
  }

  /** Of the machine so far. */
  #times() {
    const { atMs, ranMs, waitedMs } = threadTimes(this.#pid);
    return {
      ...{ atMs, mainMs: ranMs, waitedMs, engineMs: cpuMs(this.#pid) },
      ...{ networkMs: cpuMs(process.pid), floodsMs: cpuMs(this.#options.flooding.pid) },
    };
  }

  #flood({ connections, messages }: Case) {
    const url = `http://127.0.0.1:${this.#port}`;
    return this.#options.flooding.run("flood", { url, connections, messages });
  }
}

/** Some megabytes of subscriptions each; `share` divides them for a short run. */
function cases({ baseAsset, quoteAsset }: Market, share: number): readonly Case[] {
  const market = `${baseAsset}/${quoteAsset}`;
  const depth = Array.from({ length: 8000 / share }, (_, at) => {
    const parameters = { channel: "depth", market, limit: 500, step: (at + 1) / 1e7 };
    return ["subscribe", "unsubscribe"].map((op) => JSON.stringify({ op, ...parameters }));
  }).flat();
  const quotes = Array.from({ length: 2000 / share }, (_, at) => {
    const parameters = { sellingAsset: quoteAsset, buyingAsset: baseAsset };
    return JSON.stringify({
      ...{ op: "subscribe", channel: "quote", ...parameters, amount: `${1_000_000 + at}` },
    });
  });
  const trades = new Array<string>(4000 / share).fill(
    JSON.stringify({ op: "subscribe", channel: "trades", market }),
  );
  return [
    // Within what may wait of a connection: every message is answered.
    { name: "depth, all answered", connections: 1, messages: depth.slice(0, depth.length / 16) },
    { name: "depth, 1 connection", connections: 1, messages: depth },
    { name: "depth, 20 connections", connections: 20, messages: depth },
    { name: "quotes", connections: 1, messages: quotes },
    { name: "trades", connections: 1, messages: trades },
  ];
}

async function firstMarket(url: string): Promise<Market> {
  const response = await fetch(`${url}/markets`);
  const [market] = (await response.json()) as readonly Market[];
  assert.ok(market !== undefined, "there is no market");
  return market;
}
