// A server on a free port over an in-memory read model, with a clock the test sets.

import type { DepthBody, DepthRequest } from "../../../src/book/depth.ts";
import type { Depths } from "../../../src/book/live-depth.ts";
import type { BookSides } from "../../../src/book/market-sides.ts";
import type { AccessLog } from "../../../src/http/access-log.ts";
import { AssetInput } from "../../../src/http/asset-input.ts";
import type { HttpMeter } from "../../../src/http/http-meter.ts";
import type { ListenerLimits } from "../../../src/http/limits/listener-limits.ts";
import { pushChannels } from "../../../src/http/push/channels.ts";
import { PushEndpoint } from "../../../src/http/push/endpoint.ts";
import type { Timers } from "../../../src/http/push/throttle.ts";
import { startHttpServer } from "../../../src/http/server.ts";
import type { Site } from "../../../src/http/site/site.ts";
import { loadUws } from "../../../src/http/uws.ts";
import { type Address, accountAddress, contractAddress } from "../../../src/model/address.ts";
import type { Order, OrderId } from "../../../src/model/order.ts";
import { type Position, position } from "../../../src/model/position.ts";
import type {
  QuoteAnswer,
  QuoteAsker,
  QuoteRequest,
  QuoteService,
} from "../../../src/router-worker/quote.ts";
import { MemoryReadModel } from "./memory-read-model.ts";
import { NO_LIMITS, NO_METER } from "./unlimited.ts";

export const PASSPHRASE = "Test SDF Network ; September 2015";

const accounts = new Map<number, Address>();
const contracts = new Map<number, Address>();

/** The n-th test account. */
export function testAccount(n: number): Address {
  return remembered(accounts, n, accountAddress);
}

/** The n-th test contract. */
export function testContract(n: number): Address {
  return remembered(contracts, n, contractAddress);
}

/** Some tests have tens of thousands of orders, each with three. */
function remembered(
  known: Map<number, Address>,
  n: number,
  make: (key: Uint8Array) => Address,
): Address {
  const address = known.get(n) ?? make(new Uint8Array(32).fill(n));
  known.set(n, address);
  return address;
}

export const EXCHANGE = testContract(200);

export type TestServer = {
  readonly readModel: MemoryReadModel;
  readonly port: number;
  readonly unreadBytes: () => number;
  readonly url: string;
  /** What the quote service answers; a test replaces it. */
  quote: (request: QuoteRequest, asker?: QuoteAsker) => Promise<QuoteAnswer>;
  /** What the book says; a test replaces it. */
  depth: (request: DepthRequest) => DepthBody | undefined;
  depthLater: Depths["later"];
  /** UNIX milliseconds. */
  nowMs: number;
  readonly loggedErrors: object[];
  readonly push: PushEndpoint;
  readonly watch: TestWatch;
  readonly timers: TestTimers;
  close(): Promise<void>;
};

export type TestServerOptions = {
  readonly pingIntervalMs?: number;
  readonly site?: Site;
  readonly accessLog?: AccessLog;
  readonly limits?: Partial<ListenerLimits>;
  readonly meter?: HttpMeter;
};

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { pingIntervalMs, site, accessLog, limits, meter = NO_METER } = options;
  const readModel = new MemoryReadModel();
  const loggedErrors: object[] = [];
  const assets = new AssetInput(PASSPHRASE);
  const log = {
    error: (fields: object) => {
      loggedErrors.push(fields);
    },
  };
  const quotes: QuoteService = {
    quoteNow: () => undefined,
    quote: (request, asker) => server.quote(request, asker),
  };
  const watch = new TestWatch();
  const timers = new TestTimers();
  const depth: Depths = {
    now: (request) => server.depth(request),
    later: (request, isWanted) => server.depthLater(request, isWanted),
  };
  const shared = {
    readModel,
    depth,
    quotes,
    assets,
    contract: EXCHANGE,
  };
  const push = new PushEndpoint({
    channels: (...told) => pushChannels({ ...shared, watch, timers, log }, ...told),
    log,
    ...(pingIntervalMs === undefined ? {} : { pingIntervalMs }),
    meter,
  });
  const server: Pick<TestServer, "quote" | "depth" | "depthLater" | "nowMs"> = {
    quote: () => Promise.resolve({ status: "unfeasible", ledger: readModel.ledger ?? 0 }),
    depth: (request) => emptyBook(request, readModel.ledger ?? 0, server.nowMs),
    depthLater: () => undefined,
    nowMs: 1_700_000_000_000,
  };
  const listening = await startHttpServer({
    uws: loadUws(),
    host: "127.0.0.1",
    port: 0,
    context: {
      ...shared,
      book: bookOf(readModel),
      referencePrices: new Map([[testContract(1), 25n * 10n ** 16n]]),
      clock: () => server.nowMs,
    },
    push,
    limits: { ...NO_LIMITS, ...limits },
    meter,
    ...(site === undefined ? {} : { site }),
    ...(accessLog === undefined ? {} : { accessLog }),
    log,
  });
  const { port } = listening;
  return Object.assign(server, {
    readModel,
    port,
    unreadBytes: listening.unreadBytes,
    url: `http://127.0.0.1:${port}`,
    loggedErrors,
    push,
    watch,
    timers,
    close: () => listening.close(),
  });
}

function emptyBook({ step }: DepthRequest, ledger: number, nowMs: number): DepthBody {
  const timestamp = Math.floor(nowMs / 1000);
  return {
    ledger,
    timestamp,
    step: step ?? null,
    bestBid: null,
    bestAsk: null,
    bids: [],
    asks: [],
  };
}

/** Counts who watches; records are loaded when the test says so. */
export class TestWatch {
  readonly watched = new Map<Address, number>();
  /** Accounts to watch before `watch` refuses. */
  limit = 1000;
  /** What `loaded` waits for; resolved from the start. */
  load: Promise<void> = Promise.resolve();
  /** How long the last one that waited for records would have waited. */
  waitMs: number | undefined;

  watch(owner: Address): boolean {
    if (this.watched.size >= this.limit) return false;
    this.watched.set(owner, (this.watched.get(owner) ?? 0) + 1);
    return true;
  }

  unwatch(owner: Address): void {
    const count = this.watched.get(owner) ?? 0;
    if (count === 0) throw new Error("unwatched more often than watched");
    if (count === 1) this.watched.delete(owner);
    else this.watched.set(owner, count - 1);
  }

  loaded(_owner: Address, timeoutMs: number): Promise<void> {
    this.waitMs = timeoutMs;
    return this.load;
  }
}

/** Push time, which moves when the test says so. */
export class TestTimers implements Timers {
  nowMs = 1_700_000_000_000;
  #waiting: { readonly atMs: number; readonly run: () => void }[] = [];

  readonly clock = (): number => this.nowMs;
  readonly elapsed = this.clock;

  readonly after = (delayMs: number, run: () => void): (() => void) => {
    const entry = { atMs: this.nowMs + delayMs, run };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  };

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Runs what is due on the way, in its order. */
  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const due = this.#waiting.filter(({ atMs }) => atMs <= endMs);
      const next = due.sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = endMs;
  }
}

/** A live order; `at` orders them in time. */
export function testOrder(at: number, fields: Partial<Order> = {}): Order {
  return {
    id: BigInt(1000 + at) as OrderId,
    status: "ACTIVE",
    owner: testAccount(1),
    selling: testContract(1),
    buying: testContract(2),
    price: 1_500_000_000_000_000_000n,
    quote: 100_000_000n,
    amount: 90_000_000n,
    expires: 0,
    created: 1_700_000_000 + at,
    updated: 1_700_000_010 + at,
    cursor: testPosition(at),
    ...fields,
  };
}

export function testPosition(at: number): Position {
  return position({ ledger: 1000 + at, transaction: 1, operation: 1, index: 0 });
}

/** Sorted by price alone, which is all that these tests ask for. */
function bookOf(readModel: MemoryReadModel): BookSides {
  const side = (selling: string, buying: string, limit: number) =>
    readModel
      .liveOrders({ assets: [selling, buying] }, { limit: 1000 })
      .filter((order) => order.selling === selling)
      .sort((a, b) => (a.price < b.price ? -1 : 1))
      .slice(0, limit)
      .map(({ id }) => id);
  return {
    sides: ({ base, quote }, limit) => ({
      asks: side(base, quote, limit),
      bids: side(quote, base, limit),
    }),
    version: () => String(readModel.step),
  };
}
