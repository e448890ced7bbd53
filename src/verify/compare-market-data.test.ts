import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { token } from "../../test/support/addresses.ts";
import { eventPosition } from "../../test/support/ledgers.ts";
import { canonicalPair, marketKey } from "../model/address.ts";
import { utcText } from "../model/clock.ts";
import { compareMarketData } from "./compare-market-data.ts";
import { EngineClient } from "./engine-client.ts";

const PAIR = canonicalPair(token(1), token(2));
const MARKET = marketKey(PAIR);
const REVERSE = `${PAIR.quote}/${PAIR.base}`;
const START = 1_700_000_100;

/**
 * Newest first: 2 base for 6 quote, a swap, a crossfill's own fill, 4 base for 8 quote; five
 * minutes later 1 base for 3 quote.
 */
const TRADES = [
  trade(5, START + 400, "30000000", "10000000"),
  trade(4, START + 60, "80000000", "40000000"),
  { ...trade(3, START + 30, "1", "90000000"), crossfill: true },
  { ...trade(2, START + 20, "1", "90000000"), type: "swap" },
  trade(1, START + 10, "60000000", "20000000"),
];

/** Whether a fill comes while the candles are read. */
let isMoving: boolean;
/** Candles by orientation: of the first five minutes, of the next, of both together. */
let served: {
  candles: { readonly [market: string]: readonly unknown[][] };
  entry: Record<string, unknown>;
};
let server: Server;
let client: EngineClient;

function trade(ledger: number, timestamp: number, sold: string, bought: string) {
  const assets = { soldAsset: PAIR.quote, boughtAsset: PAIR.base };
  const id = `${eventPosition(ledger, 0)}`;
  return { type: "trade", id, ...assets, sold, bought, timestamp: utcText(timestamp) };
}

function right(): typeof served {
  return {
    candles: {
      [MARKET]: [
        ["3", "3", "2", "2", "6", "14", 2],
        ["3", "3", "3", "3", "1", "3", 1],
        ["3", "3", "2", "3", "7", "17", 3],
      ],
      [REVERSE]: [
        ["0.33333333", "0.5", "0.33333333", "0.5", "14", "6", 2],
        ["0.33333333", "0.33333333", "0.33333333", "0.33333333", "3", "1", 1],
        ["0.33333333", "0.5", "0.33333333", "0.33333333", "17", "7", 3],
      ],
    },
    entry: {
      ...{ symbol: MARKET, openPrice: "3", highPrice: "3", lowPrice: "2", lastPrice: "3" },
      ...{ volume: "7", quoteVolume: "17", change: 0, avgPrice: "2.4285714", trades: 3 },
    },
  };
}

function answer({ pathname, searchParams: query }: URL): unknown {
  if (pathname === "/ticker/24h") {
    return { ledger: 5, timestamp: START + 500, ticker: [served.entry] };
  }
  if (pathname === "/candles") {
    const [first = [], next = [], both = []] = served.candles[query.get("market") ?? ""] ?? [];
    const start = START - (START % Number(query.get("resolution")));
    if (Number(query.get("to")) <= START + 300) return [[start, ...first]];
    if (query.get("resolution") !== "300") return [[start, ...both]];
    return [
      [START, ...first],
      [START + 300, ...next],
    ];
  }
  if (isMoving && query.has("pair") && query.get("limit") === "1") {
    return [trade(6, START + 450, "1", "1")];
  }
  const cursor = query.get("cursor");
  const from = cursor ? TRADES.findIndex(({ id }) => id === cursor) + 1 : 0;
  return TRADES.slice(from, from + Math.min(2, Number(query.get("limit"))));
}

before(async () => {
  server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer(new URL(request.url ?? "", "http://localhost"))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  client = new EngineClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

after(() => server.close());

test("what the trades give is found equal, in both orientations and every resolution", async () => {
  served = right();
  isMoving = false;
  const compared = await compareMarketData(client);
  assert.deepEqual(compared, { tickers: 1, candles: 24, differences: [] });
});

test("where fills come meanwhile, candles count up to five minutes that are over", async () => {
  served = right();
  isMoving = true;
  const compared = await compareMarketData(client);
  assert.deepEqual(compared, { tickers: 1, candles: 22, differences: [] });
});

test("a wrong figure is named", async () => {
  served = right();
  isMoving = true;
  const [first] = served.candles[MARKET] ?? [];
  assert.ok(first);
  first[4] = "6.0000001";
  served.entry.highPrice = "3.1";
  const { differences } = await compareMarketData(client);
  assert.equal(differences.length, 12);
  assert.match(differences[0] ?? "", /^ticker .*: highPrice is 3\.1, its trades give 3$/);
  assert.match(
    differences[1] ?? "",
    /^candle .* 300: .* 6\.0000001 .*, its trades give .* 6 14 2$/,
  );
});
