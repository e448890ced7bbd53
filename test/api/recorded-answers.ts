// The REST part of the run: every endpoint's answers and errors.
import assert from "node:assert/strict";
import type { Row } from "../e2e/api-client.ts";
import type { RecordedWorld } from "./recording.ts";

/** Ledgers that may pass until calls have failed in every way. */
const LEDGERS_MAX = 200;
const LEDGERS_AT_ONCE = 10;

const NOBODY = "GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF";

export async function recordAnswers(world: RecordedWorld): Promise<void> {
  const { recording } = world;
  const status = 400;
  // Ledgers pass in it, so it comes first: the other answers belong to one ledger.
  await recordHistory(world);
  await recording.ask("getStatus", { name: "active", summary: "Following the ledgers" }, "/");
  await recording.ask("getContract", { name: "contract", summary: "The contract" }, "/contract");
  await recording.ask("getTicker", { name: "ticker", summary: "Every market" }, "/ticker/24h");
  const markets: readonly Row[] = await recording.ask(
    "getMarkets",
    { name: "page", summary: "The first two" },
    "/markets?limit=2",
  );
  await recording.ask(
    "getMarkets",
    { name: "nextPage", summary: "The next two" },
    `/markets?limit=2&cursor=${markets.at(-1)?.cursor}`,
  );
  await recording.ask(
    "getMarkets",
    { name: "wrongCursor", summary: "No cursor", status },
    "/markets?cursor=foo",
  );
  await recordQuotes(world, markets);
  const [{ baseAsset: base, quoteAsset: quote }] = markets as readonly [Row];
  await recordMarketData(world, `${base}/${quote}`);
  await recordOrders(world, [base, quote]);
}

async function recordQuotes({ recording }: RecordedWorld, markets: readonly Row[]): Promise<void> {
  const ask = (name: string, summary: string, query: string, status = 200) =>
    recording.ask("getQuote", { name, summary, status }, `/quote?${query}`);
  const [{ baseAsset: base, quoteAsset: quote }] = markets as readonly [Row];
  const pair = `sellingAsset=${quote}&buyingAsset=${base}`;
  await ask("sell", "Best routes for an exact input", `${pair}&amount=50000000`);
  await ask(
    "buy",
    "Best routes for an exact output",
    `${pair}&amount=50000000&direction=strict_receive`,
  );
  const direct = await ask("direct", "One hop only", `${pair}&amount=50000000&direct=true`);
  const { worstPrice } = direct.paths[0].path[0];
  await ask(
    "limit",
    "The crossing of a limit order",
    `${pair}&amount=5000000000000&direct=true&maxPrice=${worstPrice}`,
  );
  await ask("unfeasible", "More than the book holds", `${pair}&amount=${10n ** 30n}`);
  const same = `sellingAsset=${base}&buyingAsset=${base}&amount=1`;
  await ask("sameAsset", "One asset on both sides", same, 400);
  await ask("noInteger", "Amounts are base units", `${pair}&amount=1.5`, 400);
}

async function recordMarketData({ recording, devnet }: RecordedWorld, market: string) {
  const depth = `/depth?market=${market}`;
  const status = 400;
  await recording.ask(
    "getDepth",
    { name: "depth", summary: "Levels of automatic step" },
    `${depth}&limit=5`,
  );
  await recording.ask(
    "getDepth",
    { name: "wrongLimit", summary: "Too many levels", status },
    `${depth}&limit=501`,
  );
  const book = `/book?market=${market}`;
  await recording.ask("getBook", { name: "book", summary: "The best orders" }, `${book}&limit=2`);
  await recording.ask(
    "getBook",
    { name: "wrongLimit", summary: "Too many orders", status },
    `${book}&limit=5001`,
  );
  const to = devnet.tip.closeTime;
  const window = `from=${to - 3600}&to=${to}`;
  const candles = `/candles?market=${market}`;
  await recording.ask(
    "getCandles",
    { name: "candles", summary: "The last hour" },
    `${candles}&${window}&resolution=5m`,
  );
  await recording.ask(
    "getCandles",
    { name: "wrongWindow", summary: "It ends before it begins", status },
    `${candles}&from=600&to=300`,
  );
}

async function recordOrders({ recording }: RecordedWorld, pair: readonly [string, string]) {
  const bad = { status: 400 };
  const missing = { status: 404 };
  await recording.ask(
    "getOrderEvents",
    { name: "market", summary: "The latest of a market" },
    `/order-events?market=${pair[0]}/${pair[1]}&limit=3`,
  );
  await recording.ask(
    "getOrderEvents",
    { name: "noFilter", summary: "Neither order, owner nor market", ...bad },
    "/order-events",
  );
  const orders: readonly Row[] = await recording.ask(
    "getOrders",
    { name: "pair", summary: "Both directions of a pair" },
    `/order?asset=${pair[0]}&asset=${pair[1]}&limit=2`,
  );
  await recording.ask(
    "getOrders",
    { name: "wrongCursor", summary: "No cursor", ...bad },
    "/order?cursor=-1",
  );
  const [order] = orders;
  assert.ok(order !== undefined);
  await recording.ask("getOrder", { name: "order", summary: "A live order" }, `/order/${order.id}`);
  await recording.ask("getOrder", { name: "wrongId", summary: "No integer", ...bad }, "/order/abc");
  await recording.ask(
    "getOrder",
    { name: "notLive", summary: "Nothing of that id", ...missing },
    "/order/1",
  );
  const [few] = await recording.makers();
  await recording.ask("getAccount", { name: "account", summary: "A maker" }, `/account/${few}`);
  await recording.ask(
    "getAccount",
    { name: "stranger", summary: "An account without orders" },
    `/account/${NOBODY}`,
  );
  await recording.ask(
    "getAccount",
    { name: "wrongAddress", summary: "No address", ...bad },
    "/account/me",
  );
  const backing = `/backing?owner=${order.owner}`;
  await recording.ask(
    "getBacking",
    { name: "backing", summary: "Of a maker" },
    `${backing}&asset=${order.selling}`,
  );
  await recording.ask(
    "getBacking",
    { name: "wrongAsset", summary: "No token", ...bad },
    `${backing}&asset=XLM`,
  );
  await recording.ask(
    "getBacking",
    { name: "untracked", summary: "Nothing to track", ...missing },
    `/backing?owner=${NOBODY}&asset=${order.selling}`,
  );
  const archived: readonly Row[] = await recording.ask(
    "getOrderHistory",
    { name: "page", summary: "The newest" },
    "/order-history?limit=3",
  );
  await recording.ask(
    "getOrderHistory",
    { name: "ofPair", summary: "The next of one maker in a pair" },
    `/order-history?owner=${archived[0]?.owner}&pair=${archived[0]?.selling}&pair=${archived[0]?.buying}&limit=2`,
  );
  await recording.ask(
    "getOrderHistory",
    { name: "onePair", summary: "A pair is two assets", ...bad },
    `/order-history?pair=${pair[0]}`,
  );
}

async function recordHistory({ recording, ledgers }: RecordedWorld): Promise<void> {
  const bad = { status: 400 };
  const rows: readonly Row[] = await recording.get("/trades?limit=500");
  const swap = rows.find(({ type }) => type === "swap");
  const crossfill = rows.find((row) => row.crossfill === true);
  assert.ok(swap !== undefined && crossfill !== undefined);
  await recording.ask(
    "getTrades",
    { name: "swap", summary: "A swap and its fills" },
    `/trades?cursor=${BigInt(swap.id) + 1n}&limit=4`,
  );
  await recording.ask(
    "getTrades",
    { name: "crossfill", summary: "A crossfill: its taker order's fill and its maker fills" },
    `/trades?cursor=${BigInt(crossfill.id) + 1n}&limit=3`,
  );
  await recording.ask(
    "getTrades",
    { name: "wrongCursor", summary: "No cursor", ...bad },
    "/trades?cursor=abc",
  );
  const kinds: readonly [string, string, (row: Row) => boolean][] = [
    ["contract", "An error of the exchange", ({ error }) => error?.name !== undefined],
    ["transfer", "A token transfer failed", ({ transfer }) => transfer !== undefined],
    ["resources", "Too few resources were declared", ({ reason }) => reason === "resources"],
    ["auth", "Not authorized", ({ reason }) => reason === "auth"],
    ["caught", "Caught by the calling contract", ({ caught }) => caught === true],
    ["crossfill", "A crossfill", ({ takerOrder }) => takerOrder !== undefined],
  ];
  let failures: readonly Row[] = [];
  const complete = () => kinds.every(([, , matches]) => failures.some(matches));
  for (let closed = 0; closed < LEDGERS_MAX && !complete(); closed += LEDGERS_AT_ONCE) {
    await ledgers(LEDGERS_AT_ONCE);
    failures = await recording.get("/failures?limit=500");
  }
  for (const [name, summary, matches] of kinds) {
    const row = failures.find(matches);
    assert.ok(row !== undefined, `no failure of kind ${name} in the run`);
    const request = `/failures?cursor=${BigInt(row.id) + 1n}&limit=1`;
    await recording.ask("getFailures", { name, summary }, request);
  }
  await recording.ask(
    "getFailures",
    { name: "wrongFn", summary: "No function's name", ...bad },
    "/failures?fn=Trade",
  );
}
