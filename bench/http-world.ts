// A real exchange for the HTTP benches: store, shared book and backing records, filled by ledgers, and
// the API over it, without quotes.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BackingRecords } from "../src/book/backing/backing-records.ts";
import { Exchange } from "../src/book/exchange.ts";
import { SharedBook } from "../src/book/left-right.ts";
import { LiveDepth } from "../src/book/live-depth.ts";
import { liveSides } from "../src/book/market-sides.ts";
import { AssetInput } from "../src/http/asset-input.ts";
import { bookChannel } from "../src/http/push/channels/book-channel.ts";
import { PushEndpoint } from "../src/http/push/endpoint.ts";
import { startHttpServer } from "../src/http/server.ts";
import { loadUws } from "../src/http/uws.ts";
import { systemClock } from "../src/model/clock.ts";
import type { TrackingRequest } from "../src/model/entry-tracking.ts";
import type { ExchangeEvent } from "../src/model/ledger-delta.ts";
import { type OrderId, orderId } from "../src/model/order.ts";
import { position } from "../src/model/position.ts";
import {
  EXCHANGE,
  PASSPHRASE,
  testAccount,
  testContract,
} from "../test/support/http/test-server.ts";
import { plentyOf } from "./plenty.ts";

const MARKETS = 20;
const MAKERS = 100;
const FIRST_LEDGER = 1000;
const ORDERS_PER_LEDGER = 1000;
/** Ids as far apart as those of the network, whose bytes are a hash's. */
const SPREAD = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835n;

export type HttpWorld = {
  readonly exchange: Exchange;
  readonly url: string;
  readonly ids: readonly OrderId[];
  close(): Promise<void>;
};

/** In all markets alike; `markets`: of one quote asset. */
export async function openHttpWorld(orders: number, markets = MARKETS): Promise<HttpWorld> {
  const folder = mkdtempSync(join(tmpdir(), "hopbook-bench-"));
  const book = new SharedBook({ contract: EXCHANGE, untracked: "nothing" });
  const asked: Extract<TrackingRequest, { kind: "track" }>[] = [];
  const backing = new BackingRecords({
    contract: EXCHANGE,
    watchedAccountsMax: 1,
    track: (request) => {
      if (request.kind === "track" && request.load) asked.push(request);
    },
  });
  const exchange = await Exchange.open({
    path: join(folder, "store"),
    networkPassphrase: PASSPHRASE,
    contract: EXCHANGE,
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    book,
    backing,
  });
  const ids: OrderId[] = [];
  let ledger = FIRST_LEDGER;
  const apply = async (events: readonly ExchangeEvent[]): Promise<void> => {
    await exchange.apply({
      ledger,
      hash: ledger.toString(16).padStart(64, "0"),
      previousHash: (ledger - 1).toString(16).padStart(64, "0"),
      closeTime: Math.floor(Date.now() / 1000),
      protocol: 23,
      baseReserve: 5_000_000,
      events,
      failures: [],
      entries: [],
      tokenEvents: [],
    });
    ledger += 1;
  };
  for (let at = 0; at < orders; at += ORDERS_PER_LEDGER) {
    const events = Array.from({ length: Math.min(ORDERS_PER_LEDGER, orders - at) }, (_, n) => {
      const id = orderId((BigInt(at + n + 1) * SPREAD) % (1n << 128n));
      ids.push(id);
      return newOrder(id, ledger, n, { at: at + n, markets });
    });
    // Part of each is taken in the next ledger.
    await apply(events);
    await apply(events.map((event, n) => fill(event, ledger, n)));
  }
  // Answers bring new questions until every record is loaded.
  while (asked.length > 0) {
    const requests = asked.splice(0);
    for (const { request, keys } of requests) {
      backing.entriesLoaded({ request, ledger: ledger - 1, entries: keys.map(plentyOf) });
    }
    await apply([]);
  }
  const server = await serve(exchange, book);
  return {
    exchange,
    url: `http://127.0.0.1:${server.port}`,
    ids,
    close: async () => {
      await server.close();
      await exchange.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function serve({ state: readModel }: Exchange, book: SharedBook) {
  const assets = new AssetInput(PASSPHRASE);
  const log = { error: (fields: object) => assert.fail(JSON.stringify(fields)) };
  return startHttpServer({
    ...{ uws: loadUws(), host: "127.0.0.1", port: 0, log },
    context: {
      ...{ readModel, assets, contract: EXCHANGE, clock: systemClock },
      quotes: {
        quoteNow: () => ({ status: "unfeasible", ledger: 1 }),
        quote: () => Promise.resolve({ status: "unfeasible", ledger: 1 }),
      },
      depth: new LiveDepth({ book, clock: systemClock }),
      book: liveSides(() => book.live),
      marketData: readModel.marketData,
      referencePrices: new Map(),
    },
    push: new PushEndpoint({
      channels: (publish) => [bookChannel({ readModel, assets, publish })],
      log,
    }),
  });
}

type NewOrder = Extract<ExchangeEvent, { readonly kind: "new" }>;

function fill({ id, owner, selling, buying }: NewOrder, ledger: number, n: number): ExchangeEvent {
  return {
    kind: "trade",
    position: position({ ledger, transaction: 1 + n, operation: 1, index: 0 }),
    order: id,
    taker: testAccount(MAKERS),
    maker: owner,
    soldAsset: buying,
    boughtAsset: selling,
    sold: 1_000_000n,
    bought: 1_000_000n,
    left: 9_000_000n,
    crossfill: false,
  };
}

function newOrder(
  id: OrderId,
  ledger: number,
  index: number,
  { at, markets }: { readonly at: number; readonly markets: number },
): NewOrder {
  return {
    kind: "new",
    position: position({ ledger, transaction: 1 + index, operation: 1, index: 0 }),
    id,
    owner: testAccount(at % MAKERS),
    selling: testContract(at % markets),
    buying: testContract(MARKETS),
    price: 10n ** 18n + BigInt(at),
    amount: 10_000_000n,
    expires: 0,
  };
}
