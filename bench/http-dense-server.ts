// The server of http-dense, in a process of its own: the API over a book in which every pair of
// assets is a market, with the router workers of an engine and nothing behind it.

import assert from "node:assert/strict";
import { once } from "node:events";
import { SharedBook } from "../src/book/left-right.ts";
import { liveSides } from "../src/book/market-sides.ts";
import { capacityFor } from "../src/book/shared-layout.ts";
import { AssetInput } from "../src/http/asset-input.ts";
import { PushEndpoint } from "../src/http/push/endpoint.ts";
import { startHttpServer } from "../src/http/server.ts";
import { loadUws } from "../src/http/uws.ts";
import { InlineQuotes } from "../src/router-worker/inline-quotes.ts";
import { QuotePool } from "../src/router-worker/pool.ts";
import { bookStateOf, changesOfWorld } from "../test/support/book-of-world.ts";
import { MemoryReadModel } from "../test/support/http/memory-read-model.ts";
import { PASSPHRASE, testOrder } from "../test/support/http/test-server.ts";
import { denseWorld } from "./quote-worlds.ts";

export type DenseStart = { readonly assets: number; readonly levels: number };
export type DensePort = { readonly port: number };

const [{ assets, levels }] = (await once(process, "message")) as [DenseStart];
const world = denseWorld(assets, levels);
const { contract } = world;
const changes = changesOfWorld(world);
const book = new SharedBook({
  contract,
  untracked: "nothing",
  capacity: capacityFor(changes.length),
});
book.apply(changes, bookStateOf(world));
const clock = () => world.now * 1000;
// A starved worker's quotes are among those that the bench counts as refused.
const onFault = (fault: string): void => {
  process.stderr.write(`${fault}\n`);
};
const inline = new InlineQuotes({ live: () => book.live, onFault });
const quotes = new QuotePool({ book, clock, inline, onFault });
await quotes.ready();
const readModel = new MemoryReadModel();
readModel.live = [testOrder(1)];
const log = { error: () => undefined };
const server = await startHttpServer({
  uws: loadUws(),
  ...{ host: "127.0.0.1", port: 0, log },
  context: {
    ...{ readModel, quotes, contract, clock },
    depth: { now: () => assert.fail("no depth here"), later: () => assert.fail("no depth here") },
    book: liveSides(() => book.live),
    marketData: readModel.marketData,
    referencePrices: new Map(),
    assets: new AssetInput(PASSPHRASE),
  },
  push: new PushEndpoint({ channels: () => [], log }),
});
process.send?.({ port: server.port } satisfies DensePort);
