// As many requests as connections get answered: each asks again once it has its answer.
import { HttpPool, requestBytes } from "./http-pool.ts";

export type ClosedLoop = {
  readonly url: string;
  readonly connections: number;
  /** Asked in turn, and again from the first. Not empty. */
  readonly paths: readonly string[];
  /** Requests in all; otherwise `seconds` say when it ends. */
  readonly count?: number;
  readonly seconds?: number;
  /** What `holding` counts; without it no body is looked at. */
  readonly text?: string;
};

export type ClosedLoopResult = {
  readonly requests: number;
  /** To the last answer. */
  readonly seconds: number;
  /** Of each request, in the order of their answers. */
  readonly latenciesUs: readonly number[];
  /** Answers by HTTP status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Answers whose body holds `text`. */
  readonly holding: number;
  /** Of whole answers, and of their bodies. */
  readonly bytes: number;
  readonly bodyBytes: number;
};

/** Rejects with an Error where a request had no answer. */
export async function closedLoop(loop: ClosedLoop): Promise<ClosedLoopResult> {
  const { connections, text, count = Number.POSITIVE_INFINITY } = loop;
  const { hostname: host, port } = new URL(loop.url);
  const requests = loop.paths.map(requestBytes);
  const latenciesUs: number[] = [];
  const statuses: Record<number, number> = {};
  let [holding, bytes, bodyBytes, lost] = [0, 0, 0, 0];
  const startMs = performance.now();
  const untilMs = startMs + 1000 * (loop.seconds ?? Number.POSITIVE_INFINITY);
  let endMs = startMs;
  await new Promise<void>((resolve) => {
    let busy = connections;
    let at = 0;
    const pool = new HttpPool({
      host,
      port: Number(port || 80),
      connections,
      onDone: (done) => {
        endMs = done.nowMs;
        if (typeof done.status === "number") {
          // The first ones of a connection wait until it is open.
          latenciesUs.push((endMs - done.sentMs) * 1000);
          statuses[done.status] = (statuses[done.status] ?? 0) + 1;
          bytes += done.bytes;
          bodyBytes += done.bodyBytes;
        } else lost += 1;
        next();
      },
      ...(text !== undefined && {
        onBody: (_request, _status, body) => {
          if (body.includes(text)) holding += 1;
        },
      }),
    });
    const next = (): void => {
      const dueMs = performance.now();
      const request = requests[at % requests.length];
      if (dueMs < untilMs && at < count && request !== undefined) {
        at += 1;
        pool.submit({ bytes: request, endpoint: 0, dueMs });
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
  const seconds = (endMs - startMs) / 1000;
  return {
    ...{ requests: latenciesUs.length, seconds, latenciesUs, statuses },
    ...{ holding, bytes, bodyBytes },
  };
}
