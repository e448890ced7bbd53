// The examples that trade, with the Stellar SDK, on a network whose ledgers close by themselves.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { Asset, contract, Keypair, Operation } from "@stellar/stellar-sdk";
import {
  Direction,
  LocalBook,
  limitCall,
  makerPriceUp,
  SendError,
  type Side,
  sendCall,
  sendOperations,
  simulateCall,
  stream,
} from "hopbook/client";
import { connect } from "../../examples/connect.ts";
import { Trader } from "../../examples/trader.ts";
import type { Row } from "../e2e/api-client.ts";
import { FLAGS } from "../e2e/engine-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { RunningExample, runExample } from "./run-example.ts";
import { type ExamplesWorld, sharedWorld } from "./world.ts";

const POLL_MS = 200;
const run = promisify(execFile);

let world: ExamplesWorld;
/** Every example's. */
let network: readonly string[];
let market: { readonly base: string; readonly quote: string };

function newTrader(): Promise<Trader> {
  const { passphrase } = world.devnet.network;
  return Trader.open({ url: world.api.url, rpc: world.devnet.url, passphrase });
}

async function middle(): Promise<number> {
  const { bestBid, bestAsk } = await world.api.get(`/depth?market=${market.base}/${market.quote}`);
  return (Number(bestBid) + Number(bestAsk)) / 2;
}

async function isServed(book: LocalBook, name: string): Promise<boolean> {
  const served = await world.api.get(`/book?market=${name}&limit=5000`);
  const sorted = (rows: readonly Row[]) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  return isDeepStrictEqual(
    [sorted(served.asks), sorted(served.bids)],
    (["ask", "bid"] as const).map((side) => sorted(book.orders(side).map(({ row }) => row))),
  );
}

describe("examples that trade", () => {
  before(async () => {
    world = await sharedWorld();
    const { passphrase } = world.devnet.network;
    network = ["--url", world.api.url, "--rpc", world.devnet.url, "--passphrase", passphrase];
    const [first] = await world.api.get("/markets?limit=1");
    market = { base: first.baseAsset, quote: first.quoteAsset };
    world.devnet.resume();
  });

  after(async () => {
    world.devnet.pause();
    await world.stop();
  });

  it("send-quote takes quotes of one hop and of several, and sees its own trades", async () => {
    const { selling, buying, amount } = await world.pairOfSeveralHops("");
    const hops = ["--sell", selling, "--buy", buying, "--amount", String(amount)];
    for (const [flags, fn] of [
      [["--sell", market.quote, "--buy", market.base], "trade"],
      [hops, "swap"],
    ] as const) {
      const { code, stdout, stderr } = await runExample("send-quote", [...network, ...flags]);
      assert.equal(code, 0, stderr);
      const [call, ...trades]: Row[] = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.equal(call.fn, fn);
      const address = /new account (G[A-Z0-9]+)/.exec(stderr)?.[1];
      const listed: Row[] = await world.api.get(`/trades?trader=${address}`);
      const ids = (rows: readonly Row[]) => rows.map(({ id }) => id).sort();
      assert.deepEqual(ids(trades), ids(listed));
      assert.ok(listed.some(({ type }) => type === fn));
      assert.ok(trades.every(({ taker, trader }) => (taker ?? trader) === address));
    }
  });

  it("send-quote signs with the key in HOPBOOK_SECRET, whose account has what it needs", async () => {
    const key = Keypair.random();
    const { url, network: of } = world.devnet;
    const { server } = (await newTrader()).network;
    await server.fundAddress(key.publicKey());
    const { assets }: Row = await (await fetch(`${url}/faucet`)).json();
    const sides = [market.quote, market.base];
    const names: string[] = assets
      .filter(({ token }: Row) => sides.includes(token))
      .map(({ asset }: Row) => asset);
    const trusts = names.flatMap((name) => {
      const [code, issuer] = name.split(":");
      if (code === undefined || issuer === undefined) return [];
      return Operation.changeTrust({ asset: new Asset(code, issuer) });
    });
    const signer = new contract.KeypairSigner(key, of.passphrase);
    if (trusts.length > 0) {
      const on = { server, passphrase: of.passphrase };
      await sendOperations(on, signer, trusts, { pollMs: POLL_MS });
    }
    const paid = await fetch(`${url}/faucet?addr=${key.publicKey()}&asset=${market.quote}`);
    assert.equal(paid.status, 200, await paid.text());
    const flags = [...network, "--sell", market.quote, "--buy", market.base];
    const env = { HOPBOOK_SECRET: key.secret() };
    const { code, stdout, stderr } = await runExample("send-quote", flags, env);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /new account/);
    const listed: Row[] = await world.api.get(`/trades?trader=${key.publicKey()}`);
    const [, trade] = stdout.trim().split("\n");
    assert.equal(JSON.parse(trade ?? "").taker, key.publicKey());
    assert.ok(listed.length > 0);
  });

  it("send-quote says why there is no trade", async () => {
    const much = ["--sell", market.quote, "--buy", market.base, "--amount", String(10n ** 30n)];
    const { code, stderr } = await runExample("send-quote", [...network, ...much]);
    assert.equal(code, 1);
    assert.match(stderr, /not enough liquidity/);
    for (const wrong of [
      ["--sell", "XLM"],
      ["--amount", "1.5"],
      ["--slippage", "1"],
    ]) {
      assert.equal((await runExample("send-quote", wrong)).code, 2);
    }
  });

  it("the market maker quotes both sides, fills up in place and removes its orders", async (t) => {
    const reference = (await middle()).toPrecision(8);
    const flags = ["--market", `${market.base}/${market.quote}`, "--reference", reference];
    const maker = new RunningExample("market-maker", [...network, ...flags, "--spread-bps", "10"]);
    t.after(() => maker.kill());
    const isNew = ({ action }: Row) => action === "new";
    const [first, second] = [await maker.lineWhere(isNew), await maker.lineWhere(isNew)];
    const made = async (id: string): Promise<Row> => world.api.get(`/order/${id}`);
    const orders = [await made(first.id), await made(second.id)];
    const ask = orders.find(({ selling }) => selling === market.base);
    assert.deepEqual(
      orders.map(({ selling }) => selling).sort(),
      [market.base, market.quote].sort(),
    );
    assert.ok(Math.abs(Number(ask.price) / 1e18 / (Number(reference) * 1.0005) - 1) < 1e-9);

    // Somebody buys a part of the ask; it is filled up to its size with the same id.
    const buyer = await runExample("send-quote", [
      ...network,
      ...["--sell", market.quote, "--buy", market.base, "--amount", "10000000", "--receive"],
    ]);
    assert.equal(buyer.code, 0, buyer.stderr);
    const fill = await maker.lineWhere(({ action }) => action === "fill");
    assert.equal(fill.id, ask.id);
    assert.ok(BigInt(fill.left) < BigInt(ask.amount));
    const update = await maker.lineWhere(({ action }) => action === "update");
    assert.deepEqual([update.id, update.left], [ask.id, ask.amount]);

    maker.kill("SIGTERM");
    const { ledger } = await maker.lineWhere(({ removed }) => removed === 2);
    assert.equal(await maker.exited, 0, maker.stderr);
    await world.api.reached(ledger);
    const left: Row[] = await world.api.get(`/order?owner=${ask.owner}`);
    assert.deepEqual(left, []);
    const history: Row[] = await world.api.get(`/order-history?owner=${ask.owner}`);
    assert.deepEqual(new Set(history.map(({ status }) => status)), new Set(["CANCELED"]));
  });

  it("the backtest runs the same strategy on what a replay prints", async () => {
    const name = `${market.base}/${market.quote}`;
    const { completeFrom }: Row = await world.api.get(`/order-events?market=${name}&limit=1`);
    const replay = fileURLToPath(new URL("../../src/replay.js", import.meta.url));
    const args = ["--data-dir", world.dataDir, "--market", name, "--from", String(completeFrom)];
    const words = [...FLAGS, replay, ...args];
    const { stdout: day } = await run(process.execPath, words, { maxBuffer: 2 ** 28 });
    const file = join(temporaryFolder(), "day.ndjson");
    writeFileSync(file, day);
    const { code, stdout, stderr } = await runExample("backtest", ["--file", file]);
    assert.equal(code, 0, stderr);
    const rows: Row[] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { from, to, fills, base } = rows.at(-1) ?? assert.fail("no summary");
    assert.deepEqual([from, fills], [completeFrom, rows.length - 1]);
    assert.ok(to > from);
    // A sale of base for each ask that was met, a purchase for each bid.
    const bought = rows.slice(0, -1).reduce((sum, { side, sold, bought: got }) => {
      return sum + (side === "ask" ? -Number(sold) : Number(got));
    }, 0);
    assert.ok(Math.abs(Number(base) - 1000 - bought) < 1e-6);
  });

  it("the market maker says that it is unfunded and offers what it has", async (t) => {
    const flags = ["--market", `${market.base}/${market.quote}`, "--size", "1000000000"];
    const maker = new RunningExample("market-maker", [...network, ...flags]);
    t.after(() => maker.kill());
    await maker.lineWhere(({ action }) => action === "new");
    maker.kill("SIGINT");
    assert.equal(await maker.exited, 0, maker.stderr);
    assert.match(maker.stderr, /(bid|ask): unfunded, has [0-9.]+ of [0-9.]+ tokens/);
  });

  it("crossfill takes the surplus between two orders that cross", async (t) => {
    const reference = await middle();
    const example = new RunningExample("crossfill", [...network, "--count", "1"]);
    t.after(() => example.kill());
    const place = async (side: Side, price: number): Promise<string> => {
      const trader = await newTrader();
      const [selling, buying] =
        side === "ask" ? [market.base, market.quote] : [market.quote, market.base];
      await trader.hold([selling, buying]);
      const order = {
        direction: Direction.sell,
        trader: trader.address,
        amount: 50_000_000_000n,
        selling,
        buying,
        price: makerPriceUp(side, price.toPrecision(8)),
        nonce: 1n,
      };
      const { args } = limitCall(order);
      const live_until = world.devnet.tip.ledger + 1000;
      const approve = { amount: order.amount, asset: selling, live_until };
      const call = { fn: "trade", args: { ...args, approve } } as const;
      const sent = await sendCall(trader.network, trader.signer, call, { pollMs: POLL_MS });
      return String((sent.value as readonly unknown[])[2]);
    };
    const bid = await place("bid", reference * 1.0004);
    const ask = await place("ask", reference * 0.9996);
    const taken = await example.line();
    assert.equal(await example.exited, 0, example.stderr);
    assert.ok(BigInt(taken.surplus) > 0n);
    assert.ok([bid, ask].includes(taken.takerOrder), JSON.stringify({ bid, ask, taken }));
    await world.api.reached(taken.ledger);
    const trades: Row[] = await world.api.get("/trades?limit=50");
    assert.ok(
      trades.some(({ crossfill, order }) => crossfill === true && order === taken.takerOrder),
    );
  });

  it("a local book is the service's after orders came, were filled and went", async (t) => {
    const push = connect(world.api.url);
    t.after(() => push.close());
    const book = new LocalBook();
    const name = `${market.base}/${market.quote}`;
    let isFilled = false;
    const flags = ["--sell", market.quote, "--buy", market.base];
    let sending: ReturnType<typeof runExample> | undefined;
    // Where nothing was sent, no fill comes.
    const failed = new AbortController();
    const send = async () => {
      const result = await runExample("send-quote", [...network, ...flags]);
      if (result.code !== 0) failed.abort();
      return result;
    };
    const { signal } = failed;
    for await (const { message } of stream(push, { channel: "book", market: name }, { signal })) {
      assert.equal(book.apply(message), "applied");
      if (book.isComplete) sending ??= send();
      if (message.type !== "changes") continue;
      isFilled ||= message.changes.some(({ cause }) => cause === "fill" || cause === "filled");
      // What the service knows already may be on its way here.
      if (isFilled && (await isServed(book, name))) break;
    }
    const sent = await sending;
    assert.equal(sent?.code, 0, sent?.stderr);
  });

  it("what would fail is said in words before it is sent", async () => {
    const trader = await newTrader();
    const order = {
      direction: Direction.sell,
      trader: trader.address,
      amount: 10_000_000n,
      selling: market.base,
      buying: market.quote,
      price: 0n,
      nonce: 1n,
    };
    const refused = (code: number, words: RegExp) => (error: unknown) => {
      assert.ok(error instanceof SendError);
      assert.deepEqual([error.kind, error.code], ["simulation", code]);
      assert.match(error.message, words);
      return true;
    };
    await assert.rejects(
      simulateCall(trader.network, limitCall(order)),
      refused(705, /^705 InvalidPrice/),
    );
    const unfunded = limitCall({ ...order, price: 10n ** 18n });
    await assert.rejects(
      sendCall(trader.network, trader.signer, unfunded, { pollMs: POLL_MS }),
      (error) => error instanceof SendError && error.kind === "simulation",
    );
  });
});
