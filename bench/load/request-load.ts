// The request side of a load: the mix at a fixed rate, whatever the answers do. A latency runs from
// the moment a request was due, so a server that stalls shows the stall in every request behind it.
import { type Done, HttpPool, type PooledRequest, requestBytes, TIMEOUT_MS } from "./http-pool.ts";
import { LatencyRecord } from "./latency-record.ts";
import type { EndpointResult, Latencies } from "./messages.ts";
import { ENDPOINTS } from "./mix.ts";
import { pick, type Random } from "./random.ts";
import type { World } from "./world.ts";

/** The loop wakes this often: requests due in between are sent together. */
const TICK_MS = 1;
/** After the time that an answer may take. */
const DRAIN_MS = 2000;

type Sink = { readonly record: LatencyRecord; bodyBytes: number };

export type RequestLoadOptions = {
  readonly url: string;
  readonly rate: number;
  readonly connections: number;
  readonly random: Random;
  /** That an answer may take. */
  readonly timeoutMs?: number;
  readonly onBody?: (path: PooledRequest, status: number, body: Buffer) => void;
};

export type SliceOptions = {
  readonly slices: number;
  /** Told the latencies of all requests of each. */
  readonly onSlice: (latencies: Latencies) => void;
};

export class RequestLoad {
  readonly pool: HttpPool;
  readonly #rate: number;
  readonly #random: Random;
  readonly #timeoutMs: number;
  readonly #endpoints: Sink[] = ENDPOINTS.map(() => newSink());
  readonly #total = newSink();
  readonly #outcomes: Record<string, number> = {};
  readonly #wrong: Record<string, number> = {};
  #isStopped = false;
  #measured = { fromMs: Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

  constructor(options: RequestLoadOptions) {
    const { url, rate, connections, random, timeoutMs = TIMEOUT_MS, onBody } = options;
    const { hostname: host, port } = new URL(url);
    this.#rate = rate;
    this.#random = random;
    this.#timeoutMs = timeoutMs;
    this.pool = new HttpPool({
      host,
      port: Number(port || 80),
      connections,
      timeoutMs,
      onDone: (done) => this.#done(done),
      ...(onBody === undefined ? {} : { onBody }),
    });
  }

  /**
   * Sends for `seconds`, in slices that `onSlice` is told the end of. Those sent within count, and
   * are waited for some time; what has no answer then never gets one. Once.
   */
  async run(world: World, seconds: number, { slices, onSlice }: SliceOptions): Promise<void> {
    const startMs = performance.now();
    const sliceMs = (1000 * seconds) / slices;
    this.#measured = { fromMs: startMs, toMs: startMs + 1000 * seconds };
    for (let slice = 0; slice < slices; slice += 1) {
      await this.send(world, startMs + slice * sliceMs, startMs + (slice + 1) * sliceMs);
      if (slice === slices - 1) {
        await this.#drain();
        this.pool.close();
      }
      for (const { record } of this.#endpoints) record.endSlice();
      onSlice(this.#total.record.endSlice());
    }
  }

  /** Sends what is due between two moments of performance.now; answers may come later. */
  async send(world: World, fromMs: number, toMs: number): Promise<void> {
    const count = Math.round(((toMs - fromMs) * this.#rate) / 1000);
    for (let sent = 0; sent < count && !this.#isStopped; ) {
      const nowMs = performance.now();
      for (; sent < count; sent += 1) {
        const dueMs = fromMs + (1000 * sent) / this.#rate;
        if (dueMs > nowMs) break;
        this.#submit(world, dueMs);
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  }

  /** Ends a run early: nothing more is sent. */
  stop(): void {
    this.#isStopped = true;
  }

  get results(): { readonly endpoints: readonly EndpointResult[]; readonly total: EndpointResult } {
    const endpoints = ENDPOINTS.map(({ name }, at) => resultOf(name, this.#endpoints[at]));
    return { endpoints, total: resultOf("all", this.#total) };
  }

  get outcomes(): Readonly<Record<string, number>> {
    return this.#outcomes;
  }

  /** Of what no request of the mix should get: refusals of an overloaded service, and the rest. */
  get wrongCounts(): { readonly wrong: number; readonly refused: number } {
    const counts = { wrong: 0, refused: 0 };
    for (const [key, count] of Object.entries(this.#wrong)) {
      counts[key.startsWith("409 ") ? "refused" : "wrong"] += count;
    }
    return counts;
  }

  get wrong(): Readonly<Record<string, number>> {
    return this.#wrong;
  }

  #submit(world: World, dueMs: number): void {
    const endpoint = weighted(this.#random);
    const path = ENDPOINTS[endpoint]?.path(world, this.#random) ?? "/";
    this.pool.submit({ bytes: requestBytes(path), endpoint, dueMs });
  }

  #done({ request, status, nowMs, bodyBytes }: Done): void {
    const { endpoint, dueMs } = request;
    if (dueMs < this.#measured.fromMs || dueMs >= this.#measured.toMs) return;
    this.#outcomes[status] = (this.#outcomes[status] ?? 0) + 1;
    // An order may have ended since its id was learnt, and with the last one what stood behind it.
    if (status !== 200 && status !== 404) {
      const key = `${status} ${ENDPOINTS[endpoint]?.name}`;
      this.#wrong[key] = (this.#wrong[key] ?? 0) + 1;
    }
    for (const sink of [this.#endpoints[endpoint], this.#total]) {
      if (sink === undefined) continue;
      sink.record.add(nowMs - dueMs);
      sink.bodyBytes += bodyBytes;
    }
  }

  async #drain(): Promise<void> {
    const deadline = performance.now() + this.#timeoutMs + DRAIN_MS;
    while (this.pool.open > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

const WEIGHTS = ENDPOINTS.flatMap(({ weight }, at) => Array.from({ length: weight }, () => at));

function weighted(random: Random): number {
  return pick(random, WEIGHTS) ?? 0;
}

function newSink(): Sink {
  return { record: new LatencyRecord(), bodyBytes: 0 };
}

function resultOf(name: string, sink: Sink = newSink()): EndpointResult {
  const { all, slices } = sink.record;
  return { name, all, slices, bodyBytes: sink.bodyBytes };
}
