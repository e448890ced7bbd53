// The main thread's side of the router workers. Requests that arrive in one turn of the loop go to the workers
// together, a batch for each free one; results come back the same way. Clients are served in turn (fair
// queue). Every wait is bounded: past the queue bounds or the time limit, or where a worker died, the answer
// is `failed`.
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import type { SharedBook } from "../book/left-right.ts";
import type { Clock } from "../model/clock.ts";
import { FairQueue } from "../model/fair-queue.ts";
import { messageOf } from "../model/thrown.ts";
import type { InlineQuotes } from "./inline-quotes.ts";
import {
  type BatchReply,
  type QuoteBatch,
  RUNNING,
  STOP,
  WARM_UP,
  type WorkerStart,
  type WorkerTask,
} from "./messages.ts";
import type { QuoteAnswer, QuoteAsker, QuoteRequest, QuoteService } from "./quote.ts";
import { CANCELED, QuoteJob, requestKey } from "./quote-job.ts";

/** Requests that wait for a worker (a guess: some ten milliseconds of work for one). */
export const QUEUE_MAX = 1024;
/** Requests of one client that wait: others always find a place (choice). */
export const CLIENT_QUEUE_MAX = QUEUE_MAX / 2;
/**
 * Requests of one task (a guess). How many there are bounds what each may take, so that with fewer of them hard
 * ones take longer where many wait.
 */
const BATCH_MAX = 64;
/** From arrival to answer. Clients are promised a failure within a second. */
const TIME_MS_MAX = 800;
/**
 * A worker that goes on for longer after its last request ran out of time is ended (guess). Searches
 * stop by their flag: this is for one that hangs. A thread that only waits for a busy machine's cores
 * must not be ended, since starting another costs more of what is short.
 */
const GRACE_MS = 1500;
/** An answer older than one that was given already is computed again, so many times. */
const ATTEMPTS_MAX = 16;
/** Answers of the present step that are kept for the same request. */
const SHARED_MAX = 1024;
/** Steps of a worker's warm-up: with more, first quotes are no faster (measured, 2026-11). */
const WARM_UP_STEPS = 32;
/** Seconds (api.md, Limits). */
const SKIP_WINDOW = 600;
const SECOND_MS = 1000;

const CLOSED = failed("The service is shutting down.");
const NOBODY: ReadonlySet<string> = new Set();
const TOO_MANY = failed(`Too many quotes are waiting (max ${QUEUE_MAX}).`);
const TOO_MANY_OF_CLIENT = failed(
  `Too many quotes of one client are waiting (max ${CLIENT_QUEUE_MAX}).`,
);

/** What the pool needs of the shared book. */
export type PooledBook = Pick<SharedBook, "buffers" | "sequence" | "releaseThread">;

export type QuotePoolOptions = {
  readonly book: PooledBook;
  readonly clock: Clock;
  /** A fault of ours, for the log. */
  readonly onFault: (fault: string) => void;
  /** Default: one less than cores, at least 1. */
  readonly workers?: number;
  /** Milliseconds from arrival to answer. */
  readonly timeMs?: number;
  /** Answers what the main thread can afford; absent: the workers answer everything. */
  readonly inline?: InlineQuotes;
  /** The worker's entry; a test brings its own engine. */
  readonly entry?: URL;
};

export type PoolLoad = {
  /** Requests that wait for a worker, and how many may. */
  readonly queued: number;
  readonly queueMax: number;
  readonly workers: number;
  /** Workers with a batch at hand. */
  readonly busy: number;
  /** Workers started in place of ended ones. */
  readonly replaced: number;
};

export class QuotePool implements QuoteService {
  readonly #options: QuotePoolOptions;
  readonly #piscina: Piscina<WorkerTask, BatchReply>;
  readonly #flags: Int32Array;
  readonly #freeFlags: number[];
  readonly #knownThreads = new WeakSet<Worker>();
  /** Waiting for a worker; a job that several clients ask for waits in the queue of each. */
  readonly #queue = new FairQueue<QuoteJob>();
  /** Not yet answered, oldest first: all have the same time, so the first runs out first. */
  #unanswered: QuoteJob[] = [];
  /** Jobs of the present step and second, by request. */
  #shared = new Map<string, QuoteJob>();
  #sharedSequence = -1;
  #sharedSecond = -1;
  readonly #workers: number;
  #freeWorkers: number;
  #threadsSeen = 0;
  #flushDue = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  /** The newest ledger that an answer named. */
  #ledger = 0;

  constructor(options: QuotePoolOptions) {
    this.#options = options;
    const workers = options.workers ?? Math.max(1, availableParallelism() - 1);
    const flags = workers * BATCH_MAX;
    this.#flags = new Int32Array(new SharedArrayBuffer(4 * flags));
    this.#freeFlags = Array.from({ length: flags }, (_, flag) => flag);
    this.#workers = workers;
    this.#freeWorkers = workers;
    const start: WorkerStart = { book: options.book.buffers, flags: this.#flags };
    this.#piscina = new Piscina<WorkerTask, BatchReply>({
      filename: (options.entry ?? new URL("./worker.js", import.meta.url)).href,
      minThreads: workers,
      maxThreads: workers,
      recordTiming: false,
      workerData: start,
    });
    this.#piscina.on("workerCreate", () => this.#watchThreads());
    this.#piscina.on("error", (error) => {
      // A job in a worker when the pool closes is dropped.
      if (!this.#closed) options.onFault(error.stack ?? String(error));
    });
    this.#watchThreads();
  }

  quoteNow(request: QuoteRequest): QuoteAnswer | undefined {
    const { inline } = this.#options;
    if (inline === undefined || this.#closed) return undefined;
    const now = this.#second();
    const known = this.#shared.size === 0 ? undefined : this.#sharedJob(requestKey(request), now);
    if (known !== undefined) return known.result;
    const answer = inline.answer(request, { now, skipWindow: SKIP_WINDOW });
    if (answer === undefined || answer.status === "failed") return undefined;
    // No worker has seen a newer ledger: this thread is the one that shows them.
    this.#ledger = answer.ledger;
    // Not kept for who asks the same: thousands of answers that live for a second cost the garbage
    // collector more than the few that are asked for again.
    return answer;
  }

  quote(request: QuoteRequest, { aborted, client = "" }: QuoteAsker = {}): Promise<QuoteAnswer> {
    if (aborted?.aborted) return Promise.resolve(CANCELED);
    if (this.#closed) return Promise.resolve(CLOSED);
    const key = requestKey(request);
    const known = this.#sharedJob(key, this.#second());
    const job = known ?? new QuoteJob(request, client, performance.now() + this.#timeMs);
    if (!job.clients.has(client) || known === undefined) {
      const refusal = this.#enqueue(client, job);
      if (refusal !== undefined) return Promise.resolve(refusal);
    }
    if (known === undefined) this.#begin(key, job);
    return job.wait(aborted, () => this.#drop(job));
  }

  /** Resolves once every worker is up: before that a first request may run out of time. */
  async ready(): Promise<void> {
    const nothing: QuoteBatch = { now: 0, skipWindow: 0, timesMs: [], requests: [], flags: [] };
    await Promise.all(this.#piscina.threads.map(() => this.#piscina.run(nothing)));
  }

  /**
   * Has each worker compile its code, some 0.3 s of its time, in steps between which it answers what is
   * asked. Resolves once that is done or the pool closes.
   */
  async warmUp(): Promise<void> {
    const warmUpOne = async () => {
      for (let step = 0; step < WARM_UP_STEPS && !this.#closed; step += 1) {
        await this.#piscina.run(WARM_UP);
      }
    };
    try {
      await Promise.all(this.#piscina.threads.map(warmUpOne));
    } catch (error) {
      if (!this.#closed) this.#options.onFault(String(error));
    }
  }

  get load(): PoolLoad {
    return {
      queued: this.#queue.size,
      queueMax: QUEUE_MAX,
      workers: this.#workers,
      busy: this.#workers - this.#freeWorkers,
      replaced: Math.max(0, this.#threadsSeen - this.#workers),
    };
  }

  /** The router threads, for tests that end one. */
  get threads(): readonly Worker[] {
    return this.#piscina.threads;
  }

  /** Ends the workers; requests that still wait are answered `failed`. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const job of this.#unanswered) job.answer(CLOSED);
    this.#unanswered = [];
    this.#queue.keep(() => false);
    await this.#piscina.destroy();
  }

  /** A job that asks the same of the same step at the same second. */
  #sharedJob(key: string, second: number): QuoteJob | undefined {
    const { sequence } = this.#options.book;
    if (sequence !== this.#sharedSequence || second !== this.#sharedSecond) {
      this.#shared.clear();
      this.#sharedSequence = sequence;
      this.#sharedSecond = second;
    }
    return this.#shared.get(key);
  }

  /** UNIX seconds. */
  #second(): number {
    return Math.floor(this.#options.clock() / SECOND_MS);
  }

  get #timeMs(): number {
    return this.#options.timeMs ?? TIME_MS_MAX;
  }

  /** Why there is no room for it, or undefined. */
  #enqueue(client: string, job: QuoteJob): QuoteAnswer | undefined {
    if (!isOpen(job)) return undefined;
    const isFull = () =>
      this.#queue.size >= QUEUE_MAX || this.#queue.sizeOf(client) >= CLIENT_QUEUE_MAX;
    if (isFull()) this.#queue.keep(isWaiting);
    if (isFull()) return this.#queue.size >= QUEUE_MAX ? TOO_MANY : TOO_MANY_OF_CLIENT;
    job.clients.add(client);
    this.#queue.add(client, job);
    this.#flushSoon();
    return undefined;
  }

  #begin(key: string, job: QuoteJob): void {
    job.key = key;
    if (this.#shared.size < SHARED_MAX) this.#shared.set(key, job);
    this.#unanswered.push(job);
    this.#timer ??= setTimeout(() => this.#failLate(), this.#timeMs);
  }

  /** The job's last client is gone. */
  #drop(job: QuoteJob): void {
    this.#stop(job);
    this.#answer(job, CANCELED);
  }

  #answer(job: QuoteJob, result: QuoteAnswer): void {
    if (job.result !== undefined) return;
    if (result.status === "failed" && this.#shared.get(job.key) === job) {
      this.#shared.delete(job.key);
    }
    job.answer(result);
  }

  #stop(job: QuoteJob): void {
    // Advice to the worker, which reads it now and then: no order with other memory matters.
    if (job.flag !== undefined) this.#flags[job.flag] = STOP;
  }

  #failLate(): void {
    const now = performance.now();
    let late = 0;
    for (const job of this.#unanswered) {
      if (job.result === undefined) {
        if (job.deadline > now) break;
        this.#stop(job);
        this.#answer(job, failed("The quote took too long."));
      }
      late += 1;
    }
    this.#unanswered = this.#unanswered.slice(late);
    const [first] = this.#unanswered;
    this.#timer =
      first === undefined
        ? undefined
        : setTimeout(() => this.#failLate(), Math.max(1, first.deadline - now));
  }

  #flushSoon(): void {
    if (this.#flushDue || this.#freeWorkers === 0 || this.#closed) return;
    this.#flushDue = true;
    // After the turn's reads: all requests that came with it are in the queue by then.
    setImmediate(() => {
      this.#flushDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#freeWorkers > 0 && this.#queue.size > 0) {
      const share = Math.ceil(this.#queue.size / this.#freeWorkers);
      // A job that waits in the queues of several clients may be taken more than once.
      const taken = new Set(this.#queue.take(Math.min(share, BATCH_MAX)));
      const batch = [...taken].filter(isWaiting);
      if (batch.length === 0) continue;
      this.#run(batch).catch((error: unknown) => this.#options.onFault(String(error)));
    }
  }

  async #run(jobs: readonly QuoteJob[]): Promise<void> {
    this.#freeWorkers -= 1;
    for (const job of jobs) {
      job.flag = this.#freeFlags.pop();
      job.isTaken = true;
      if (job.flag !== undefined) this.#flags[job.flag] = 0;
    }
    try {
      const { results, faults } = await this.#ask(jobs);
      for (const fault of faults) this.#options.onFault(fault);
      // Behind those that it answered the worker left the rest, so that others have their turns.
      const served = jobs.slice(0, results.length);
      this.#again(jobs.slice(results.length), new Set(served.map(({ client }) => client)));
      for (const [index, result] of results.entries()) this.#take(jobs[index] as QuoteJob, result);
    } catch (error) {
      if (!this.#closed) this.#options.onFault(messageOf(error));
      this.#retry(jobs);
    } finally {
      for (const job of jobs) {
        if (job.flag !== undefined) this.#freeFlags.push(job.flag);
        job.flag = undefined;
      }
      this.#freeWorkers += 1;
      this.#flush();
    }
  }

  /** Rejects where the worker died or did not come back in time; then it is replaced. */
  async #ask(jobs: readonly QuoteJob[]): Promise<BatchReply> {
    const end = new AbortController();
    const timesMs = jobs.map((job) => job.deadline - performance.now());
    const timer = setTimeout(() => end.abort(), Math.max(...timesMs) + GRACE_MS);
    const batch: QuoteBatch = {
      now: this.#second(),
      skipWindow: SKIP_WINDOW,
      timesMs,
      requests: jobs.map((job) => job.request),
      flags: jobs.map((job) => job.flag ?? 0),
    };
    try {
      return await this.#piscina.run(batch, { signal: end.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  #take(job: QuoteJob, result: QuoteAnswer): void {
    if (result.status === "failed") {
      this.#answer(job, result);
      return;
    }
    // Another worker looked later and was answered before this one: a client that saw that answer
    // must not get one of an older ledger now.
    if (result.ledger < this.#ledger) {
      job.attempts += 1;
      if (job.attempts < ATTEMPTS_MAX) this.#again([job], NOBODY);
      else this.#answer(job, failed("The ledgers come faster than the quote."));
      return;
    }
    this.#ledger = result.ledger;
    this.#answer(job, result);
  }

  /** Their worker died. The one it was at fails; the others have another worker, once. */
  #retry(jobs: readonly QuoteJob[]): void {
    const again: QuoteJob[] = [];
    for (const job of jobs) {
      const isAt = job.flag === undefined || Atomics.load(this.#flags, job.flag) === RUNNING;
      if (isAt || job.isRetried || this.#closed) {
        this.#answer(job, failed("The router worker ended."));
      } else if (isOpen(job)) again.push(job);
      job.isRetried = true;
    }
    this.#again(again, NOBODY);
  }

  /** They wait again, before all else of their clients. */
  #again(jobs: readonly QuoteJob[], served: ReadonlySet<string>): void {
    for (const job of jobs) job.isTaken = false;
    const pieces = jobs.map((job) => [job.client, job] as const);
    if (pieces.length > 0) this.#queue.putBack(pieces, served);
  }

  /** A thread that ends leaves its place in the book behind. */
  #watchThreads(): void {
    for (const thread of this.#piscina.threads) {
      if (this.#knownThreads.has(thread)) continue;
      this.#knownThreads.add(thread);
      this.#threadsSeen += 1;
      const { threadId } = thread;
      thread.once("exit", () => this.#options.book.releaseThread(threadId));
    }
  }
}

function isWaiting(job: QuoteJob): boolean {
  return isOpen(job) && !job.isTaken;
}

function isOpen(job: QuoteJob): boolean {
  return job.result === undefined;
}

function failed(message: string): QuoteAnswer {
  return { status: "failed", message };
}
