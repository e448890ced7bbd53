// One step after the other: waiting ledgers are taken in order and in groups, and the clock moves
// between them. A step that cannot be stored is tried again; nothing later overtakes it.
import { setTimeout as delay } from "node:timers/promises";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { Horizon, LedgerCursor, StepRecord } from "../store/step-record.ts";
import { StoreError } from "../store/store-error.ts";
import type { ClockMove } from "./clock-plan.ts";
import { ExchangeError } from "./exchange-error.ts";
import type { ExchangeLog } from "./exchange-options.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { PreparedStep } from "./prepared-step.ts";
import type { StepMeter } from "./step-meter.ts";

/** Ledgers and events stored together when many are waiting: bounds memory and the pause. */
const GROUP_LEDGERS_MAX = 64;
const GROUP_EVENTS_MAX = 500;
/** Wait before a failed commit is tried again; doubles up to the highest. */
const RETRY_MS = 250;
const RETRY_MS_MAX = 10_000;

type FollowedLedger = { readonly ledger: number; readonly hash: string };
type Caller = { readonly resolve: () => void; readonly reject: (error: unknown) => void };
type Waiting = Caller & { readonly delta: LedgerDelta };

/** What the queue drives. */
export type Steps = {
  readonly log: ExchangeLog;
  readonly cursor: () => LedgerCursor | undefined;
  readonly startStep: () => Promise<Lifecycle>;
  /** Completes a step with what follows from it. */
  readonly prepare: (lifecycle: Lifecycle, deltas: readonly LedgerDelta[]) => PreparedStep;
  readonly store: (record: StepRecord) => Promise<void>;
  /** Writes a stored step where nobody sees it yet, leaving the loop its turns. */
  readonly fillBook: (prepared: PreparedStep) => Promise<void>;
  readonly show: (prepared: PreparedStep) => void;
  readonly clockMove: () => ClockMove;
  /** The clock moved past no order: nothing to store. */
  readonly passClock: (horizon: Horizon) => void;
  /** Told what a step took once it is shown. */
  readonly meter: StepMeter | undefined;
};

export class StepQueue {
  readonly #steps: Steps;
  #waiting: Waiting[] = [];
  #ticks: Caller[] = [];
  #hasUpdates = false;
  #wasClock = false;
  /** Ledgers to be taken one by one. */
  #alone = 0;
  #working: Promise<void> | undefined;
  /** A stored step could not be shown: what is seen is no longer what is stored. */
  #broken: unknown;
  readonly #closing = new AbortController();

  constructor(steps: Steps) {
    this.#steps = steps;
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
      await this.#finish(await this.#steps.startStep(), []);
    } catch (error) {
      this.#steps.log.error(
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
      const move = this.#steps.clockMove();
      if (move.ids.length === 0) {
        this.#steps.passClock(move.horizon);
      } else {
        const lifecycle = await this.#steps.startStep();
        lifecycle.moveHorizon(move.horizon, move.ids);
        await this.#finish(lifecycle, []);
      }
      if (move.isDone) for (const { resolve } of callers) resolve();
      else this.#ticks.unshift(...callers);
    } catch (error) {
      for (const { reject } of callers) reject(error);
    }
  }

  async #applyLedgers(): Promise<void> {
    this.#wasClock = false;
    const group = this.#nextGroup();
    try {
      const { lifecycle, good, failure } = await this.#compute(group);
      if (lifecycle !== undefined) {
        const deltas = good.map(({ delta }) => delta);
        await this.#finish(lifecycle, deltas);
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
    const lifecycle = await this.#steps.startStep();
    let last = this.#steps.cursor();
    let count = 0;
    let failure: unknown;
    try {
      for (const { delta } of group) {
        checkFollows(delta, last);
        lifecycle.applyLedger(delta);
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
    const again = await this.#steps.startStep();
    for (const { delta } of good) again.applyLedger(delta);
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

  /** Durable first, then visible. */
  async #finish(lifecycle: Lifecycle, deltas: readonly LedgerDelta[]): Promise<void> {
    const startMs = performance.now();
    const prepared = this.#steps.prepare(lifecycle, deltas);
    const preparedMs = performance.now();
    const hasCommit = hasRecords(prepared.record);
    if (hasCommit) await this.#store(prepared.record);
    const storedMs = performance.now();
    try {
      await this.#steps.fillBook(prepared);
      const filledMs = performance.now();
      this.#steps.show(prepared);
      this.#steps.meter?.stepped({
        ledgers: deltas.length,
        prepareMs: preparedMs - startMs,
        ...(hasCommit ? { commitMs: storedMs - preparedMs } : {}),
        fillMs: filledMs - storedMs,
        flipMs: performance.now() - filledMs,
      });
    } catch (error) {
      this.#broken = error;
      throw error;
    }
  }

  /** Tries until the step is stored or the exchange is closed. */
  async #store(record: StepRecord): Promise<void> {
    for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, RETRY_MS_MAX)) {
      try {
        return await this.#steps.store(record);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== "commit_failed") throw error;
        const ledger = record.cursor?.ledger;
        this.#steps.meter?.commitFailed();
        this.#steps.log.error({ error, ledger, wait }, "a step was not stored; trying again");
      }
      await delay(wait, undefined, { signal: this.#closing.signal }).catch(() => {
        throw new ExchangeError("closed", "the exchange is closed");
      });
    }
  }
}

/** A step of the backing records alone may change nothing that is kept. */
function hasRecords({ cursor, orders, backing }: StepRecord): boolean {
  return cursor !== undefined || orders.length + backing.length > 0;
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
