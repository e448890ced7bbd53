// As many requests as connections get answered: each asks again once it has its answer.
import { HttpPool } from "./http-pool.ts";

export type ClosedLoop = {
  readonly url: string;
  readonly connections: number;
  /** Asked in turn. Not empty. */
  readonly requests: readonly Buffer[];
  readonly seconds: number;
};

export type ClosedLoopResult = { readonly requestsPerSecond: number; readonly requests: number };

/** Throws an Error where a request had no answer. */
export async function measureClosedLoop(loop: ClosedLoop): Promise<ClosedLoopResult> {
  const { url, connections, requests, seconds } = loop;
  const { hostname: host, port } = new URL(url);
  const startMs = performance.now();
  const untilMs = startMs + 1000 * seconds;
  let answered = 0;
  let lost = 0;
  let endMs = startMs;
  await new Promise<void>((resolve) => {
    let busy = connections;
    let at = 0;
    const pool = new HttpPool({
      host,
      port: Number(port || 80),
      connections,
      onDone: ({ status, nowMs }) => {
        endMs = nowMs;
        if (typeof status === "number") answered += 1;
        else lost += 1;
        // Not within the pool's own call: the connection is free only after it.
        queueMicrotask(next);
      },
    });
    const next = (): void => {
      const nowMs = performance.now();
      const bytes = requests[at % requests.length];
      at += 1;
      if (nowMs < untilMs && bytes !== undefined) {
        pool.submit({ bytes, endpoint: 0, dueMs: nowMs });
        return;
      }
      busy -= 1;
      if (busy > 0) return;
      pool.close();
      resolve();
    };
    for (let connection = 0; connection < connections; connection += 1) next();
  });
  if (lost > 0) throw new Error(`${lost} requests had no answer`);
  return { requestsPerSecond: answered / ((endMs - startMs) / 1000), requests: answered };
}
