// The process that drives a load: runs the scenarios that DriverProcess asks for. It does nothing
// else, so that what it measures is the service.
import { type ClosedLoop, closedLoop } from "./closed-loop.ts";
import { FIXED_PATH } from "./fixed-body.ts";
import type { DriverTask, LoadResult, SliceResult } from "./messages.ts";
import { ENDPOINTS } from "./mix.ts";
import { PushClients } from "./push-clients.ts";
import { CountingClients, type Flood, Flooding, readBooks } from "./push-scenarios.ts";
import { pick, randomFrom } from "./random.ts";
import { RequestLoad } from "./request-load.ts";
import { statusUntil } from "./status.ts";
import { learnWorld, refreshOrders, type World } from "./world.ts";

const REFRESH_MS = 5000;
/** Different requests of an endpoint, asked in turn. */
const VARIETY = 500;

let mixed: { readonly task: DriverTask; readonly world: World; readonly push: PushClients };
const counting = new CountingClients();
const flooding = new Flooding();
let received: ReturnType<CountingClients["receive"]>;

const SCENARIOS = {
  /** The mix at a fixed rate, beside push clients. Tells when it is warm and of each slice. */
  load,
  /** A ledger can be read from the RPC since then (process.hrtime, nanoseconds). */
  closed: ({ ledger, atNs }: { readonly ledger: number; readonly atNs: string }) =>
    mixed?.push.ledgerClosed(ledger, BigInt(atNs)),
  disconnectPush: () => mixed.push.close(),
  /** After `load`: one of its endpoints alone, as fast as answers come. */
  measure: (of: { readonly endpoint: string; readonly seconds: number }) => {
    const { url, connections } = mixed.task;
    return rate({ url, connections, paths: pathsOf(of.endpoint), seconds: of.seconds });
  },
  requests: closedLoop,
  /** The same, without the latencies of each. */
  rate,
  statusUntil,
  flood: (of: Flood) => flooding.run(of),
  /** After the flood that is on its way. */
  endFlood: () => flooding.end(),
  readBooks,
  openCounting: (of: {
    readonly url: string;
    readonly subscribe: readonly (readonly string[])[];
  }) => counting.open(of.url, of.subscribe),
  /** Counts anew; `received` answers when every connection got so many messages of this length. */
  expect: (of: { readonly payloadBytes: number; readonly count: number }) => {
    received = counting.receive(of.payloadBytes, of.count);
  },
  received: () => received,
  stopReading: () => counting.stopReading(),
};
export type Scenarios = typeof SCENARIOS;

/** `input`: of the scenario. */
export type Asked = {
  readonly id: number;
  readonly scenario: keyof Scenarios;
  readonly input: unknown;
};

export type FromDriver =
  | { readonly kind: "warm" }
  | { readonly kind: "slice"; readonly slice: SliceResult }
  | { readonly kind: "done"; readonly id: number; readonly result?: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly fault: string };

async function load(task: DriverTask): Promise<LoadResult> {
  const random = randomFrom(task.seed);
  const world = await learnWorld(task.url);
  const push = new PushClients(task.url);
  mixed = { task, world, push };
  await push.open(task.websockets, world, random);
  const requests = new RequestLoad({ ...task, random });
  const refresh = setInterval(() => {
    const cursor = pick(random, world.orderCursors) ?? "";
    // Without it ids grow old, and more of them are answered with a 404.
    refreshOrders(world, task.url, cursor).catch(() => undefined);
  }, REFRESH_MS);
  const from = performance.now();
  await requests.send(world, from, from + 1000 * task.warmupSeconds);
  push.startMeasuring();
  requests.pool.lagMs = 0;
  tell({ kind: "warm" });
  await requests.run(world, task.seconds, {
    slices: task.slices,
    onSlice: (latencies) => {
      const pushDelay = push.endSlice();
      const { lost } = push.result;
      const slice = { latencies, pushDelay, ...requests.wrongCounts, pushLost: lost };
      tell({ kind: "slice", slice });
    },
  });
  clearInterval(refresh);
  const { results, outcomes, wrong, pool } = requests;
  const { seconds } = task;
  return { seconds, ...results, outcomes, wrong, push: push.result, driverLagMs: pool.lagMs };
}

async function rate(loop: ClosedLoop) {
  const { latenciesUs: _each, ...result } = await closedLoop(loop);
  return result;
}

function pathsOf(name: string): readonly string[] {
  if (name === FIXED_PATH) return [FIXED_PATH];
  const endpoint = ENDPOINTS.find((of) => of.name === name);
  const random = randomFrom(mixed.task.seed);
  return Array.from({ length: VARIETY }, () => endpoint?.path(mixed.world, random) ?? "/");
}

function tell(message: FromDriver): void {
  process.send?.(message);
}

async function answer({ id, scenario, input }: Asked): Promise<void> {
  try {
    const run = SCENARIOS[scenario] as (input: unknown) => unknown;
    tell({ kind: "done", id, result: await run(input) });
  } catch (error) {
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell({ kind: "failed", id, fault });
  }
}

process.on("message", (asked: Asked) => void answer(asked));
process.on("disconnect", () => process.exit(0));
