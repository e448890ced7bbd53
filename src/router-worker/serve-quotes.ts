// Worker thread: answers batches from the shared book.
import { workerData } from "node:worker_threads";
import { type BookReader, openBookReader } from "../book/shared-control.ts";
import { type BatchReply, type QuoteBatch, STOP, type WorkerStart } from "./messages.ts";
import type { QuoteAnswer, QuoteRequest } from "./quote.ts";
import type { QuoteEngine } from "./quote-engine.ts";
import { quoteAnswer } from "./quote-text.ts";

/** The task a worker file exports. Synchronous: an idle worker sleeps in `Atomics.wait`. */
export function serveQuotes(engine: QuoteEngine): (batch: QuoteBatch) => BatchReply {
  const { book, flags } = workerData as WorkerStart;
  let reader: BookReader | undefined;
  return (batch) => {
    reader ??= openBookReader(book);
    const results: QuoteAnswer[] = [];
    const faults: string[] = [];
    const end = performance.now() + batch.timeMs;
    for (const [index, request] of batch.requests.entries()) {
      const flag = batch.flags[index]!;
      // All are answered together: those that have an answer to better leave time to the others.
      const now = performance.now();
      const endOfShare = now + (end - now) / (batch.requests.length - index);
      results.push(
        answer({ engine, reader, flags, flag, batch, request, faults, endOfShare, end }),
      );
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
  /** `performance.now`: of this request's part of the time, and of all of it. */
  readonly endOfShare: number;
  readonly end: number;
};

function answer(task: Task): QuoteAnswer {
  const { engine, reader, flags, flag, batch, request, faults, endOfShare, end } = task;
  // The flag is advice: a stale read costs a search nobody waits for, so any order will do.
  if (flags[flag] === STOP) return { status: "failed", message: "The request was canceled." };
  const shouldStop = (hasAnswer: boolean) =>
    flags[flag] === STOP || performance.now() > (hasAnswer ? endOfShare : end);
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
  }
}
