// A real exchange for the HTTP benches: store, shared book and backing records, filled by ledgers, and
// the API over it, without quotes.

import assert from "node:assert/strict";
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
import type { OrderId } from "../src/model/order.ts";
import { silentLog } from "../test/support/exchange.ts";
import {
  EXCHANGE,
  PASSPHRASE,
  testAccount,
  testContract,
} from "../test/support/http/test-server.ts";
import { NO_LIMITS, NO_METER } from "../test/support/http/unlimited.ts";
import { type Follows, ledgerHash, type NewEvent, nextLedger } from "../test/support/ledgers.ts";
import { orderIdOf } from "./book-data.ts";
import { PlentyBacking } from "./plenty.ts";

const MARKETS = 20;
const MAKERS = 100;
const FIRST_LEDGER = 1000;
const ORDERS_PER_LEDGER = 1000;

export type HttpWorld = {
  readonly exchange: Exchange;
  readonly url: string;
  readonly ids: readonly OrderId[];
  close(): Promise<void>;
};

/** In all markets alike; `markets`: of one quote asset. */
export async function openHttpWorld(
  folder: string,
  orders: number,
  markets = MARKETS,
): Promise<HttpWorld> {
  const book = new SharedBook({ contract: EXCHANGE, untracked: "nothing" });
  const backing = new PlentyBacking(EXCHANGE);
  const exchange = await Exchange.open({
    path: join(folder, "store"),
    networkPassphrase: PASSPHRASE,
    contract: EXCHANGE,
    clock: systemClock,
    log: silentLog,
    book,
    backing: backing.records,
  });
  const ids: OrderId[] = [];
  let last: Follows = { ledger: FIRST_LEDGER - 1, hash: ledgerHash(FIRST_LEDGER - 1) };
  const apply = async (events: readonly NewEvent[]): Promise<void> => {
    const delta = nextLedger(last, Math.floor(Date.now() / 1000), events);
    last = delta;
    await exchange.apply(delta);
  };
  for (let at = 0; at < orders; at += ORDERS_PER_LEDGER) {
    const events = Array.from({ length: Math.min(ORDERS_PER_LEDGER, orders - at) }, (_, n) => {
      const id = orderIdOf(at + n + 1);
      ids.push(id);
      return newOrder(id, at + n, markets);
    });
    // Part of each is taken in the next ledger.
    await apply(events);
    await apply(events.map(fill));
  }
  await backing.load(
    () => last.ledger,
    () => apply([]),
  );
  const served = { readModel: exchange.state, contract: EXCHANGE, clock: systemClock };
  const server = await serveApi(book, served);
  return {
    exchange,
    url: `http://127.0.0.1:${server.port}`,
    ids,
    close: async () => {
      await server.close();
      await exchange.close();
    },
  };
}

type Served = Pick<ApiContext, "readModel" | "contract" | "clock"> & Partial<ApiContext>;

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
      meter: NO_METER,
    }),
    limits: NO_LIMITS,
    meter: NO_METER,
  });
}

type NewOrder = Extract<NewEvent, { readonly kind: "new" }>;

function fill({ id, owner, selling, buying }: NewOrder): NewEvent {
  return {
    kind: "trade",
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

function newOrder(id: OrderId, at: number, markets: number): NewOrder {
  return {
    kind: "new",
    id,
    owner: testAccount(at % MAKERS),
    selling: testContract(at % markets),
    buying: testContract(MARKETS),
    price: 10n ** 18n + BigInt(at),
    amount: 10_000_000n,
    expires: 0,
  };
}
