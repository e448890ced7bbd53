// Whatever a client sends, it gets an answer of the API's own within a second, and never a 500.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { DepthReader } from "../../src/book/depth.ts";
import { Exchange } from "../../src/book/exchange.ts";
import { SharedBook } from "../../src/book/left-right.ts";
import { AssetInput } from "../../src/http/asset-input.ts";
import { PushEndpoint } from "../../src/http/push/endpoint.ts";
import { type HttpServer, startHttpServer } from "../../src/http/server.ts";
import { loadUws } from "../../src/http/uws.ts";
import { exchangeIdentity, exchangeOptions } from "../support/exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";

const ANSWER_MS_MAX = 1000;
const LEDGERS = 30;
const RUNS = 400;

let exchange: Exchange;
let server: HttpServer;
const logged: object[] = [];

before(async () => {
  const { contract } = exchangeIdentity;
  const book = new SharedBook({ contract, untracked: "covers", touchOrders: 0 });
  const clock = { now: CHAIN_START * 1000 };
  exchange = await Exchange.open(exchangeOptions(clock, { book }));
  for (const delta of randomLedgers(randomFrom(3), LEDGERS, 20)) await exchange.apply(delta);
  const log = { error: (fields: object) => logged.push(fields) };
  const reader = new DepthReader();
  server = await startHttpServer({
    uws: loadUws(),
    host: "127.0.0.1",
    port: 0,
    context: {
      readModel: exchange,
      quotes: {
        quoteNow: () => undefined,
        quote: () => Promise.resolve({ status: "unfeasible", ledger: 1 }),
      },
      depth: (request) => reader.read(book.live, request, CHAIN_START),
      marketData: exchange.marketData,
      referencePrices: new Map(),
      assets: new AssetInput(exchangeIdentity.networkPassphrase),
      contract,
      clock: () => clock.now,
    },
    push: new PushEndpoint({ channels: () => [], log }),
    log,
  });
});

after(async () => {
  await server.close();
  await exchange.close();
});

const PATHS = [
  "/",
  "/account/",
  "/backing",
  "/candles",
  "/contract",
  "/depth",
  "/failures",
  "/markets",
  "/order",
  "/order/",
  "/order-history",
  "/quote",
  "/ticker/24h",
  "/trades",
  "/ws",
];

const NAMES = [
  "account",
  "amount",
  "asset",
  "buyingAsset",
  "cursor",
  "depth",
  "direct",
  "direction",
  "fn",
  "from",
  "limit",
  "market",
  "maxPrice",
  "order",
  "owner",
  "pair",
  "pretty_print",
  "resolution",
  "sellingAsset",
  "step",
  "to",
  "trader",
  "__proto__",
  "constructor",
];

const NASTY = [
  "",
  "0",
  "-0",
  "-1",
  "1e3",
  "0x10",
  "1.5",
  "NaN",
  "Infinity",
  "null",
  "undefined",
  "true",
  "[]",
  "{}",
  "__proto__",
  "toString",
  "%00",
  "%zz",
  "%",
  "%ff%fe",
  "%C3%28",
  "+",
  "%20",
  "\u00ff",
  "'\"<>;--",
  "../../etc",
  "9".repeat(19),
  "9".repeat(40),
  "9".repeat(2500),
  "1208925819614629174706175",
  "340282366920938463463374607431768211455",
  "340282366920938463463374607431768211456",
  "170141183460469231731687303715884105728",
  "XLM",
  "native",
  "XLM/native",
  "XLM/USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5",
  "USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5",
  "GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5",
  "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC",
  "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC-CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA",
  "5m",
  "604800",
  "253402300800",
];

const value = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: "binary", maxLength: 20 }).map((text) => encodeURIComponent(text)),
  fc.string({ unit: "binary-ascii", maxLength: 20 }).map(printable),
  fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }).map(String),
);

const target = fc
  .record({
    path: fc.oneof(
      fc.constantFrom(...PATHS),
      fc.string({ unit: "binary-ascii", maxLength: 30 }).map((text) => `/${printable(text)}`),
    ),
    tail: fc.option(value, { nil: "", freq: 3 }),
    query: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), value), value), { maxLength: 6 }),
  })
  .map(({ path, tail, query }) => {
    const text = query.map(([name, of]) => `${name}=${of}`).join("&");
    return `${path}${path.endsWith("/") ? tail : ""}${text === "" ? "" : `?${text}`}`;
  });

/** What may stand in a request line as it is. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, "");
}

test("any path and query is answered within a second, and never with a 500", async () => {
  const client = new KeepAlive(server.port);
  await fc.assert(
    fc.asyncProperty(target, async (path) => {
      const start = performance.now();
      const { status, body } = await client.get(path);
      assert.ok(performance.now() - start < ANSWER_MS_MAX, `${path} took too long`);
      assert.ok([200, 400, 404, 409, 414, 426].includes(status), `${status} to ${path}`);
      if (body === "API endpoint was not found") return;
      const json: unknown = JSON.parse(body);
      if (status !== 200) assert.equal((json as { status: number }).status, status);
    }),
    { numRuns: RUNS },
  );
  client.close();
  assert.deepEqual(logged, []);
});

test("every nasty value of every parameter of every endpoint is answered", async () => {
  const client = new KeepAlive(server.port);
  for (const path of PATHS) {
    for (const nasty of NASTY) {
      const names = NAMES.map((name) => `${name}=${nasty}`);
      // Long ones one by one: together they are longer than a URL may be.
      const queries = nasty.length > 100 ? names : [names.join("&"), ...names];
      for (const query of path.endsWith("/") ? [""] : queries) {
        const { status } = await client.get(`${path.endsWith("/") ? path + nasty : path}?${query}`);
        assert.ok([200, 400, 404, 409, 414, 426].includes(status), `${status}: ${path}?${query}`);
      }
    }
  }
  client.close();
  assert.deepEqual(logged, []);
});

/** Requests one after the other on one connection, whose text no client library corrects. */
class KeepAlive {
  readonly #socket;
  #received = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("data", (data) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    this.#socket.on("close", () => this.#wake());
  }

  async get(path: string): Promise<{ readonly status: number; readonly body: string }> {
    this.#socket.write(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, "latin1"));
    for (;;) {
      const answer = this.#answer();
      if (answer !== undefined) return answer;
      assert.ok(!this.#socket.closed, `the connection was closed on ${path}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#socket.end();
  }

  #answer() {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const head = this.#received.toString("latin1", 0, end);
    const length = Number(/content-length: ([0-9]+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return undefined;
    const body = this.#received.toString("utf8", end + 4, end + 4 + length);
    this.#received = this.#received.subarray(end + 4 + length);
    return { status: Number(head.slice(9, 12)), body };
  }
}
