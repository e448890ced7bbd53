// GET /order-events over a real exchange.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { describedFetch } from "../support/api/described-fetch.ts";
import { type ApiServer, startApiServer } from "../support/api-server.ts";
import type { Message } from "../support/http/push-client.ts";

let server: ApiServer;

before(async () => {
  server = await startApiServer(14);
});

after(() => server.close());

async function get(query: string) {
  const response = await describedFetch(`http://127.0.0.1:${server.port}/order-events?${query}`);
  const body = (await response.json()) as Message;
  return { status: response.status, body };
}

test("pages by each filter hold its events, newest first, each once", async () => {
  const [order] = server.orders;
  assert.ok(order !== undefined);
  const { id, owner, selling, buying } = order;
  for (const filter of [`order=${id}`, `owner=${owner}`, `market=${buying}/${selling}`]) {
    const all: Message[] = (await get(`${filter}&limit=500`)).body.events;
    const paged: Message[] = [];
    for (let cursor = ""; ; cursor = `&cursor=${paged.at(-1)?.cursor}`) {
      const { events } = (await get(`${filter}&limit=2${cursor}`)).body;
      paged.push(...events);
      if (events.length < 2) break;
    }
    assert.deepEqual(paged, all);
    const ids = all.map((event) => BigInt(event.id));
    assert.ok(ids.every((one, at) => at === 0 || one < (ids[at - 1] ?? 0n)));
    const ofOrder: Message[] = all.filter((event) => event.orderCursor === String(order.cursor));
    const [last, first]: (Message | undefined)[] = [ofOrder.at(0), ofOrder.at(-1)];
    assert.deepEqual([first?.cause, first?.order], ["new", String(id)]);
    assert.deepEqual(
      [last?.live, last?.amount, last?.price],
      [true, String(order.amount), String(order.price)],
    );
  }
  const trades = await describedFetch(`http://127.0.0.1:${server.port}/trades?limit=500`);
  const fills = ((await trades.json()) as Message[]).filter(({ type }) => type === "trade");
  const fill = fills.find((one) => server.orders.some((live) => String(live.id) === one.order));
  assert.ok(fill !== undefined);
  const { events } = (await get(`order=${fill.order}&limit=500`)).body;
  const told = events.find((event: Message) => event.trade === fill.id);
  assert.deepEqual([told?.cause, told?.amount], ["fill", fill.left]);
});

test("it says from which ledger they are complete, whatever is found", async () => {
  const { body } = await get(`order=${2n ** 128n - 1n}`);
  assert.deepEqual(body, {
    completeFrom: server.exchange.state.orderEvents.completeFrom(),
    events: [],
  });
});

test("wrong parameters are named", async () => {
  const [order] = server.orders;
  assert.ok(order !== undefined);
  const { id, owner, selling, buying } = order;
  for (const [query, name] of [
    ["", "order"],
    ["limit=3", "order"],
    [`order=${id}&owner=${owner}`, "owner"],
    [`order=${id}&market=${selling}/${buying}`, "market"],
    [`order=${2n ** 128n}`, "order"],
    ["order=-1", "order"],
    ["order=1e3", "order"],
    [`order=${id}&order=${id}`, "order"],
    ["owner=me", "owner"],
    [`market=${selling}`, "market"],
    [`market=${selling}/${selling}`, "market"],
    [`order=${id}&cursor=x`, "cursor"],
  ] as const) {
    const { status, body } = await get(query);
    assert.equal(status, 400, query);
    assert.match(body.error, new RegExp(`"${name}"`), query);
  }
});
