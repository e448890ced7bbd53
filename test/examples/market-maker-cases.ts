// The maker's calls are accepted and bring its orders to where it wants them; the recorder beside it
// has the book as it is.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { addressValue, i128, u32, u64, u128, VOID, vec } from "../../src/devnet/contract/value.ts";
import { type Address, address } from "../../src/model/address.ts";
import { parseOrderId } from "../../src/model/order.ts";
import type { Row } from "../e2e/api-client.ts";
import { contractArguments } from "./contract-arguments.ts";
import { RunningExample, runExample } from "./run-example.ts";
import { type ExamplesWorld, sharedWorld } from "./world.ts";

let world: ExamplesWorld;
let market: { readonly base: Address; readonly quote: Address };
let maker: Address;
/** Base tokens of an order: what the maker offers anyway is worth enough for the exchange. */
let size: number;

before(async () => {
  world = await sharedWorld();
  const orders: Row[] = await world.api.all("/order", 200);
  // An account can sign by itself, which a contract that quotes cannot.
  const order = orders.find(({ owner }) => owner.startsWith("G"));
  assert.ok(order !== undefined);
  maker = address(order.owner);
  size = Math.ceil(Number(order.quote) / 1e7 / 2);
  market = { base: address(order.selling), quote: address(order.buying) };
});

async function depth(): Promise<Row> {
  const { ledger, timestamp, ...book } = await world.api.get(
    `/depth?market=${market.base}/${market.quote}`,
  );
  return book;
}

/** The maker's live orders in the market. */
async function makersOrders(): Promise<readonly Row[]> {
  const path = `/order?owner=${maker}&asset=${market.base}&asset=${market.quote}&limit=200`;
  return world.api.get(path);
}

/** Makes the call; every order it names is then as it says. */
async function accepted(call: Row): Promise<void> {
  assert.equal(call.fn, "update");
  const events = await world.call(maker, call.fn, contractArguments(call));
  const failures = events.length === 0 ? await world.api.get("/failures?limit=1") : [];
  assert.equal(events.length, call.args.updates.length, JSON.stringify(failures));
  const orders = new Map((await makersOrders()).map((order) => [order.id, order]));
  for (const { id, price, amount } of call.args.updates) {
    assert.deepEqual(
      [orders.get(id).price, orders.get(id).amount],
      [price, amount],
      "the order is what the call says",
    );
  }
}

test("the maker moves its orders to the reference, and back to size after a fill", async (t) => {
  const { bestAsk, bestBid } = await depth();
  const reference = ((Number(bestAsk) + Number(bestBid)) / 2) * 1.02;
  const flags = ["--url", world.api.url, "--market", `${market.base}/${market.quote}`];
  const example = new RunningExample("market-maker", [
    ...flags,
    ...["--maker", maker, "--reference", String(reference), "--size", String(size)],
    ...["--spread-bps", "100", "--calls", "2"],
  ]);
  t.after(() => example.kill());
  const recorder = new RunningExample("depth-recorder", [...flags, "--count", "2"]);
  t.after(() => recorder.kill());
  const { ledger: _, timestamp: __, market: named, ...first } = await recorder.line();
  assert.equal(named, `${market.base}/${market.quote}`);
  assert.deepEqual(first, await depth(), "the recorder's first book");

  const call = await example.line();
  await accepted(call);
  const asks = (await makersOrders()).filter(({ selling }) => selling === market.base);
  const best = asks.reduce((least, ask) => (BigInt(ask.price) < BigInt(least.price) ? ask : least));
  assert.ok(
    Math.abs(Number(best.price) / 1e18 / (reference * 1.005) - 1) < 1e-9,
    "half a spread off",
  );
  const { ledger: ___, timestamp: ____, market: _____, ...second } = await recorder.line();
  assert.deepEqual(second, await depth(), "the recorder's second book");
  assert.equal(await recorder.exited, 0);

  await takePart(best);
  const again = await example.line();
  assert.ok(again.args.updates.some(({ id }: Row) => id === best.id));
  await accepted(again);
  assert.equal(await example.exited, 0);
  assert.match(example.stderr, new RegExp(`fill of ${best.id}: sold [0-9]+`));
});

test("a subscription that is refused ends the program and is said", async () => {
  for (const name of ["depth-recorder", "market-maker"]) {
    const wrong = ["--url", world.api.url, "--market", "FOO/BAR", "--maker", maker];
    const args = name === "market-maker" ? wrong : wrong.slice(0, 4);
    const { code, stdout, stderr } = await runExample(name, args);
    assert.deepEqual([code, stdout], [1, ""], name);
    assert.match(stderr, /Invalid parameter: "market"\. Expected BASE\/QUOTE format/, name);
    assert.equal((await runExample(name, [])).code, 2, name);
  }
});

test("an account without orders is told the trade that makes its first", async (t) => {
  const newcomer = world.takers.find((taker) =>
    [market.base, market.quote].every((token) => world.devnet.holding(token, taker).spendable > 0n),
  );
  assert.ok(newcomer !== undefined);
  const example = new RunningExample("market-maker", [
    ...["--url", world.api.url, "--market", `${market.base}/${market.quote}`],
    ...["--maker", newcomer, "--size", String(size)],
  ]);
  t.after(() => example.kill());
  // Takers grant the exchange what they hold, so there is a budget.
  const call = await example.line();
  assert.equal(call.fn, "trade");
  const events = await world.call(newcomer, call.fn, contractArguments(call));
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["new"],
  );
  // The other side follows once the first is in the book.
  const other = await example.line();
  assert.deepEqual([other.args.selling, other.args.buying], [call.args.buying, call.args.selling]);
});

/** Somebody buys a part of the order. */
async function takePart({ id, price }: Row): Promise<void> {
  const order = parseOrderId(id);
  assert.ok(order !== undefined);
  const taker = world.takers.find((one) => {
    const { spendable, allowance } = world.devnet.holding(market.quote, one);
    return spendable > 0n && allowance > 0n && world.devnet.holding(market.base, one).authorized;
  });
  assert.ok(taker !== undefined);
  const [buy, fill] = [2, 2];
  const events = await world.call(taker, "trade", [
    u32(buy),
    u32(fill),
    addressValue(taker),
    i128(10_000_000n),
    addressValue(market.quote),
    addressValue(market.base),
    i128(BigInt(price)),
    vec([u128(order)]),
    u64(0n),
    u64(0n),
    VOID,
  ]);
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["trade"],
  );
}
