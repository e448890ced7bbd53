// What a client that floods the push API costs the others, on a real engine over the test network:
// GET / of another client, and the way of a ledger from the RPC to a push. Floods and requests come
// from processes of their own; the network runs in this one.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { WebSocket } from "ws";
import type { Bench, Figure } from "./bench.ts";
import { Child } from "./child.ts";
import type { Flood, FloodResult } from "./http-push-flood-load.ts";
import type { QuoteLoad, QuoteLoadResult } from "./http-quote-load.ts";
import { type Stack, startStack } from "./load/stack.ts";
import { quantile } from "./quantile.ts";

type Case = {
  readonly name: string;
  readonly connections: number;
  /** Of one connection. */
  readonly messages: readonly string[];
};
type Market = { readonly baseAsset: string; readonly quoteAsset: string };

/** Requests that are asked one after the other between two looks at whether the flood goes on. */
const BATCH = 20;

export const bench: Bench = async ({ tiny }) => {
  const stack = await startStack({
    devnet: { seed: "flood", scale: tiny ? "small" : "large", ledgerTime: 500 },
    dataDir: undefined,
    engineFlags: [],
    say: () => undefined,
  });
  const flooding = new Child<Flood, FloodResult>(
    new URL("./http-push-flood-load.js", import.meta.url),
  );
  const asking = new Child<QuoteLoad, QuoteLoadResult>(
    new URL("./http-quote-load.js", import.meta.url),
  );
  try {
    const port = Number(new URL(stack.url).port);
    const pushes = await openPushes(stack, port);
    const figures: Figure[] = [];
    for (const flood of cases(await firstMarket(stack.url), tiny ? 40 : 1)) {
      pushes.delaysMs.length = 0;
      const before = mainThread(stack);
      const { latenciesUs, result } = await flooded(flooding, asking, flood, port);
      const after = mainThread(stack);
      const share = (of: keyof MainThread) =>
        (100 * (after[of] - before[of])) / (after.atMs - before.atMs);
      assert.equal(result.answered + result.closed, flood.connections);
      figures.push(
        {
          name: `${flood.name}: GET / of another client, p99`,
          value: quantile(latenciesUs, 0.99) / 1000,
          unit: "ms",
          goal: "below 100",
        },
        { name: `${flood.name}: requests`, value: latenciesUs.length, unit: "" },
        { name: `${flood.name}: connections closed`, value: result.closed, unit: "" },
        { name: `${flood.name}: main thread on a core`, value: share("ranMs"), unit: "%" },
        { name: `${flood.name}: main thread kept from one`, value: share("waitedMs"), unit: "%" },
      );
      if (pushes.delaysMs.length === 0) continue;
      const slowest = Math.max(...pushes.delaysMs);
      figures.push({ name: `${flood.name}: slowest ledger push`, value: slowest, unit: "ms" });
    }
    pushes.close();
    return figures;
  } finally {
    await Promise.all([flooding.kill(), asking.kill()]);
    await stack.stop();
  }
};

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
    { name: "nothing", connections: 1, messages: [] },
    { name: "depth, 1 connection", connections: 1, messages: depth },
    { name: "depth, 20 connections", connections: 20, messages: depth },
    { name: "quotes", connections: 1, messages: quotes },
    { name: "trades", connections: 1, messages: trades },
  ];
}

/** Floods while another client asks for GET /, and then as long as a batch of requests takes. */
async function flooded(
  flooding: Child<Flood, FloodResult>,
  asking: Child<QuoteLoad, QuoteLoadResult>,
  { connections, messages }: Case,
  port: number,
) {
  let isFlooding = true;
  const flood = flooding.ask({ port, connections, messages }).finally(() => {
    isFlooding = false;
  });
  const paths = new Array<string>(BATCH).fill("/");
  const latenciesUs: number[] = [];
  do latenciesUs.push(...(await asking.ask({ port, connections: 1, paths })).latenciesUs);
  while (isFlooding);
  return { latenciesUs, result: await flood };
}

type MainThread = { readonly atMs: number; readonly ranMs: number; readonly waitedMs: number };

/** Since the engine's start; what it waited for a core says how busy the machine is. Of Linux alone, 0 elsewhere. */
function mainThread({ engine }: Stack): MainThread {
  const { pid } = engine.child;
  let times = "0 0";
  try {
    times = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1");
  } catch {
    // Another system.
  }
  const [ranNs = 0, waitedNs = 0] = times.split(" ").map(Number);
  return { atMs: performance.now(), ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 };
}

async function firstMarket(url: string): Promise<Market> {
  const response = await fetch(`${url}/markets`);
  const [market] = (await response.json()) as readonly Market[];
  assert.ok(market !== undefined, "there is no market");
  return market;
}

/** Milliseconds from the moment the RPC serves a ledger until its push arrives. */
async function openPushes({ devnet }: Stack, port: number) {
  const servedAt = new Map<number, number>();
  const delaysMs: number[] = [];
  devnet.onClosed(({ tip }) => servedAt.set(tip.ledger, performance.now()));
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await once(socket, "open");
  socket.send('{"op":"subscribe","channel":"contract"}');
  socket.on("message", (data) => {
    const { type, ledger } = JSON.parse(String(data)) as { type: string; ledger?: number };
    const served = ledger === undefined ? undefined : servedAt.get(ledger);
    if (type === "ledger" && served !== undefined) delaysMs.push(performance.now() - served);
  });
  return { delaysMs, close: () => socket.terminate() };
}
