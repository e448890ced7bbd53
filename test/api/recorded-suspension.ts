// The end of the run: the book loses its last order, and who follows a quote is told.
import assert from "node:assert/strict";
import { updateParameters } from "../../src/devnet/contract/call.ts";
import { routerArguments } from "../../src/devnet/contract/router.ts";
import { bool, type Value } from "../../src/devnet/contract/value.ts";
import { address } from "../../src/model/address.ts";
import { orderId } from "../../src/model/order.ts";
import type { Row } from "../e2e/api-client.ts";
import type { RecordedWorld } from "./recording.ts";
import { RecordedConnection } from "./recording.ts";

/** Updates of one call; the contract takes about 110. */
const UPDATES_MAX = 50;
/** An order that the traffic created just before the contract was frozen needs another one. */
const ROUNDS_MAX = 5;

export async function recordSuspension(world: RecordedWorld): Promise<void> {
  const { recording, call, ledgers } = world;
  const { config, markets } = await recording.get("/contract");
  const [{ base, quote }] = markets;
  const connection = new RecordedConnection(recording.url);
  await connection.opened();
  const wish = { sellingAsset: base, buyingAsset: quote, amount: "10000000" };
  connection.send({ op: "subscribe", id: 1, channel: "quote", ...wish });
  await connection.find((_, { id }) => id === 1, "answer to the subscribe");
  // Nothing new is created in a frozen contract, while orders can be removed from it.
  call(config.safetyAdmin, "freeze", [bool(true)]);
  await ledgers(1);
  let orders = await liveOrders(world);
  for (let round = 0; orders.length > 0 && round < ROUNDS_MAX; round += 1) {
    for (const owner of new Set(orders.map((order) => order.owner))) {
      const own = orders.filter((order) => order.owner === owner);
      for (let at = 0; at < own.length; at += UPDATES_MAX) {
        remove(world, config.safetyAdmin, own.slice(at, at + UPDATES_MAX));
      }
    }
    await ledgers(1);
    orders = await liveOrders(world);
  }
  assert.deepEqual(orders, [], "every order was removed");
  const message = await connection.find((schema) => schema === "QuoteSuspended", "suspension");
  const summary = "The book is empty: nothing can be quoted";
  recording.keep("quote", { schema: "QuoteSuspended", summary, message });
  connection.close();
}

async function liveOrders({ recording }: RecordedWorld): Promise<readonly Row[]> {
  const orders: Row[] = [];
  for (let page: Row[] | undefined; page === undefined || page.length > 0; ) {
    page = await recording.get(`/order?limit=200&cursor=${orders.at(-1)?.cursor ?? ""}`);
    orders.push(...(page ?? []));
  }
  return orders;
}

/** Orders of one owner. Those of the router are removed by it, and whoever asks it pays. */
function remove({ devnet, call }: RecordedWorld, payer: string, orders: readonly Row[]): void {
  const [{ owner }] = orders as readonly [Row];
  const updates = orders.map(({ id, price }) => ({
    id: orderId(BigInt(id)),
    amount: 0n,
    price: BigInt(price),
    expires: 0n,
  }));
  const args: readonly Value[] = updateParameters.write({
    trader: address(owner),
    updates,
    approvals: [],
  });
  const { exchange, router } = devnet.network;
  if (owner !== router) {
    call(owner, "update", args);
    return;
  }
  const batch = [{ contract: exchange, fn: "update", args, caught: false }];
  const source = address(payer);
  devnet.submit([
    { kind: "call", source, contract: router, fn: "run", args: routerArguments(batch) },
  ]);
}
