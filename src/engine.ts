// The engine, put together: store and book, reader thread, router workers, HTTP. It serves what the
// store holds from the start, while the reader catches up.
import { statfsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Logger } from "pino";
import { BackingRecords } from "./book/backing/backing-records.ts";
import { TokenPoller } from "./book/backing/custom-tokens.ts";
import { Exchange } from "./book/exchange.ts";
import { SharedBook } from "./book/left-right.ts";
import { LiveDepth } from "./book/live-depth.ts";
import { liveSides } from "./book/market-sides.ts";
import { capacityFor } from "./book/shared-layout.ts";
import type { StepMeter } from "./book/step-meter.ts";
import type { EngineConfig, NetworkConfig } from "./config/config.ts";
import { type PageNetwork, pageNetwork } from "./config/page-network.ts";
import { type FollowEnd, Follower } from "./follower.ts";
import { AccessLog } from "./http/access-log.ts";
import { AssetInput } from "./http/asset-input.ts";
import { connectionsWithin, descriptorLimit } from "./http/limits/system-sockets.ts";
import { pushChannels } from "./http/push/channels.ts";
import { PushEndpoint } from "./http/push/endpoint.ts";
import { systemTimers } from "./http/push/throttle.ts";
import { referencePrices } from "./http/reference-prices.ts";
import { type HttpServer, startHttpServer } from "./http/server.ts";
import { Site } from "./http/site/site.ts";
import { readSiteFiles, type SiteFile } from "./http/site/site-files.ts";
import { loadUws, type Uws } from "./http/uws.ts";
import { type Clock, systemClock } from "./model/clock.ts";
import type { EngineView } from "./operations/engine-view.ts";
import { meteredQuotes } from "./operations/metered-quotes.ts";
import type { Operations } from "./operations/operations.ts";
import { InlineQuotes } from "./router-worker/inline-quotes.ts";
import { QuotePool } from "./router-worker/pool.ts";
import { HistorySink } from "./sink/history-sink.ts";

/** What the build makes of console/, beside this file's output. */
const SITE_FOLDER = fileURLToPath(new URL("../site", import.meta.url));

/**
 * After it listens the engine leaves its cores for so long to the first requests, whose code runs for
 * the first time (measured: a first quote at 100,000 orders takes 200 to 300 ms).
 */
const FIRST_ANSWERS_MS = 300;

export type EngineEnd = FollowEnd;

export type Engine = {
  readonly port: number;
  /** Resolves where the engine cannot go on as it is; it still serves until `close`. */
  readonly ended: Promise<EngineEnd>;
  /** The ledger in progress is finished or dropped whole; listeners and store are closed. */
  close(): Promise<void>;
};

export type EngineOptions = {
  readonly engine: EngineConfig;
  /** Folder of the store. */
  readonly path: string;
  readonly network: NetworkConfig;
  readonly log: Logger;
  /** What operators see. */
  readonly operations: Operations;
  /** For runs that repeat; the system's otherwise. */
  readonly clock?: Clock;
  /** Milliseconds a quote may take; for runs that repeat on a busy machine. QuotePool's otherwise. */
  readonly quoteTimeMs?: number;
};

type Parts = {
  readonly book: SharedBook;
  readonly pool: QuotePool;
  readonly follower: Follower;
  readonly backing: BackingRecords;
  readonly exchange: Exchange;
};

/** Rejects with a StoreError or an Error fit for an operator where it cannot start. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { engine: config, log, operations } = options;
  // What is missing of the installation shows before anything is opened.
  const [uws, siteFiles] = [loadUws(), config.console ? readSiteFiles(SITE_FOLDER) : undefined];
  const book = new SharedBook({
    contract: options.network.contract,
    untracked: "nothing",
    capacity: capacityFor(config.maxOrders),
  });
  const pool = quotePool(options, book);
  let port = 0;
  const { follower, backing } = followWithBacking(options, (ledger) => {
    const page = `http://${reachableHost(config.host)}:${port}${config.console ? "/console" : "/"}`;
    log.info({ ledger, page }, `live at ledger ${ledger}: ${page}`);
  });
  const exchange = await openExchange(options, book, backing).catch(async (error: unknown) => {
    await pool.close();
    throw error;
  });
  const parts = { book, pool, follower, backing, exchange };
  const { push, server } = await serve(options, parts, uws, siteFiles);
  port = server.port;
  const sink = historySink(options);
  if (sink !== undefined) exchange.state.onStep(() => sink.shown());
  operations.watch(viewOf(options, parts, { push, server, sink }));
  const closing = new AbortController();
  const ended = followOnceRestored(parts, log, closing.signal);
  log.info(
    { host: config.host, port, ledger: exchange.state.ledger },
    `serving the API on http://${config.host}:${port}`,
  );
  // Quotes that come meanwhile are answered between its steps.
  void pool.warmUp();
  return {
    port,
    ended,
    close: async () => {
      closing.abort();
      operations.watch(undefined);
      backing.stop();
      // A closed store must not be read: every connection closes before it.
      await Promise.all([server.close(), follower.stop(), pool.close(), sink?.stop()]);
      await exchange.close();
    },
  };
}

function quotePool(
  { engine, log, clock = systemClock, quoteTimeMs }: EngineOptions,
  book: SharedBook,
): QuotePool {
  return new QuotePool({
    book,
    clock,
    workers: engine.workers,
    ...(quoteTimeMs === undefined ? {} : { timeMs: quoteTimeMs }),
    inline: new InlineQuotes({
      live: () => book.live,
      onFault: (fault) => log.error({ fault }, "a quote on the main thread failed"),
    }),
    onFault: (fault) => log.error({ fault }, "a router worker failed"),
  });
}

/** What follows the network: ledgers, and the entries and tokens that the backing records name. */
function followWithBacking(options: EngineOptions, live: (ledger: number) => void) {
  const { engine, network, log, operations } = options;
  const follower = new Follower({
    network,
    catchUpThreads: engine.catchUpThreads,
    resetProofSeconds: engine.resetProofSeconds,
    log,
    live,
    meter: operations.ingest,
  });
  const backing = new BackingRecords({
    contract: network.contract,
    watchedAccountsMax: engine.watchedAccounts,
    track: (request) => follower.request(request),
    polls: (answered) =>
      new TokenPoller({
        reader: follower.tokenReader,
        answered,
        warn: (fields, message) => log.warn(fields, message),
        after: systemTimers.after,
        random: Math.random,
      }),
  });
  return { follower, backing };
}

function openExchange(options: EngineOptions, book: SharedBook, backing: BackingRecords) {
  const { engine, network, path, log, operations, clock = systemClock } = options;
  return Exchange.open({
    path,
    networkPassphrase: network.networkPassphrase,
    contract: network.contract,
    store: {
      keepOrderEvents: engine.keepOrderEventsSeconds,
      keepHistory: engine.keepHistorySeconds,
    },
    clock,
    log,
    book,
    backing,
    meter: stepMeter(log, operations),
  });
}

/** REST and push; resolves once the listener is open and the workers answer. */
async function serve(
  options: EngineOptions,
  { book, pool, backing, exchange }: Parts,
  uws: Uws,
  siteFiles: ReadonlyMap<string, SiteFile> | undefined,
) {
  const { engine: config, network, log, operations, clock = systemClock } = options;
  const { contract } = network;
  const quotes = meteredQuotes(pool, operations.quotes);
  const meter = operations.http;
  const assets = new AssetInput(network.networkPassphrase);
  const shared = {
    readModel: exchange.state,
    depth: new LiveDepth({ book, clock }),
    assets,
    contract,
  };
  const ofChannels = {
    ...shared,
    watch: backing,
    ...(config.quoteStream ? { quotes } : {}),
    timers: { ...systemTimers, clock },
    log,
  };
  const push = new PushEndpoint({
    log,
    meter,
    channels: (...told) => pushChannels(ofChannels, ...told),
  });
  exchange.state.onStep((step) => push.stepped(step));
  exchange.start();
  await pool.ready();
  const server = await startHttpServer({
    uws,
    host: config.host,
    port: config.port,
    context: {
      ...shared,
      quotes,
      book: liveSides(() => book.live),
      referencePrices: referencePrices(config.referencePrices, assets),
      clock,
    },
    push,
    ...(siteFiles === undefined
      ? {}
      : { site: consoleSite(siteFiles, backing, pageNetwork(config, network)) }),
    log,
    ...(config.accessLog.share === 0
      ? {}
      : { accessLog: new AccessLog({ ...config.accessLog, log, random: Math.random }) }),
    limits: { ...config.limits, connections: connectionLimit(config.limits.connections, log) },
    meter,
  });
  return { push, server };
}

function historySink({ engine, network, path, log }: EngineOptions): HistorySink | undefined {
  if (engine.historySink === undefined) return undefined;
  const { networkPassphrase, contract } = network;
  return new HistorySink(
    { ...engine.historySink, path, identity: { networkPassphrase, contract } },
    (level, message) => log[level](message),
  );
}

/** The reader must know what it follows before it begins; requests are answered meanwhile. */
async function followOnceRestored(
  { exchange, backing, follower }: Parts,
  log: Logger,
  signal: AbortSignal,
): Promise<EngineEnd> {
  try {
    await delay(FIRST_ANSWERS_MS, undefined, { signal }).catch(() => undefined);
    await exchange.restored(signal);
    await backing.restored(signal);
  } catch (error) {
    log.fatal({ err: error }, "what the store holds cannot be restored");
    return { kind: "fatal", message: "what the store holds cannot be restored" };
  }
  // Nothing starts once closing; `close` does not wait for an end.
  if (signal.aborted) return new Promise(() => {});
  collectGarbage();
  return follower.start(exchange, backing);
}

/**
 * A full collection: the garbage of a start would stay resident for as long as little is allocated. Stops the
 * thread for some 50 ms at 100,000 orders (measured 2026-11, two shared cores).
 */
function collectGarbage(): void {
  // V8 offers it to new contexts alone once the flag is set, and to none after.
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function") collect();
}

function consoleSite(
  files: ReadonlyMap<string, SiteFile>,
  backing: BackingRecords,
  network: PageNetwork,
): Site {
  const assets = (): string =>
    JSON.stringify(
      Object.fromEntries([...backing.assetNames()].sort(([a], [b]) => (a < b ? -1 : 1))),
    );
  const { passphrase, rpc, faucet } = network;
  const networkText = JSON.stringify({ passphrase, rpc });
  return new Site({
    files,
    documents: new Map([
      ["assets.json", assets],
      ["network.json", () => networkText],
    ]),
    origins: [rpc, faucet].flatMap((url) => (url === undefined ? [] : new URL(url).origin)),
  });
}

/** The connections that the process may really hold. */
function connectionLimit(wanted: number, log: Logger): number {
  const descriptors = descriptorLimit();
  const connections = connectionsWithin(wanted, descriptors);
  if (connections < wanted) {
    log.warn(
      { wanted, connections, descriptors },
      `room for ${connections} connections only: the process may open ${descriptors} files (ulimit -n)`,
    );
  }
  return connections;
}

/** Tells the meters of every step, and the log where it wants to know. */
function stepMeter(log: Logger, { steps }: Operations): StepMeter {
  return {
    stepped: (times) => {
      steps.stepped(times);
      if (log.isLevelEnabled("debug")) log.debug(times, "a step is shown");
    },
    commitFailed: () => steps.commitFailed(),
    unknownOrder: (unknown) => {
      steps.unknownOrder(unknown);
      const { event, order, ledger } = unknown;
      const isFirst = steps.unknownOrders[event] === 1;
      log[isFirst ? "info" : "debug"](
        { event, order: String(order), ledger },
        `${event} of an order that is not known: created before the first ledger read, or gone${isFirst ? " (at level debug from now on)" : ""}`,
      );
    },
  };
}

function viewOf(
  { engine, path }: EngineOptions,
  { exchange, backing, pool }: Parts,
  { push, server, sink }: { push: PushEndpoint; server: HttpServer; sink: HistorySink | undefined },
): EngineView {
  return {
    progress: () => ({ ledger: exchange.state.ledger, closeTime: exchange.state.closeTime }),
    book: () => ({
      orders: exchange.state.markets.orderCount,
      ordersMax: engine.maxOrders,
      markets: exchange.state.markets.sorted().length,
      backingsUnloaded: backing.unloaded,
    }),
    pool: () => pool.load,
    push: () => {
      const { all, most } = push.waitingBytes();
      return {
        connections: push.connectionCount,
        topics: push.topicCount,
        subscriptions: push.subscriptionCount,
        waitingBytes: all,
        waitingBytesMax: most,
      };
    },
    store: () => exchange.store.size,
    connections: server.connections,
    unreadBytes: server.unreadBytes,
    diskFreeBytes: () => freeBytes(path),
    sink: () => sink?.status,
  };
}

/** Undefined where the system does not tell. */
function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    // A folder that is gone has no figures; the store's own errors tell of that.
    return undefined;
  }
}

/** What a browser on this machine takes for `host`, which may stand for every address. */
function reachableHost(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "localhost" : host;
}
