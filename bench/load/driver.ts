// The process that drives a load: learns what there is to ask for, opens its push clients, warms
// up, then measures. It does nothing else, so that what it measures is the service.
import { measureClosedLoop } from "./closed-loop.ts";
import { FIXED_PATH } from "./fixed-path.ts";
import { requestBytes } from "./http-pool.ts";
import type { DriverTask, FromDriver, ToDriver } from "./messages.ts";
import { ENDPOINTS } from "./mix.ts";
import { PushClients } from "./push-clients.ts";
import { pick, randomFrom } from "./random.ts";
import { RequestLoad } from "./request-load.ts";
import { learnWorld, refreshOrders, type World } from "./world.ts";

const REFRESH_MS = 5000;
/** Different requests of an endpoint, asked in turn. */
const VARIETY = 500;

let task: DriverTask | undefined;
let world: World | undefined;
let push: PushClients | undefined;

function tell(message: FromDriver): void {
  process.send?.(message);
}

async function start(order: DriverTask): Promise<void> {
  task = order;
  const random = randomFrom(order.seed);
  const known = await learnWorld(order.url);
  world = known;
  const clients = new PushClients(order.url);
  push = clients;
  await clients.open(order.websockets, known, random);
  const load = new RequestLoad({ ...order, random });
  const refresh = setInterval(() => {
    const cursor = pick(random, known.orderCursors) ?? "";
    // Without it ids grow old, and more of them are answered with a 404.
    refreshOrders(known, order.url, cursor).catch(() => undefined);
  }, REFRESH_MS);
  tell({ kind: "ready" });
  const from = performance.now();
  await load.send(known, from, from + 1000 * order.warmupSeconds);
  clients.startMeasuring();
  load.pool.lagMs = 0;
  tell({ kind: "warm" });
  await load.run(known, order.seconds, {
    slices: order.slices,
    onSlice: (latencies) => {
      const pushDelay = clients.endSlice();
      const { lost } = clients.result;
      tell({
        kind: "slice",
        result: { latencies, pushDelay, ...load.wrongCounts, pushLost: lost },
      });
    },
  });
  clearInterval(refresh);
  tell({
    kind: "result",
    result: {
      seconds: order.seconds,
      ...load.results,
      outcomes: load.outcomes,
      wrong: load.wrong,
      push: clients.result,
      driverLagMs: load.pool.lagMs,
    },
  });
}

async function measure(name: string, seconds: number): Promise<void> {
  if (task === undefined) throw new Error("nothing was started");
  const { url, connections } = task;
  const requests = requestsOf(name);
  const result = await measureClosedLoop({ url, connections, requests, seconds });
  tell({ kind: "measured", ...result });
}

function requestsOf(name: string): readonly Buffer[] {
  if (name === FIXED_PATH) return [requestBytes(FIXED_PATH)];
  const endpoint = ENDPOINTS.find((of) => of.name === name);
  const random = randomFrom(task?.seed ?? 1);
  return Array.from({ length: VARIETY }, () => {
    const path = world === undefined ? undefined : endpoint?.path(world, random);
    return requestBytes(path ?? "/");
  });
}

function fail(error: unknown): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell({ kind: "failed", message });
}

process.on("message", (message: ToDriver) => {
  switch (message.kind) {
    case "start":
      start(message.task).catch(fail);
      break;
    case "closed":
      push?.ledgerClosed(message.ledger, BigInt(message.atNs));
      break;
    case "measure":
      measure(message.endpoint, message.seconds).catch(fail);
      break;
    case "disconnectPush":
      push?.close();
      tell({ kind: "disconnected" });
      break;
    case "end":
      process.exit(0);
  }
});
process.on("disconnect", () => process.exit(0));
