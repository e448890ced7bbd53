import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { describedFetch } from "../../test/support/api/described-fetch.ts";
import {
  EXCHANGE,
  startTestServer,
  type TestServer,
  testAccount,
  testContract,
  testOrder,
  testPosition,
} from "../../test/support/http/test-server.ts";
import type { DepthRequest } from "../book/depth.ts";
import type { Candle } from "../model/candle.ts";
import type { Failure } from "../model/failure.ts";
import type { OrderId } from "../model/order.ts";
import type { QuoteRequest } from "../router-worker/quote.ts";

const ISSUER = "GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5";
const USDC_TOKEN = "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA";
const XLM_TOKEN = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";

let server: TestServer;

before(async () => {
  server = await startTestServer();
});
after(() => server.close());
beforeEach(() => {
  const { readModel } = server;
  readModel.step += 1;
  readModel.ledger = 5000;
  readModel.live = [];
  readModel.archive = [];
  readModel.records = [];
  readModel.failureRecords = [];
  readModel.backingRecords = [];
  readModel.contract = { frozen: false, markets: [] };
  // Past the age of whatever list of markets an earlier test left.
  server.nowMs += 40 * 60 * 1000;
});

async function get(path: string, init?: RequestInit) {
  const response = await describedFetch(server.url + path, init);
  const text = await response.text();
  const json = response.headers.get("content-type") === "application/json";
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json && text !== "" ? JSON.parse(text) : undefined,
  };
}

async function expectError(path: string, status: number, message: string | RegExp) {
  const answer = await get(path);
  assert.equal(answer.status, status, `${path}: ${answer.text}`);
  assert.deepEqual(Object.keys(answer.body), ["error", "status"], path);
  assert.equal(answer.body.status, status);
  if (typeof message === "string") assert.equal(answer.body.error, message);
  else assert.match(answer.body.error, message, path);
}

describe("answers", () => {
  it("are JSON with open CORS, errors included", async () => {
    for (const path of ["/contract", "/order/abc", "/markets"]) {
      const { headers } = await get(path);
      assert.equal(headers.get("content-type"), "application/json");
      assert.equal(headers.get("access-control-allow-origin"), "*");
    }
  });

  it("are indented with pretty_print, with or without a value", async () => {
    server.readModel.live = [testOrder(1)];
    const compact = await get("/order");
    for (const path of [
      "/order?pretty_print",
      "/order?limit=5&pretty_print=",
      "/order?pretty_print=false",
    ]) {
      const pretty = await get(path);
      assert.equal(pretty.text, JSON.stringify(compact.body, null, 2));
    }
    const error = await get("/order/abc?pretty_print=1");
    assert.equal(error.text, JSON.stringify(error.body, null, 2));
  });

  it("to unknown paths are plain text", async () => {
    const paths = [
      "/foo",
      "/order/1/2",
      "/quote/",
      "/account",
      "/account/",
      "/order/",
      "//",
      "/Order",
      "/orders",
    ];
    for (const path of paths) {
      const answer = await get(path);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.text, "API endpoint was not found", path);
      assert.match(answer.headers.get("content-type") ?? "", /^text\/plain/);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    }
  });

  it("to other methods are those of an unknown path", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const answer = await get("/contract", { method, body: "x=1" });
      assert.equal(answer.status, 404, method);
      assert.equal(answer.text, "API endpoint was not found", method);
    }
  });

  it("to HEAD are those to GET without a body", async () => {
    server.readModel.live = [testOrder(1)];
    for (const path of ["/", "/order", "/order/abc", "/foo", "/quote", "/ws"]) {
      const full = await get(path);
      const head = await get(path, { method: "HEAD" });
      assert.equal(head.status, full.status, path);
      assert.equal(head.headers.get("content-type"), full.headers.get("content-type"), path);
      assert.equal(head.headers.get("content-length"), String(Buffer.byteLength(full.text)), path);
      assert.equal(head.text, "", path);
    }
  });

  it("to OPTIONS are 204 with the CORS headers", async () => {
    for (const path of ["/", "/quote?x=1", "/foo"]) {
      const answer = await get(path, { method: "OPTIONS" });
      assert.equal(answer.status, 204);
      assert.equal(answer.text, "");
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      assert.match(answer.headers.get("access-control-allow-methods") ?? "", /GET/);
    }
  });

  it("to a URL that is too long are 414, whatever the path", async () => {
    assert.equal((await get(`/order?cursor=&x=${"a".repeat(3072)}`)).status, 200);
    for (const start of ["/order?x=", "/"]) {
      const [longest, longer] = [3200, 3201].map((length) => start.padEnd(length, "a"));
      assert.notEqual((await get(longest ?? "")).status, 414);
      assert.equal((await get(longer ?? "")).status, 414);
    }
    for (const length of [3300, 8000]) {
      const answer = await get(`/order?x=${"a".repeat(length)}`);
      // The newer binding refuses a request line this long itself, with 431.
      assert.ok(answer.status === 414 || answer.status === 431, String(answer.status));
    }
  });

  it("hide what went wrong inside", async () => {
    server.readModel.live = [testOrder(1)];
    server.quote = () => Promise.reject(new Error("secret"));
    await expectError(
      `/quote?sellingAsset=XLM&buyingAsset=${USDC_TOKEN}&amount=1`,
      500,
      "Internal server error",
    );
    assert.equal(server.loggedErrors.length, 1);
  });
});

describe("GET /", () => {
  it("is loading while the book is empty, and again when its last order goes", async () => {
    const loading = await get("/");
    assert.deepEqual(Object.keys(loading.body), ["status", "ts"]);
    assert.equal(loading.body.status, "loading");
    server.readModel.live = [testOrder(1)];
    server.readModel.step += 1;
    const active = await get("/");
    assert.equal(active.body.status, "active");
    assert.equal(active.body.ledger, 5000);
    assert.equal(active.body.frozen, false);
    assert.equal(active.body.ts, new Date(server.nowMs).toISOString());
    server.readModel.live = [];
    server.readModel.step += 1;
    assert.equal((await get("/")).body.status, "loading");
  });
});

describe("filters by an account", () => {
  const G = testAccount(1);
  /** A muxed account, as SEP-23 writes one. */
  const M = "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ";
  const NONE = [M, `${G.slice(0, -1)}${G.endsWith("A") ? "B" : "A"}`, G.toLowerCase()];
  const wrong = [
    ...NONE,
    G.slice(0, 20),
    "nobody",
    ` ${G}`,
    `${G} `,
    "XLM",
    "\u0000",
    "G".repeat(56),
  ];

  for (const [path, name] of [
    ["/order", "owner"],
    ["/order-history", "owner"],
    ["/trades", "trader"],
    ["/failures", "account"],
  ] as const) {
    it(`of ${path} are refused where they are none, with their name`, async () => {
      for (const value of wrong) {
        const query = `${name}=${encodeURIComponent(value)}`;
        await expectError(`${path}?${query}`, 400, new RegExp(`Invalid parameter: "${name}"`));
      }
      await expectError(`${path}?${name}=${G}&${name}=${G}`, 400, new RegExp(`"${name}"`));
      for (const account of [testAccount(78), testContract(78)]) {
        const { status, body } = await get(`${path}?${name}=${account}`);
        assert.deepEqual([status, body], [200, []]);
      }
      assert.equal((await get(`${path}?${name}=`)).status, 200, "an empty one is none");
    });
  }
});

describe("GET /, the last 24 hours", () => {
  it("shows fills, and what was traded of each token with its indicative value", async () => {
    const { readModel } = server;
    readModel.live = [testOrder(1)];
    readModel.marketData.totals = {
      fills: 12,
      tokens: [
        { asset: testContract(1), amount: 10_000_003n },
        { asset: testContract(2), amount: 10n ** 30n },
      ],
    };
    const { body } = await get("/");
    assert.equal(body.trades, 12);
    assert.deepEqual(body.volumes, [
      { symbol: testContract(1), quoteVolume: "1.0000003", volume: "0.25" },
      { symbol: testContract(2), quoteVolume: "100000000000000000000000", volume: "0" },
    ]);
  });
});

describe("GET /contract", () => {
  it("leaves config out until one was seen", async () => {
    assert.deepEqual((await get("/contract")).body, {
      address: EXCHANGE,
      frozen: false,
      markets: [],
    });
  });

  it("shows configuration and registry", async () => {
    server.readModel.contract = {
      frozen: true,
      config: {
        safetyAdmin: testAccount(3),
        oracle: testContract(4),
        listingMinDays: 30,
        marketListingFee: 10n ** 20n,
        minTradeSize: 50_000_000n,
        ledgerTime: 5,
      },
      markets: [
        {
          pair: { base: testContract(1), quote: testContract(2) },
          created: 0,
          refreshed: 1_700_000_000,
        },
      ],
    };
    assert.deepEqual((await get("/contract")).body, {
      address: EXCHANGE,
      frozen: true,
      config: {
        safetyAdmin: testAccount(3),
        oracle: testContract(4),
        listingMinDays: 30,
        marketListingFee: "100000000000000000000",
        minTradeSize: "50000000",
        ledgerTime: 5,
      },
      markets: [
        {
          base: testContract(1),
          quote: testContract(2),
          created: "1970-01-01 00:00:00",
          refreshed: "2023-11-14 22:13:20",
        },
      ],
    });
  });

  it("shows amounts of a configuration with the sign that the contract has given them", async () => {
    const parties = { safetyAdmin: testAccount(3), oracle: testContract(4) };
    const config = { ...parties, listingMinDays: 30, ledgerTime: 5 };
    server.readModel.contract = {
      frozen: false,
      config: { ...config, marketListingFee: -(10n ** 20n), minTradeSize: -1n },
      markets: [],
    };
    assert.deepEqual((await get("/contract")).body, {
      address: EXCHANGE,
      frozen: false,
      config: { ...config, marketListingFee: "-100000000000000000000", minTradeSize: "-1" },
      markets: [],
    });
  });
});

describe("orders", () => {
  it("have every field, and the optional ones only where they say something", async () => {
    server.readModel.live = [testOrder(1), testOrder(2, { expires: 1_800_000_000 })];
    server.readModel.backingRecords = [
      {
        owner: testAccount(1),
        asset: testContract(1),
        balance: 100_000_000n,
        allowance: 95_000_000n,
        liveUntil: 9000,
        authorized: true,
        budget: 95_000_000n,
        headroom: 7n,
        updated: 1_700_000_000,
        pending: true,
      },
    ];
    const { body } = await get("/order");
    assert.deepEqual(body[0], {
      id: "1001",
      status: "ACTIVE",
      selling: testContract(1),
      buying: testContract(2),
      price: "1500000000000000000",
      rprice: 1.5,
      quote: "100000000",
      amount: "90000000",
      owner: testAccount(1),
      backed: "90000000",
      backing: {
        balance: "100000000",
        allowance: "95000000",
        liveUntil: 9000,
        authorized: true,
        updated: "2023-11-14 22:13:20",
        pending: true,
      },
      created: "2023-11-14 22:13:21",
      updated: "2023-11-14 22:13:31",
      cursor: String(testPosition(1)),
    });
    assert.equal(body[1].backed, "5000000");
    assert.equal(body[1].expires, "2027-01-15 08:00:00");
    server.readModel.backingRecords = [];
    const bare = (await get("/order/1001")).body;
    assert.ok(!("backed" in bare) && !("backing" in bare));
  });

  it("are found by id alone, whatever 128-bit number it is", async () => {
    const id = (2n ** 128n - 1n) as OrderId;
    server.readModel.live = [testOrder(1, { id })];
    assert.equal((await get(`/order/${id}`)).body.id, String(id));
    assert.equal((await get(`/order/000${id}`)).body.id, String(id));
    for (const unknown of ["0", "1", String(id + 1n), "9".repeat(100)]) {
      await expectError(`/order/${unknown}`, 404, "Not found. Order not found.");
    }
    for (const wrong of ["abc", "-1", "1.5", "1e3", "0x10", "%20", "%00", "%zz", "+1", "NaN"]) {
      await expectError(`/order/${wrong}`, 400, "Bad request. Invalid order ID.");
    }
  });

  it("are those of the state shown, however often one was asked for before", async () => {
    const { readModel } = server;
    readModel.live = [testOrder(1, { amount: 90n })];
    for (let time = 0; time < 4; time += 1) {
      assert.equal((await get("/order/1001")).body.amount, "90");
    }
    readModel.live = [testOrder(1, { amount: 80n })];
    readModel.step += 1;
    for (let time = 0; time < 4; time += 1) {
      assert.equal((await get("/order/1001")).body.amount, "80");
    }
    readModel.live = [];
    readModel.step += 1;
    await expectError("/order/1001", 404, "Not found. Order not found.");
  });

  it("and all other lists answer the same from memory as when they were made", async () => {
    const { readModel } = server;
    readModel.live = [testOrder(1), testOrder(2)];
    const paths = [
      ...["/order", "/order/1001", "/order?limit=1&pretty_print", "/order-history", "/trades"],
      ...["/failures?fn=trade", "/markets", "/contract", "/ticker/24h", "/order-events?order=1001"],
      ...[`/depth?market=XLM/${testContract(2)}`, `/candles?market=XLM/${testContract(2)}`],
    ];
    const ask = async (path: string, method = "GET") => {
      const response = await fetch(server.url + path, { method });
      const { status, headers } = response;
      const told = [...headers].filter(([name]) => name !== "date");
      return { status, told, text: await response.text() };
    };
    for (const path of paths) {
      const first = await ask(path);
      assert.equal(first.status, 200, path);
      for (let time = 0; time < 3; time += 1) assert.deepEqual(await ask(path), first, path);
      assert.deepEqual(await ask(path, "HEAD"), { ...first, text: "" }, path);
    }
    readModel.live = [];
    readModel.step += 1;
    assert.equal((await ask("/order")).text, "[]");
    assert.equal((await ask("/order/1001")).status, 404);
  });

  it("page from the oldest by cursor and end with an empty page", async () => {
    server.readModel.live = Array.from({ length: 45 }, (_, at) => testOrder(at));
    const seen: string[] = [];
    let cursor = "";
    for (let page = 0; page < 10; page += 1) {
      const { body } = await get(`/order?limit=20&cursor=${cursor}`);
      if (body.length === 0) break;
      seen.push(...body.map((row: { id: string }) => row.id));
      cursor = body.at(-1).cursor;
    }
    assert.deepEqual(
      seen,
      server.readModel.live.map(({ id }) => String(id)),
    );
  });

  it("fall back to the default page size and cap it", async () => {
    server.readModel.live = Array.from({ length: 300 }, (_, at) => testOrder(at));
    const sizes: Record<string, number> = {
      "": 20,
      "0": 20,
      "-5": 20,
      abc: 20,
      "1e2": 20,
      "%zz": 20,
      "3.5": 20,
      "7": 7,
      "200": 200,
      "201": 200,
      "99999999999999999999999": 200,
    };
    for (const [limit, size] of Object.entries(sizes)) {
      assert.equal((await get(`/order?limit=${limit}`)).body.length, size, limit);
    }
    assert.equal((await get("/order?limit=5&limit=6")).body.length, 20);
  });

  it("are filtered by owner and assets as given", async () => {
    const [a, b, c] = [testContract(1), testContract(2), testContract(3)];
    server.readModel.live = [
      testOrder(1, { selling: a, buying: b }),
      testOrder(2, { selling: b, buying: a }),
      testOrder(3, { selling: b, buying: c, owner: testAccount(2) }),
    ];
    const ids = async (query: string) =>
      (await get(`/order?${query}`)).body.map((row: { id: string }) => Number(row.id) - 1000);
    assert.deepEqual(await ids(`asset=${a}`), [1, 2]);
    assert.deepEqual(await ids(`asset=${a}&asset=${b}`), [1, 2]);
    assert.deepEqual(await ids(`asset=${b}&asset=${a}&asset=${c}`), []);
    assert.deepEqual(await ids(`asset=${b}&owner=${testAccount(2)}`), [3]);
    assert.deepEqual(await ids("asset=XLM"), []);
    assert.deepEqual(await ids(`owner=${testAccount(77)}`), []);
  });
});

describe("cursors", () => {
  it("of a wrong form are named, and an empty one counts as none", async () => {
    for (const path of ["/order", "/order-history", "/trades", "/failures"]) {
      for (const cursor of [
        "-1",
        "abc",
        "1e3",
        "0x10",
        "%00",
        "99999999999999999999999999",
        "1%20",
        "1.0",
      ]) {
        await expectError(
          `${path}?cursor=${cursor}`,
          400,
          /^Bad request\. Invalid parameter: "cursor"/,
        );
      }
      await expectError(`${path}?cursor=%zz`, 400, /Invalid parameter: "cursor"/);
      assert.equal((await get(`${path}?cursor=`)).status, 200);
      assert.equal((await get(`${path}?cursor=0`)).status, 200);
    }
  });
});

describe("GET /order-history", () => {
  it("shows archived orders newest first, without backing", async () => {
    server.readModel.archive = [
      testOrder(1, { status: "FILLED", amount: 0n }),
      testOrder(2, { status: "CANCELED" }),
      testOrder(3, { status: "EXPIRED", expires: 1_700_000_100, updated: 1_700_000_100 }),
    ];
    const { body } = await get("/order-history");
    assert.deepEqual(
      body.map((row: { status: string }) => row.status),
      ["EXPIRED", "CANCELED", "FILLED"],
    );
    assert.ok(!("backed" in body[0]) && !("backing" in body[0]));
    const next = await get(`/order-history?cursor=${body[1].cursor}`);
    assert.deepEqual(
      next.body.map((row: { id: string }) => row.id),
      ["1001"],
    );
  });

  it("takes exactly two assets as a pair", async () => {
    const [a, b] = [testContract(1), testContract(2)];
    server.readModel.archive = [testOrder(1, { status: "FILLED" })];
    assert.equal((await get(`/order-history?pair=${a}&pair=${b}`)).body.length, 1);
    assert.equal((await get(`/order-history?pair=${b}&pair=${a}`)).body.length, 1);
    assert.equal((await get(`/order-history?pair=${a}&pair=${a}`)).body.length, 0);
    assert.equal((await get(`/order-history?pair=XLM&pair=${b}`)).body.length, 0);
    assert.equal(
      (await get(`/order-history?pair[]=${b}&pair[]=${testContract(9)}`)).body.length,
      1,
    );
    for (const path of ["/order-history", "/trades"]) {
      await expectError(`${path}?pair=${a}`, 400, /Invalid parameter: "pair"/);
      await expectError(`${path}?pair=${a}&pair=${b}&pair=${a}`, 400, /Invalid parameter: "pair"/);
    }
  });
});

describe("GET /trades", () => {
  it("shows fills and swaps with all their fields", async () => {
    const [a, b] = [testContract(1), testContract(2)];
    const fill = {
      type: "trade",
      id: testPosition(1),
      order: 77n as OrderId,
      taker: testAccount(1),
      maker: testAccount(2),
      soldAsset: a,
      boughtAsset: b,
      sold: 200n,
      bought: 50n,
      left: 0n,
      crossfill: false,
      timestamp: 1_700_000_000,
    } as const;
    server.readModel.records = [
      fill,
      { ...fill, id: testPosition(2), crossfill: true, left: 3n },
      {
        type: "swap",
        id: testPosition(3),
        trader: testAccount(1),
        soldAsset: a,
        boughtAsset: b,
        sold: 200n,
        bought: 50n,
        timestamp: 1_700_000_000,
      },
    ];
    const { body } = await get("/trades");
    assert.deepEqual(body[0], {
      type: "swap",
      id: String(testPosition(3)),
      trader: testAccount(1),
      soldAsset: a,
      boughtAsset: b,
      sold: "200",
      bought: "50",
      price: 0.25,
      cursor: String(testPosition(3)),
      timestamp: "2023-11-14 22:13:20",
    });
    assert.equal(body[1].crossfill, true);
    assert.deepEqual(body[2], {
      type: "trade",
      id: String(testPosition(1)),
      order: "77",
      taker: testAccount(1),
      maker: testAccount(2),
      soldAsset: a,
      boughtAsset: b,
      sold: "200",
      bought: "50",
      left: "0",
      price: 0.25,
      cursor: String(testPosition(1)),
      timestamp: "2023-11-14 22:13:20",
    });
    assert.equal((await get(`/trades?trader=${testAccount(2)}`)).body.length, 2);
  });
});

describe("GET /failures", () => {
  it("shows optional fields only where they are known", async () => {
    const failure: Failure = {
      id: testPosition(1),
      txHash: "ab".repeat(32),
      ledger: 1001,
      timestamp: 1_700_000_000,
      fn: "trade",
      caller: testAccount(1),
      orders: [1n as OrderId, 2n as OrderId],
      result: "INVOKE_HOST_FUNCTION_TRAPPED",
      caught: false,
      reason: "unknown",
    };
    const error = { contract: EXCHANGE, code: 709, name: "NotFilled" };
    const transfer = {
      token: testContract(1),
      fn: "transfer",
      from: testAccount(8),
      to: testAccount(9),
      amount: 12n,
    } as const;
    server.readModel.failureRecords = [
      failure,
      {
        ...failure,
        id: testPosition(2),
        fn: "crossfill",
        takerOrder: 5n as OrderId,
        caught: true,
        reason: "contract",
        error,
        transfer,
      },
    ];
    const { body } = await get("/failures");
    assert.deepEqual(body[1], {
      type: "failure",
      id: String(testPosition(1)),
      txHash: "ab".repeat(32),
      ledger: 1001,
      timestamp: "2023-11-14 22:13:20",
      fn: "trade",
      caller: testAccount(1),
      orders: ["1", "2"],
      result: "INVOKE_HOST_FUNCTION_TRAPPED",
      reason: "unknown",
      cursor: String(testPosition(1)),
    });
    assert.equal(body[0].takerOrder, "5");
    assert.equal(body[0].caught, true);
    assert.deepEqual(body[0].error, error);
    assert.deepEqual(body[0].transfer, { ...transfer, amount: "12" });
    assert.equal((await get(`/failures?account=${testAccount(9)}`)).body.length, 1);
    assert.equal((await get("/failures?fn=trade")).body.length, 1);
  });

  it("names a malformed fn", async () => {
    for (const fn of ["Trade", "a1", "x".repeat(33), "a%20b", "é"]) {
      await expectError(`/failures?fn=${fn}`, 400, /Invalid parameter: "fn"/);
    }
    assert.equal((await get(`/failures?fn=${"x".repeat(32)}`)).status, 200);
  });
});

describe("GET /markets", () => {
  it("keeps its list for 30 minutes", async () => {
    const keys = async () =>
      (await get("/markets")).body.map((row: { cursor: string }) => row.cursor);
    assert.deepEqual(await keys(), []);
    server.readModel.live = [testOrder(1)];
    const first = `${testContract(1)}-${testContract(2)}`;
    assert.deepEqual(await keys(), [first], "an empty list is not kept");
    server.readModel.live = [testOrder(1, { buying: testContract(3) })];
    server.nowMs += 29 * 60 * 1000;
    assert.deepEqual(await keys(), [first]);
    server.nowMs += 60 * 1000;
    assert.deepEqual(await keys(), [`${testContract(1)}-${testContract(3)}`]);
  });

  it("pages in canonical order and starts again at a pair it does not list", async () => {
    server.readModel.live = Array.from({ length: 25 }, (_, n) =>
      testOrder(n, { selling: testContract(n + 2), buying: testContract(1) }),
    );
    const one = (await get("/markets")).body;
    assert.equal(one.length, 20);
    assert.deepEqual(one[0], {
      baseAsset: testContract(1),
      quoteAsset: testContract(2),
      cursor: `${testContract(1)}-${testContract(2)}`,
      orderTypes: ["LIMIT"],
    });
    const two = (await get(`/markets?cursor=${one[19].cursor}`)).body;
    assert.equal(two.length, 5);
    assert.equal((await get(`/markets?cursor=${two[4].cursor}`)).body.length, 0);
    const restarted = await get(`/markets?limit=1&cursor=${testContract(98)}-${testContract(99)}`);
    assert.deepEqual(restarted.body, [one[0]]);
    for (const cursor of [
      "foo",
      "a-b",
      `${testContract(1)}`,
      `${one[0].cursor}-`,
      "constructor-x",
    ]) {
      await expectError(`/markets?cursor=${cursor}`, 400, /Invalid parameter: "cursor"/);
    }
  });
});

describe("accounts", () => {
  it("show all live orders and loaded backing records", async () => {
    server.readModel.live = Array.from({ length: 250 }, (_, at) => testOrder(at));
    const record = {
      owner: testAccount(1),
      asset: testContract(1),
      balance: 5n,
      allowance: 9n,
      liveUntil: 6000,
      authorized: true,
      budget: 5n,
      updated: 1_700_000_000,
      pending: false,
    };
    server.readModel.backingRecords = [record];
    const { body } = await get(`/account/${testAccount(1)}`);
    assert.equal(body.address, testAccount(1));
    assert.equal(body.ledger, 5000);
    assert.equal(body.orders.length, 250);
    assert.deepEqual(body.backing, {
      [testContract(1)]: {
        owner: testAccount(1),
        asset: testContract(1),
        balance: "5",
        allowance: "9",
        liveUntil: 6000,
        authorized: true,
        budget: "5",
        updated: "2023-11-14 22:13:20",
      },
    });
    const other = (await get(`/account/${testContract(7)}`)).body;
    assert.deepEqual(other, { address: testContract(7), ledger: 5000, orders: [], backing: {} });
    const backing = await get(`/backing?owner=${testAccount(1)}&asset=${testContract(1)}`);
    assert.deepEqual(backing.body, body.backing[testContract(1)]);
  });

  it("name a wrong owner or asset, and know an untracked record from a wrong one", async () => {
    const owner = testAccount(1);
    for (const wrong of [
      "foo",
      `${owner}A`,
      owner.toLowerCase(),
      `${owner.slice(0, -1)}A`,
      "%zz",
    ]) {
      await expectError(`/account/${wrong}`, 400, /Invalid parameter: "owner"/);
    }
    await expectError(`/backing?asset=${testContract(1)}`, 400, /Invalid parameter: "owner"/);
    await expectError(`/backing?owner=${owner}`, 400, /Invalid parameter: "asset"/);
    await expectError(`/backing?owner=${owner}&asset=XLM`, 400, /Invalid parameter: "asset"/);
    await expectError(
      `/backing?owner=${owner}&asset=${testContract(1)}`,
      404,
      "Not found. Backing is not tracked for the owner and asset.",
    );
  });
});

describe("GET /depth", () => {
  it("answers in the orientation asked for, with the defaults filled in", async () => {
    const asked: DepthRequest[] = [];
    const body = {
      ledger: 5000,
      timestamp: 1_700_000_000,
      step: "0.1",
      bestBid: "1.5",
      bestAsk: null,
      bids: [["1.5", "3"]],
      asks: [],
    } as const;
    server.depth = (request) => {
      asked.push(request);
      return body;
    };
    assert.deepEqual((await get(`/depth?market=USDC:${ISSUER}/XLM`)).body, body);
    await get(`/depth?market=XLM/${USDC_TOKEN}&depth=0.5&step=0.10&limit=500`);
    assert.deepEqual(asked, [
      { market: { base: USDC_TOKEN, quote: XLM_TOKEN }, depth: 20, limit: 100 },
      { market: { base: XLM_TOKEN, quote: USDC_TOKEN }, depth: 0.5, step: "0.1", limit: 500 },
    ]);
    await expectError("/depth", 400, /Invalid parameter: "market"/);
    await expectError(`/depth?market=XLM/${USDC_TOKEN}&limit=0`, 400, /Invalid parameter: "limit"/);
  });
});

describe("GET /candles", () => {
  const ratio = (quote: bigint, base: bigint) => ({ quote, base });

  function candle(start: number): Candle {
    return {
      start,
      open: ratio(3n, 2n),
      high: ratio(2n, 1n),
      low: ratio(1n, 3n),
      close: ratio(10n ** 30n, 1n),
      baseVolume: 15_000_000n,
      quoteVolume: 1n,
      fills: 3,
    };
  }

  it("answers tuples, newest first unless asked otherwise", async () => {
    server.readModel.marketData.candleRows = [candle(1_699_920_000), candle(1_699_920_300)];
    const path = `/candles?market=XLM/${USDC_TOKEN}&from=1699920000&to=1699930000&resolution=5m`;
    const { body } = await get(path);
    const tuple = ["1.5", "2", "0.33333333", `1${"0".repeat(30)}`, "1.5", "0.0000001", 3];
    assert.deepEqual(body, [
      [1_699_920_300, ...tuple],
      [1_699_920_000, ...tuple],
    ]);
    assert.deepEqual((await get(`${path}&order=asc`)).body, [...body].reverse());
    assert.deepEqual(server.readModel.marketData.asked.at(-1), {
      market: { base: XLM_TOKEN, quote: USDC_TOKEN },
      window: { from: 1_699_920_000, to: 1_699_930_200, resolution: 300 },
    });
    assert.deepEqual((await get(`/candles?market=XLM/${USDC_TOKEN}`)).body, []);
    await expectError(
      `/candles?market=XLM/${USDC_TOKEN}&from=5&to=5`,
      400,
      'Bad request. Parameter "to" should be larger than "from".',
    );
  });
});

describe("GET /ticker/24h", () => {
  it("shows every market, with zeros where nothing was traded", async () => {
    const pair = { base: testContract(1), quote: testContract(2) };
    const { marketData } = server.readModel;
    marketData.timestamp = 1_700_000_000;
    marketData.stats = [
      {
        pair,
        prices: {
          open: { quote: 3n, base: 1n },
          high: { quote: 4n, base: 1n },
          low: { quote: 1n, base: 1n },
          last: { quote: 2n, base: 1n },
        },
        baseVolume: 30_000_000n,
        quoteVolume: 70_000_000n,
        fills: 9,
      },
      {
        pair: { base: testContract(1), quote: testContract(3) },
        baseVolume: 0n,
        quoteVolume: 0n,
        fills: 0,
      },
    ];
    assert.deepEqual((await get("/ticker/24h")).body, {
      ledger: 5000,
      timestamp: 1_700_000_000,
      ticker: [
        {
          symbol: `${testContract(1)}/${testContract(2)}`,
          openPrice: "3",
          highPrice: "4",
          lowPrice: "1",
          lastPrice: "2",
          volume: "3",
          quoteVolume: "7",
          change: -33.333,
          avgPrice: "2.3333333",
          trades: 9,
        },
        {
          symbol: `${testContract(1)}/${testContract(3)}`,
          openPrice: "0",
          highPrice: "0",
          lowPrice: "0",
          lastPrice: "0",
          volume: "0",
          quoteVolume: "0",
          change: 0,
          avgPrice: "0",
          trades: 0,
        },
      ],
    });
  });
});

describe("GET /quote", () => {
  const NOT_READY = "Trading error. Server currently is not ready to quote prices.";

  async function requestOf(query: string): Promise<QuoteRequest> {
    server.readModel.live = [testOrder(1)];
    const seen: QuoteRequest[] = [];
    server.quote = (request) => {
      seen.push(request);
      return Promise.resolve({ status: "unfeasible", ledger: 5000 });
    };
    const { status, text } = await get(`/quote?${query}`);
    assert.equal(status, 200, text);
    assert.ok(seen[0] !== undefined);
    return seen[0];
  }

  it("is refused while the book is empty, even where it is invalid", async () => {
    await expectError("/quote", 409, NOT_READY);
    await expectError("/quote?sellingAsset=foo", 409, NOT_READY);
  });

  it("reads every spelling of its parameters", async () => {
    const plain = await requestOf(`sellingAsset=XLM&buyingAsset=USDC:${ISSUER}&amount=100`);
    assert.deepEqual(plain, {
      direction: "strict_send",
      sellingAsset: XLM_TOKEN,
      buyingAsset: USDC_TOKEN,
      amount: 100n,
      direct: false,
    });
    const spellings = [
      `selling_asset=native&buying_asset=USDC-${ISSUER}&source_amount=0100`,
      `source_asset=xlm&destination_asset=${USDC_TOKEN}&destination_amount=100`,
      `sellingAsset=XLM&buyingAsset=USDC%3A${ISSUER}&amount=100&direction=sideways&direct=yes`,
      `sellingAsset=XLM&buyingAsset=${USDC_TOKEN}&amount=100&maxPrice=&direct=`,
      `sellingAsset=XLM&source_asset=XLM&buyingAsset=${USDC_TOKEN}&amount=100&source_amount=100`,
    ];
    for (const spelling of spellings) assert.deepEqual(await requestOf(spelling), plain, spelling);
    const assets = `sellingAsset=XLM&buyingAsset=${USDC_TOKEN}`;
    const max = 2n ** 127n - 1n;
    const limited = { ...plain, direct: true, maxPrice: 5n, amount: max };
    assert.deepEqual(await requestOf(`${assets}&amount=${max}&direct=true&maxPrice=5`), limited);
    assert.deepEqual(await requestOf(`${assets}&amount=${max}&direct=1&max_price=5`), limited);
    const receive = await requestOf(`${assets}&amount=1&direction=strict_receive`);
    assert.equal(receive.direction, "strict_receive");
  });

  it("names the parameter at fault", async () => {
    server.readModel.live = [testOrder(1)];
    const assets = `sellingAsset=XLM&buyingAsset=${USDC_TOKEN}`;
    const over = 2n ** 127n;
    const wrong: [string, string][] = [
      [`buyingAsset=${USDC_TOKEN}&amount=1`, "source_asset"],
      [`sellingAsset=foo&buyingAsset=${USDC_TOKEN}&amount=1`, "source_asset"],
      ["sellingAsset=XLM&amount=1", "destination_asset"],
      [`sellingAsset=XLM&buyingAsset=USDC&amount=1`, "destination_asset"],
      [assets, "amount"],
      ...[
        "0",
        "-1",
        "1.5",
        "1e3",
        "0x10",
        "abc",
        "%201",
        "1%20",
        String(over),
        "9".repeat(2000),
      ].map((amount): [string, string] => [`${assets}&amount=${amount}`, "amount"]),
      [`${assets}&amount=1&amount=2`, "amount"],
      [`${assets}&amount=1&source_amount=2`, "source_amount"],
      [`${assets}&amount=1&direction=strict_receive&direction=strict_send`, "direction"],
      [`${assets}&amount=1&direct=1&direct=0`, "direct"],
      [`${assets}&amount=1&direct=true&maxPrice=5&max_price=6`, "max_price"],
      [`${assets}&amount=1&destination_asset=XLM`, "destination_asset"],
      [`${assets}&amount=1&maxPrice=5`, "maxPrice"],
      [`${assets}&amount=1&direct=false&maxPrice=5`, "maxPrice"],
      ...["0", "-1", "1.5", "abc", String(over)].map((price): [string, string] => [
        `${assets}&amount=1&direct=1&maxPrice=${price}`,
        "maxPrice",
      ]),
    ];
    for (const [query, name] of wrong) {
      await expectError(
        `/quote?${query}`,
        400,
        new RegExp(`^Bad request\\. Invalid parameter: "${name}"\\.`),
      );
    }
    await expectError(
      `/quote?sellingAsset=XLM&buyingAsset=${XLM_TOKEN}&amount=1`,
      400,
      `Bad request. Invalid parameter: "buyingAsset". Buying asset can't be the same as selling asset.`,
    );
  });

  it("shows routes, and errors of a quote that is none", async () => {
    server.readModel.live = [testOrder(1)];
    const path = `/quote?sellingAsset=XLM&buyingAsset=${USDC_TOKEN}&amount=100`;
    const hop = { selling: XLM_TOKEN, buying: USDC_TOKEN, orders: ["5", "6"], worstPrice: "2" };
    const routes = [{ sold: "100", bought: "50", path: [hop] }];
    const paths = JSON.stringify(routes);
    server.quote = () => Promise.resolve({ status: "success", ledger: 4999, paths });
    const { body } = await get(path);
    assert.ok(typeof body.id === "string" && body.id !== "");
    assert.deepEqual(
      { ...body, id: "" },
      {
        id: "",
        status: "success",
        direction: "strict_send",
        sellingAsset: XLM_TOKEN,
        buyingAsset: USDC_TOKEN,
        ledger: 4999,
        paths: routes,
      },
    );
    server.quote = () => Promise.resolve({ status: "rejected", ledger: 4999, reason: "frozen" });
    const rejected = (await get(path)).body;
    assert.equal(rejected.status, "rejected");
    assert.deepEqual(rejected.paths, []);
    assert.match(rejected.error, /trading is suspended because the contract is frozen/);
    server.quote = () =>
      Promise.resolve({ status: "failed", message: "Too many quotes are waiting." });
    await expectError(path, 409, "Trading error. Too many quotes are waiting.");
  });

  it("tells the router when the client goes, and never answers it", async () => {
    server.readModel.live = [testOrder(1)];
    const client = new AbortController();
    const gone = new Promise<void>((resolve) => {
      server.quote = (_request, { aborted, client: asker } = {}) => {
        assert.equal(asker, "127.0.0.1");
        client.abort();
        return new Promise((answer) => {
          aborted?.addEventListener("abort", () => {
            resolve();
            answer({ status: "unfeasible", ledger: 5000 });
          });
        });
      };
    });
    const path = `/quote?sellingAsset=XLM&buyingAsset=${USDC_TOKEN}&amount=100`;
    await assert.rejects(get(path, { signal: client.signal }));
    await gone;
    assert.equal((await get("/contract")).status, 200);
  });
});
