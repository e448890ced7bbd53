// Worker thread: answers batches from the shared book.
import { workerData } from "node:worker_threads";
import { type BookReader, openBookReader } from "../book/shared-control.ts";
import {
  type BatchReply,
  type QuoteBatch,
  RUNNING,
  STOP,
  WARM_UP,
  type WorkerStart,
  type WorkerTask,
} from "./messages.ts";
import type { QuoteAnswer, QuoteRequest } from "./quote.ts";
import type { QuoteEngine } from "./quote-engine.ts";
import { quoteAnswer } from "./quote-text.ts";

/**
 * A batch ends with the request that this time passes in, ms: those behind it wait their turns again,
 * beside what came in meanwhile. Some hundred usual quotes, or one that is hard (choice).
 */
const SLICE_MS = 4;

/**
 * The task a worker file exports. Synchronous: an idle worker sleeps in `Atomics.wait`. `startWarmUp`
 * returns what does a step of the warm-up.
 */
export function serveQuotes(
  engine: QuoteEngine,
  startWarmUp: () => () => void = () => () => {},
): (task: WorkerTask) => BatchReply {
  const { book, flags } = workerData as WorkerStart;
  let reader: BookReader | undefined;
  let warmUp: (() => void) | undefined;
  return (task) => {
    if (task === WARM_UP) {
      warmUp ??= startWarmUp();
      warmUp();
      return { results: [], faults: [] };
    }
    const batch = task;
    reader ??= openBookReader(book);
    const results: QuoteAnswer[] = [];
    const faults: string[] = [];
    const start = performance.now();
    for (const [index, request] of batch.requests.entries()) {
      const flag = batch.flags[index]!;
      const now = performance.now();
      if (index > 0 && now > start + SLICE_MS) break;
      const left = start + batch.timesMs[index]! - now;
      // All are answered together, so each leaves time to those after it. Searching for a first answer may take half
      // of the time left; improving one an n-th of it for n requests left, and never more than half: told to stop, a
      // search looks up after a while, and an answer after its time is none.
      const parts = batch.requests.length - index;
      const end = now + left / 2;
      const endOfMore = now + left / Math.max(parts, 2);
      results.push(answer({ engine, reader, flags, flag, batch, request, faults, end, endOfMore }));
    }
    return { results, faults };
  };
}

type Task = {
  readonly engine: QuoteEngine;
  readonly reader: BookReader;
  readonly flags: Int32Array;
  readonly flag: number;
  readonly batch: QuoteBatch;
  readonly request: QuoteRequest;
  readonly faults: string[];
  /** `performance.now`: when to stop without an answer, and with one. */
  readonly end: number;
  readonly endOfMore: number;
};

function answer(task: Task): QuoteAnswer {
  const { engine, reader, flags, flag, batch, request, faults, end, endOfMore } = task;
  // The flag is advice: a stale read costs one needless search, so any memory order will do.
  if (Atomics.compareExchange(flags, flag, 0, RUNNING) === STOP)
    return { status: "failed", message: "The request was canceled." };
  const shouldStop = (hasAnswer: boolean) =>
    flags[flag] === STOP || performance.now() > (hasAnswer ? endOfMore : end);
  // In and out for each request: the writer waits for one search at most, not for a batch.
  const view = reader.enter();
  try {
    const context = { now: batch.now, skipWindow: batch.skipWindow, shouldStop };
    return quoteAnswer(engine(view, request, context));
  } catch (error) {
    faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { status: "failed", message: "The quote could not be computed." };
  } finally {
    reader.leave();
    Atomics.compareExchange(flags, flag, RUNNING, 0);
  }
}
