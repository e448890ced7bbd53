// The longest turns of the main thread while ledgers are applied to a large book: of 500 fills and as many
// changed entries each, as 100 fills a second bring in ledgers of 5 seconds, by a clock of their own. First some
// minutes of them that fill the ticker's day, then six minutes while the first of these leave it, a day after they
// came. ORDERS=<orders> sets the book's size, MINUTES=<minutes> how much of the day is filled: 1440 is all of it.
// REST=<seconds> is from one ledger to the next in the rest of the day: 60 leaves few markets without fills in any of
// its buckets, as a whole day does, in a 12th of the time; by default nothing happens in the rest. With TMPDIR=/dev/shm
// commits do not wait for the disk, as no turn of the main thread does. Of every hour of the day a line goes to stderr.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { on } from "node:events";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Exchange, type ExchangeOptions } from "../src/book/exchange.ts";
import { SharedBook } from "../src/book/left-right.ts";
import type { StepTimes } from "../src/book/step-meter.ts";
import type { LedgerDelta } from "../src/model/ledger-delta.ts";
import { exchangeIdentity } from "../test/support/exchange.ts";
import { type Follows, nextLedger } from "../test/support/ledgers.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { FILLED, FILLS, GROWTH, LEDGER_SECONDS, type LedgersJob } from "./book-steps-ledgers.ts";
import { inFolder } from "./folder.ts";
import { PlentyBacking, plentyOf } from "./plenty.ts";
import { quantile } from "./quantile.ts";
import { type Turn, turnsOf } from "./turns.ts";

const ORDERS = Number(process.env.ORDERS ?? 100_000);
const DAY = 86_400;
const HOUR = 3600;
/** Five minutes and some ledgers: every fill of a bucket leaves. */
const LEAVING = 72;
const FILLING = Math.min(Number(process.env.MINUTES ?? 5) * 12 + 2, DAY / LEDGER_SECONDS);
const REST = Number(process.env.REST ?? DAY);
const START = 1_700_000_000;
/** Ledgers that are made before they are taken: one comes while the one before is applied. */
const LEAD = 2;
/** Of the turns that ran longest, those that are looked at for pauses of the collector. */
const LONGEST = 20;

export const bench: Bench = ({ tiny }) =>
  inFolder(async (folder) => {
    const run = await StepsRun.start(folder);
    try {
      await run.grow(tiny ? 1000 : ORDERS);
      const [filling, leaving] = tiny ? [2, 2] : [FILLING, Math.min(LEAVING, FILLING)];
      const filled = await run.trade("while the day fills", filling);
      const seconds = DAY - filling * LEDGER_SECONDS;
      const quiet = Math.min(seconds, leaving * LEDGER_SECONDS);
      const rest = Math.floor((seconds - quiet) / REST);
      const thin = await run.trade("in the rest of the day", rest, REST);
      run.pass(seconds - quiet - thin.ledgers * REST);
      await run.rest(quiet / LEDGER_SECONDS);
      const left = await run.trade("while its first fills leave", leaving);
      const figures = [
        figure("orders", run.orders, ""),
        figure("fills of a day", run.checkedDayFills(filling + thin.ledgers), ""),
        ...figuresOf(filled),
        ...(thin.ledgers > 0 ? figuresOf(thin) : []),
        ...figuresOf(left),
      ];
      await run.checkReload();
      return figures;
    } finally {
      await run.close();
    }
  });

/** Turns, and milliseconds of all steps' parts. */
type Trading = {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly ledgers: number;
  readonly parts: Parts;
};
type Parts = { prepareMs: number; commitMs: number; fillMs: number; flipMs: number };

function figuresOf({ name, turns, ledgers, parts }: Trading): readonly Figure[] {
  const [cpus, walls] = [turns.map(({ cpuMs }) => cpuMs), turns.map(({ wallMs }) => wallMs)];
  // Turns with next to no work are many.
  const [worked, lasted] = [cpus.filter((ms) => ms > 1), walls.filter((ms) => ms > 1)];
  // Node tells of the collector's pauses, but of none of the steps in which it marks between them.
  const calm = turns.filter(({ gcMs }) => gcMs === 0).map(({ cpuMs }) => cpuMs);
  const longest = turns.toSorted((one, other) => other.cpuMs - one.cpuMs).slice(0, LONGEST);
  const perLedger = (ms: number): number => ms / ledgers;
  return [
    figure(`${name}: prepare a ledger`, perLedger(parts.prepareMs), "ms"),
    figure(`${name}: commit it`, perLedger(parts.commitMs), "ms"),
    figure(`${name}: write it into the book`, perLedger(parts.fillMs), "ms"),
    figure(`${name}: show it`, perLedger(parts.flipMs), "ms"),
    figure(`${name}: turn, p99`, quantile(lasted, 0.99), "ms"),
    figure(`${name}: turn, longest`, quantile(walls, 1), "ms"),
    figure(`${name}: CPU of a turn, p99`, quantile(worked, 0.99), "ms"),
    figure(`${name}: CPU of a turn, most`, quantile(cpus, 1), "ms", "below 20"),
    figure(`${name}: without a GC pause, most`, quantile(calm, 1), "ms"),
    figure(
      `${name}: of the ${longest.length} with most CPU, with a GC pause`,
      longest.filter(({ gcMs }) => gcMs > 0).length,
      "",
    ),
  ];
}

class StepsRun {
  readonly #options: ExchangeOptions;
  readonly #clock: { now: number };
  readonly #exchange: Exchange;
  readonly #backing: PlentyBacking;
  readonly #parts: Parts;
  readonly #maker = new Worker(new URL("./book-steps-ledgers.js", import.meta.url));
  #last: Follows = { ledger: 1, hash: "00".repeat(32) };
  #time = START;
  /** What the turn is of. */
  #work: "the ledger" | "the clock" = "the ledger";
  /** The longest turn so far, and what it was of. */
  #longest = { cpuMs: 0, wallMs: 0, of: "none" };

  static async start(folder: string): Promise<StepsRun> {
    const clock = { now: START * 1000 };
    const { contract } = exchangeIdentity;
    const backing = new PlentyBacking(contract);
    const parts = { prepareMs: 0, commitMs: 0, fillMs: 0, flipMs: 0 };
    const options = {
      path: join(folder, "store"),
      ...exchangeIdentity,
      clock: () => clock.now,
    };
    const exchange = await Exchange.open({
      ...options,
      book: new SharedBook({ contract, untracked: "nothing" }),
      backing: backing.records,
      meter: {
        stepped: (times) => add(parts, times),
        commitFailed: () => undefined,
        unknownOrder: () => undefined,
      },
    });
    return new StepsRun(options, clock, exchange, backing, parts);
  }

  private constructor(
    options: ExchangeOptions,
    clock: { now: number },
    exchange: Exchange,
    backing: PlentyBacking,
    parts: Parts,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#exchange = exchange;
    this.#backing = backing;
    this.#parts = parts;
  }

  get orders(): number {
    return this.#exchange.state.markets.orderCount;
  }

  async grow(orders: number): Promise<void> {
    await this.#take({ kind: "grow", orders, ...this.#next }, Math.ceil(orders / GROWTH));
    await this.#backing.load(
      () => this.#last.ledger,
      () => this.rest(1),
    );
    this.#maker.postMessage(this.#backing.keys.map(plentyOf));
  }

  pass(seconds: number): void {
    this.#time += seconds;
  }

  /** Ledgers without anything. */
  async rest(ledgers: number): Promise<void> {
    for (let ledger = 0; ledger < ledgers; ledger += 1) {
      await this.#close(nextLedger(this.#last, this.#time + LEDGER_SECONDS, []));
    }
  }

  /** `name`: of this part of the day. */
  async trade(name: string, ledgers: number, seconds = LEDGER_SECONDS): Promise<Trading> {
    Object.assign(this.#parts, { prepareMs: 0, commitMs: 0, fillMs: 0, flipMs: 0 });
    const { orders } = this;
    const job = { kind: "trade", orders, ledgers, seconds, ...this.#next } as const;
    let taken = 0;
    let startMs = performance.now();
    const turns = await turnsOf(
      () =>
        this.#take(job, ledgers, () => {
          taken += 1;
          if ((taken * seconds) % HOUR !== 0) return;
          this.#tell(name, (seconds * (performance.now() - startMs)) / HOUR);
          startMs = performance.now();
        }),
      (cpuMs, wallMs) => {
        if (cpuMs <= this.#longest.cpuMs) return;
        const of = `${this.#work} of ${this.#daytime}, ${name}`;
        this.#longest = { cpuMs, wallMs, of };
      },
    );
    return { name, turns, ledgers, parts: { ...this.#parts } };
  }

  /** A run that is cut off has told something, too. */
  #tell(name: string, ledgerMs: number): void {
    const { cpuMs, wallMs, of } = this.#longest;
    process.stderr.write(
      `book-steps: ${this.#daytime}, ${name}: ${ledgerMs.toFixed(1)} ms a ledger; longest turn so far ` +
        `${cpuMs.toFixed(1)} ms of CPU in ${wallMs.toFixed(1)} ms: ${of}\n`,
    );
  }

  /** Days, hours, minutes and seconds since the first ledger. */
  get #daytime(): string {
    const seconds = this.#time - START;
    const time = new Date(1000 * (seconds % DAY)).toISOString().slice(11, 19);
    return `day ${1 + Math.floor(seconds / DAY)} ${time}`;
  }

  /** The day's fills, which are those of so many ledgers. */
  checkedDayFills(ledgers: number): number {
    const { fills, tokens } = this.#exchange.state.marketData.dayTotals();
    assert.equal(fills, ledgers * FILLS, "the first fills have left the day");
    const amount = tokens.reduce((sum, token) => sum + token.amount, 0n);
    assert.equal(amount, 2n * FILLED * BigInt(fills), "the day's amounts");
    return fills;
  }

  /** What the steps made of the ticker is what a start reads from the store. */
  async checkReload(): Promise<void> {
    const digest = digestOf(this.#exchange);
    await this.#exchange.close();
    const reloaded = await Exchange.open(this.#options);
    try {
      assert.equal(digestOf(reloaded), digest, "the ticker as a start reads it");
    } finally {
      await reloaded.close();
    }
  }

  async close(): Promise<void> {
    await this.#maker.terminate();
    await this.#exchange.close();
  }

  get #next() {
    return { last: this.#last, time: this.#time };
  }

  /** `taken` is called after each. */
  async #take(job: LedgersJob, ledgers: number, taken?: () => void): Promise<void> {
    const deltas = on(this.#maker, "message");
    this.#maker.postMessage(job);
    for (let lead = 0; lead < LEAD; lead += 1) this.#maker.postMessage("next");
    for (let ledger = 0; ledger < ledgers; ledger += 1) {
      const { value } = await deltas.next();
      this.#maker.postMessage("next");
      const [delta] = value as readonly [LedgerDelta];
      await this.#close(delta);
      taken?.();
    }
    await deltas.return?.();
  }

  async #close(delta: LedgerDelta): Promise<void> {
    this.#last = delta;
    this.#time = delta.closeTime;
    this.#clock.now = this.#time * 1000;
    await nextTurn();
    this.#work = "the ledger";
    await this.#exchange.apply(delta);
    this.#work = "the clock";
    // The clock's own work of these seconds, which `Exchange.start` does once a second.
    await this.#exchange.tick();
    await nextTurn();
  }
}

function add(parts: Parts, { prepareMs, commitMs = 0, fillMs, flipMs }: StepTimes): void {
  parts.prepareMs += prepareMs;
  parts.commitMs += commitMs;
  parts.fillMs += fillMs;
  parts.flipMs += flipMs;
}

/** Of the ticker and the day's totals. */
function digestOf({ state: { marketData } }: Exchange): string {
  const hash = createHash("sha256");
  for (const { pair, prices, baseVolume, quoteVolume, fills } of marketData.ticker().markets) {
    const { open, high, low, last } = prices ?? {};
    const ratios = [open, high, low, last].map((price) => price && [price.base, price.quote]);
    hash.update([pair.base, pair.quote, ...ratios, baseVolume, quoteVolume, fills].join());
  }
  const { fills, tokens } = marketData.dayTotals();
  for (const { asset, amount } of tokens) hash.update([fills, asset, amount].join());
  return hash.digest("hex");
}
