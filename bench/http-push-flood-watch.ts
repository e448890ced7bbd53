// The other client of http-push-flood, in a process of its own: asks for GET / at a fixed rate, whether or
// not answers come, and hears the ledgers' pushes.
import { once } from "node:events";
import { WebSocket } from "ws";
import { HttpPool, requestBytes } from "./load/http-pool.ts";
import { threadTimes } from "./process-figures.ts";

/** `open` once, then `take` for what came since the last one. */
export type Watch =
  | { readonly kind: "open"; readonly port: number; readonly pid: number }
  | { readonly kind: "take" };
export type Watched = {
  /** Of each request, from when it was due. */
  readonly latenciesMs: readonly number[];
  readonly pushes: readonly Push[];
};
/** `atMs`: of the Unix epoch, by this machine's clock; `ranMs`: what the engine's main thread had run by then. */
type Push = { readonly ledger: number; readonly atMs: number; readonly ranMs: number };

const EVERY_MS = 20;
/** More than requests that are due before the slowest answer. */
const CONNECTIONS = 100;
const REQUEST = requestBytes("/");

let latenciesMs: number[] = [];
let pushes: Push[] = [];

process.on("message", (watch: Watch) => {
  if (watch.kind === "open") void open(watch);
  process.send?.({ latenciesMs, pushes } satisfies Watched);
  [latenciesMs, pushes] = [[], []];
});

async function open({ port, pid }: { readonly port: number; readonly pid: number }): Promise<void> {
  const pool = new HttpPool({
    ...{ host: "127.0.0.1", port, connections: CONNECTIONS },
    onDone: ({ request, status, nowMs }) => {
      if (status !== 200) throw new Error(`GET / was answered ${status}`);
      latenciesMs.push(nowMs - request.dueMs);
    },
  });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await once(socket, "open");
  socket.on("message", (data) => {
    const { type, ledger } = JSON.parse(String(data)) as { type: string; ledger?: number };
    if (type !== "ledger" || ledger === undefined) return;
    const { ranMs } = threadTimes(pid);
    pushes.push({ ledger, atMs: performance.timeOrigin + performance.now(), ranMs });
  });
  socket.send('{"op":"subscribe","channel":"contract"}');
  let dueMs = performance.now();
  setInterval(() => {
    // A timer that comes late makes up for what was due meanwhile.
    for (; dueMs <= performance.now(); dueMs += EVERY_MS) {
      pool.submit({ bytes: REQUEST, endpoint: 0, dueMs });
    }
  }, EVERY_MS);
}
