// Channel book over random chains with backing, a clock, restarts and grouped ledgers: after every step a local book
// equals what REST lists and its depth what REST sums up, whenever it was begun; and a replay from any ledger sends,
// byte for byte, what the channel sent from there on.

import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import type { BookChanges, BookSnapshot } from "../../src/api/types.ts";
import { Exchange } from "../../src/book/exchange.ts";
import { SharedBook } from "../../src/book/left-right.ts";
import { PastBook } from "../../src/book/past-book.ts";
import { type BookSide, LocalBook } from "../../src/client/local-book.ts";
import { AssetInput } from "../../src/http/asset-input.ts";
import { orderJson } from "../../src/http/json/order-json.ts";
import { bookChannel, replayedBook } from "../../src/http/push/channels/book-channel.ts";
import { type Address, canonicalPair, marketKey, type Pair } from "../../src/model/address.ts";
import type { Backing } from "../../src/model/backing.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import type { Order } from "../../src/model/order.ts";
import { openPastStore } from "../../src/store/past-store.ts";
import { BackedWorld } from "../support/backed-world.ts";
import { exchangeIdentity, exchangeOptions } from "../support/exchange.ts";
import { NaiveBook } from "../support/naive-book.ts";
import { CHAIN_START, type Random, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { readDepth } from "../support/read-depth.ts";
import { runs } from "../support/runs.ts";
import { slowDepth } from "../support/slow-depth.ts";

const CAPACITY = { orders: 1000, owners: 100, assets: 100, sides: 100, backings: 1000 };
const LEDGERS = 16;
/** Ledgers of a run, or a few more, that replays begin at. */
const REPLAYED = 5;
const NO_ID = {};

type Message = BookSnapshot | BookChanges;

/** A message that was published, and the state after which. */
type Sent = { readonly ledger: number; readonly text: string };

test("local books follow the service over grouped ledgers, restarts and a clock", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const run = await Run.start(randomFrom(seed), { groups: true });
      await run.toEnd();
      await run.checkReplays({ byteForByte: false });
    }),
    { numRuns: runs(2), includeErrorInReport: true },
  );
});

test("a replay from any ledger sends what the channel sent, byte for byte", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const run = await Run.start(randomFrom(seed), { groups: false });
      await run.toEnd();
      await run.checkReplays({ byteForByte: true });
    }),
    { numRuns: runs(2), includeErrorInReport: true },
  );
});

class Run {
  readonly #random: Random;
  readonly #groups: boolean;
  readonly #world: BackedWorld;
  readonly #clock = { now: CHAIN_START * 1000 };
  readonly #options = exchangeOptions(this.#clock);
  readonly #ledgers: readonly LedgerDelta[];
  readonly #markets: readonly Pair[];
  /** Of each market what was published, and the books that follow it. */
  readonly #sent = new Map<string, Sent[]>();
  readonly #books = new Map<string, LocalBook[]>();
  /** The rows of each market after the last step of a ledger. */
  readonly #shown = new Map<number, ReadonlyMap<string, readonly string[]>>();
  #engine: Engine | undefined;
  #applied = 0;

  private constructor(random: Random, groups: boolean) {
    this.#random = random;
    this.#groups = groups;
    this.#world = new BackedWorld(random);
    this.#ledgers = randomLedgers(random, LEDGERS, 14);
    const markets = new Map<string, Pair>();
    for (const event of this.#ledgers.flatMap(({ events }) => events)) {
      if (event.kind !== "new") continue;
      const pair = canonicalPair(event.selling, event.buying);
      markets.set(marketKey(pair), pair);
    }
    this.#markets = [...markets.values()];
  }

  static async start(random: Random, { groups }: { readonly groups: boolean }): Promise<Run> {
    const run = new Run(random, groups);
    for (const market of run.#markets) run.#sent.set(marketKey(market), []);
    await run.#open();
    return run;
  }

  async toEnd(): Promise<void> {
    while (this.#applied < this.#ledgers.length) {
      await this.#turn();
      await this.#check();
      const { ledger } = this.#exchange.state;
      if (ledger !== undefined) this.#shown.set(ledger, this.#rowsShown());
    }
    await this.#exchange.close();
  }

  async #turn(): Promise<void> {
    const random = this.#random;
    const count = this.#groups ? 1 + random(4) : 1;
    const next = this.#ledgers.slice(this.#applied, this.#applied + count);
    this.#applied += next.length;
    await Promise.all(next.map((delta) => this.#exchange.apply(this.#world.ledger(delta))));
    const { ledger = 0, closeTime } = this.#exchange.state;
    if (random(2) === 0) {
      for (const answer of this.#world.load(ledger)) this.#records.entriesLoaded(answer);
    }
    // Sometimes behind the ledgers, sometimes ahead of them.
    this.#clock.now = (closeTime + random(60) - 20) * 1000;
    await this.#exchange.tick();
    // What was loaded is a step of its own, behind the clock's.
    await nextTurn();
    await this.#exchange.tick();
    if (random(6) === 0) {
      await this.#exchange.close();
      await this.#open();
    } else if (random(3) === 0) this.#join();
  }

  get #exchange(): Exchange {
    return this.#current.exchange;
  }

  get #records() {
    return this.#current.records;
  }

  get #current(): Engine {
    assert.ok(this.#engine !== undefined);
    return this.#engine;
  }

  /** Subscribers come back to a service that was started again. */
  async #open(): Promise<void> {
    this.#books.clear();
    this.#engine = await openEngine(this.#options, this.#world, (topic, text) => {
      const message = JSON.parse(text) as Message;
      this.#sent.get(message.market)?.push({ ledger: message.ledger, text });
      assert.equal(topic, `book:${message.market}`);
      for (const book of this.#books.get(message.market) ?? []) {
        assert.equal(book.apply(message), "applied");
      }
    });
    for (const market of this.#markets) {
      await this.#current.subscribe(market);
      this.#books.set(marketKey(market), []);
    }
    this.#join();
  }

  /** A book more of every market, from a snapshot of now. */
  #join(): void {
    for (const market of this.#markets) {
      const book = new LocalBook();
      for (const text of this.#current.snapshot(market)) book.apply(JSON.parse(text) as Message);
      assert.ok(book.isComplete);
      this.#books.get(marketKey(market))?.push(book);
    }
  }

  async #check(): Promise<void> {
    for (const market of this.#markets) {
      const rows = this.#rowsOf(market);
      const depth = this.#depthOf(market);
      for (const book of this.#books.get(marketKey(market)) ?? []) {
        assert.deepEqual(rowsOfBook(book), rows, "rows of /order");
        if (depth !== undefined)
          assert.deepEqual(depthOfBook(book, market), depth, "levels of /depth");
      }
    }
  }

  #rowsShown(): ReadonlyMap<string, readonly string[]> {
    return new Map(this.#markets.map((market) => [marketKey(market), this.#rowsOf(market)]));
  }

  /** As GET /order lists them, without what a row of a book leaves out. */
  #rowsOf({ base, quote }: Pair): readonly string[] {
    const orders = this.#exchange.state.history.liveOrders(
      { assets: [base, quote] },
      { limit: 1000 },
    );
    return orders.map((order) => {
      const shown = this.#exchange.state.backings.orderBacking(order);
      const { status, selling, buying, backing, backed, ...row } = JSON.parse(
        orderJson(order, shown),
      );
      assert.deepEqual([status, buying === base || buying === quote], ["ACTIVE", true]);
      const isCovered = shown === undefined || shown.backed >= order.amount;
      const budget = isCovered ? {} : { budget: String(shown.backing.budget) };
      return rowText(selling === base ? "ask" : "bid", { ...row, backed, ...budget });
    });
  }

  /** Undefined where depth knows more than a book is told: approvals that end, makers below their reserve. */
  #depthOf(market: Pair) {
    const { ledger } = this.#exchange.state;
    const { base, quote } = market;
    for (const order of this.#exchange.state.history.liveOrders(
      { assets: [base, quote] },
      { limit: 1000 },
    )) {
      for (const asset of [order.selling, order.buying]) {
        const backing = this.#exchange.state.backings.backing(order.owner, asset);
        if (backing?.liveUntil === ledger && backing?.allowance !== 0n) return undefined;
        if (asset === order.buying && backing?.authorized !== true) return undefined;
      }
    }
    const request = { market, depth: 100, limit: 500 };
    // No order expires by this clock: the book's own has been applied.
    return { ...readDepth(this.#current.book.live, request, 0), ledger: 0 };
  }

  async checkReplays({ byteForByte }: { readonly byteForByte: boolean }): Promise<void> {
    const store = await openPastStore(dirname(this.#options.path));
    try {
      const tip = store.ledger;
      const every = Math.max(1, Math.floor(this.#shown.size / REPLAYED));
      for (const [at, [ledger, shown]] of [...this.#shown].entries()) {
        if (at % every !== 0) continue;
        for (const market of this.#markets) {
          const key = marketKey(market);
          const book = new LocalBook();
          const messages: string[] = [];
          for await (const text of replayedBook(new PastBook(store, market, ledger), market, tip)) {
            const message = JSON.parse(text) as Message;
            assert.equal(book.apply(message), "applied");
            if (message.type === "book") {
              assert.deepEqual(rowsOfBook(book), shown.get(key), `the book after ${ledger}`);
            } else messages.push(withoutPrevious(text));
          }
          assert.deepEqual(rowsOfBook(book), this.#shown.get(tip)?.get(key), "the book at the tip");
          if (!byteForByte) continue;
          const sent = this.#sent.get(key)?.filter((one) => one.ledger > ledger) ?? [];
          assert.deepEqual(
            messages,
            sent.map(({ text }) => withoutPrevious(text)),
          );
        }
      }
    } finally {
      await store.close();
    }
  }
}

type Engine = Awaited<ReturnType<typeof openEngine>>;

async function openEngine(
  options: ReturnType<typeof exchangeOptions>,
  world: BackedWorld,
  publish: (topic: string, text: string) => void,
) {
  const { contract, networkPassphrase } = exchangeIdentity;
  const records = world.records();
  const book = new SharedBook({ contract, untracked: "nothing", capacity: CAPACITY });
  const exchange = await Exchange.open({ ...options, book, backing: records });
  await records.restored(new AbortController().signal);
  const assets = new AssetInput(networkPassphrase);
  const log = { error: ({ err }: { err?: unknown }) => assert.fail(String(err)) };
  const channel = bookChannel({ readModel: exchange.state, assets, publish, log });
  exchange.state.onStep((step) => void channel.stepped(step));
  const requestOf = (market: Pair) => {
    const one = (name: string) => (name === "market" ? marketKey(market) : undefined);
    return channel.request({ has: () => false, lenient: () => [], all: () => [], one });
  };
  return {
    ...{ exchange, records, book },
    subscribe: async (market: Pair) => {
      const request = requestOf(market);
      request.opened();
      await request.ready?.(() => true, "");
    },
    snapshot: (market: Pair): readonly string[] => {
      const parts = requestOf(market).parts?.();
      const texts = Array.from({ length: parts?.count ?? 0 }, (_, at) =>
        parts?.json(at + 1, NO_ID),
      ).filter((text) => text !== undefined);
      parts?.ended();
      return texts;
    },
  };
}

/** The topic's last message can be from before a restart. */
function withoutPrevious(text: string): string {
  return text.replace(/"previous":[0-9]+,/, "");
}

function rowText(side: BookSide, row: object): string {
  const members = Object.entries(row).filter(([, value]) => value !== undefined);
  return JSON.stringify([side, members.sort(([one], [other]) => (one < other ? -1 : 1))]);
}

/** Oldest first. */
function rowsOfBook(book: LocalBook): readonly string[] {
  const orders = [...book.orders("ask"), ...book.orders("bid")];
  orders.sort((one, other) => (one.cursor < other.cursor ? -1 : 1));
  return orders.map(({ side, row }) => rowText(side, row));
}

/** The levels of a local book in the form of /depth: each is one order of a maker who can pay it. */
function depthOfBook(book: LocalBook, market: Pair) {
  const { base, quote } = market;
  const naive = new NaiveBook();
  let at = 0;
  for (const side of ["ask", "bid"] as const) {
    const [selling, buying] = side === "ask" ? [base, quote] : [quote, base];
    for (const { price, amount } of book.depth(side)) {
      at += 1;
      const owner = `maker ${at}` as Address;
      const order = { id: BigInt(at), owner, selling, buying, price, amount, expires: 0 } as Order;
      naive.apply([{ kind: "put", order: { ...order, cursor: BigInt(at) as Order["cursor"] } }]);
      for (const asset of [selling, buying]) {
        const backing = { owner, asset, authorized: true, budget: amount } as Backing;
        naive.apply([{ kind: "backing", backing }]);
      }
    }
  }
  const request = { market, depth: 100, limit: 500 };
  return slowDepth(naive, request, { ledger: 0, now: 0 });
}
