// GET /book and channel book over a real exchange: a copy that is kept from snapshot and changes is what REST
// lists, ledger after ledger.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { canonicalPair, marketKey, type Pair } from "../../src/model/address.ts";
import { describedFetch } from "../support/api/described-fetch.ts";
import { type ApiServer, startApiServer } from "../support/api-server.ts";
import { type Message, PushClient } from "../support/http/push-client.ts";

const LATER = 25;

let server: ApiServer;
let url: string;
let market: Pair;

before(async () => {
  server = await startApiServer(11, LATER);
  url = `http://127.0.0.1:${server.port}`;
  const pairs = server.orders.map(({ selling, buying }) => canonicalPair(selling, buying));
  const countOf = (pair: Pair) =>
    pairs.filter((other) => marketKey(other) === marketKey(pair)).length;
  const [busiest] = [...pairs].sort((one, other) => countOf(other) - countOf(one));
  assert.ok(busiest !== undefined);
  market = busiest;
});

after(() => server.close());

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await describedFetch(url + path, { headers });
  const text = await response.text();
  return {
    status: response.status,
    tag: response.headers.get("etag") ?? "",
    body: text === "" ? undefined : JSON.parse(text),
    text,
  };
}

/** The market's rows of GET /order, in the form of a book's. */
async function restRows(): Promise<Map<string, Message>> {
  const { base, quote } = market;
  const rows: Message[] = (await get(`/order?asset=${base}&asset=${quote}&limit=200`)).body;
  return new Map(
    rows.map(({ status: _status, selling, buying: _buying, backing: _backing, ...row }) => [
      row.id,
      { side: selling === base ? "ask" : "bid", ...row },
    ]),
  );
}

function rowsOf({ asks, bids }: Message): Map<string, Message> {
  const sided = (rows: Message[], side: string) =>
    rows.map((row): [string, Message] => [row.id, { side, ...row }]);
  return new Map([...sided(asks, "ask"), ...sided(bids, "bid")]);
}

function byId(rows: Map<string, Message>): Message[] {
  return [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

test("a copy kept from the channel is what /order and /book list, ledger after ledger", async () => {
  const client = await PushClient.open(server.port);
  const { base, quote } = market;
  // The other orientation is the same topic.
  const snapshot = await client.ask({
    op: "subscribe",
    channel: "book",
    market: `${quote}/${base}`,
  });
  await client.ask({ op: "subscribe", channel: "contract" });
  assert.deepEqual([snapshot.type, snapshot.part, snapshot.parts], ["book", 1, 1]);
  assert.equal(snapshot.ledger, server.exchange.state.ledger);
  const copy = rowsOf(snapshot);
  let { ledger } = snapshot;
  let seen = client.messages.length;
  const causes = new Set<string>();
  for (const delta of server.later) {
    await server.exchange.apply(delta);
    await client.find((message) => message.type === "ledger" && message.ledger === delta.ledger);
    for (const message of client.messages.slice(seen)) {
      if (message.type !== "changes") continue;
      assert.ok(message.previous <= ledger, "no message is missing");
      ledger = message.ledger;
      for (const { cause, side, id, order } of message.changes) {
        causes.add(cause);
        if (order === undefined) copy.delete(id);
        else copy.set(id, { side, ...order });
      }
    }
    seen = client.messages.length;
    const rest = await restRows();
    assert.deepEqual(byId(copy), byId(rest), `after ledger ${delta.ledger}`);
    const book = (await get(`/book?market=${base}/${quote}`)).body;
    assert.deepEqual(byId(rowsOf(book)), byId(rest));
    assert.equal(book.ledger, delta.ledger);
  }
  for (const cause of ["new", "update", "fill", "filled", "cancel", "expire"]) {
    assert.ok(causes.has(cause), `no ${cause} in ${[...causes].join()}`);
  }
  client.close();
  await client.closed;
  assert.deepEqual(server.logged, []);
});

test("a book lists best prices first, in the orientation asked for, and so many a side", async () => {
  const { base, quote } = market;
  const { body } = await get(`/book?market=${base}/${quote}`);
  const turned = (await get(`/book?market=${quote}/${base}`)).body;
  assert.deepEqual([turned.asks, turned.bids], [body.bids, body.asks]);
  assert.equal(turned.market, `${quote}/${base}`);
  for (const side of [body.asks, body.bids]) {
    const prices = side.map(({ price }: Message) => BigInt(price));
    assert.deepEqual(
      prices,
      [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    );
  }
  const one = (await get(`/book?market=${base}/${quote}&limit=1`)).body;
  assert.deepEqual([one.asks, one.bids], [body.asks.slice(0, 1), body.bids.slice(0, 1)]);
  const unknown = (await get(`/book?market=XLM/${base}`)).body;
  assert.deepEqual([unknown.asks, unknown.bids], [[], []]);
});

test("a book that the market's orders change has another tag", async () => {
  const other = await startApiServer(12, LATER);
  const [order] = other.orders;
  assert.ok(order !== undefined);
  const path = `http://127.0.0.1:${other.port}/book?market=${order.selling}/${order.buying}`;
  const tagAndBody = async () => {
    const response = await describedFetch(path);
    const { ledger: _ledger, ...body } = (await response.json()) as Message;
    return { tag: response.headers.get("etag"), body };
  };
  let before = await tagAndBody();
  let changes = 0;
  for (const delta of other.later) {
    await other.exchange.apply(delta);
    const now = await tagAndBody();
    if (now.tag === before.tag) assert.deepEqual(now.body, before.body);
    else changes += 1;
    before = now;
  }
  assert.ok(changes > 0);
  await other.close();
});

test("an unchanged book is answered without a body, by its tag", async () => {
  const path = `/book?market=${market.base}/${market.quote}`;
  const first = await get(path);
  assert.match(first.tag, /^W\/"[\w-]+"$/);
  for (const field of [first.tag, `"x", ${first.tag}`, first.tag.slice(2), "*"]) {
    const again = await get(path, { "If-None-Match": field });
    assert.deepEqual([again.status, again.tag, again.text], [304, first.tag, ""], field);
  }
  for (const field of ["", '"x"', first.tag.slice(0, -1), "W/*"]) {
    assert.equal((await get(path, { "If-None-Match": field })).status, 200, field);
  }
});

test("wrong parameters are named", async () => {
  const { base, quote } = market;
  for (const [query, name] of [
    ["", "market"],
    [`market=${base}`, "market"],
    [`market=${base}/${base}`, "market"],
    [`market=${base}/${quote}&limit=0`, "limit"],
    [`market=${base}/${quote}&limit=5001`, "limit"],
    [`market=${base}/${quote}&limit=1e2`, "limit"],
  ] as const) {
    const { status, body } = await get(`/book?${query}`, { "If-None-Match": "*" });
    assert.equal(status, 400, query);
    assert.match(body.error, new RegExp(`"${name}"`), query);
  }
  const client = await PushClient.open(server.port);
  const reply = await client.ask({ op: "subscribe", channel: "book", market: base });
  assert.match(reply.error, /"market"/);
  client.close();
  await client.closed;
});
