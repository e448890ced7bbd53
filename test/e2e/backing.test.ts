// The engine's backing records against the devnet's own tokens, ledger by ledger: real ledgers,
// decoded as the reader decodes them, entries and simulated calls over the devnet's RPC.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { BackingRecords } from "../../src/book/backing/backing-records.ts";
import { CONFIRM_MS, TokenPoller } from "../../src/book/backing/custom-tokens.ts";
import { Exchange } from "../../src/book/exchange.ts";
import { PastBook } from "../../src/book/past-book.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { devnetOptionsSchema } from "../../src/devnet/options.ts";
import { scaleOf } from "../../src/devnet/trading-scenario.ts";
import { buildCast } from "../../src/devnet/traffic/cast.ts";
import { bookRowJson } from "../../src/http/json/order-json.ts";
import { limitingBudget } from "../../src/http/push/book-image.ts";
import { systemTimer } from "../../src/ingest/ledger-source.ts";
import { rpcEntryLoader } from "../../src/ingest/rpc-entries.ts";
import { TokenSimulator } from "../../src/ingest/simulate.ts";
import { SourceSet } from "../../src/ingest/source-set.ts";
import { Tracker } from "../../src/ingest/tracker.ts";
import { walkDecoder } from "../../src/ingest/walk-decoder.ts";
import { type Address, address, canonicalPair, marketKey } from "../../src/model/address.ts";
import type { Backing, OrderBacking } from "../../src/model/backing.ts";
import type { TrackingRequest } from "../../src/model/entry-tracking.ts";
import type { Order } from "../../src/model/order.ts";
import { openPastStore } from "../../src/store/past-store.ts";
import { EventBook } from "../support/event-book.ts";
import { silentLog } from "../support/exchange.ts";
import { runs } from "../support/runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type TruthToken, truthOf } from "./backing-truth.ts";

/** In the usual run just enough for everything that `Changes` asks for to come about with the seed. */
const LEDGERS = runs(200);
/** Ledgers between periodic looks at tokens of other kinds. */
const SWEEP_LEDGERS = 20;
const OPTIONS = {
  seed: "b8",
  passphrase: "Backing test",
  manual: true,
  port: 0,
  ledgerTime: 0,
  startTime: 1_800_000_000,
  makers: 6,
  takers: 6,
  levels: 3,
  transactionsPerLedger: 8,
} as const;
/** What a record shows for an allowance whose end no event told. */
const UNKNOWN_END = 0xffff_ffff;
/** Longest wait for answers of the RPC on a busy machine. */
const SETTLE_MS_MAX = 60_000;

test("every record equals the devnet's own token state at every ledger", async () => {
  const devnet = await startDevnet(OPTIONS);
  const path = join(temporaryFolder(), "store");
  let engine = await openEngine(devnet, path);
  const seen = new Changes();
  const events = new EventBook();
  const books = new Map<number, Books>();
  try {
    const cast = buildCast({
      seed: OPTIONS.seed,
      scale: scaleOf(devnetOptionsSchema.parse(OPTIONS)),
    });
    const tokens = cast.assets.map(({ classic }): TruthToken => {
      const token =
        classic === undefined ? devnet.network.plainToken : devnet.network.tokenOf(classic);
      return { token, classic };
    });
    const [watched] = cast.takers;
    assert(watched !== undefined);
    await engine.take(firstLedgers(devnet));
    await engine.watch(watched);
    const owners = [...cast.makers, ...cast.takers, ...cast.issuers, devnet.network.router];
    for (let count = 0; count < LEDGERS; count += 1) {
      const { tip, meta } = devnet.closeLedger();
      await engine.take([{ sequence: tip.ledger, bytes: meta }]);
      const isSweep = count % SWEEP_LEDGERS === 0;
      if (isSweep) engine.sweep();
      await engine.settle();
      check(devnet, engine, { owners, tokens, watched, seen, isSweep });
      const live = everyOrder(engine.exchange);
      events.follow(engine.exchange, new Set([...owners, ...live.map(({ owner }) => owner)]));
      events.check(engine.exchange, live);
      if (count % 50 === 0 || count === LEDGERS - 1) books.set(tip.ledger, booksOf(engine, live));
      if (count === LEDGERS / 2) {
        const before = engine.ordersBacking();
        await engine.close();
        engine = await openEngine(devnet, path);
        assert.deepEqual(withoutPending(engine.ordersBacking()), withoutPending(before));
        await engine.watch(watched);
        await engine.settle();
      }
    }
    seen.check();
  } finally {
    await engine.close();
    await devnet.stop();
  }
  await checkPast(dirname(path), books);
});

/** Rows by id, by market. */
type Books = ReadonlyMap<string, Readonly<Record<string, string | undefined>>>;

function booksOf({ exchange }: Engine, live: readonly Order[]): Books {
  const books = new Map<string, Record<string, string>>();
  for (const order of live) {
    const key = marketKey(canonicalPair(order.selling, order.buying));
    const rows = books.get(key) ?? {};
    rows[`${order.id}`] = rowOf(order, exchange.state.backings.orderBacking(order));
    books.set(key, rows);
  }
  return books;
}

function rowOf(order: Order, shown: OrderBacking | undefined): string {
  const budget = limitingBudget(order, shown?.backed, shown?.backing.budget);
  return bookRowJson(order, shown?.backed, budget);
}

/** The book of past ledgers, as the store tells it, is what was shown at them. */
async function checkPast(dataDir: string, books: ReadonlyMap<number, Books>): Promise<void> {
  const store = await openPastStore(dataDir);
  for (const [ledger, markets] of books) {
    for (const [key, rows] of markets) {
      const [base, quote] = key.split("/").map(address);
      assert(base !== undefined && quote !== undefined);
      const past = new PastBook(store, { base, quote }, ledger);
      const told = past
        .liveOrders({ assets: [] }, { limit: 10_000 })
        .map((order) => [`${order.id}`, rowOf(order, past.orderBacking(order))]);
      assert.deepEqual(Object.fromEntries(told), rows, `${key} at ledger ${ledger}`);
    }
  }
  await store.close();
}

type Engine = Awaited<ReturnType<typeof openEngine>>;
type RawLedger = { readonly sequence: number; readonly bytes: Uint8Array };

/** The ledgers closed before the test took over. */
function firstLedgers(devnet: Devnet): readonly RawLedger[] {
  const { tip, meta } = devnet.closeLedger();
  return [{ sequence: tip.ledger, bytes: meta }];
}

/** The parts of the engine that backing passes through, without threads: one ledger at a time. */
async function openEngine(devnet: Devnet, path: string) {
  const { exchange: contract, passphrase } = devnet.network;
  const abort = new AbortController();
  const { signal } = abort;
  const set = new SourceSet({
    urls: [devnet.url],
    passphrase,
    timer: systemTimer,
    log: () => {},
  });
  let tokens: ReadonlySet<Address> = new Set();
  const failures: unknown[] = [];
  const tracker = new Tracker({
    load: rpcEntryLoader(set, systemTimer),
    deliver: (loaded) => records.entriesLoaded(loaded),
    fail: (thrown) => failures.push(thrown),
    timer: systemTimer,
    log: () => {},
    signal,
  });
  const simulator = new TokenSimulator({
    set,
    timer: systemTimer,
    passphrase,
    spender: contract,
    signal,
  });
  let asking = 0;
  const confirms = new Set<() => void>();
  const sweeps = new Set<() => void>();
  const records = new BackingRecords({
    contract,
    watchedAccountsMax: 1,
    track: (request: TrackingRequest) => {
      if (request.kind === "track") tracker.track(request);
      else if (request.kind === "untrack") tracker.untrack(request.keys);
      else tokens = new Set(request.tokens);
    },
    polls: (answered) =>
      new TokenPoller({
        reader: {
          read: async (owner, asset, from) => {
            asking += 1;
            try {
              return await simulator.read(owner, asset, from);
            } finally {
              asking -= 1;
            }
          },
        },
        answered,
        warn: (fields) => failures.push(fields),
        after: (milliseconds, run) => {
          const waiting = milliseconds === CONFIRM_MS ? confirms : sweeps;
          waiting.add(run);
          return () => waiting.delete(run);
        },
        random: () => 0.5,
      }),
  });
  const exchange = await Exchange.open({
    path,
    networkPassphrase: passphrase,
    contract,
    clock: () => devnet.tip.closeTime * 1000,
    log: silentLog,
    backing: records,
  });
  const decode = walkDecoder({ exchange: contract, passphrase });
  if (exchange.state.ledger !== undefined) tracker.passed(exchange.state.ledger);
  let watched: Address | undefined;
  /** Owner and asset of all records that the API has to show. */
  const tracked = (): readonly (readonly [Address, Address])[] => {
    const all = new Map<string, readonly [Address, Address]>();
    const add = (owner: Address, asset: Address) => all.set(`${owner}${asset}`, [owner, asset]);
    for (const { owner, selling, buying } of everyOrder(exchange)) {
      add(owner, selling);
      add(owner, buying);
    }
    if (watched !== undefined) for (const asset of tradedTokens(exchange)) add(watched, asset);
    return [...all.values()];
  };
  return {
    exchange,
    records,
    watch: async (owner: Address) => {
      assert(records.watch(owner));
      await records.loaded(owner, SETTLE_MS_MAX);
      watched = owner;
    },
    take: async (ledgers: readonly RawLedger[]) => {
      for (const { bytes, sequence } of ledgers) {
        const { delta } = decode(bytes, sequence, { keys: tracker.keys, tokens });
        tracker.passed(sequence);
        await exchange.apply(delta);
      }
    },
    /** Until every answer is there, those that confirm included. */
    settle: async () => {
      const start = performance.now();
      await exchange.tick();
      const pairs = tracked();
      const shown = () =>
        pairs.map((pair) => records.backing(...pair) ?? assert.fail(`${pair} is not tracked`));
      const wait = async (isDone: () => boolean): Promise<void> => {
        do {
          assert.deepEqual(failures, []);
          assert(performance.now() - start < SETTLE_MS_MAX, "answers stay away");
          await delay(1);
          await exchange.tick();
        } while (asking > 0 || !isDone());
      };
      await wait(() => shown().every(({ updated }) => updated !== undefined));
      for (const confirm of [...confirms]) {
        confirms.delete(confirm);
        confirm();
      }
      await wait(() => shown().every(({ updated, pending }) => updated !== undefined && !pending));
    },
    /** Shown without anyone watching. */
    ordersBacking: () => {
      watched = undefined;
      return tracked().map((pair) => records.backing(...pair));
    },
    sweep: () => {
      for (const look of [...sweeps]) {
        sweeps.delete(look);
        look();
      }
    },
    close: async () => {
      abort.abort();
      records.stop();
      await exchange.close();
    },
  };
}

/** What a token of its own kind answered before a restart has to be confirmed after it. */
function withoutPending(all: readonly (Backing | undefined)[]) {
  return all.map((backing) => ({ ...backing, pending: false }));
}

function tradedTokens(exchange: Exchange): ReadonlySet<Address> {
  return new Set(exchange.state.contract.markets.flatMap(({ pair }) => [pair.base, pair.quote]));
}

function everyOrder(exchange: Exchange): readonly Order[] {
  return exchange.state.history.liveOrders({ assets: [] }, { limit: 1_000_000 });
}

type Checked = {
  readonly owners: readonly Address[];
  readonly tokens: readonly TruthToken[];
  readonly watched: Address;
  readonly seen: Changes;
  /** Tokens of other kinds were all asked in this ledger. */
  readonly isSweep: boolean;
};

function check(devnet: Devnet, engine: Engine, checked: Checked): void {
  const { owners, tokens, watched, seen, isSweep } = checked;
  const { chain, network, tip } = devnet;
  const orders = everyOrder(engine.exchange);
  const traded = tradedTokens(engine.exchange);
  const inOrders = new Set(
    orders.flatMap(({ owner, selling, buying }) => [`${owner}${selling}`, `${owner}${buying}`]),
  );
  for (const owner of owners) {
    for (const token of tokens) {
      const isWatched = owner === watched && traded.has(token.token);
      const backing = engine.records.backing(owner, token.token);
      const where = `${owner} in ${token.token} at ledger ${tip.ledger}`;
      const isTracked = isWatched || inOrders.has(`${owner}${token.token}`);
      assert.equal(backing !== undefined, isTracked, `${where} is tracked`);
      if (backing === undefined) continue;
      const truth = truthOf(chain, network.exchange, owner, token);
      seen.note(backing, tip.ledger);
      if (token.classic !== undefined) assert.deepEqual(valuesOf(backing), truth, where);
      else checkPlain(backing, truth, { ledger: tip.ledger, isSweep });
      checkShares(engine, backing, orders);
    }
  }
}

function valuesOf({ balance, allowance, liveUntil, authorized, budget, headroom }: Backing) {
  return { balance, allowance, liveUntil, authorized, budget, headroom };
}

/**
 * A simulated call is of the next ledger, in which an allowance that ends with this one is over. Only
 * an approve tells until when an allowance lives: where it came before the tracking, the end shows
 * at the next periodic look.
 */
function checkPlain(
  backing: Backing,
  truth: ReturnType<typeof truthOf>,
  { ledger, isSweep }: { readonly ledger: number; readonly isSweep: boolean },
): void {
  assert.deepEqual([backing.balance, backing.authorized], [truth.balance, true]);
  assert.equal(backing.headroom, undefined);
  if (truth.liveUntil === ledger && backing.allowance === 0n) return;
  if (backing.liveUntil === UNKNOWN_END && !isSweep) return;
  assert.deepEqual([backing.allowance, backing.budget], [truth.allowance, truth.budget]);
  assert([truth.liveUntil, UNKNOWN_END].includes(backing.liveUntil));
}

function checkShares(engine: Engine, backing: Backing, orders: readonly Order[]): void {
  let left = backing.budget;
  for (const order of orders) {
    if (order.owner !== backing.owner || order.selling !== backing.asset) continue;
    const share = order.amount < left ? order.amount : left;
    left -= share;
    assert.equal(
      engine.exchange.state.backings.orderBacking(order)?.backed,
      share,
      `share of order ${order.id}`,
    );
  }
}

/** What the run must have brought about, or it would have shown little. */
class Changes {
  readonly #last = new Map<string, Backing>();
  readonly #counts = new Map<string, number>();

  note(backing: Backing, ledger: number): void {
    const key = `${backing.owner}${backing.asset}`;
    const before = this.#last.get(key);
    this.#last.set(key, backing);
    if (before === undefined) return;
    if (before.authorized && !backing.authorized) this.#count("revoked");
    if (!before.authorized && backing.authorized) this.#count("restored");
    if (before.liveUntil === ledger - 1 && backing.allowance === 0n) this.#count("lapsed");
    if (before.balance !== backing.balance) this.#count("moved");
    if (before.allowance !== backing.allowance) this.#count("allowed");
    if (before.headroom !== backing.headroom) this.#count("room");
    if (before.skipped !== backing.skipped) this.#count("skipped");
  }

  check(): void {
    const counts = Object.fromEntries(this.#counts);
    for (const what of ["revoked", "restored", "lapsed", "moved", "allowed", "room", "skipped"]) {
      assert((counts[what] ?? 0) > 0, `nothing ${what}: ${JSON.stringify(counts)}`);
    }
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
