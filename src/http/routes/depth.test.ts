import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { describedFetch } from "../../../test/support/api/described-fetch.ts";
import {
  EXCHANGE,
  startTestServer,
  type TestServer,
  testAccount,
  testContract,
  testOrder,
} from "../../../test/support/http/test-server.ts";
import { readDepth } from "../../../test/support/read-depth.ts";
import type { BookChange } from "../../book/book-change.ts";
import type { DepthBody } from "../../book/depth.ts";
import { DepthWalk } from "../../book/depth-walk.ts";
import { SharedBook } from "../../book/left-right.ts";
import type { Address } from "../../model/address.ts";
import type { Order, OrderId } from "../../model/order.ts";

const BASE = testContract(1);
const QUOTE = testContract(2);
const ONE = 10n ** 18n;
const NOW = 1_700_000_000;

let server: TestServer;
let book: SharedBook;

before(async () => {
  server = await startTestServer();
});
after(() => server.close());
beforeEach(() => {
  const capacity = { orders: 100, owners: 100, assets: 10, sides: 10, backings: 200 };
  book = new SharedBook({ contract: EXCHANGE, untracked: "covers", capacity, touchOrders: 0 });
  const walk = new DepthWalk();
  server.depth = (request) => readDepth(book.live, request, NOW, walk);
});

async function step(changes: readonly BookChange[], ledger = 5000): Promise<void> {
  await book.ready();
  book.apply(changes, { ledger, closeTime: NOW, frozen: false });
  server.readModel.step += 1;
}

type Body = DepthBody & { readonly error: string };

async function get(query: string) {
  const response = await describedFetch(`${server.url}/depth?${query}`);
  return { status: response.status, body: (await response.json()) as Body };
}

let next = 0;
/** Price in quote per base, in hundredths; an ask sells `tokens` of base, a bid `tokens` of quote. */
function put(side: "ask" | "bid", hundredths: bigint, tokens: bigint, owner?: Address): BookChange {
  next += 1;
  const fields: Partial<Order> =
    side === "ask"
      ? { selling: BASE, buying: QUOTE, price: (hundredths * ONE) / 100n }
      : { selling: QUOTE, buying: BASE, price: (ONE * 100n) / hundredths };
  const amount = tokens * 10_000_000n;
  const maker = owner ?? testAccount(next % 100);
  return { kind: "put", order: testOrder(next, { ...fields, amount, owner: maker }) };
}

function removal(change: BookChange): BookChange {
  return { kind: "remove", id: change.kind === "put" ? change.order.id : (0n as OrderId) };
}

test("both orientations come from one book, nearest the spread first", async () => {
  await step([
    put("ask", 200n, 3n),
    put("ask", 250n, 5n),
    put("ask", 200n, 4n),
    put("bid", 160n, 16n),
    put("bid", 125n, 10n),
  ]);
  const market = `market=${BASE}/${QUOTE}`;
  const { body } = await get(`${market}&depth=50&step=0.01`);
  assert.deepEqual(body, {
    ledger: 5000,
    timestamp: NOW,
    step: "0.01",
    bestBid: "1.6",
    bestAsk: "2",
    bids: [
      ["1.6", "10"],
      ["1.25", "8"],
    ],
    asks: [
      ["2", "7"],
      ["2.5", "5"],
    ],
  });
  const near = await get(`${market}&depth=50&limit=1`);
  assert.deepEqual(near.body.bids, [["1.6", "10"]]);
  assert.deepEqual(near.body.asks, [["2", "7"]]);
  assert.equal(near.body.step, "0.0001", "five significant digits of 1.8");
  const flipped = await get(`market=${QUOTE}/${BASE}&depth=50&step=0.001`);
  assert.equal(flipped.body.bestBid, "0.5");
  assert.equal(flipped.body.bestAsk, "0.625");
  assert.deepEqual(flipped.body.bids, [
    ["0.5", "14"],
    ["0.4", "12.5"],
  ]);
  assert.deepEqual(flipped.body.asks, [
    ["0.625", "16"],
    ["0.8", "10"],
  ]);
});

test("an order that goes takes its level along, the last one its side", async () => {
  const ask = put("ask", 200n, 3n);
  const bid = put("bid", 100n, 3n);
  await step([ask, bid]);
  const query = `market=${BASE}/${QUOTE}&depth=100`;
  assert.equal((await get(query)).body.asks.length, 1);
  await step([removal(ask)], 5001);
  const oneSided = (await get(query)).body;
  assert.equal(oneSided.ledger, 5001);
  assert.deepEqual([oneSided.asks, oneSided.bestAsk], [[], null]);
  assert.deepEqual(oneSided.bids, [["1", "3"]], "its best price stands in for the mid price");
  await step([removal(bid)], 5002);
  const empty = (await get(query)).body;
  assert.deepEqual([empty.step, empty.bestBid, empty.bids], [null, null, []]);
});

test("in a crossed book the best prices stay, levels past the mid price go", async () => {
  await step([
    put("ask", 90n, 1n),
    put("ask", 120n, 1n),
    put("bid", 110n, 1n),
    put("bid", 80n, 1n),
  ]);
  const { body } = await get(`market=${BASE}/${QUOTE}&depth=50&step=0.1`);
  assert.equal(body.bestBid, "1.1");
  assert.equal(body.bestAsk, "0.9");
  assert.deepEqual(body.asks, [["1.2", "1"]]);
  assert.deepEqual(body.bids, [["0.8", "1.25"]]);
});

const MAKER = testAccount(101);

/** What the maker can sell of an asset, in base units. */
function budget(asset: Address, units: bigint, authorized = true): BookChange {
  const amounts = { balance: units, allowance: units, budget: authorized ? units : 0n };
  const backing = { ...amounts, owner: MAKER, asset, authorized, liveUntil: 9, pending: false };
  return { kind: "backing", backing: { ...backing, updated: NOW } };
}

/** The levels of asks without a band that leaves any out. */
async function levels(): Promise<readonly unknown[]> {
  const { body } = await get(`market=${BASE}/${QUOTE}&depth=100&step=0.01`);
  return [body.bestBid, body.bestAsk, body.bids, body.asks];
}

test("of an order whose maker's budget covers a part, that part counts", async () => {
  const rest = [budget(QUOTE, 0n), put("bid", 149n, 149n)];
  await step([
    ...[budget(BASE, 600_000_000n), ...rest],
    ...[put("ask", 150n, 50n, MAKER), put("ask", 200n, 50n, MAKER), put("ask", 220n, 50n, MAKER)],
    put("ask", 210n, 1n),
  ]);
  const bids = [["1.49", "100"]];
  assert.deepEqual(await levels(), [
    ...["1.49", "1.5", bids],
    [
      ["1.5", "50"],
      ["2", "10"],
      ["2.1", "1"],
    ],
  ]);
  // The first order's part is all there is: the best price is of a part.
  await step([budget(BASE, 1n)]);
  assert.deepEqual(await levels(), [
    ...["1.49", "1.5", bids],
    [
      ["1.5", "0.0000001"],
      ["2.1", "1"],
    ],
  ]);
  await step([budget(BASE, 0n)]);
  assert.deepEqual(await levels(), ["1.49", "2.1", bids, [["2.1", "1"]]]);
  await step([budget(BASE, 600_000_000n, false)]);
  assert.deepEqual(await levels(), ["1.49", "2.1", bids, [["2.1", "1"]]]);
  // A bid's part is counted in what it buys, as the contract rounds it: up.
  await step([budget(BASE, 0n), budget(QUOTE, 10n), put("bid", 140n, 14n, MAKER)]);
  assert.deepEqual((await levels())[2], [...bids, ["1.4", "0.0000008"]]);
});

test("what is worth less than one unit moves nothing, be it an order or the part that is left", async () => {
  const honest = [put("ask", 200n, 3n), put("bid", 160n, 16n)];
  await step(honest);
  const right = await levels();
  const small = (side: "ask" | "bid", hundredths: bigint, units: bigint, owner?: Address) => {
    const change = put(side, hundredths, 1n, owner);
    assert.ok(change.kind === "put");
    return { ...change, order: { ...change.order, amount: units } };
  };
  await step([
    // 99 units at a hundredth, and 9 that a bid sells at ten base per quote, are worth nothing.
    ...[small("ask", 1n, 99n), small("bid", 1000n, 9n), small("ask", 199n, 0n)],
    // A large order, of which the budget leaves as little.
    ...[budget(BASE, 99n), budget(QUOTE, 0n), put("ask", 1n, 1_000_000n, MAKER)],
  ]);
  assert.deepEqual(await levels(), right);
  // One unit more is worth one, and is the best price.
  await step([budget(BASE, 100n)]);
  assert.equal((await levels())[1], "0.01");
});

test("parameters out of range are named", async () => {
  const market = `market=${BASE}/${QUOTE}`;
  const cases = [
    ["", "market"],
    [`${market}&limit=0`, "limit"],
    [`${market}&limit=501`, "limit"],
    [`${market}&depth=0`, "depth"],
    [`${market}&depth=100.1`, "depth"],
    [`${market}&step=0`, "step"],
    [`${market}&step=1e-3`, "step"],
    [`${market}&step=0.0000000000000000001`, "step"],
  ] as const;
  for (const [query, name] of cases) {
    const { status, body } = await get(query);
    assert.equal(status, 400, query);
    assert.match(body.error, new RegExp(`Invalid parameter: "${name}"`), query);
  }
});
