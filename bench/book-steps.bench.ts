// The longest turns of the main thread while ledgers are applied to a large book: of 500 fills and as many
// changed entries each, as 100 fills a second bring in ledgers of 5 seconds, by a clock of their own. First some
// minutes of them that fill the ticker's day, then five minutes while the first of these leave it, a day after they
// came. ORDERS=<orders> sets the book's size, MINUTES=<minutes> how much of the day is filled: 1440 is all of it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Exchange } from "../src/book/exchange.ts";
import { SharedBook } from "../src/book/left-right.ts";
import type { EntryChange } from "../src/model/ledger-delta.ts";
import { type OrderId, orderId } from "../src/model/order.ts";
import { account, token } from "../test/support/addresses.ts";
import { exchangeIdentity } from "../test/support/exchange.ts";
import { type Follows, type NewEvent, nextLedger } from "../test/support/ledgers.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { PlentyBacking, plentyOf } from "./plenty.ts";
import { quantile } from "./quantile.ts";
import { type Turn, turnsOf } from "./turns.ts";

const ORDERS = Number(process.env.ORDERS ?? 100_000);
const ORDERS_A_MAKER = 50;
const TOKENS = 50;
const GROWTH = 5000;
const FILLS = 500;
const MADE_A_TURN = 50;
const LEDGER_SECONDS = 5;
const DAY = 86_400;
/** Five minutes and two ledgers: every fill of a bucket leaves. */
const LEAVING = 62;
const FILLING = Math.min(Number(process.env.MINUTES ?? 5) * 12 + 2, DAY / LEDGER_SECONDS);
const AMOUNT = 10n ** 10n;
const UNIT = 10n ** 18n;
const START = 1_700_000_000;

type NewOrder = Extract<NewEvent, { readonly kind: "new" }>;

export const bench: Bench = ({ tiny }) =>
  inFolder(async (folder) => {
    const run = await StepsRun.start(folder);
    try {
      await run.grow(tiny ? 1000 : ORDERS);
      const [filling, leaving] = tiny ? [2, 2] : [FILLING, Math.min(LEAVING, FILLING)];
      const filled = await turnsOf(() => run.trade(filling));
      const left = DAY / LEDGER_SECONDS - filling;
      const resting = Math.min(left, leaving);
      run.pass((left - resting) * LEDGER_SECONDS);
      await run.rest(resting);
      const leavingTurns = await turnsOf(() => run.trade(leaving));
      assert.equal(run.dayFills, filling * FILLS, "the first fills have left the day");
      return [
        figure("orders", run.orders, ""),
        figure("fills of a day", run.dayFills, ""),
        ...figuresOf("while the day fills", filled),
        ...figuresOf("while its first fills leave", leavingTurns),
      ];
    } finally {
      await run.close();
    }
  });

function figuresOf(name: string, turns: readonly Turn[]): readonly Figure[] {
  const cpuMs = turns.map((turn) => turn.cpuMs);
  // Turns without any work are many.
  const worked = cpuMs.filter((ms) => ms > 1);
  const longest = quantile(
    turns.map(({ wallMs }) => wallMs),
    1,
  );
  return [
    figure(`${name}: longest turn`, longest, "ms"),
    figure(`${name}: CPU of a turn, p99`, quantile(worked, 0.99), "ms"),
    figure(`${name}: CPU of a turn, most`, quantile(cpuMs, 1), "ms", "below 20"),
  ];
}

class StepsRun {
  readonly #clock: { now: number };
  readonly #exchange: Exchange;
  readonly #backing: PlentyBacking;
  #orders = 0;
  #last: Follows = { ledger: 1, hash: "00".repeat(32) };
  #time = START;
  #fills = 0;

  static async start(folder: string): Promise<StepsRun> {
    const clock = { now: START * 1000 };
    const { contract } = exchangeIdentity;
    const backing = new PlentyBacking(contract);
    const exchange = await Exchange.open({
      path: join(folder, "store"),
      ...exchangeIdentity,
      clock: () => clock.now,
      book: new SharedBook({ contract, untracked: "nothing" }),
      backing: backing.records,
    });
    return new StepsRun(clock, exchange, backing);
  }

  private constructor(clock: { now: number }, exchange: Exchange, backing: PlentyBacking) {
    this.#clock = clock;
    this.#exchange = exchange;
    this.#backing = backing;
  }

  get orders(): number {
    return this.#exchange.state.liveOrderCount;
  }

  get dayFills(): number {
    return this.#exchange.state.marketData.dayTotals().fills;
  }

  async grow(orders: number): Promise<void> {
    while (this.#orders < orders) {
      const first = this.#orders;
      const count = Math.min(GROWTH, orders - first);
      await this.#close(Array.from({ length: count }, (_, at) => newOrder(first + at)));
      this.#orders += count;
    }
    await this.#backing.load(
      () => this.#last.ledger,
      () => this.#close([]),
    );
  }

  pass(seconds: number): void {
    this.#time += seconds;
  }

  /** Ledgers without anything. */
  async rest(ledgers: number): Promise<void> {
    for (let ledger = 0; ledger < ledgers; ledger += 1) await this.#close([]);
  }

  async trade(ledgers: number): Promise<void> {
    for (let ledger = 0; ledger < ledgers; ledger += 1) {
      const events: NewEvent[] = [];
      const entries: EntryChange[] = [];
      for (let fill = 0; fill < FILLS; fill += 1) {
        this.#fills += 1;
        events.push(this.#fill());
        entries.push(this.#changedEntry());
        // Making a ledger is no work of the engine: it has turns of its own.
        if (fill % MADE_A_TURN === 0) await nextTurn();
      }
      await this.#close(events, entries);
    }
  }

  close(): Promise<void> {
    return this.#exchange.close();
  }

  /** A part of an order far from the last one. */
  #fill(): NewEvent {
    // Made anew: a million of them kept would be what the garbage collector looks through.
    const { id, owner, selling, buying } = newOrder((this.#fills * 7919) % this.#orders);
    const left = AMOUNT - BigInt(this.#fills);
    const trade = { kind: "trade", order: id, maker: owner, taker: account(0) } as const;
    const amounts = { sold: 1_000_000n, bought: 1_000_000n, left };
    return { ...trade, ...amounts, soldAsset: buying, boughtAsset: selling, crossfill: false };
  }

  #changedEntry(): EntryChange {
    const { keys } = this.#backing;
    const key = keys[(this.#fills * 104_729) % keys.length] ?? assert.fail("no keys");
    const { entry } = plentyOf(key);
    if (entry?.kind !== "trustline") return plentyOf(key);
    return { key, entry: { ...entry, balance: entry.balance - BigInt(this.#fills) } };
  }

  async #close(events: readonly NewEvent[], entries: readonly EntryChange[] = []): Promise<void> {
    this.#time += LEDGER_SECONDS;
    this.#clock.now = this.#time * 1000;
    const delta = { ...nextLedger(this.#last, this.#time, events), entries };
    this.#last = delta;
    await nextTurn();
    await this.#exchange.apply(delta);
    // The clock's own work of these seconds, which `Exchange.start` does once a second.
    await this.#exchange.tick();
    await nextTurn();
  }
}

function newOrder(at: number): NewOrder {
  const maker = Math.floor(at / ORDERS_A_MAKER);
  // A maker quotes both sides of one market.
  const pair = [maker % TOKENS, (maker + 1 + (Math.floor(maker / TOKENS) % (TOKENS - 1))) % TOKENS];
  const [one = 0, other = 0] = at % 2 === 0 ? pair : pair.toReversed();
  return {
    kind: "new",
    id: orderId(BigInt(at + 1) << 80n) satisfies OrderId,
    owner: account(1 + maker),
    selling: token(one),
    buying: token(other),
    price: UNIT + BigInt(at) * 10n ** 6n,
    amount: AMOUNT,
    expires: 0,
  };
}
