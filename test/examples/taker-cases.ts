// What the taker prints settles on the exchange as the quote said.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Address } from "../../src/model/address.ts";
import type { Row } from "../e2e/api-client.ts";
import { holdingIn } from "../support/devnet/holding.ts";
import { contractArguments } from "./contract-arguments.ts";
import { RunningExample, runExample } from "./run-example.ts";
import { type ExamplesWorld, sharedWorld } from "./world.ts";

let world: ExamplesWorld;
/** Of a market: `buying` has asks. */
let pair: { readonly selling: Address; readonly buying: Address };

before(async () => {
  world = await sharedWorld();
  const [market]: Row[] = await world.api.get("/markets?limit=1");
  pair = { selling: market.quoteAsset, buying: market.baseAsset };
});

/** An account that has the one token and can receive the other. */
function traderOf(selling: Address, buying: Address, cost: bigint): Address {
  const { devnet, takers } = world;
  const trader = takers.find((taker) => {
    const held = holdingIn(devnet, selling, taker);
    const wanted = holdingIn(devnet, buying, taker);
    return held.authorized && held.spendable > cost && wanted.authorized;
  });
  assert.ok(trader !== undefined, `nobody has ${cost} of ${selling}`);
  return trader;
}

type Order = { readonly selling: Address; readonly buying: Address; readonly amount: bigint };

/** Runs the example and makes the call it printed. */
async function take({ selling, buying, amount }: Order, cost: bigint, flags: readonly string[]) {
  const trader = traderOf(selling, buying, cost);
  const args = ["--url", world.api.url, "--sell", selling, "--buy", buying, "--approve"];
  const amounts = ["--amount", String(amount), "--trader", trader];
  const { code, stdout, stderr } = await runExample("taker", [...args, ...amounts, ...flags]);
  assert.equal(code, 0, stderr);
  const call: Row = JSON.parse(stdout);
  assert.equal(call.contract, world.devnet.network.exchange);
  const events = await world.call(trader, call.fn, contractArguments(call));
  const failures = events.length > 0 ? [] : await world.api.get("/failures?limit=1");
  assert.ok(events.length > 0, `${stdout}${JSON.stringify(failures)}`);
  const fills = events.flatMap((event) => (event.kind === "trade" ? event : []));
  return {
    call,
    events,
    sold: fills.reduce((sum, fill) => sum + fill.sold, 0n),
    bought: fills.reduce((sum, fill) => sum + fill.bought, 0n),
  };
}

async function quoted({ selling, buying, amount }: Order, more: string): Promise<Row> {
  const query = `sellingAsset=${selling}&buyingAsset=${buying}&amount=${amount}${more}`;
  const quote: Row = await world.api.get(`/quote?${query}`);
  assert.equal(quote.status, "success", JSON.stringify(quote));
  return quote.paths[0];
}

test("swaps along the best route, exact input and exact output, settle as quoted", async () => {
  for (const [flags, more] of [
    [[], ""],
    [["--receive"], "&direction=strict_receive"],
  ] as const) {
    const hops = await world.pairOfSeveralHops(more);
    const quote = await quoted(hops, more);
    assert.ok(quote.path.length > 1);
    // Without slippage the call's bounds are the quote's amounts.
    const exact = [...flags, "--slippage-bps", "0"];
    const { call, events } = await take(hops, 2n * BigInt(quote.sold), exact);
    assert.equal(call.fn, "swap");
    const swap = events.find((event) => event.kind === "swap");
    assert.ok(swap?.kind === "swap");
    const { sold, bought } = swap;
    assert.equal(String(bought), call.args.buying_amount);
    if (flags.length > 0) assert.equal(String(sold), call.args.selling_amount);
    else assert.ok(sold <= BigInt(call.args.selling_amount));
  }
});

test("direct trades of kind Fill, sale and purchase, settle as quoted", async () => {
  for (const [flags, more] of [
    [["--direct"], "&direct=true"],
    [["--direct", "--receive"], "&direct=true&direction=strict_receive"],
  ] as const) {
    const order = { ...pair, amount: 30_000_000n };
    const quote = await quoted(order, more);
    const { call, sold, bought } = await take(order, BigInt(quote.sold), flags);
    assert.deepEqual([call.fn, call.args.kind], ["trade", 2]);
    assert.deepEqual([String(sold), String(bought)], [quote.sold, quote.bought]);
  }
});

test("limit trades, sale and purchase, cross what is within the limit and leave the rest", async () => {
  for (const receive of [false, true]) {
    const ask = await bestAsk();
    const price = receive ? ask : 10n ** 36n / ask;
    const maxPrice = receive ? price : 10n ** 36n / price;
    const direction = receive ? "&direction=strict_receive" : "";
    const more = `&direct=true&maxPrice=${maxPrice}${direction}`;
    // Twice what there is within the limit, so that half of it rests.
    const all = await quoted({ ...pair, amount: 10n ** 30n }, more);
    const amount = 2n * BigInt(receive ? all.bought : all.sold);
    const order = { ...pair, amount };
    const quote = await quoted(order, more);
    const flags = ["--limit", String(price), ...(receive ? ["--receive"] : [])];
    const cost = 2n * BigInt(all.sold) + 1n;
    const { call, events, sold, bought } = await take(order, cost, flags);
    assert.deepEqual([call.fn, call.args.kind], ["trade", 1]);
    assert.deepEqual([String(sold), String(bought)], [quote.sold, quote.bought]);
    const rest = events.find((event) => event.kind === "new");
    assert.ok(rest?.kind === "new", "the rest stays as an order");
    assert.equal(rest.selling, pair.selling);
    if (!receive) assert.equal(rest.amount, amount - sold);
  }
});

test("a limit that no order meets rests as a whole", async () => {
  const ask = await bestAsk();
  const order = { ...pair, amount: (10_000_000_000n * ask) / 10n ** 18n };
  // Ten times as much for what is sold as any maker gives.
  const price = (10n * 10n ** 36n) / ask;
  const { events } = await take(order, order.amount, ["--limit", String(price)]);
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["new"],
  );
});

test("a watched quote is printed again when it changed, and settles as it is then", async (t) => {
  const order = { ...pair, amount: 20_000_000n };
  const trader = traderOf(order.selling, order.buying, order.amount);
  const assets = ["--sell", order.selling, "--buy", order.buying, "--amount", String(order.amount)];
  const flags = ["--url", world.api.url, "--trader", trader, "--direct", "--approve", "--watch"];
  const example = new RunningExample("taker", [...assets, ...flags]);
  t.after(() => example.kill());
  const first = await example.line();
  assert.deepEqual(first.args.orders.length > 0, true);
  // Whoever takes the listed orders changes the quote.
  const listed = await quoted(
    { ...pair, amount: 10n ** 30n },
    `&direct=true&maxPrice=${await bestAsk()}`,
  );
  await take({ ...pair, amount: BigInt(listed.sold) }, BigInt(listed.sold), ["--direct"]);
  const second = await example.line();
  assert.notDeepEqual(second.args, first.args);
  const quote = await quoted(order, "&direct=true");
  const events = await world.call(trader, second.fn, contractArguments(second));
  const fills = events.flatMap((event) => (event.kind === "trade" ? event : []));
  const bought = fills.reduce((sum, fill) => sum + fill.bought, 0n);
  assert.equal(String(bought), quote.bought);
});

test("what is wrong is said, with an exit code", async () => {
  const usual = ["--url", world.api.url, "--trader", world.takers[0] ?? ""];
  const wrong = await runExample("taker", [
    ...usual,
    "--sell",
    "FOO",
    "--buy",
    "XLM",
    "--amount",
    "1",
  ]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /Invalid parameter: "source_asset"/);
  const { selling, buying } = pair;
  const much = ["--sell", selling, "--buy", buying, "--amount", String(10n ** 30n)];
  const short = await runExample("taker", [...usual, ...much]);
  assert.deepEqual([short.code, short.stdout], [1, ""]);
  assert.match(short.stderr, /not enough liquidity/);
  for (const flags of [[], [...usual, ...much, "--limit", "0"], ["--sel", "XLM"]]) {
    const { code, stderr } = await runExample("taker", flags);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^(--sell, --buy|--limit: expected|Unknown option '--sel').*\nusage: taker/,
    );
  }
});

test("every example says what flags it takes", async () => {
  for (const name of ["depth-recorder", "market-maker", "taker"]) {
    const { code, stdout } = await runExample(name, ["--help"]);
    assert.equal(code, 0, name);
    assert.match(stdout, new RegExp(`^usage: ${name} .*--url`, "s"));
  }
});

/** The contract price of the pair's cheapest order. */
async function bestAsk(): Promise<bigint> {
  const { path } = await quoted({ ...pair, amount: 10_000_000n }, "&direct=true");
  return BigInt(path[0].worstPrice);
}
