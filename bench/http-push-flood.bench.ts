// What clients that flood the push API cost the others, on a real engine over the test network: GET / of
// another client, and the way of a ledger from the RPC to a push. Each flood is repeated until enough of both was
// seen, and so is the same time without any. Floods and requests come from processes of their own; the network
// runs in this one. `ONLY=depth` runs the floods of whose name that is a part.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Bench, Figure } from "./bench.ts";
import { Child } from "./child.ts";
import type { Watch, Watched } from "./http-push-flood-watch.ts";
import { DriverProcess } from "./load/driver-process.ts";
import { type Stack, startStack } from "./load/stack.ts";
import { threadTimes } from "./process-figures.ts";
import { quantile } from "./quantile.ts";

type Case = {
  readonly name: string;
  readonly connections: number;
  /** Of one connection. */
  readonly messages: readonly string[];
};
type Market = { readonly baseAsset: string; readonly quoteAsset: string };
type Enough = { readonly requests: number; readonly ledgers: number; readonly msMax: number };

const ENOUGH: Enough = { requests: 500, ledgers: 24, msMax: 60_000 };
const TINY: Enough = { requests: 10, ledgers: 1, msMax: 10_000 };
/** Between two looks at what was seen. */
const LOOK_MS = 100;

export const bench: Bench = async ({ tiny }) => {
  const stack = await startStack({
    devnet: { seed: "flood", scale: tiny ? "small" : "large", ledgerTime: 500 },
    dataDir: undefined,
    engineFlags: [],
    say: () => undefined,
  });
  const flooding = new DriverProcess();
  const watching = new Child<Watch, Watched>(
    new URL("./http-push-flood-watch.js", import.meta.url),
  );
  try {
    const run = new FloodRun(stack, { flooding, watching, enough: tiny ? TINY : ENOUGH });
    await run.open();
    const quiet = await run.seen(undefined);
    const figures = [...figuresOf("nothing", quiet)];
    const { ONLY = "" } = process.env;
    for (const flood of cases(await firstMarket(stack.url), tiny ? 40 : 1)) {
      if (!flood.name.includes(ONLY)) continue;
      const seen = await run.seen(flood);
      figures.push(
        ...figuresOf(flood.name, seen),
        { name: `${flood.name}: floods`, value: seen.floods, unit: "" },
        { name: `${flood.name}: connections closed`, value: seen.closed, unit: "" },
        {
          name: `${flood.name}: ledger push, median to that of nothing`,
          value: quantile(seen.pushesMs, 0.5) / quantile(quiet.pushesMs, 0.5),
          unit: "ratio",
        },
        {
          name: `${flood.name}: ledger push, slowest to that of nothing`,
          value: quantile(seen.pushesMs, 1) / quantile(quiet.pushesMs, 1),
          unit: "ratio",
        },
      );
    }
    return figures;
  } finally {
    await Promise.all([flooding.stop(), watching.kill()]);
    await stack.stop();
  }
};

type Seen = {
  readonly requestsMs: readonly number[];
  /** From the moment the RPC serves a ledger until its push arrives. */
  readonly pushesMs: readonly number[];
  /** What the engine's main thread ran meanwhile, whatever for: on two idle cores no push takes much longer. */
  readonly pushesCpuMs: readonly number[];
  readonly floods: number;
  /** Connections that the engine closed. */
  readonly closed: number;
  /** Of the engine's main thread: time on a core and time that it waited for one, percent. */
  readonly ran: number;
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
    { name: `${name}: main thread on a core`, value: ran, unit: "%" },
    { name: `${name}: main thread kept from one`, value: waited, unit: "%" },
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
    const before = threadTimes(this.#pid);
    const endMs = performance.now() + enough.msMax;
    const requestsMs: number[] = [];
    const pushesMs: number[] = [];
    const pushesCpuMs: number[] = [];
    const isEnough = (): boolean =>
      (requestsMs.length >= enough.requests && pushesMs.length >= enough.ledgers) ||
      performance.now() > endMs;
    const flooded = flood === undefined ? undefined : this.#flood(flood, isEnough);
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
    const after = threadTimes(this.#pid);
    const share = (of: "ranMs" | "waitedMs") =>
      (100 * (after[of] - before[of])) / (after.atMs - before.atMs);
    const { floods, closed } = (await flooded) ?? { floods: 0, closed: 0 };
    assert.ok(requestsMs.length > 0 && pushesMs.length > 0, "nothing was seen");
    const main = { ran: share("ranMs"), waited: share("waitedMs") };
    return { requestsMs, pushesMs, pushesCpuMs, floods, closed, ...main };
  }

  async #flood({ connections, messages }: Case, isEnough: () => boolean) {
    let [floods, closed] = [0, 0];
    while (!isEnough()) {
      const load = { url: `http://127.0.0.1:${this.#port}`, connections, messages };
      const result = await this.#options.flooding.run("flood", load);
      assert.equal(result.answered + result.closed, connections);
      floods += 1;
      closed += result.closed;
    }
    return { floods, closed };
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
