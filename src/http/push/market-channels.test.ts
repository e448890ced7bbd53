// The throttled channels: depth, candles and ticker, with a clock that the test moves.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import WebSocket from "ws";
import { describedFetch } from "../../../test/support/api/described-fetch.ts";
import { type Message, PushClient } from "../../../test/support/http/push-client.ts";
import {
  startTestServer,
  type TestServer,
  testAccount,
  testContract,
  testOrder,
  testPosition,
} from "../../../test/support/http/test-server.ts";
import type { DepthBody } from "../../book/depth.ts";
import type { DomainEvent } from "../../book/domain-event.ts";
import type { TickerStats } from "../../book/ticker-market.ts";
import { canonicalPair } from "../../model/address.ts";
import type { Candle } from "../../model/candle.ts";
import type { OrderId } from "../../model/order.ts";

const [BASE, QUOTE, OTHER] = [testContract(1), testContract(2), testContract(3)];
const MARKET = `${BASE}/${QUOTE}`;

let server: TestServer;
let clients: PushClient[] = [];
let price = 1;

before(async () => {
  server = await startTestServer();
});
after(() => server.close());
beforeEach(() => {
  price = 1;
  server.readModel.ledger = 5000;
  server.depth = (request) => book(request.limit);
  server.readModel.marketData.candleRows = [];
  server.readModel.marketData.stats = [];
  server.readModel.marketData.timestamp = 1_700_000_000;
  // Past every interval of an earlier test.
  server.timers.advance(60_000);
});
afterEach(async () => {
  for (const client of clients) client.close();
  await Promise.all(clients.map((client) => client.closed));
  clients = [];
  assert.equal(server.timers.waitingCount, 0, "nothing is left to do without subscribers");
});

function book(limit: number): DepthBody {
  const bid = String(price);
  return {
    ledger: server.readModel.ledger ?? 0,
    timestamp: Math.floor(server.timers.nowMs / 1000),
    step: "1",
    bestBid: bid,
    bestAsk: null,
    bids: [[bid, String(limit)]],
    asks: [],
  };
}

async function open(): Promise<PushClient> {
  const client = await PushClient.open(server.port);
  clients.push(client);
  return client;
}

function step(...events: DomainEvent[]): void {
  const ledger = (server.readModel.ledger ?? 0) + 1;
  server.readModel.ledger = ledger;
  const ledgers = [{ ledger, hash: "", closeTime: 0 }];
  void server.push.stepped({ ledgers, ledger, closeTime: 0, changes: [], events });
}

/** Lets the work that is due now be done. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

async function passed(ms: number): Promise<void> {
  server.timers.advance(ms);
  await turns();
}

const ORDER: DomainEvent = {
  kind: "order",
  action: "new",
  order: testOrder(1, { selling: BASE, buying: QUOTE }),
};

function candle(start: number, fills: number): Candle {
  const one = { quote: 3n, base: 2n };
  return {
    start,
    open: one,
    high: one,
    low: one,
    close: one,
    baseVolume: 2n,
    quoteVolume: 3n,
    fills,
  };
}

function fill(timestamp: number, crossfill = false): DomainEvent {
  return {
    kind: "trade",
    market: canonicalPair(BASE, QUOTE),
    trade: {
      type: "trade",
      id: testPosition(1),
      order: 7n as OrderId,
      taker: testAccount(1),
      maker: testAccount(2),
      soldAsset: BASE,
      boughtAsset: QUOTE,
      sold: 2n,
      bought: 3n,
      left: 0n,
      crossfill,
      timestamp,
    },
  };
}

describe("channel depth", () => {
  async function subscribed(parameters: object = {}): Promise<[PushClient, Message]> {
    const client = await open();
    const message = { op: "subscribe", channel: "depth", market: MARKET, ...parameters };
    const snapshot = await client.ask(message);
    await client.drain();
    return [client, snapshot];
  }

  it("starts with the book of GET /depth, under the normalised topic", async () => {
    const [, snapshot] = await subscribed();
    const rest = await describedFetch(`${server.url}/depth?market=${MARKET}`);
    assert.deepEqual(
      { ...snapshot, id: "", data: { ...snapshot.data, timestamp: 0 } },
      {
        type: "depth",
        id: "",
        topic: `depth:${MARKET}/20/auto/100`,
        market: MARKET,
        depth: 20,
        data: { ...((await rest.json()) as object), timestamp: 0 },
      },
    );
    const client = await open();
    for (const [parameters, topic] of [
      [{ depth: 20, limit: 100, step: null }, `depth:${MARKET}/20/auto/100`],
      [{ depth: "20.0", step: "0.10" }, `depth:${MARKET}/20/0.1/100`],
      [{ depth: 0.5, step: 0.0000001, limit: "7" }, `depth:${MARKET}/0.5/0.0000001/7`],
    ] as const) {
      const request = { op: "subscribe", channel: "depth", market: MARKET, ...parameters };
      assert.equal((await client.ask(request)).topic, topic);
    }
    const flipped = await client.ask({
      op: "subscribe",
      channel: "depth",
      market: `${QUOTE}/${BASE}`,
    });
    assert.equal(flipped.market, `${QUOTE}/${BASE}`);
    for (const wrong of [
      { market: undefined },
      { depth: 0 },
      { limit: 501 },
      { step: -1 },
      { limit: 1.5 },
    ]) {
      const request = { op: "subscribe", channel: "depth", market: MARKET, ...wrong };
      const [name] = Object.keys(wrong);
      assert.match((await client.ask(request)).error, new RegExp(`Invalid parameter: "${name}"`));
    }
  });

  it("sends the last book of a burst, at most once a second", async () => {
    const [client] = await subscribed();
    for (let change = 0; change < 5; change += 1) {
      price += 1;
      step(ORDER);
      await turns();
    }
    const first = await client.drain();
    assert.equal(first.length, 1, "the first change goes out at once");
    assert.equal(first[0].data.bestBid, "2");
    assert.ok(!("id" in first[0]));
    await passed(999);
    assert.deepEqual(await client.drain(), []);
    await passed(1);
    const second = await client.drain();
    assert.equal(second.length, 1);
    assert.equal(second[0].data.bestBid, "6");
    assert.equal(second[0].data.ledger, 5005);
    await passed(10_000);
    assert.deepEqual(await client.drain(), [], "nothing more has changed");
  });

  it("leaves out an update with equal levels", async () => {
    const [client] = await subscribed();
    step(ORDER);
    await turns();
    await passed(5000);
    assert.deepEqual(await client.drain(), []);
  });

  it("follows backing of both assets and orders of the market, and nothing else", async () => {
    const [client] = await subscribed();
    const backing = (asset: typeof BASE): DomainEvent => ({
      kind: "backing",
      owner: testAccount(1),
      asset,
    });
    const elsewhere: DomainEvent = {
      kind: "order",
      action: "new",
      order: testOrder(1, { selling: BASE, buying: OTHER }),
    };
    for (const event of [elsewhere, backing(OTHER), fill(0)]) {
      price += 1;
      step(event);
      await passed(2000);
      assert.deepEqual(await client.drain(), [], JSON.stringify(event.kind));
    }
    const next: DomainEvent = { kind: "nextBudget", asset: BASE };
    for (const event of [backing(BASE), backing(QUOTE), next, ORDER]) {
      price += 1;
      step(event);
      await passed(2000);
      assert.equal((await client.drain()).length, 1, event.kind);
    }
  });

  it("brings everyone to one book where it changes to and fro around a snapshot", async () => {
    const [early] = await subscribed();
    step(ORDER);
    await turns();
    price = 2;
    step(ORDER);
    const [late, snapshot] = await subscribed();
    assert.equal(snapshot.data.bestBid, "2");
    price = 1;
    step(ORDER);
    await passed(1000);
    for (const client of [early, late]) {
      const messages = await client.drain();
      assert.equal(messages.at(-1)?.data.bestBid, "1");
    }
  });

  it("sends the last book of a burst though it could not be computed at first", async () => {
    const [client] = await subscribed();
    server.depth = () => {
      throw new Error("broken");
    };
    price = 7;
    step(ORDER);
    await turns();
    server.depth = (request) => book(request.limit);
    await passed(999);
    assert.deepEqual(await client.drain(), []);
    await passed(1);
    assert.equal((await client.drain())[0]?.data.bestBid, "7");
    await passed(10_000);
    assert.deepEqual(await client.drain(), []);
    server.loggedErrors.length = 0;
  });

  it("is computed once for all its subscribers, and not at all without any", async () => {
    const [first] = await subscribed();
    const [second] = await subscribed();
    let computed = 0;
    server.depth = (request) => {
      computed += 1;
      return book(request.limit);
    };
    price = 3;
    step(ORDER);
    await turns();
    for (const client of [first, second]) assert.equal((await client.drain()).length, 1);
    assert.equal(computed, 1);
    for (const client of [first, second]) {
      await client.ask({ op: "unsubscribe", channel: "depth", market: MARKET });
    }
    price = 4;
    step(ORDER);
    await passed(5000);
    assert.equal(computed, 1);
  });

  it("follows orders that expire by the clock, without a ledger", async () => {
    const [client] = await subscribed();
    price = 5;
    const { ledger } = server.readModel;
    const expired: DomainEvent = { ...ORDER, action: "expire" };
    void server.push.stepped({
      ledgers: [],
      ledger: ledger ?? 0,
      closeTime: 0,
      changes: [],
      events: [expired],
    });
    await turns();
    assert.equal((await client.drain())[0]?.data.bestBid, "5");
  });

  it("goes on after a failed computation", async () => {
    const [client] = await subscribed();
    server.depth = () => {
      throw new Error("broken");
    };
    step(ORDER);
    await passed(1000);
    assert.deepEqual(await client.drain(), []);
    assert.equal(server.loggedErrors.length, 1);
    const refused = await client.ask({ op: "subscribe", channel: "depth", market: MARKET });
    assert.equal(refused.error, "Internal error");
    const stranger = await open();
    await stranger.ask({ op: "subscribe", channel: "depth", market: `${QUOTE}/${BASE}` });
    assert.equal(server.push.topicCount, 1, "a failed subscribe creates no subscription");
    await client.drain();
    server.depth = (request) => book(request.limit);
    price = 9;
    step(ORDER);
    await passed(1000);
    assert.equal((await client.drain())[0].data.bestBid, "9");
  });
});

describe("a large book on channel depth", () => {
  /** Books that are read at the moment, as the reader's place allows: each resolves when told. */
  let reads: { readonly read: (body: DepthBody) => void; readonly isWanted: () => boolean }[] = [];
  const subscribe = { op: "subscribe", channel: "depth", market: MARKET };

  beforeEach(() => {
    reads = [];
    server.depth = () => undefined;
    server.depthLater = (_, isWanted) =>
      new Promise((read) => {
        reads.push({ read, isWanted });
      });
  });

  async function readNext(at: number): Promise<void> {
    const [first] = reads.splice(0, 1);
    price = at;
    first?.read(book(100));
    await turns();
  }

  it("is read once an interval, and again where it changed meanwhile", async () => {
    const client = await open();
    client.send({ ...subscribe, id: 1 });
    while (reads.length === 0) await nextTurn();
    await readNext(1);
    assert.equal((await client.find(({ id }) => id === 1)).data.bestBid, "1");
    step(ORDER);
    await turns();
    assert.equal(reads.length, 1);
    step(ORDER);
    await passed(1000);
    assert.equal(reads.length, 1, "one reading at a time");
    await readNext(2);
    await passed(1000);
    assert.equal(reads.length, 1, "the change since the reading began");
    await readNext(3);
    await client.find(({ data }) => data?.bestBid === "3");
    assert.deepEqual(
      client.messages.map(({ data }) => data.bestBid),
      ["1", "2", "3"],
    );
  });

  it("gives nobody an older book than an update before it", async () => {
    const [client, late] = [await open(), await open()];
    client.send({ ...subscribe, id: 1 });
    while (reads.length === 0) await nextTurn();
    await readNext(1);
    await client.find(({ id }) => id === 1);
    late.send({ ...subscribe, id: 2 });
    while (reads.length === 0) await nextTurn();
    const [snapshot] = reads.splice(0, 1);
    const old = book(100);
    step(ORDER);
    await turns();
    await readNext(2);
    await late.find(({ data }) => data?.bestBid === "2");
    snapshot?.read(old);
    assert.equal((await late.find(({ id }) => id === 2)).data.bestBid, "2");
  });

  it("is not read any more for who unsubscribed, and says where too many are read", async () => {
    const client = await open();
    client.send({ ...subscribe, id: 1 });
    while (reads.length === 0) await nextTurn();
    const [first] = reads.splice(0, 1);
    assert.equal(first?.isWanted(), true);
    await client.ask({ ...subscribe, op: "unsubscribe" });
    assert.equal(first?.isWanted(), false);
    assert.match((await client.find(({ id }) => id === 1)).error, /^Unsubscribed before/);
    server.depthLater = () => undefined;
    const refused = await client.ask(subscribe);
    assert.match(refused.error, /^Service overloaded\. Too many large books/);
    assert.equal(server.push.topicCount, 0);
    const answer = await describedFetch(`${server.url}/depth?market=${MARKET}`);
    assert.equal(answer.status, 503);
  });
});

describe("channel book", () => {
  const ORDERS = 1000;
  const PARTS = 3;
  const subscribe = { op: "subscribe", channel: "book", market: MARKET };

  beforeEach(() => {
    server.readModel.live = Array.from({ length: ORDERS }, (_, at) =>
      testOrder(at, { selling: BASE, buying: QUOTE }),
    );
  });
  afterEach(() => {
    server.readModel.live = [];
  });

  /** Every order has another price. */
  function changeAll(): void {
    const { readModel } = server;
    readModel.live = readModel.live.map((order) => ({ ...order, price: order.price + 1n }));
    step(...readModel.live.map((order) => ({ kind: "order", action: "update", order }) as const));
  }

  /** Requests of others, one after the other; throws where one is not served. */
  async function served(): Promise<void> {
    for (let request = 0; request < 5; request += 1) {
      const response = await fetch(`${server.url}/`);
      await response.body?.cancel();
      assert.equal(response.status, 200);
    }
  }

  it("answers whoever subscribes without end in order, beside everybody else", async () => {
    const client = await open();
    let asked = 0;
    const ask = (): void => {
      asked += 1;
      client.send({ ...subscribe, id: asked });
    };
    for (let at = 0; at < 5; at += 1) ask();
    for (let round = 1; round <= 3; round += 1) {
      changeAll();
      await served();
      await client.find(({ id, part }) => id === asked && part === 1);
      for (let at = 0; at < 5; at += 1) ask();
      await served();
    }
    await client.find(({ id, part }) => id === asked && part === PARTS);
    const { messages } = client;
    assert.deepEqual(
      messages.filter(({ type }) => type === "book").map(({ id, part }) => [id, part]),
      Array.from({ length: asked * PARTS }, (_, at) => [
        Math.floor(at / PARTS) + 1,
        (at % PARTS) + 1,
      ]),
    );
    let ledger = 0;
    let changed = new Set<string>();
    for (const [at, { type, part, previous, ledger: now, changes }] of messages.entries()) {
      if (type === "changes") {
        assert.ok(previous <= ledger && now >= ledger);
        if (now > ledger) changed = new Set();
        for (const { id } of changes) assert.ok(!changed.has(id), "each change once");
        for (const { id } of changes) changed.add(id);
        assert.equal(messages[at - 1]?.part ?? PARTS, PARTS, "none between parts");
      } else if (part > 1) assert.equal(now, ledger);
      ({ ledger } = messages[at]);
    }
    assert.equal(ledger, server.readModel.ledger);
    assert.equal(server.push.subscriptionCount, 1);
  });

  it("keeps little for clients that subscribe and never read, and cuts them off in the end", async () => {
    const reading = await open();
    await reading.ask(subscribe);
    const stuck = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
        await once(socket, "open");
        socket.pause();
        for (let id = 0; id < 150; id += 1) socket.send(JSON.stringify({ ...subscribe, id }));
        return socket;
      }),
    );
    while (server.push.subscriptionCount < 1 + stuck.length) await served();
    // The operating system takes some of these snapshots; what it does not take is not made.
    for (let round = 0; round < 5; round += 1) {
      await served();
      const { most } = server.push.waitingBytes();
      assert.ok(most < 2 * 1024 * 1024, `${most} bytes wait for one`);
    }
    for (let change = 0; server.push.connectionCount > 1; change += 1) {
      assert.ok(change < 400, "4 MiB of changes may wait for each");
      changeAll();
      await served();
      const { most } = server.push.waitingBytes();
      assert.ok(most < 5 * 1024 * 1024, `${most} bytes wait for one`);
    }
    const told = (await reading.drain()).filter(({ type }) => type === "changes");
    assert.equal(told.at(-1).ledger, server.readModel.ledger);
    assert.equal(server.push.subscriptionCount, 1);
    for (const socket of stuck) socket.terminate();
  });
});

describe("the ledger message", () => {
  it("comes after everything of its ledger, in whatever order topics were subscribed", async () => {
    const [client, other] = [await open(), await open()];
    const channels = [
      { channel: "contract" },
      { channel: "depth", market: MARKET },
      { channel: "account", address: testAccount(1) },
      { channel: "candles", market: MARKET, resolution: 300 },
      { channel: "trades" },
      { channel: "ticker" },
    ];
    for (const channel of channels) await client.ask({ op: "subscribe", ...channel });
    for (const channel of channels.reverse()) await other.ask({ op: "subscribe", ...channel });
    server.readModel.marketData.candleRows = [candle(1_700_000_100, 1)];
    price = 2;
    const owned = testOrder(1, { selling: BASE, buying: QUOTE, owner: testAccount(1) });
    step({ kind: "order", action: "new", order: owned }, fill(1_700_000_100));
    for (const one of [client, other]) {
      await one.find(({ type }) => type === "ledger");
      const types = (await one.drain())
        .filter(({ id }) => id === undefined)
        .map(({ type }) => type);
      assert.equal(types.at(-1), "ledger");
      const told = ["candle", "depth", "ledger", "order", "ticker", "trade", "trade"];
      assert.deepEqual([...types].sort(), told);
    }
  });

  it("comes before anything of the next ledger, though that follows at once", async () => {
    const client = await open();
    for (const channel of ["trades", "contract"]) await client.ask({ op: "subscribe", channel });
    step(fill(1_700_000_100));
    step(fill(1_700_000_101), fill(1_700_000_102));
    // The clock moves between ledgers.
    const ledger = server.readModel.ledger ?? 0;
    void server.push.stepped({ ledgers: [], ledger, closeTime: 0, changes: [], events: [ORDER] });
    step();
    await client.find((message) => message.type === "ledger" && message.ledger === 5003);
    const told = (await client.drain()).filter(({ id }) => id === undefined);
    assert.deepEqual(
      told.map(({ type, ledger: number }) => number ?? type),
      ["trade", 5001, "trade", "trade", 5002, 5003],
    );
  });

  it("does not wait for topics without end", async () => {
    const client = await open();
    await client.ask({ op: "subscribe", channel: "contract" });
    for (const limit of [1, 2]) {
      await client.ask({ op: "subscribe", channel: "depth", market: MARKET, limit });
    }
    let read = 0;
    server.depth = (request) => {
      read += 1;
      // The first of them takes all of the turn.
      server.timers.nowMs += 50;
      return book(request.limit);
    };
    price = 2;
    step(ORDER);
    await client.find(({ type }) => type === "ledger");
    await client.find(({ type, topic }) => type === "depth" && topic.endsWith("/2"), 3);
    const told = (await client.drain()).filter(({ id }) => id === undefined);
    assert.deepEqual([told.map(({ type }) => type), read], [["depth", "ledger", "depth"], 2]);
  });
});

describe("channel candles", () => {
  const START = 1_700_000_100;

  async function subscribed(parameters: object = {}): Promise<[PushClient, Message]> {
    const client = await open();
    const message = {
      op: "subscribe",
      channel: "candles",
      market: MARKET,
      resolution: "5m",
      ...parameters,
    };
    const snapshot = await client.ask(message);
    await client.drain();
    return [client, snapshot];
  }

  it("starts with the latest buckets up to the current one, oldest first", async () => {
    const current = Math.floor(server.timers.nowMs / 1000 / 300) * 300;
    server.readModel.marketData.candleRows = [
      candle(current - 200 * 300, 1),
      candle(current - 199 * 300, 2),
      candle(current, 3),
    ];
    const [client, snapshot] = await subscribed();
    const tuple = ["1.5", "1.5", "1.5", "1.5", "0.0000002", "0.0000003"];
    assert.deepEqual(
      { ...snapshot, id: "" },
      {
        type: "candles",
        id: "",
        topic: `candles:${MARKET}/300`,
        market: MARKET,
        resolution: 300,
        candles: [
          [current - 199 * 300, ...tuple, 2],
          [current, ...tuple, 3],
        ],
      },
    );
    const short = await client.ask({
      op: "subscribe",
      channel: "candles",
      market: MARKET,
      resolution: 300,
      limit: 1,
    });
    assert.equal(short.topic, snapshot.topic, "the limit is no part of the topic");
    assert.deepEqual(short.candles, [[current, ...tuple, 3]]);
    for (const wrong of [
      { resolution: undefined },
      { resolution: "7m" },
      { limit: 0 },
      { limit: 201 },
      { market: "x" },
    ]) {
      const request = {
        op: "subscribe",
        channel: "candles",
        market: MARKET,
        resolution: "5m",
        ...wrong,
      };
      const [name] = Object.keys(wrong);
      assert.match((await client.ask(request)).error, new RegExp(`Invalid parameter: "${name}"`));
    }
  });

  it("sends every bucket that fills changed, oldest first, at most once a second", async () => {
    const [client] = await subscribed();
    const { marketData } = server.readModel;
    marketData.candleRows = [candle(START, 1)];
    step(fill(START + 10));
    await turns();
    assert.deepEqual(await client.drain(), [
      {
        type: "candle",
        market: MARKET,
        resolution: 300,
        candle: [START, "1.5", "1.5", "1.5", "1.5", "0.0000002", "0.0000003", 1],
        topic: `candles:${MARKET}/300`,
      },
    ]);
    marketData.candleRows = [candle(START, 3), candle(START + 300, 2)];
    step(fill(START + 310));
    step(fill(START + 20));
    step(fill(START + 320));
    await passed(999);
    assert.deepEqual(await client.drain(), []);
    await passed(1);
    assert.deepEqual(
      (await client.drain()).map((message) => [message.candle[0], message.candle[7]]),
      [
        [START, 3],
        [START + 300, 2],
      ],
    );
  });

  it("sends buckets that could not be read once they can be", async () => {
    const [client] = await subscribed();
    const { marketData } = server.readModel;
    marketData.candleRows = [candle(START, 1)];
    const { candles } = marketData;
    marketData.candles = () => {
      throw new Error("broken");
    };
    step(fill(START + 10));
    await turns();
    marketData.candles = candles;
    await passed(1000);
    assert.equal((await client.drain())[0]?.candle[0], START);
    server.loggedErrors.length = 0;
  });

  it("takes no notice of a crossfill's own fill", async () => {
    const [client] = await subscribed();
    server.readModel.marketData.candleRows = [candle(START, 1)];
    step(fill(START, true));
    await passed(2000);
    assert.deepEqual(await client.drain(), []);
  });
});

describe("channel ticker", () => {
  function stats(fills: number): TickerStats {
    return { pair: canonicalPair(BASE, QUOTE), baseVolume: 0n, quoteVolume: 0n, fills };
  }

  async function subscribed(): Promise<[PushClient, Message]> {
    const client = await open();
    const snapshot = await client.ask({ op: "subscribe", channel: "ticker" });
    await client.drain();
    return [client, snapshot];
  }

  it("has the body of GET /ticker/24h in snapshot and updates", async () => {
    server.readModel.marketData.stats = [stats(1)];
    const [client, snapshot] = await subscribed();
    const rest = async () => (await describedFetch(`${server.url}/ticker/24h`)).json();
    assert.deepEqual(
      { ...snapshot, id: "" },
      { type: "ticker", id: "", topic: "ticker", data: await rest() },
    );
    server.readModel.marketData.stats = [stats(2)];
    step(fill(0));
    await turns();
    assert.deepEqual(await client.drain(), [
      { type: "ticker", topic: "ticker", data: await rest() },
    ]);
  });

  it("comes at most once every 5 seconds, with the last state", async () => {
    const [client] = await subscribed();
    for (let fills = 1; fills <= 4; fills += 1) {
      server.readModel.marketData.stats = [stats(fills)];
      step(fill(0));
      await turns();
    }
    assert.equal((await client.drain()).length, 1);
    await passed(4999);
    assert.deepEqual(await client.drain(), []);
    await passed(1);
    const [last, ...more] = await client.drain();
    assert.equal(last.data.ticker[0].trades, 4);
    assert.deepEqual(more, []);
  });

  it("comes after a refresh event, and when fills leave the window without any event", async () => {
    const [client] = await subscribed();
    step({ kind: "contract", change: "market", contract: { frozen: false, markets: [] } });
    await turns();
    assert.equal((await client.drain()).length, 1);
    await passed(20_000);
    assert.deepEqual(await client.drain(), [], "nothing changed");
    server.readModel.marketData.stats = [stats(0)];
    await passed(5000);
    assert.equal((await client.drain()).length, 1);
  });
});
