// The server of http-dense, in a process of its own: the API over a book in which every pair of
// assets is a market, with the router workers of an engine and nothing behind it.
import { once } from "node:events";
import { MemoryReadModel } from "../test/support/http/memory-read-model.ts";
import { testOrder } from "../test/support/http/test-server.ts";
import { serveApi } from "./http-world.ts";
import { denseWorld, quotesOn } from "./quote-worlds.ts";

export type DenseStart = { readonly assets: number; readonly levels: number };
export type DensePort = { readonly port: number };

const [{ assets, levels }] = (await once(process, "message")) as [DenseStart];
const world = denseWorld(assets, levels);
const { contract } = world;
// A starved worker's quotes are among those that the bench counts as refused.
const { book, pool } = await quotesOn(world, (fault) => void process.stderr.write(`${fault}\n`));
const readModel = new MemoryReadModel();
readModel.live = [testOrder(1)];
const clock = () => world.now * 1000;
const server = await serveApi(book, { readModel, contract, clock, quotes: pool });
process.send?.({ port: server.port } satisfies DensePort);
