// The engine, put together: store and book, reader thread, router workers, HTTP. It serves what the
// store holds from the start, while the reader catches up.
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { BackingRecords } from "./book/backing/backing-records.ts";
import { TokenPoller } from "./book/backing/token-poller.ts";
import { type DepthBody, DepthReader, type DepthRequest } from "./book/depth.ts";
import { Exchange } from "./book/exchange.ts";
import { SharedBook } from "./book/left-right.ts";
import { capacityFor } from "./book/shared-layout.ts";
import type { EngineConfig, NetworkConfig } from "./config/config.ts";
import { type FollowEnd, followLedgers } from "./follow-ledgers.ts";
import { AssetInput } from "./http/asset-input.ts";
import { pushChannels } from "./http/push/channels.ts";
import { PushEndpoint } from "./http/push/endpoint.ts";
import { systemTimers } from "./http/push/throttle.ts";
import { referencePrices } from "./http/reference-prices.ts";
import { startHttpServer } from "./http/server.ts";
import { Site } from "./http/site/site.ts";
import { readSiteFiles, type SiteFile } from "./http/site/site-files.ts";
import { loadUws } from "./http/uws.ts";
import { systemClock } from "./model/clock.ts";
import { QuotePool } from "./router-worker/pool.ts";

/** What the build makes of console/, beside this file's output. */
const SITE_FOLDER = fileURLToPath(new URL("../site", import.meta.url));

export type EngineEnd = FollowEnd;

export type Engine = {
  readonly port: number;
  /** Resolves where the engine cannot go on as it is; it still serves until `close`. */
  readonly ended: Promise<EngineEnd>;
  /** The ledger under way is finished or dropped whole; listeners and store are closed. */
  close(): Promise<void>;
};

export type EngineOptions = {
  readonly engine: EngineConfig;
  /** Folder of the store. */
  readonly path: string;
  readonly network: NetworkConfig;
  readonly log: Logger;
};

/** Rejects with a StoreError or an Error fit for an operator where it cannot start. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { engine: config, network, path, log } = options;
  const { contract, networkPassphrase } = network;
  const uws = loadUws();
  const siteFiles = config.console ? readSiteFiles(SITE_FOLDER) : undefined;
  const clock = systemClock;
  const book = new SharedBook({
    contract,
    untracked: "nothing",
    capacity: capacityFor(config.maxOrders),
  });
  const quotes = new QuotePool({
    book,
    clock,
    workers: config.workers,
    onFault: (fault) => log.error({ fault }, "a router worker failed"),
  });
  const follower = followLedgers({ network, catchUpThreads: config.catchUpThreads, log });
  const poller = new TokenPoller({
    reader: follower.tokenReader,
    answered: (answer) => backing.tokenAnswered(answer),
    warn: (fields, message) => log.warn(fields, message),
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
    random: Math.random,
  });
  const backing: BackingRecords = new BackingRecords({
    contract,
    watchedAccountsMax: config.watchedAccounts,
    track: (request) => follower.request(request),
    polls: poller,
  });
  const exchange = await Exchange.open({
    path,
    networkPassphrase,
    contract,
    clock,
    log,
    book,
    backing,
  }).catch(async (error: unknown) => {
    await quotes.close();
    throw error;
  });
  const assets = new AssetInput(networkPassphrase);
  const depthReader = new DepthReader();
  const depth = (request: DepthRequest): DepthBody =>
    depthReader.read(book.live, request, Math.floor(clock() / 1000));
  const push = new PushEndpoint({
    log,
    channels: (publish) =>
      pushChannels(
        {
          readModel: exchange,
          marketData: exchange.marketData,
          depth,
          watch: backing,
          assets,
          contract,
          timers: systemTimers,
          log,
        },
        publish,
      ),
  });
  exchange.onStep((step) => push.stepped(step));
  exchange.start();
  await quotes.ready();
  const server = await startHttpServer({
    uws,
    host: config.host,
    port: config.port,
    context: {
      readModel: exchange,
      quotes,
      depth,
      marketData: exchange.marketData,
      referencePrices: referencePrices(config.referencePrices, assets),
      assets,
      contract,
      clock,
    },
    push,
    ...(siteFiles === undefined ? {} : { site: consoleSite(siteFiles, backing) }),
    log,
  });
  const ended = follower.start(exchange, backing);
  log.info(
    { host: config.host, port: server.port, ledger: exchange.ledger },
    `serving the API on http://${config.host}:${server.port}`,
  );
  return {
    port: server.port,
    ended,
    close: async () => {
      poller.stop();
      // Nobody may ask a closed store: the last connection goes before it.
      await Promise.all([server.close(), follower.stop(), quotes.close()]);
      await exchange.close();
    },
  };
}

function consoleSite(files: ReadonlyMap<string, SiteFile>, backing: BackingRecords): Site {
  const assets = (): string =>
    JSON.stringify(
      Object.fromEntries([...backing.assetNames()].sort(([a], [b]) => (a < b ? -1 : 1))),
    );
  return new Site({ files, documents: new Map([["assets.json", assets]]) });
}
