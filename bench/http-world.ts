// A real exchange for the HTTP benches: store, shared book and backing records, filled by ledgers, and
// the API over it, without quotes.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Exchange } from "../src/book/exchange.ts";
import { SharedBook } from "../src/book/left-right.ts";
import { LiveDepth } from "../src/book/live-depth.ts";
import { liveSides } from "../src/book/market-sides.ts";
import { AssetInput } from "../src/http/asset-input.ts";
import { bookChannel } from "../src/http/push/channels/book-channel.ts";
import { PushEndpoint } from "../src/http/push/endpoint.ts";
import type { ApiContext } from "../src/http/route.ts";
import { startHttpServer } from "../src/http/server.ts";
import { loadUws } from "../src/http/uws.ts";
import { systemClock } from "../src/model/clock.ts";
import type { ExchangeEvent } from "../src/model/ledger-delta.ts";
import { type OrderId, orderId } from "../src/model/order.ts";
import { position } from "../src/model/position.ts";
import {
  EXCHANGE,
  PASSPHRASE,
  testAccount,
  testContract,
} from "../test/support/http/test-server.ts";
import { PlentyBacking } from "./plenty.ts";

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
  const backing = new PlentyBacking(EXCHANGE);
  const exchange = await Exchange.open({
    path: join(folder, "store"),
    networkPassphrase: PASSPHRASE,
    contract: EXCHANGE,
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    book,
    backing: backing.records,
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
  await backing.load(
    () => ledger - 1,
    () => apply([]),
  );
  const readModel = exchange.state;
  const { marketData } = readModel;
  const served = { readModel, marketData, contract: EXCHANGE, clock: systemClock };
  const server = await serveApi(book, served);
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

type Served = Pick<ApiContext, "readModel" | "marketData" | "contract" | "clock"> &
  Partial<ApiContext>;

/** The API over a book, by itself without quotes; of push it has the channel `book`. */
export function serveApi(book: SharedBook, served: Served) {
  const { readModel } = served;
  const assets = new AssetInput(PASSPHRASE);
  const log = { error: (fields: object) => assert.fail(JSON.stringify(fields)) };
  return startHttpServer({
    ...{ uws: loadUws(), host: "127.0.0.1", port: 0, log },
    context: {
      quotes: {
        quoteNow: () => ({ status: "unfeasible", ledger: 1 }),
        quote: () => Promise.resolve({ status: "unfeasible", ledger: 1 }),
      },
      depth: new LiveDepth({ book, clock: served.clock }),
      book: liveSides(() => book.live),
      referencePrices: new Map(),
      assets,
      ...served,
    },
    push: new PushEndpoint({
      channels: (publish) => [bookChannel({ readModel, assets, publish, log })],
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
