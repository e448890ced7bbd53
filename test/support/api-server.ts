// The whole HTTP side over a real exchange that random ledgers filled: routes, push channels and
// router workers, on a free port.

import { dirname } from "node:path";
import { Exchange } from "../../src/book/exchange.ts";
import { SharedBook } from "../../src/book/left-right.ts";
import { LiveDepth } from "../../src/book/live-depth.ts";
import { liveSides } from "../../src/book/market-sides.ts";
import { AssetInput } from "../../src/http/asset-input.ts";
import { pushChannels } from "../../src/http/push/channels.ts";
import { PushEndpoint } from "../../src/http/push/endpoint.ts";
import { systemTimers } from "../../src/http/push/throttle.ts";
import { startHttpServer } from "../../src/http/server.ts";
import { loadUws } from "../../src/http/uws.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import type { Order } from "../../src/model/order.ts";
import { QuotePool } from "../../src/router-worker/pool.ts";
import { exchangeIdentity, exchangeOptions } from "./exchange.ts";
import { TestWatch } from "./http/test-server.ts";
import { NO_LIMITS, NO_METER } from "./http/unlimited.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "./random-ledgers.ts";

const LEDGERS = 30;
const EVENTS_MAX = 20;
const CAPACITY = { orders: 1000, owners: 100, assets: 100, sides: 100, backings: 1000 };

export type ApiServer = {
  readonly port: number;
  readonly dataDir: string;
  readonly exchange: Exchange;
  readonly push: PushEndpoint;
  /** Ledgers that follow what was applied, for `exchange.apply`. */
  readonly later: readonly LedgerDelta[];
  /** Orders that live while nothing is applied. */
  readonly orders: readonly Order[];
  /** What was logged: faults of ours. */
  readonly logged: readonly unknown[];
  close(): Promise<void>;
};

/** `later`: how many ledgers there are beyond those that are applied. */
export async function startApiServer(seed: number, later = 0): Promise<ApiServer> {
  const { contract, networkPassphrase } = exchangeIdentity;
  const clock = { now: CHAIN_START * 1000 };
  const book = new SharedBook({ contract, untracked: "covers", capacity: CAPACITY });
  const options = exchangeOptions(clock, { book });
  const exchange = await Exchange.open(options);
  const ledgers = randomLedgers(randomFrom(seed), LEDGERS + later, EVENTS_MAX);
  for (const delta of ledgers.slice(0, LEDGERS)) await exchange.apply(delta);
  const logged: unknown[] = [];
  const log = { error: (fields: object) => void logged.push(fields) };
  const quotes = new QuotePool({
    book,
    clock: () => clock.now,
    workers: 1,
    onFault: (fault) => void logged.push(fault),
  });
  await quotes.ready();
  const assets = new AssetInput(networkPassphrase);
  const shared = {
    readModel: exchange.state,
    depth: new LiveDepth({ book, clock: () => CHAIN_START * 1000 }),
    book: liveSides(() => book.live),
    assets,
    contract,
  };
  const push = new PushEndpoint({
    log,
    meter: NO_METER,
    channels: (...told) =>
      pushChannels({ ...shared, watch: new TestWatch(), timers: systemTimers, log }, ...told),
  });
  exchange.state.onStep((step) => push.stepped(step));
  const server = await startHttpServer({
    uws: loadUws(),
    host: "127.0.0.1",
    port: 0,
    context: { ...shared, quotes, referencePrices: new Map(), clock: () => clock.now },
    push,
    log,
    limits: NO_LIMITS,
    meter: NO_METER,
  });
  return {
    port: server.port,
    dataDir: dirname(options.path),
    exchange,
    push,
    later: ledgers.slice(LEDGERS),
    orders: exchange.state.history.liveOrders({ assets: [] }, { limit: 1000 }),
    logged,
    close: async () => {
      await Promise.all([server.close(), quotes.close()]);
      await exchange.close();
    },
  };
}
