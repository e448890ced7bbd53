// Runs one step after the other, each in three stages. Prepare: everything that the step means is computed
// over the state shown, which it leaves alone, in slices that leave the loop its turns. Commit: what has to
// be kept goes into one transaction; until that is on disk it is tried again, and nothing later overtakes
// it. Show: the idle copy of the book is filled in slices, and then everything that can be read changes
// within one turn. Waiting ledgers are taken in order and in groups; the clock and pending updates of the
// backing records move between them. Main thread.
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../model/clock.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import { asStepWork, inStepSlices, runSlice, stepTurn } from "../model/slice-turns.ts";
import type { ErrorLog } from "../model/thrown.ts";
import type { StepRecord } from "../store/step-record.ts";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import type { BackingRecords } from "./backing/backing-records.ts";
import { planClock } from "./clock-plan.ts";
import { Lifecycle } from "./lifecycle.ts";
import { type PreparedStep, prepareStep } from "./prepared-step.ts";
import type { ShownState } from "./shown-state.ts";
import { type BookWriter, bookState, type Step, type StepListener } from "./step.ts";
import type { StepMeter } from "./step-meter.ts";

/** Ledgers and events stored together when many are waiting: bounds memory and the pause. */
const GROUP_LEDGERS_MAX = 64;
const GROUP_EVENTS_MAX = 500;
/**
 * A step's show waits so long at most until the one before it is told (choice): then the rest of that is told at once.
 * Telling takes more of each turn the longer it takes, so a listener that waits for so long never ends.
 */
const TOLD_MS_MAX = 60_000;
/** Wait before a failed commit is tried again; doubles up to the highest. */
const RETRY_MS = 250;
const RETRY_MS_MAX = 10_000;

export type ExchangeErrorCode =
  /** The ledger is not the one after the last. */
  | "gap"
  /** The ledger does not name the last one's hash as its previous: another history. */
  | "fork"
  | "closed";

export class ExchangeError extends Error {
  readonly code: ExchangeErrorCode;

  constructor(code: ExchangeErrorCode, message: string) {
    super(message);
    this.name = "ExchangeError";
    this.code = code;
  }
}

type FollowedLedger = { readonly ledger: number; readonly hash: string };
type Caller = { readonly resolve: () => void; readonly reject: (error: unknown) => void };
type Waiting = Caller & { readonly delta: LedgerDelta };

export type StepOptions = {
  readonly clock: Clock;
  readonly log: ErrorLog;
  /** Without one, no shared book is kept (tools and tests). */
  readonly book?: BookWriter;
  /** Without one, no backing is known. */
  readonly backing?: BackingRecords;
  /** Told what a step took once it is shown. */
  readonly meter?: StepMeter;
  /** Milliseconds that a step waits at most until the one before it is told; absent: TOLD_MS_MAX. */
  readonly toldMsMax?: number;
};

type PipelineOptions = StepOptions & { readonly store: Store; readonly state: ShownState };

export class StepPipeline {
  readonly #options: PipelineOptions;
  #waiting: Waiting[] = [];
  #ticks: Caller[] = [];
  #hasUpdates = false;
  #wasClock = false;
  /** Ledgers to be taken one by one. */
  #alone = 0;
  #working: Promise<void> | undefined;
  /** Resolves once the listeners have told the step shown last, or it is late. */
  #told: Promise<unknown> | undefined;
  /** A stored step could not be shown: what is seen is no longer what is stored. */
  #broken: unknown;
  readonly #closing = new AbortController();

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  apply(delta: LedgerDelta): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ delta, resolve, reject });
      this.#work();
    });
  }

  tick(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ticks.push({ resolve, reject });
      this.#work();
    });
  }

  /** Asks for a step without ledgers, soon: the backing records have something to show. */
  updatesPending(): void {
    this.#hasUpdates = true;
    this.#work();
  }

  /** Resolves once no step is in progress; whoever still waits is rejected. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#work();
    await this.#working;
  }

  #work(): void {
    this.#working ??= this.#workOff();
  }

  async #workOff(): Promise<void> {
    // Callers of one turn are taken together, and `#working` is set by then.
    await Promise.resolve();
    while (this.#hasUpdates || this.#waiting.length + this.#ticks.length > 0) {
      if (this.#closing.signal.aborted) {
        this.#rejectAll(new ExchangeError("closed", "the exchange is closed"));
      } else if (this.#broken !== undefined) this.#rejectAll(this.#broken);
      else if (this.#ticks.length > 0 && !this.#areLedgersNext()) await this.#applyClock();
      else if (this.#hasUpdates) await this.#applyUpdates();
      else await this.#applyLedgers();
    }
    // Within the same turn as the look at the lists: whoever comes later starts anew.
    this.#working = undefined;
  }

  #rejectAll(error: unknown): void {
    const callers = [...this.#waiting, ...this.#ticks];
    this.#waiting = [];
    this.#ticks = [];
    this.#hasUpdates = false;
    for (const { reject } of callers) reject(error);
  }

  async #applyUpdates(): Promise<void> {
    this.#hasUpdates = false;
    try {
      await this.#run(await this.#begin(), []);
    } catch (error) {
      if (error instanceof ExchangeError && error.code === "closed") return;
      this.#options.log.error(
        { error },
        "pending updates of the backing records could not be applied",
      );
    }
  }

  /** Ledgers take turns with a clock that has many orders to move. */
  #areLedgersNext(): boolean {
    return this.#wasClock && this.#waiting.length > 0;
  }

  async #applyClock(): Promise<void> {
    this.#wasClock = true;
    const callers = this.#ticks;
    this.#ticks = [];
    try {
      const { state, store, clock } = this.#options;
      const move = planClock(store, state.horizon, clock());
      if (move.ids.length === 0) {
        // The clock moved past no order: nothing else changes.
        state.horizon = move.horizon;
      } else {
        const lifecycle = await this.#begin();
        await inStepSlices(lifecycle.moveHorizon(move.horizon, move.ids));
        await this.#run(lifecycle, []);
      }
      await this.#passClock();
      if (move.isDone) for (const { resolve } of callers) resolve();
      else this.#ticks.unshift(...callers);
    } catch (error) {
      for (const { reject } of callers) reject(error);
    }
  }

  /**
   * A slice of what is read ahead for the clock at every tick, so that ledgers without a pause between them leave none
   * of it for when it is due, and more slices only where nothing waits for the pipeline.
   */
  async #passClock(): Promise<void> {
    await stepTurn();
    const portions = this.#options.state.marketData.passClock();
    const isAwaited = (): boolean =>
      this.#hasUpdates || this.#waiting.length > 0 || this.#closing.signal.aborted;
    while (runSlice(portions).done !== true && !isAwaited()) await nextTurn();
  }

  async #applyLedgers(): Promise<void> {
    this.#wasClock = false;
    const group = this.#nextGroup();
    try {
      const { lifecycle, good, failure } = await this.#compute(group);
      if (lifecycle !== undefined) {
        const deltas = good.map(({ delta }) => delta);
        await this.#run(lifecycle, deltas);
      }
      for (const { resolve } of good) resolve();
      const [bad, ...rest] = group.slice(good.length);
      bad?.reject(failure);
      // They follow the bad ledger, so most likely they will not follow the last good one.
      this.#waiting.unshift(...rest);
    } catch (error) {
      if (group.length === 1 || this.#closing.signal.aborted || this.#broken !== undefined) {
        for (const { reject } of group) reject(error);
      } else {
        // One of them cannot be stored: the others must not suffer for it.
        this.#alone = group.length;
        this.#waiting.unshift(...group);
      }
    }
  }

  /** The step of the longest good beginning of the group, and why it ends where it does. */
  async #compute(group: readonly Waiting[]) {
    const lifecycle = await this.#begin();
    let last: FollowedLedger | undefined = this.#options.state.cursor;
    let count = 0;
    let failure: unknown;
    try {
      for (const { delta } of group) {
        checkFollows(delta, last);
        await inStepSlices(lifecycle.applyLedger(delta));
        last = delta;
        count += 1;
      }
      return { lifecycle, good: group, failure };
    } catch (error) {
      failure = error;
    }
    const good = group.slice(0, count);
    if (count === 0) return { lifecycle: undefined, good, failure };
    // What the bad ledger left in the step is dropped with it: the good ones are computed again.
    const again = await this.#begin();
    for (const { delta } of good) await inStepSlices(again.applyLedger(delta));
    return { lifecycle: again, good, failure };
  }

  #nextGroup(): readonly Waiting[] {
    if (this.#alone > 0) {
      this.#alone -= 1;
      return this.#waiting.splice(0, 1);
    }
    let events = 0;
    let count = 0;
    for (const { delta } of this.#waiting) {
      events += delta.events.length + delta.failures.length;
      if (count > 0 && (count === GROUP_LEDGERS_MAX || events > GROUP_EVENTS_MAX)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  /** An empty step, once no reader is left in the copy of the book that it will be written to. */
  async #begin(): Promise<Lifecycle> {
    const { book, store, state } = this.#options;
    await book?.ready();
    return new Lifecycle(store, state);
  }

  /** Durable first, then visible. */
  async #run(lifecycle: Lifecycle, deltas: readonly LedgerDelta[]): Promise<void> {
    const startMs = performance.now();
    const prepared = await this.#prepare(lifecycle, deltas);
    const preparedMs = performance.now();
    const hasCommit = hasRecords(prepared.record);
    if (hasCommit) await this.#commit(prepared.record);
    const storedMs = performance.now();
    try {
      await this.#fillBook(prepared);
      await this.#told;
      await stepTurn();
      const filledMs = performance.now();
      this.#show(prepared);
      this.#options.meter?.stepped({
        ledgers: deltas.length,
        prepareMs: preparedMs - startMs,
        ...(hasCommit ? { commitMs: storedMs - preparedMs } : {}),
        fillMs: filledMs - storedMs,
        flipMs: performance.now() - filledMs,
      });
      for (const each of prepared.unknown) this.#options.meter?.unknownOrder(each);
    } catch (error) {
      this.#broken = error;
      throw error;
    }
  }

  #prepare(lifecycle: Lifecycle, deltas: readonly LedgerDelta[]): Promise<PreparedStep> {
    const { backing, book, store, state } = this.#options;
    const portions = prepareStep(lifecycle, deltas, {
      view: backing,
      storedCandles: store.candles,
      countSelling: (owner, asset, most) =>
        book?.countSelling(owner, asset, most) ??
        Math.min(most, store.history.ordersSelling(owner, asset).length),
      shown: state.cursor,
    });
    return inStepSlices(portions);
  }

  /** Tries until the step is stored or the exchange is closed. */
  async #commit(record: StepRecord): Promise<void> {
    for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, RETRY_MS_MAX)) {
      try {
        return await asStepWork(() => this.#options.store.commit(record));
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== "commit_failed") throw error;
        const ledger = record.cursor?.ledger;
        this.#options.meter?.commitFailed();
        this.#options.log.error({ error, ledger, wait }, "a step was not stored; trying again");
      }
      await delay(wait, undefined, { signal: this.#closing.signal }).catch(() => {
        throw new ExchangeError("closed", "the exchange is closed");
      });
    }
  }

  /** Writes a stored step where nobody sees it yet, leaving the loop its turns. */
  async #fillBook({ changes, record, contract }: PreparedStep): Promise<void> {
    const { book, state } = this.#options;
    await book?.prepare(changes, bookState(contract, record.cursor ?? state.cursor));
  }

  /** Makes a stored step visible. Synchronous: nobody sees a part of it. */
  #show(prepared: PreparedStep): void {
    const { state, book } = this.#options;
    state.take(prepared);
    prepared.backing?.apply();
    book?.publish();
    const { deltas, changes, events } = prepared;
    const step = {
      ledgers: deltas.map(({ ledger, hash, closeTime }) => ({ ledger, hash, closeTime })),
      ledger: state.ledger ?? 0,
      closeTime: state.closeTime,
      changes,
      events,
    };
    const told = Array.from(state.listeners, (listener) => this.#tell(listener, step));
    this.#told = withinMs(this.#options.toldMsMax ?? TOLD_MS_MAX, Promise.all(told));
  }

  /** A listener that fails concerns nobody else: the step is stored and shown. */
  async #tell(listener: StepListener, step: Step): Promise<void> {
    try {
      await listener(step);
    } catch (error) {
      this.#options.log.error({ error, ledger: step.ledger }, "a listener failed at a step");
    }
  }
}

/** A step of the backing records alone may change nothing that is kept. */
function hasRecords({ cursor, orders, backing }: StepRecord): boolean {
  return cursor !== undefined || orders.length + backing.length > 0;
}

/** Resolves with the work, or after so many milliseconds. */
async function withinMs(most: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const late = delay(most, undefined, { signal: done.signal });
  await Promise.race([work, late]);
  done.abort();
}

function checkFollows(delta: LedgerDelta, last: FollowedLedger | undefined): void {
  if (last === undefined) return;
  if (delta.ledger !== last.ledger + 1) {
    throw new ExchangeError("gap", `ledger ${delta.ledger} does not follow ${last.ledger}`);
  }
  if (delta.previousHash !== last.hash) {
    throw new ExchangeError("fork", `ledger ${delta.ledger} does not follow hash ${last.hash}`);
  }
}
