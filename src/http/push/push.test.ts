import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { describedFetch } from "../../../test/support/api/described-fetch.ts";
import { type Message, PushClient } from "../../../test/support/http/push-client.ts";
import {
  EXCHANGE,
  startTestServer,
  type TestServer,
  testAccount,
  testContract,
  testOrder,
  testPosition,
} from "../../../test/support/http/test-server.ts";
import { until } from "../../../test/support/until.ts";
import type { DomainEvent } from "../../book/domain-event.ts";
import type { Step } from "../../book/step.ts";
import { canonicalPair, marketKey } from "../../model/address.ts";
import type { Backing } from "../../model/backing.ts";
import type { Order, OrderId } from "../../model/order.ts";
import type { Swap, Trade } from "../../model/trade.ts";

const XLM_TOKEN = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";
const USDC_TOKEN = "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA";
const USDC = "USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5";

let server: TestServer;
let clients: PushClient[] = [];

before(async () => {
  server = await startTestServer();
});
after(() => server.close());
beforeEach(() => {
  const { readModel, watch } = server;
  readModel.ledger = 5000;
  readModel.live = [];
  readModel.records = [];
  readModel.backingRecords = [];
  readModel.contract = { frozen: false, markets: [] };
  watch.limit = 1000;
  watch.load = Promise.resolve();
});
afterEach(async () => {
  for (const client of clients) client.close();
  await Promise.all(clients.map((client) => client.closed));
  clients = [];
});

async function open(): Promise<PushClient> {
  const client = await PushClient.open(server.port);
  clients.push(client);
  return client;
}

async function subscribed(channel: string, parameters: object = {}): Promise<PushClient> {
  const client = await open();
  const snapshot = await client.ask({ op: "subscribe", channel, ...parameters });
  assert.notEqual(snapshot.type, "error", JSON.stringify(snapshot));
  await client.drain();
  return client;
}

/** Shows a step of one ledger with these domain events. */
function step(events: readonly DomainEvent[], ledgers: readonly number[] = [5001]): void {
  const ledger = ledgers.at(-1) ?? server.readModel.ledger ?? 0;
  server.readModel.ledger = ledger;
  server.readModel.step += 1;
  const shown: Step = {
    ledgers: ledgers.map((number) => ({ ledger: number, hash: "", closeTime: 0 })),
    ledger,
    closeTime: 0,
    changes: [],
    events,
  };
  void server.push.stepped(shown);
  server.readModel.stepped(shown);
}

const TRADE: Trade = {
  type: "trade",
  id: testPosition(1),
  order: 77n as OrderId,
  taker: testAccount(1),
  maker: testAccount(2),
  soldAsset: testContract(1),
  boughtAsset: testContract(2),
  sold: 200n,
  bought: 50n,
  left: 5n,
  crossfill: false,
  timestamp: 1_700_000_000,
};

const SWAP: Swap = {
  type: "swap",
  id: testPosition(2),
  trader: testAccount(1),
  soldAsset: testContract(1),
  boughtAsset: testContract(2),
  sold: 200n,
  bought: 50n,
  timestamp: 1_700_000_000,
};

const MARKET = canonicalPair(testContract(1), testContract(2));

function fill(trade: Partial<Trade> = {}): DomainEvent {
  return { kind: "trade", market: MARKET, trade: { ...TRADE, ...trade } };
}

function backing(fields: Partial<Backing> = {}): Backing {
  return {
    owner: testAccount(1),
    asset: testContract(1),
    balance: 100n,
    allowance: 80n,
    liveUntil: 9000,
    authorized: true,
    budget: 80n,
    headroom: 11n,
    updated: 1_700_000_000,
    pending: false,
    ...fields,
  };
}

async function rest(path: string): Promise<Message> {
  return (await describedFetch(server.url + path)).json();
}

describe("subscriptions", () => {
  it("are answered by unsubscribed, held or not, and errors where parameters are wrong", async () => {
    const client = await open();
    for (const channel of ["contract", "trades"]) {
      const reply = await client.ask({ op: "unsubscribe", channel });
      assert.equal(reply.type, "unsubscribed");
      assert.equal(reply.channel, channel);
    }
    client.send({ op: "unsubscribe", channel: "contract" });
    const plain = await client.find((message) => message.id === undefined);
    assert.deepEqual(plain, { type: "unsubscribed", channel: "contract", topic: "contract" });
    const wrong = await client.ask({ op: "unsubscribe", channel: "trades", market: "foo" });
    assert.equal(wrong.type, "error");
    assert.match(wrong.error, /Invalid parameter: "market"\. Expected BASE\/QUOTE format/);
    assert.equal(
      (await client.ask({ op: "unsubscribe", channel: "x" })).error,
      "Unknown channel: x",
    );
    const missing = await client.ask({ op: "subscribe" });
    assert.equal(missing.error, "Unknown channel: undefined");
    for (const channel of ["constructor", "__proto__", 7, null, ["trades"]]) {
      assert.match((await client.ask({ op: "subscribe", channel })).error, /^Unknown channel: /);
    }
  });

  it("to one topic in different spellings are one", async () => {
    const client = await open();
    const spellings = [
      `XLM/${USDC}`,
      `${USDC_TOKEN}/native`,
      `${XLM_TOKEN}/${USDC.replace(":", "-")}`,
    ];
    const topics = new Set<string>();
    for (const market of spellings) {
      topics.add((await client.ask({ op: "subscribe", channel: "trades", market })).topic);
    }
    assert.equal(topics.size, 1);
    const before = server.push.topicCount;
    const reply = await client.ask({ op: "unsubscribe", channel: "trades", market: spellings[1] });
    assert.ok(topics.has(reply.topic));
    assert.equal(server.push.topicCount, before - 1);
  });

  it("are at most 20 a connection, 10 of them accounts", async () => {
    const client = await open();
    const account = (n: number) => ({ channel: "account", address: testAccount(n) });
    const market = (n: number) => ({
      channel: "trades",
      market: `${testContract(n)}/${testContract(n + 1)}`,
    });
    for (let n = 0; n < 10; n += 1) {
      assert.equal((await client.ask({ op: "subscribe", ...account(n) })).type, "account");
    }
    const eleventh = await client.ask({ op: "subscribe", ...account(10) });
    assert.equal(eleventh.error, "Too many account subscriptions (max 10)");
    assert.equal((await client.ask({ op: "subscribe", ...account(3) })).type, "account");
    for (let n = 0; n < 10; n += 1) {
      assert.equal((await client.ask({ op: "subscribe", ...market(n) })).type, "trades");
    }
    const more = await client.ask({ op: "subscribe", ...market(10) });
    assert.equal(more.error, "Too many subscriptions (max 20)");
    assert.equal((await client.ask({ op: "subscribe", ...market(3) })).type, "trades");
    await client.ask({ op: "unsubscribe", ...market(3) });
    assert.equal((await client.ask({ op: "subscribe", ...market(10) })).type, "trades");
  });

  it("end with unsubscribe and with the connection, and leave nothing behind", async () => {
    assert.equal(server.push.topicCount, 0);
    const client = await open();
    for (let round = 0; round < 40; round += 1) {
      for (let n = 0; n < 20; n += 1) {
        client.send({ op: "subscribe", channel: "trades", market: `${testContract(n)}/XLM` });
      }
      for (let n = 0; n < 20; n += 1) {
        client.send({ op: "unsubscribe", channel: "trades", market: `XLM/${testContract(n)}` });
      }
    }
    const replies = await client.drain();
    assert.equal(replies.filter(({ type }) => type === "error").length, 0);
    assert.equal(server.push.topicCount, 0);
    step([fill()]);
    assert.deepEqual(await client.drain(), []);

    for (let round = 0; round < 20; round += 1) {
      const other = await PushClient.open(server.port);
      for (let n = 0; n < 10; n += 1) {
        other.send({ op: "subscribe", channel: "account", address: testAccount(n) });
        other.send({ op: "subscribe", channel: "trades", market: `${testContract(n)}/XLM` });
      }
      await other.drain();
      assert.equal(server.push.topicCount, 20);
      other.close();
      await other.closed;
      await client.drain();
      assert.equal(server.push.topicCount, 0);
      assert.equal(server.watch.watched.size, 0);
    }
  });
});

describe("channel contract", () => {
  it("holds the contract's body and the ledger once one was processed", async () => {
    const fresh = await startTestServer();
    const other = await PushClient.open(fresh.port);
    const first = await other.ask({ op: "subscribe", channel: "contract" });
    assert.ok(!("ledger" in first));
    void fresh.push.stepped({
      ledgers: [{ ledger: 7, hash: "", closeTime: 0 }],
      ledger: 7,
      closeTime: 0,
      changes: [],
      events: [],
    });
    const second = await other.ask({ op: "subscribe", channel: "contract" });
    assert.deepEqual(
      { ...second, id: "" },
      { type: "contract", id: "", topic: "contract", ledger: 7, data: await rest("/contract") },
    );
    other.close();
    await fresh.close();
  });

  it("tells changes with the state after each, then the ledger", async () => {
    const client = await subscribed("contract");
    const before = { frozen: true, markets: [] };
    const opened = { pair: MARKET, created: 1, refreshed: 2 };
    const after = { frozen: false, markets: [opened] };
    step([
      { kind: "contract", change: "freeze", contract: before },
      { kind: "contract", change: "market", market: MARKET, contract: after },
    ]);
    const messages = await client.drain();
    assert.deepEqual(messages[0], {
      type: "contract",
      kind: "freeze",
      data: { address: EXCHANGE, frozen: true, markets: [] },
      topic: "contract",
    });
    assert.equal(messages[1].kind, "market");
    assert.equal(messages[1].market, marketKey(MARKET));
    assert.equal(messages[1].data.markets.length, 1);
    assert.deepEqual(messages[2], { type: "ledger", ledger: 5001, topic: "contract" });
    assert.equal(messages.length, 3);
  });

  it("tells a changed configuration, with all of it", async () => {
    const client = await subscribed("contract");
    const config = {
      ...{ safetyAdmin: EXCHANGE, oracle: EXCHANGE, listingMinDays: 3 },
      ...{ marketListingFee: 10n ** 30n, minTradeSize: 5n, ledgerTime: 5 },
    };
    const contract = { frozen: false, config, markets: [] };
    step([{ kind: "contract", change: "config", contract }]);
    assert.deepEqual((await client.drain())[0], {
      type: "contract",
      kind: "config",
      data: {
        address: EXCHANGE,
        frozen: false,
        config: { ...config, marketListingFee: `1${"0".repeat(30)}`, minTradeSize: "5" },
        markets: [],
      },
      topic: "contract",
    });
  });

  it("tells the latest ledger of a burst, and none where the clock alone moved", async () => {
    const client = await subscribed("contract");
    step([], [5002, 5003, 5004]);
    step([], []);
    assert.deepEqual(await client.drain(), [{ type: "ledger", ledger: 5004, topic: "contract" }]);
  });
});

describe("channel trades", () => {
  it("starts with the latest 50 records, swaps among them, as REST gives them", async () => {
    server.readModel.records = Array.from({ length: 60 }, (_, at) =>
      at % 2 === 0 ? { ...TRADE, id: testPosition(at) } : { ...SWAP, id: testPosition(at) },
    );
    const client = await open();
    const every = await client.ask({ op: "subscribe", channel: "trades" });
    assert.equal(every.topic, "trades:*");
    assert.equal(every.market, "*");
    assert.deepEqual(every.trades, await rest("/trades?limit=50"));
    const star = await client.ask({ op: "subscribe", channel: "trades", market: "*" });
    assert.equal(star.topic, "trades:*");
    const market = `${testContract(2)}/${testContract(1)}`;
    const one = await client.ask({ op: "subscribe", channel: "trades", market });
    assert.equal(one.market, marketKey(MARKET));
    assert.equal(one.topic, `trades:${marketKey(MARKET)}`);
    assert.equal(one.trades.length, 50);
    for (const wrong of ["", "XLM", 7, {}, [], true]) {
      const reply = await client.ask({ op: "subscribe", channel: "trades", market: wrong });
      assert.equal(reply.type, "error", JSON.stringify(wrong));
    }
  });

  it("tells fills in order to the market's topic and to that of every market, and no swaps", async () => {
    const one = await subscribed("trades", { market: marketKey(MARKET) });
    const other = await subscribed("trades", { market: `${testContract(5)}/${testContract(6)}` });
    const every = await subscribed("trades");
    step([fill(), { kind: "swap", swap: SWAP }, fill({ id: testPosition(9), crossfill: true })]);
    const messages = await one.drain();
    assert.equal(messages.length, 2);
    server.readModel.records = [TRADE];
    const [shown] = await rest("/trades");
    assert.deepEqual(messages[0], {
      type: "trade",
      market: marketKey(MARKET),
      trade: shown,
      topic: `trades:${marketKey(MARKET)}`,
    });
    assert.equal(messages[1].trade.crossfill, true);
    assert.deepEqual(
      (await every.drain()).map(({ topic, trade }) => [topic, trade.id]),
      [
        ["trades:*", String(testPosition(1))],
        ["trades:*", String(testPosition(9))],
      ],
    );
    assert.deepEqual(await other.drain(), []);
  });
});

describe("channel account", () => {
  const ADDRESS = testAccount(1);

  function orderEvent(action: "new" | "fill" | "filled" | "cancel", order: Order): DomainEvent {
    if (action !== "fill" && action !== "filled") return { kind: "order", action, order };
    const fill = {
      sold: 50n,
      bought: 200n,
      taker: testAccount(3),
      trade: testPosition(1),
      ts: 1_700_000_000,
      crossfill: action === "filled",
    };
    return { kind: "order", action, order, fill };
  }

  it("starts with the body of GET /account", async () => {
    server.readModel.live = [testOrder(1)];
    server.readModel.backingRecords = [backing()];
    const client = await open();
    const snapshot = await client.ask({ op: "subscribe", channel: "account", address: ADDRESS });
    assert.deepEqual(
      { ...snapshot, id: "" },
      {
        type: "account",
        id: "",
        topic: `account:${ADDRESS}`,
        ...(await rest(`/account/${ADDRESS}`)),
      },
    );
    assert.equal(snapshot.orders[0].backed, "80");
    for (const address of [undefined, null, "", "foo", 7, {}, `${ADDRESS}A`]) {
      const reply = await client.ask({ op: "subscribe", channel: "account", address });
      assert.equal(reply.error, "Invalid account address");
    }
  });

  it("waits five seconds for the records of an account, not longer", async () => {
    await subscribed("account", { address: ADDRESS });
    assert.equal(server.watch.waitMs, 5000);
  });

  it("watches the account while anyone is subscribed", async () => {
    const one = await subscribed("account", { address: ADDRESS });
    const two = await subscribed("account", { address: ADDRESS });
    assert.deepEqual([...server.watch.watched], [[ADDRESS, 1]]);
    await one.ask({ op: "unsubscribe", channel: "account", address: ADDRESS });
    assert.equal(server.watch.watched.size, 1);
    await two.ask({ op: "unsubscribe", channel: "account", address: ADDRESS });
    assert.equal(server.watch.watched.size, 0);
  });

  it("goes on unwatched past the limit of accounts", async () => {
    server.watch.limit = 0;
    const client = await subscribed("account", { address: ADDRESS });
    step([{ kind: "swap", swap: SWAP }]);
    assert.equal((await client.drain()).length, 1);
    await client.ask({ op: "unsubscribe", channel: "account", address: ADDRESS });
  });

  it("sends updates while the snapshot waits, and builds the snapshot after them", async () => {
    let loaded = (): void => undefined;
    server.watch.load = new Promise((resolve) => {
      loaded = resolve;
    });
    const client = await open();
    client.send({ op: "subscribe", channel: "account", address: ADDRESS, id: 1 });
    await client.drain();
    server.readModel.live = [testOrder(1)];
    step([orderEvent("new", testOrder(1))]);
    await client.drain();
    loaded();
    const snapshot = await client.find((message) => message.id === 1);
    assert.equal(snapshot.orders.length, 1);
  });

  it("sends no state that is older than an update before it", async () => {
    // Steps can follow the loaded records within one turn of the event loop.
    for (let microtasks = 0; microtasks < 12; microtasks += 1) {
      let loaded = (): void => undefined;
      server.watch.load = new Promise((resolve) => {
        loaded = resolve;
      });
      server.readModel.live = [];
      const client = await open();
      client.send({ op: "subscribe", channel: "account", address: ADDRESS, id: 1 });
      await client.drain();
      loaded();
      for (let passed = 0; passed < microtasks; passed += 1) await Promise.resolve();
      server.readModel.live = [testOrder(1)];
      step([orderEvent("new", testOrder(1))]);
      const kinds = (await client.drain()).map(({ id, type, orders }) =>
        id === 1 ? `snapshot of ${orders.length}` : type,
      );
      const both = ["snapshot of 0,order", "order,snapshot of 1"];
      assert.ok(both.includes(String(kinds)), `${kinds} after ${microtasks}`);
    }
  });

  it("puts many orders into text in slices, with what steps change between them", async () => {
    const { readModel } = server;
    const { liveOrders } = readModel;
    const orders = (amount: bigint) =>
      Array.from({ length: 1000 }, (_, at) => testOrder(at, { amount }));
    readModel.live = orders(80n);
    let pages = 0;
    readModel.liveOrders = function (...parameters) {
      pages += 1;
      // In the middle of the text.
      if (pages === 6) {
        this.live = orders(70n);
        step(this.live.map((order) => orderEvent("fill", order)));
      }
      return liveOrders.apply(this, parameters);
    };
    try {
      const client = await open();
      client.send({ op: "subscribe", channel: "account", address: ADDRESS, id: 1 });
      await client.find((message) => message.id === 1);
      const { messages } = client;
      assert.deepEqual(
        messages.map(({ type }) => type),
        [...new Array(1000).fill("order"), "account"],
      );
      const shown = messages.at(-1)?.orders.map(({ amount }: Order) => String(amount));
      assert.deepEqual(shown, new Array(1000).fill("70"));
    } finally {
      readModel.liveOrders = liveOrders;
    }
  });

  it("puts a large snapshot together of one state, with what steps change meanwhile behind it", async () => {
    const { readModel } = server;
    const { accountBacking } = readModel;
    readModel.live = Array.from({ length: 5000 }, (_, at) => testOrder(at, { amount: 80n }));
    const filled = testOrder(4999, { amount: 70n });
    // Asked once the orders are read, when the text begins to be made.
    readModel.accountBacking = function (...parameters) {
      readModel.accountBacking = accountBacking;
      setImmediate(() => {
        readModel.live = readModel.live.with(4999, filled);
        step([orderEvent("fill", filled)]);
      });
      return accountBacking.apply(this, parameters);
    };
    const client = await open();
    const message = { channel: "account", address: ADDRESS };
    client.send({ op: "subscribe", ...message, id: 1 });
    client.send({ op: "subscribe", ...message, id: 2 });
    await client.find(({ id }) => id === 2);
    const told = client.messages.map(({ id, type, orders, order }) => [
      id ?? type,
      (orders?.at(-1) ?? order).amount,
    ]);
    assert.deepEqual(told, [
      [1, "80"],
      ["order", "70"],
      [2, "70"],
    ]);
    step([orderEvent("fill", filled)]);
    assert.equal((await client.drain()).length, 4, "it is told from there on");
    assert.equal(server.push.subscriptionCount, 1);
  });

  it("lets nobody wait for a large snapshot that nobody wants any more", async () => {
    const { readModel } = server;
    readModel.live = Array.from({ length: 3000 }, (_, at) => testOrder(at));
    const message = { channel: "account", address: ADDRESS };
    for (let at = 0; at < 3; at += 1) {
      const gone = await open();
      for (let id = 0; id < 5; id += 1) gone.send({ op: "subscribe", ...message, id });
      if (at > 0) gone.send({ op: "unsubscribe", ...message });
      gone.close();
    }
    const client = await open();
    client.send({ op: "subscribe", ...message, id: 1 });
    client.send({ op: "unsubscribe", ...message, id: 2 });
    client.send({ op: "subscribe", ...message, id: 3 });
    const snapshot = await client.find(({ id }) => id === 3);
    assert.equal(snapshot.orders.length, 3000);
  });

  it("keeps an account with few orders from waiting for the text of one with many", async () => {
    const many = Array.from({ length: 2000 }, (_, at) => testOrder(at));
    server.readModel.live = [...many, testOrder(3000, { owner: testAccount(2) })];
    const client = await open();
    client.send({ op: "subscribe", channel: "account", address: ADDRESS, id: 1 });
    client.send({ op: "subscribe", channel: "account", address: testAccount(2), id: 2 });
    await client.find((message) => message.id === 1);
    assert.deepEqual(
      client.messages.map(({ id, orders }) => [id, orders.length]),
      [
        [2, 1],
        [1, 2000],
      ],
    );
  });

  it("sends no snapshot after an unsubscribe, and answers both", async () => {
    let loaded = (): void => undefined;
    server.watch.load = new Promise((resolve) => {
      loaded = resolve;
    });
    const client = await open();
    const message = { channel: "account", address: ADDRESS };
    for (const id of [1, 2]) client.send({ op: "subscribe", ...message, id });
    client.send({ op: "unsubscribe", ...message, id: 3 });
    // A new one is none of the unsubscribe's business.
    client.send({ op: "subscribe", ...message, id: 4 });
    client.send({ op: "subscribe", channel: "account", address: testAccount(2) });
    client.send({ op: "unsubscribe", channel: "account", address: testAccount(2), id: 5 });
    await client.find(({ id }) => id === 5);
    loaded();
    await client.find(({ id }) => id === 4);
    assert.deepEqual(
      (await client.drain()).map(({ type, id }) => [type, id]),
      [
        ["error", 1],
        ["error", 2],
        ["unsubscribed", 3],
        ["error", undefined],
        ["unsubscribed", 5],
        ["account", 4],
      ],
    );
    assert.equal(server.push.subscriptionCount, 1);
  });

  it("tells orders with what backs them after the step", async () => {
    const client = await subscribed("account", { address: ADDRESS });
    const live = testOrder(1, { amount: 60n });
    server.readModel.live = [live];
    server.readModel.backingRecords = [backing()];
    step([
      orderEvent("new", live),
      orderEvent("fill", { ...live, amount: 10n }),
      orderEvent("filled", { ...live, amount: 0n, status: "FILLED" }),
      orderEvent("cancel", testOrder(2, { status: "CANCELED" })),
      orderEvent("new", testOrder(3, { owner: testAccount(9) })),
    ]);
    const messages = await client.drain();
    assert.deepEqual(
      messages.map(({ action, order }) => [action, order.status, order.amount, order.backed]),
      [
        ["new", "ACTIVE", "60", "60"],
        ["fill", "ACTIVE", "10", "10"],
        ["filled", "FILLED", "0", "0"],
        ["cancel", "CANCELED", "90000000", "0"],
      ],
    );
    const expected = {
      sold: "50",
      bought: "200",
      taker: testAccount(3),
      trade: String(testPosition(1)),
      ts: 1_700_000_000,
    };
    assert.deepEqual(messages[1].fill, expected);
    assert.deepEqual(messages[2].fill, { ...expected, crossfill: true });
    assert.ok(!("fill" in messages[0]));
    assert.equal(messages[0].address, ADDRESS);
    assert.equal(messages[0].topic, `account:${ADDRESS}`);
    assert.deepEqual(messages[0].order, (await rest("/order"))[0]);
  });

  it("looks at all shares of a subscribed maker for a change of backing alone", async () => {
    const client = await subscribed("account", { address: ADDRESS });
    const orders = Array.from({ length: 50 }, (_, n) => testOrder(n));
    const strange = testOrder(100, { owner: testAccount(9) });
    const { readModel } = server;
    readModel.live = [...orders, strange];
    readModel.backingRecords = [backing(), backing({ owner: testAccount(9) })];
    const asked: string[] = [];
    const { ordersBacked } = readModel;
    readModel.ordersBacked = (owner, asset) => {
      asked.push(owner);
      return ordersBacked.call(readModel, owner, asset);
    };
    try {
      step([
        ...[...orders, strange].map((order) => orderEvent("new", order)),
        { kind: "backing", owner: ADDRESS, asset: testContract(1), backing: backing() },
        { kind: "backing", owner: testAccount(9), asset: testContract(1), backing: backing() },
      ]);
    } finally {
      readModel.ordersBacked = ordersBacked;
    }
    assert.equal((await client.drain()).length, orders.length + 1);
    assert.deepEqual(asked, [ADDRESS]);
  });

  it("ends the connections that miss an update, and keeps no other channel from the step", async () => {
    const client = await subscribed("account", { address: ADDRESS });
    const other = await subscribed("trades");
    const { readModel, loggedErrors } = server;
    const { ordersBacked } = readModel;
    const logged = loggedErrors.length;
    readModel.ordersBacked = () => {
      throw new Error("broken");
    };
    try {
      step([fill(), { kind: "backing", owner: ADDRESS, asset: testContract(1) }]);
    } finally {
      readModel.ordersBacked = ordersBacked;
    }
    assert.equal((await other.drain()).length, 1);
    assert.equal(loggedErrors.length, logged + 1);
    assert.equal(await client.closed, 1011);
    assert.match(client.closeReason, /subscribe again/);
    const again = await subscribed("account", { address: ADDRESS });
    step([{ kind: "backing", owner: ADDRESS, asset: testContract(1) }]);
    assert.equal((await again.drain()).at(-1)?.type, "backing");
  });

  it("tells backing with the share of every order that sells the token", async () => {
    const client = await subscribed("account", { address: ADDRESS });
    server.readModel.live = [testOrder(1, { amount: 60n }), testOrder(2, { amount: 60n })];
    server.readModel.backingRecords = [backing()];
    step([
      { kind: "backing", owner: ADDRESS, asset: testContract(1), backing: backing() },
      { kind: "backing", owner: ADDRESS, asset: testContract(2) },
      { kind: "backing", owner: testAccount(9), asset: testContract(2) },
    ]);
    const messages = await client.drain();
    assert.deepEqual(messages[0], {
      type: "backing",
      address: ADDRESS,
      asset: testContract(1),
      backing: await rest(`/backing?owner=${ADDRESS}&asset=${testContract(1)}`),
      backed: { 1001: "60", 1002: "20" },
      topic: `account:${ADDRESS}`,
    });
    assert.equal(messages[1].backing, null);
    assert.deepEqual(messages[1].backed, {});
    assert.equal(messages.length, 2);
  });

  it("tells the taker's side of fills and swaps, but not a crossfill's own fill", async () => {
    const client = await subscribed("account", { address: ADDRESS });
    step([
      fill(),
      fill({ id: testPosition(5), taker: ADDRESS, maker: ADDRESS }),
      orderEvent("fill", testOrder(1)),
      fill({ id: testPosition(6), crossfill: true }),
      fill({ id: testPosition(7), taker: testAccount(8), maker: ADDRESS }),
      { kind: "swap", swap: SWAP },
    ]);
    const messages = await client.drain();
    assert.deepEqual(
      messages.map(({ type }) => type),
      ["trade", "trade", "order", "swap"],
    );
    server.readModel.records = [TRADE, SWAP];
    const [swap, trade] = await rest("/trades");
    assert.deepEqual(messages[0], {
      type: "trade",
      address: ADDRESS,
      market: marketKey(MARKET),
      trade,
      topic: `account:${ADDRESS}`,
    });
    assert.deepEqual(messages[3], {
      type: "swap",
      address: ADDRESS,
      swap,
      topic: `account:${ADDRESS}`,
    });
  });
});

describe("a flood of messages", () => {
  /** Takes more than a turn's part for messages, so that none is followed by another in its turn. */
  const WORK_MS = 15;

  function busyDepth(): { count: number } {
    const done = { count: 0 };
    const { depth } = server;
    server.depth = (request) => {
      for (const endMs = performance.now() + WORK_MS; performance.now() < endMs; );
      done.count += 1;
      return depth({ ...request, step: "1" });
    };
    restore = () => {
      server.depth = depth;
    };
    return done;
  }

  let restore = (): void => undefined;
  afterEach(() => restore());

  const depthOf = (step: number, op = "subscribe") => ({
    ...{
      op,
      channel: "depth",
      market: "XLM/USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5",
    },
    step,
    id: `${op} ${step}`,
  });

  it("is worked off turn by turn, in order, and requests of others come between", async () => {
    const done = busyDepth();
    const [flood, other] = [await open(), await open()];
    const perTurn: number[] = [];
    let last = 0;
    let watching = true;
    const watch = (): void => {
      perTurn.push(done.count - last);
      last = done.count;
      if (watching) setImmediate(watch);
    };
    watch();
    const steps = Array.from({ length: 40 }, (_, at) => at + 1);
    for (const step of steps) {
      flood.send(depthOf(step));
      flood.send(depthOf(step, "unsubscribe"));
    }
    flood.send({ op: "ping", id: "last" });
    await flood.find(({ id }) => id === "subscribe 1");
    const before = done.count;
    assert.equal((await rest("/")).status, "loading");
    await other.ask({ op: "ping" });
    const between = done.count - before;
    await flood.find(({ id }) => id === "last");
    watching = false;
    assert.deepEqual(
      flood.messages.map(({ id }) => id),
      [...steps.flatMap((step) => [`subscribe ${step}`, `unsubscribe ${step}`]), "last"],
    );
    assert.equal(done.count, steps.length);
    assert.ok(Math.max(...perTurn) <= 2, `${Math.max(...perTurn)} books in one turn`);
    assert.ok(between < 30, `${between} of 40 books before others were answered`);
  });

  it("past a bound ends its connection with code 1008, and nobody else's", async () => {
    const done = busyDepth();
    const [flood, other] = [await open(), await open()];
    // Longer than any book would be worth: what is not read yet counts as well.
    const padding = "x".repeat(10_000);
    for (let step = 1; step <= 3000; step += 1) flood.send({ ...depthOf(step), padding });
    assert.equal(await flood.closed, 1008);
    assert.match(flood.closeReason, /Too many messages are waiting/);
    const count = done.count;
    assert.ok(count < 1000, "what waited was dropped");
    assert.equal((await other.ask({ op: "ping" })).type, "pong");
    assert.equal(server.push.topicCount, 0);
    assert.equal(done.count, count);
  });

  it("past a bound has its client wait for a new connection, which it may give up", async () => {
    busyDepth();
    const [flood, other] = [await open(), await open()];
    const padding = "x".repeat(10_000);
    for (let step = 1; step <= 3000; step += 1) flood.send({ ...depthOf(step), padding });
    assert.equal(await flood.closed, 1008);
    const key = "dGhlIHNhbXBsZSBub25jZQ==";
    const head = `GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`;
    const gone = connect(server.port, "127.0.0.1").on("error", () => undefined);
    gone.write(head, () => gone.destroy());
    const late = await open();
    assert.equal((await late.ask({ op: "ping" })).type, "pong");
    assert.equal((await other.ask({ op: "ping" })).type, "pong");
  });

  it("past a bound of its address ends the connection that passes it with a reason of its own", async () => {
    busyDepth();
    const floods = await Promise.all([open(), open(), open()]);
    // Each is within what may wait of a connection.
    for (const flood of floods)
      for (let step = 1; step <= 2000; step += 1) flood.send(depthOf(step));
    const ended = await until("a flood is ended", () =>
      floods.find(({ closeReason }) => closeReason !== ""),
    );
    assert.equal(await ended.closed, 1008);
    assert.match(ended.closeReason, /Too many messages of your address are waiting/);
  });

  it("of subscribes that wait for something leaves room for others once it has come", async () => {
    let loaded = (): void => undefined;
    server.watch.load = new Promise((resolve) => {
      loaded = resolve;
    });
    const { readModel } = server;
    const { accountBacking } = readModel;
    let made = 0;
    readModel.accountBacking = (owner) => {
      for (const endMs = performance.now() + WORK_MS; performance.now() < endMs; );
      made += 1;
      return accountBacking.call(readModel, owner);
    };
    restore = () => {
      readModel.accountBacking = accountBacking;
    };
    const client = await open();
    for (let id = 0; id < 20; id += 1) {
      client.send({ op: "subscribe", channel: "account", address: testAccount(1), id });
    }
    await client.ask({ op: "ping" });
    const perTurn: number[] = [];
    let last = 0;
    const watch = (): void => {
      perTurn.push(made - last);
      last = made;
      if (made < 20) setImmediate(watch);
    };
    watch();
    loaded();
    await client.find(({ id }) => id === 19);
    assert.ok(Math.max(...perTurn) <= 2, `${Math.max(...perTurn)} snapshots in one turn`);
  });
});

describe("connections", () => {
  it("that answer pings or send messages live on, the others are terminated", async (t) => {
    // Long enough that no pause of a busy machine hides a client's message from a whole interval.
    const quick = await startTestServer({ pingIntervalMs: 3000 });
    t.after(() => quick.close());
    const answering = await PushClient.open(quick.port);
    const silent = await PushClient.open(quick.port, { autoPong: false });
    const talking = await PushClient.open(quick.port, { autoPong: false });
    const talk = setInterval(() => talking.send({ op: "ping" }), 10);
    // It must not keep a process whose test failed.
    talk.unref();
    assert.equal(await silent.closed, 1006);
    for (const seen = answering.pings; answering.pings < seen + 3; ) {
      await talking.drain();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    clearInterval(talk);
    assert.equal((await answering.ask({ op: "ping" })).type, "pong");
    assert.equal((await talking.ask({ op: "ping" })).type, "pong");
    answering.close();
    talking.close();
  });

  it("that stop reading are cut off at the outgoing limit, and others get everything", async () => {
    const stuck = await subscribed("trades");
    const reading = await subscribed("trades");
    stuck.pause();
    const rounds = 4000;
    const perStep = 50;
    for (let round = 0; round < rounds / perStep; round += 1) {
      step(Array.from({ length: perStep }, (_, n) => fill({ left: BigInt(round * perStep + n) })));
      await reading.drain().then((messages) => {
        assert.deepEqual(
          messages.map(({ trade }) => trade.left),
          Array.from({ length: perStep }, (_, n) => String(round * perStep + n)),
        );
      });
    }
    assert.equal(server.push.connectionCount, 2, "less than the limit waits for it");
    // What the operating system holds of the stuck connection is some megabytes on top of ours.
    for (let round = 0; server.push.connectionCount > 1 && round < 400; round += 1) {
      step(Array.from({ length: perStep }, () => fill()));
      await reading.drain();
    }
    assert.equal(server.push.connectionCount, 1);
    stuck.resume();
    assert.equal(await stuck.closed, 1006);
    const lefts = stuck.messages.map(({ trade }) => trade.left);
    const whole = Array.from({ length: rounds }, (_, n) => String(n));
    assert.deepEqual(lefts.slice(0, rounds), whole.slice(0, lefts.length), "nothing was left out");
  });
});
