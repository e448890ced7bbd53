import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { type Message, PushClient } from "../../../test/support/http/push-client.ts";
import {
  startTestServer,
  type TestServer,
  testContract,
  testOrder,
} from "../../../test/support/http/test-server.ts";
import type { QuoteAnswer, QuoteAsker, QuoteRequest } from "../../router-worker/quote.ts";
import { AssetInput } from "../asset-input.ts";
import { QUOTE_TOPICS_MAX, quoteChannel } from "./channels/quote-channel.ts";
import { jsonQuery } from "./json-query.ts";

const XLM_TOKEN = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";
const USDC_TOKEN = "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA";
const USDC = "USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5";
const QUOTE = { channel: "quote", sellingAsset: "XLM", buyingAsset: USDC, amount: "1000" };
const TOPIC = `quote:${XLM_TOKEN}/${USDC_TOKEN}/strict_send/1000/any/none`;

let server: TestServer;
let clients: PushClient[] = [];
/** Asked of the router since the test began. */
let asked: QuoteRequest[] = [];
/** What the book gives for the amount. */
let bought = 0;

before(async () => {
  server = await startTestServer();
});
after(() => server.close());
beforeEach(() => {
  server.readModel.ledger = 5000;
  server.readModel.live = [testOrder(1)];
  asked = [];
  bought = 50;
  server.quote = (request) => {
    asked.push(request);
    return Promise.resolve(answerNow());
  };
});
afterEach(async () => {
  for (const client of clients) client.close();
  await Promise.all(clients.map((client) => client.closed));
  clients = [];
});

function answerNow(): QuoteAnswer {
  const hop = { selling: XLM_TOKEN, buying: USDC_TOKEN, orders: ["5"], worstPrice: "2" };
  const paths = JSON.stringify([{ sold: "1000", bought: String(bought), path: [hop] }]);
  return { status: "success", ledger: server.readModel.ledger ?? 0, paths };
}

async function open(): Promise<PushClient> {
  const client = await PushClient.open(server.port);
  clients.push(client);
  return client;
}

/** The reply; nothing that came before it is left to drain. */
async function subscribe(client: PushClient, parameters: object = QUOTE): Promise<Message> {
  const reply = await client.ask({ op: "subscribe", ...parameters });
  client.messages.length = 0;
  return reply;
}

/** Shows a step of the ledger, or of the clock alone, and lets what it starts come to its end. */
async function step(ledger: number, ledgers: readonly number[] = [ledger]): Promise<void> {
  server.readModel.ledger = ledger;
  void server.push.stepped({
    ledgers: ledgers.map((number) => ({ ledger: number, hash: "", closeTime: 0 })),
    ...{ ledger, closeTime: 0, changes: [], events: [] },
  });
  await new Promise((resolve) => setImmediate(resolve));
}

describe("channel quote", () => {
  it("sends what GET /quote answers, then the quote again where its answer changes", async () => {
    const client = await open();
    const snapshot = await subscribe(client);
    assert.equal(snapshot.type, "quote");
    assert.equal(snapshot.topic, TOPIC);
    const url = `${server.url}/quote?sellingAsset=XLM&buyingAsset=${USDC}&amount=1000`;
    const body = (await (await fetch(url)).json()) as { id: string };
    assert.deepEqual({ ...snapshot.data, id: "" }, { ...body, id: "" });
    await step(5001);
    assert.deepEqual(await client.drain(), [], "the same answer at another ledger is no news");
    bought = 60;
    await step(5002);
    const [update, ...more] = await client.drain();
    assert.deepEqual(more, []);
    assert.deepEqual(Object.keys(update), ["type", "topic", "data"]);
    assert.equal(update.topic, TOPIC);
    assert.equal(update.data.ledger, 5002);
    assert.equal(update.data.paths[0].bought, "60");
    server.quote = () => Promise.resolve({ status: "unfeasible", ledger: 5003 });
    await step(5003);
    const [unfeasible] = await client.drain();
    assert.equal(unfeasible.data.status, "unfeasible");
    assert.deepEqual(unfeasible.data.paths, []);
    server.quote = () => Promise.resolve({ status: "rejected", ledger: 5004, reason: "frozen" });
    await step(5004);
    assert.equal((await client.drain())[0].data.status, "rejected");
  });

  it("names one topic whatever the spelling", async () => {
    const client = await open();
    const spellings = [
      { source_asset: "native", destination_asset: USDC_TOKEN, source_amount: 1000 },
      { selling_asset: XLM_TOKEN, buying_asset: USDC, amount: "01000", direction: "sideways" },
      { ...QUOTE, direct: false, direction: "strict_send" },
      { ...QUOTE, direct: "yes" },
    ];
    for (const spelling of spellings) {
      const { topic } = await subscribe(client, { channel: "quote", ...spelling });
      assert.equal(topic, TOPIC);
    }
    assert.equal(server.push.topicCount, 1);
    const direct = { ...QUOTE, direct: true, max_price: "7", direction: "strict_receive" };
    const other = await subscribe(client, direct);
    assert.equal(other.topic, `quote:${XLM_TOKEN}/${USDC_TOKEN}/strict_receive/1000/direct/7`);
    const reply = await client.ask({ op: "unsubscribe", channel: "quote", ...spellings[0] });
    assert.deepEqual(
      { ...reply, id: 0 },
      {
        ...{ type: "unsubscribed", id: 0, channel: "quote", topic: TOPIC },
      },
    );
    assert.equal(server.push.topicCount, 1);
  });

  it("is refused with the texts of GET /quote, and then holds nothing", async () => {
    const client = await open();
    const wrong: [object, RegExp][] = [
      [{ amount: "1.5" }, /^Bad request\. Invalid parameter: "amount"\./],
      [{ amount: 2 ** 53 + 2 }, /^Bad request\. Invalid parameter: "amount"\./],
      [{ sellingAsset: "XYZ" }, /Invalid parameter: "source_asset"/],
      [{ buyingAsset: undefined }, /Invalid parameter: "destination_asset"/],
      [{ buyingAsset: "XLM" }, /"buyingAsset"\. Buying asset can't be the same as selling asset\./],
      [{ maxPrice: "5" }, /Invalid parameter: "maxPrice"/],
    ];
    for (const [parameters, error] of wrong) {
      for (const op of ["subscribe", "unsubscribe"]) {
        const reply = await client.ask({ op, ...QUOTE, ...parameters });
        assert.equal(reply.type, "error");
        assert.match(reply.error, error);
      }
    }
    server.quote = () => Promise.resolve({ status: "failed", message: "Too many wait." });
    assert.equal((await subscribe(client)).error, "Trading error. Too many wait.");
    server.readModel.live = [];
    const notReady = "Trading error. Server currently is not ready to quote prices.";
    assert.equal((await subscribe(client)).error, notReady);
    assert.equal(server.push.topicCount, 0);
  });

  it("says where there is no quote any more, and goes on once there is", async () => {
    const client = await open();
    await subscribe(client);
    server.readModel.live = [];
    await step(5001);
    await step(5002);
    assert.deepEqual(await client.drain(), [
      {
        ...{ type: "quote", topic: TOPIC, data: null },
        error: "Trading error. Server currently is not ready to quote prices.",
      },
    ]);
    server.readModel.live = [testOrder(1)];
    await step(5003);
    const [back] = await client.drain();
    assert.equal(back.data.ledger, 5003);
  });

  it("is computed once for all subscribers, and sent at most once a ledger", async () => {
    const others = await Promise.all([open(), open(), open()]);
    for (const client of others) await subscribe(client);
    asked = [];
    bought = 60;
    await step(5001);
    assert.equal(asked.length, 1);
    for (const client of others) {
      const messages = await client.drain();
      assert.deepEqual(
        messages.map(({ data }) => data.ledger),
        [5001],
      );
    }
    // The clock alone moves: the ledger had its message.
    bought = 70;
    await step(5001, []);
    for (const client of others) assert.deepEqual(await client.drain(), []);
    await step(5002);
    for (const client of others) {
      assert.equal((await client.drain())[0].data.paths[0].bought, "70");
    }
  });

  it("leaves nobody with an answer that a newer subscriber has not", async () => {
    const [first, second] = [await open(), await open()];
    await subscribe(first);
    bought = 60;
    // A step without a ledger: the second one sees its outcome at once.
    const snapshot = await subscribe(second);
    assert.equal(snapshot.data.paths[0].bought, "60");
    assert.deepEqual(await first.drain(), []);
    bought = 50;
    await step(5001);
    for (const client of [first, second]) {
      assert.equal((await client.drain())[0]?.data.paths[0].bought, "50");
    }
    // A newer ledger that the stream has not seen to yet: all are told.
    server.readModel.ledger = 5002;
    bought = 80;
    assert.equal((await subscribe(second)).data.paths[0].bought, "80");
    assert.equal((await first.drain())[0].data.paths[0].bought, "80");
  });

  it("sends nobody a second message of a ledger", async () => {
    const [first, second] = [await open(), await open()];
    await subscribe(first);
    // The second one is told of a ledger that the stream comes to later.
    server.readModel.ledger = 5001;
    assert.equal((await subscribe(second)).data.ledger, 5001);
    bought = 60;
    await step(5001);
    assert.deepEqual(await second.drain(), []);
    await step(5002);
    for (const client of [first, second]) {
      const messages = await client.drain();
      assert.deepEqual(
        messages.map(({ data }) => [data.ledger, data.paths[0].bought]),
        [[5002, "60"]],
      );
    }
  });

  it("skips to the newest ledger where computing takes longer than ledgers", async () => {
    const client = await open();
    await subscribe(client);
    const pending: ((answer: QuoteAnswer) => void)[] = [];
    server.quote = () => new Promise((resolve) => pending.push(resolve));
    for (let ledger = 5001; ledger <= 5020; ledger += 1) {
      bought = ledger;
      await step(ledger);
    }
    assert.equal(pending.length, 1);
    pending[0]?.({ status: "unfeasible", ledger: 5001 });
    const update = await client.find(({ id, data }) => id === undefined && data.ledger === 5001);
    assert.equal(update.type, "quote");
    assert.equal(pending.length, 2, "one more for all the ledgers between");
    pending[1]?.(answerNow());
    await client.find(({ id, data }) => id === undefined && data?.ledger === 5020);
    await step(5021);
    assert.equal(pending.length, 3);
  });

  it("stops a search that a ledger overtakes, once, and one that nobody is subscribed to", async () => {
    const client = await open();
    await subscribe(client);
    const searches: QuoteAsker[] = [];
    server.quote = (_request, asker = {}) => {
      searches.push(asker);
      return new Promise((resolve) => {
        const stopped: QuoteAnswer = { status: "failed", message: "The request was canceled." };
        asker.aborted?.addEventListener("abort", () => resolve(stopped));
      });
    };
    const stopped = () => searches.map(({ aborted }) => aborted?.aborted);
    await step(5001);
    await step(5002);
    await step(5003);
    assert.deepEqual(stopped(), [true, false], "the second is let finish");
    assert.deepEqual(new Set(searches.map((asker) => asker.client)), new Set(["127.0.0.1"]));
    client.send({ op: "unsubscribe", ...QUOTE });
    await client.find(({ type }) => type === "unsubscribed");
    assert.deepEqual(stopped(), [true, true]);
    // As does one whose first answer is still to come.
    client.send({ op: "subscribe", ...QUOTE });
    client.send({ op: "unsubscribe", id: 9, ...QUOTE });
    await client.find(({ type, id }) => type === "unsubscribed" && id === 9);
    assert.deepEqual(stopped(), [true, true, true]);
  });

  it("tries again at the next ledger where a quote failed", async () => {
    const client = await open();
    await subscribe(client);
    bought = 60;
    server.quote = () => Promise.resolve({ status: "failed", message: "Too many wait." });
    await step(5001);
    server.quote = () => Promise.reject(new Error("a fault"));
    await step(5002);
    assert.deepEqual(await client.drain(), []);
    assert.equal(server.loggedErrors.length, 1);
    server.loggedErrors.length = 0;
    server.quote = () => Promise.resolve(answerNow());
    await step(5003);
    assert.equal((await client.drain())[0].data.ledger, 5003);
  });

  it("does nothing for topics that nobody has", async () => {
    const client = await open();
    await subscribe(client);
    await client.ask({ op: "unsubscribe", ...QUOTE });
    asked = [];
    await step(5001);
    assert.equal(asked.length, 0);
    await subscribe(client);
    client.close();
    await client.closed;
    for (let turn = 0; server.push.topicCount > 0 && turn < 1000; turn += 1) await step(5002);
    asked = [];
    await step(5003);
    assert.equal(asked.length, 0);
  });

  it("counts as topics of its connection", async () => {
    const client = await open();
    for (let amount = 1; amount <= 20; amount += 1) {
      assert.equal((await subscribe(client, { ...QUOTE, amount })).type, "quote");
    }
    const { error } = await subscribe(client, { ...QUOTE, amount: 21 });
    assert.equal(error, "Too many subscriptions (max 20)");
  });
});

describe("the quotes of all clients", () => {
  const options = {
    readModel: { ledger: 5000, markets: { orderCount: 1, sorted: () => [] } },
    assets: new AssetInput("Test SDF Network ; September 2015"),
    log: { error: () => undefined },
  };
  const subscription = (amount: number) =>
    jsonQuery({ sellingAsset: testContract(1), buyingAsset: testContract(2), amount });

  it("are computed a few at a time, in turn", async () => {
    const published: string[] = [];
    const waiting: (() => void)[] = [];
    let most = 0;
    const readModel = { ...options.readModel };
    const channel = quoteChannel({
      ...{ ...options, readModel },
      publish: (topic) => published.push(topic),
      quotes: {
        quoteNow: () => ({ status: "unfeasible", ledger: readModel.ledger }),
        quote: () =>
          new Promise((resolve) => {
            waiting.push(() =>
              resolve({ status: "success", ledger: readModel.ledger, paths: "[]" }),
            );
            most = Math.max(most, waiting.length);
          }),
      },
    });
    const topics: string[] = [];
    for (let amount = 1; amount <= 50; amount += 1) {
      const request = channel.request(subscription(amount));
      topics.push(request.topic);
      request.opened();
      await request.ready?.(() => true, "a");
      request.snapshot({});
    }
    readModel.ledger = 5001;
    const step = { ledgers: [], ledger: 5001, closeTime: 0, changes: [], events: [] };
    channel.stepped(step);
    while (waiting.length > 0) {
      waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(published, topics);
    assert.equal(most, 8);
  });

  it("have a limit", async () => {
    const channel = quoteChannel({
      ...options,
      publish: () => undefined,
      quotes: {
        quoteNow: () => ({ status: "unfeasible", ledger: 5000 }),
        quote: () => assert.fail("answered at once"),
      },
    });
    for (let amount = 1; amount <= QUOTE_TOPICS_MAX + 1; amount += 1) {
      const request = channel.request(subscription(amount));
      request.opened();
      if (amount > QUOTE_TOPICS_MAX) {
        await assert.rejects(
          async () => request.ready?.(() => true, "a"),
          /Too many quote subscriptions \(max/,
        );
        channel.closed(request.topic);
      } else {
        await request.ready?.(() => true, "a");
        request.snapshot({});
      }
    }
    const known = channel.request(subscription(1));
    await known.ready?.(() => true, "a");
    assert.match(known.snapshot({ id: "4" }), /"id":4,/);
  });
});
