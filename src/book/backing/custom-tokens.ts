// Polling of custom tokens: which events can change an answer, what an answer means, and when tokens are asked.
// A record is `pending` from such an event until an answer requested well after it.
import type { Address } from "../../model/address.ts";
import type { ExchangeEvent, TokenEvent } from "../../model/ledger-delta.ts";
import type { BackingStep } from "../step.ts";
import type { StepView } from "./backing-state.ts";
import {
  type BackingRecord,
  isPolled,
  type Polled,
  type RecordChange,
  type RecordId,
  recordId,
} from "./record.ts";

/**
 * Approvals remembered of owners without a record: a guess far above what a token is used for here,
 * that bounds what a token can do to us with events.
 */
const APPROVALS_MAX = 100_000;

export type PollAnswer = {
  readonly owner: Address;
  readonly asset: Address;
  readonly balance: bigint;
  readonly allowance: bigint;
  /** The ledger it is as of. */
  readonly ledger: number;
  /** The ledger whose event this answer confirms; absent while a later answer is to come. */
  readonly confirms?: number;
};

/** One record to ask a token about. */
export type Poll = {
  readonly owner: Address;
  readonly asset: Address;
  /** The ledger of the event that may have changed the answer; absent: asked for the first time. */
  readonly since?: number;
};

/** What to ask of tokens from now on. */
export type PollWork = {
  readonly poll: readonly Poll[];
  readonly stop: readonly RecordId[];
};

/** How a record starts: with the answer from before a restart, to be confirmed where it was to be then. */
export function restoredPolled(view: StepView, id: RecordId): Polled {
  const { answer, isConfirmed } = view.state.restored.get(id) ?? {};
  const known = answer === undefined ? {} : { answer };
  const isAwaited = !(isConfirmed ?? answer === undefined);
  return isAwaited ? { ...known, awaiting: view.ledger } : known;
}

/** Events of the tokens, of the exchange, and orders and skips that name a maker. In portions of one event. */
export function* touchPolled(
  view: StepView,
  { deltas, orders, skips }: BackingStep,
): Generator<void, void> {
  for (const { ledger, tokenEvents, events } of deltas) {
    for (const event of tokenEvents) {
      takeTokenEvent(view, event, ledger);
      yield;
    }
    for (const event of events) {
      for (const [owner, asset] of partiesOf(event)) touchParty(view, owner, asset, ledger);
      yield;
    }
  }
  if (deltas.length === 0) return;
  for (const { before, after } of orders) {
    const order = after ?? before;
    if (order !== undefined) touchParty(view, order.owner, order.selling, view.ledger);
  }
  for (const { owner, asset } of skips) touchParty(view, owner, asset, view.ledger);
}

/** Allowances whose end is known lapse without a word, and the answers may have changed with that. */
export function lapseApprovals(view: StepView): void {
  const { ledger, approvalEnds } = view.state;
  for (const id of approvalEnds.between(ledger, view.ledger)) endApproval(view, id);
}

/** What was answered of the allowance is over, whether or not the token can say so by now. */
function endApproval(view: StepView, id: RecordId): void {
  view.approvals.delete(id);
  const record = view.records.get(id);
  if (record?.polled === undefined) return;
  const { answer } = record.polled;
  const polled =
    answer === undefined
      ? record.polled
      : { ...record.polled, answer: { ...answer, allowance: 0n } };
  const ended = { ...record, polled };
  view.records.set(id, ended);
  view.touched.add(id);
  awaitAnswer(view, id, ended, view.ledger);
}

function awaitAnswer(view: StepView, id: RecordId, record: BackingRecord, since: number): void {
  if (record.polled === undefined || !isPolled(record)) return;
  view.records.set(id, { ...record, polled: { ...record.polled, awaiting: since } });
  view.touched.add(id);
}

export function takeAnswer(view: StepView, answer: PollAnswer): void {
  const { owner, asset, balance, allowance, confirms } = answer;
  const id = recordId(owner, asset);
  const record = view.records.get(id);
  if (record?.polled === undefined) return;
  const { awaiting } = record.polled;
  const open = awaiting !== undefined && confirms !== awaiting;
  const polled = { answer: { balance, allowance }, ...(open ? { awaiting } : {}) };
  view.records.set(id, { ...record, polled });
  view.touched.add(id);
}

/** What the step changes of what has to be asked. */
export function pollWork(changes: readonly RecordChange[]): PollWork {
  const poll: Poll[] = [];
  const stop: RecordId[] = [];
  for (const { id, former, now } of changes) {
    if (now !== undefined && isPolled(now)) {
      const since = now.polled?.awaiting;
      if (isPolled(former) && (since === undefined || since === former?.polled?.awaiting)) continue;
      const { owner, asset } = now;
      poll.push(since === undefined ? { owner, asset } : { owner, asset, since });
    } else if (isPolled(former)) stop.push(id);
  }
  return { poll, stop };
}

function takeTokenEvent(view: StepView, event: TokenEvent, ledger: number): void {
  const { token, addresses, liveUntil } = event;
  for (const owner of addresses) touchParty(view, owner, token, ledger);
  const kind = view.tokens.get(token)?.kind;
  // Until a token is known its approvals are kept: its kind is only asked for once it is traded.
  if (kind !== undefined && kind !== "other") return;
  const [approver, spender] = addresses;
  if (approver === undefined || spender !== view.state.contract || liveUntil === undefined) return;
  const id = recordId(approver, token);
  if (liveUntil < view.ledger) endApproval(view, id);
  else if (view.records.get(id) !== undefined || view.state.approvals.size < APPROVALS_MAX) {
    view.approvals.set(id, liveUntil);
  }
}

function touchParty(view: StepView, owner: Address, asset: Address, ledger: number): void {
  if (view.tokens.get(asset)?.kind !== "other") return;
  const id = recordId(owner, asset);
  const record = view.records.get(id);
  if (record !== undefined) awaitAnswer(view, id, record, ledger);
}

/** Whose balance or allowance of which asset an event of the exchange can change. */
function* partiesOf(event: ExchangeEvent): Iterable<readonly [Address, Address]> {
  if (event.kind === "trade") {
    for (const party of [event.maker, event.taker]) {
      yield [party, event.soldAsset];
      yield [party, event.boughtAsset];
    }
  } else if (event.kind === "swap") {
    yield [event.trader, event.soldAsset];
    yield [event.trader, event.boughtAsset];
  }
}

// Asks custom tokens: at once when something may have changed an answer, again a
// while later to confirm it, and all of them now and then.

/** What a token says of one owner, as of `ledger`. */
export type TokenHolding = {
  readonly balance: bigint;
  readonly allowance: bigint;
  readonly ledger: number;
  /** Who said so, for `ahead`. */
  readonly source?: number;
};

/** Where the answers come from. Rejects where there is none for now, or none as of ledger `from`. */
export interface TokenReader {
  read(owner: Address, asset: Address, from: number): Promise<TokenHolding>;
  /** What `source` said is as of a ledger that has not come in time: another is asked next. */
  ahead?(source: number): void;
}

/** Returns the way to cancel. */
export type After = (milliseconds: number, run: () => void) => () => void;

export type TokenPollerOptions = {
  readonly reader: TokenReader;
  readonly answered: (answer: PollAnswer) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly after: After;
  /** In [0, 1): spreads retries and the periodic look. */
  readonly random: () => number;
};

/** Questions in flight at a time: a guess that a shared RPC does not mind. */
export const QUESTIONS_MAX = 4;
/** Less than a ledger of 5 seconds: a maker with an event in every ledger is not pending for ever. */
export const CONFIRM_MS = 3_000;
/** Tokens can change balances without an event; a guess of how long that may go unseen. */
export const SWEEP_MS = 300_000;
const RETRY_MS = 1_000;
/** Above that a book stands still for long after its RPC is well again; the sources pause for themselves. */
const RETRY_MS_MAX = 4_000;
/** How long an answer may be ahead of the ledgers shown before another is asked for. */
export const AHEAD_MS = 2_500;

type Subject = {
  readonly owner: Address;
  readonly asset: Address;
  /** Ledger of the last event, until an answer confirms it. */
  since: number | undefined;
  /** The answers to questions asked from now on are late enough to confirm `since`. */
  isLateEnough: boolean;
  /** Newest ledger answered for: an answer from a server that lags behind would undo a newer one. */
  readonly answered: { ledger: number };
  failures: number;
  /** The ledger that was shown when it began: an answer as of an earlier one is too old. */
  readonly begun: number;
  /** Waits for the ledger that it is as of: no answer counts as newer than ledgers that have closed. */
  early: (TokenHolding & { readonly isLateEnough: boolean }) | undefined;
  cancelConfirm: (() => void) | undefined;
  cancelNext: (() => void) | undefined;
};

/** Main thread. One question at a time for each record. */
export class TokenPoller {
  readonly #options: TokenPollerOptions;
  readonly #subjects = new Map<RecordId, Subject>();
  /** Records to ask about, first come first served. */
  readonly #queue = new Set<RecordId>();
  readonly #asking = new Set<RecordId>();
  readonly #early = new Set<RecordId>();
  #reached = 0;
  #stopped = false;
  /** The last question failed: told once, not for each record and try. */
  #isFailing = false;

  constructor(options: TokenPollerOptions) {
    this.#options = options;
  }

  /** `ledger` is shown: answers as of it count from now on. */
  reached(ledger: number): void {
    this.#reached = ledger;
    for (const id of this.#early) {
      const subject = this.#subjects.get(id);
      const { early } = subject ?? {};
      if (early !== undefined && early.ledger > ledger) continue;
      this.#early.delete(id);
      if (subject === undefined || early === undefined) continue;
      subject.early = undefined;
      this.#take(id, subject, early);
    }
  }

  work({ poll, stop }: PollWork): void {
    if (this.#stopped) return;
    for (const id of stop) this.#forget(id);
    for (const each of poll) this.#begin(each);
    this.#ask();
  }

  /** No question is asked and no answer handed on any more. */
  stop(): void {
    this.#stopped = true;
    for (const id of [...this.#subjects.keys()]) this.#forget(id);
  }

  #begin({ owner, asset, since }: Poll): void {
    const id = recordId(owner, asset);
    const former = this.#subjects.get(id);
    if (former !== undefined) cancel(former);
    const subject: Subject = {
      owner,
      asset,
      since,
      isLateEnough: since === undefined,
      answered: former?.answered ?? { ledger: 0 },
      failures: 0,
      begun: this.#reached,
      early: undefined,
      cancelConfirm: undefined,
      cancelNext: undefined,
    };
    this.#subjects.set(id, subject);
    this.#queue.add(id);
    if (since === undefined) return;
    subject.cancelConfirm = this.#options.after(CONFIRM_MS, () => {
      subject.isLateEnough = true;
      this.#enqueue(id, subject);
    });
  }

  #forget(id: RecordId): void {
    const subject = this.#subjects.get(id);
    if (subject !== undefined) cancel(subject);
    this.#subjects.delete(id);
    this.#queue.delete(id);
  }

  #enqueue(id: RecordId, subject: Subject): void {
    if (this.#subjects.get(id) !== subject) return;
    this.#queue.add(id);
    this.#ask();
  }

  #ask(): void {
    for (const id of this.#queue) {
      if (this.#stopped || this.#asking.size >= QUESTIONS_MAX) return;
      if (this.#asking.has(id)) continue;
      this.#queue.delete(id);
      const subject = this.#subjects.get(id);
      if (subject === undefined) continue;
      this.#asking.add(id);
      void this.#read(id, subject).finally(() => {
        this.#asking.delete(id);
        this.#ask();
      });
    }
  }

  async #read(id: RecordId, subject: Subject): Promise<void> {
    const { owner, asset, since, begun, answered, isLateEnough } = subject;
    try {
      const from = Math.max(since ?? begun, answered.ledger);
      const holding = await this.#options.reader.read(owner, asset, from);
      this.#isFailing = false;
      if (this.#subjects.get(id) !== subject) return;
      subject.failures = 0;
      this.#take(id, subject, { ...holding, isLateEnough });
    } catch (error) {
      if (this.#subjects.get(id) !== subject) return;
      if (!this.#isFailing) {
        const fields = { err: error, owner, asset };
        this.#options.warn(fields, "tokens cannot be asked; trying until they can");
      }
      this.#isFailing = true;
      this.#retry(id, subject);
    }
  }

  #take(
    id: RecordId,
    subject: Subject,
    answer: TokenHolding & { readonly isLateEnough: boolean },
  ): void {
    const { owner, asset, since, answered } = subject;
    const { balance, allowance, ledger, isLateEnough } = answer;
    if (ledger < Math.max(since ?? 0, answered.ledger)) {
      this.#retry(id, subject);
      return;
    }
    if (ledger > this.#reached) {
      subject.early = answer;
      this.#early.add(id);
      const { after, random, reader } = this.#options;
      subject.cancelNext?.();
      subject.cancelNext = after(AHEAD_MS * (1 + random()), () => {
        if (answer.source !== undefined) reader.ahead?.(answer.source);
        this.#enqueue(id, subject);
      });
      return;
    }
    subject.cancelNext?.();
    // What is still to come is older than this, whatever ledger it claims.
    subject.early = undefined;
    answered.ledger = ledger;
    const isConfirmed = since !== undefined && isLateEnough;
    const confirms = isConfirmed ? { confirms: since } : {};
    this.#options.answered({ owner, asset, balance, allowance, ledger, ...confirms });
    if (isConfirmed) subject.since = undefined;
    if (subject.since !== undefined) return;
    this.#askAfter(id, subject, SWEEP_MS * (0.5 + this.#options.random()));
  }

  #retry(id: RecordId, subject: Subject): void {
    const full = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** Math.min(subject.failures, 16));
    subject.failures += 1;
    this.#askAfter(id, subject, full * (0.5 + this.#options.random() / 2));
  }

  #askAfter(id: RecordId, subject: Subject, pauseMs: number): void {
    subject.cancelNext?.();
    subject.cancelNext = this.#options.after(pauseMs, () => this.#enqueue(id, subject));
  }
}

function cancel({ cancelConfirm, cancelNext }: Subject): void {
  cancelConfirm?.();
  cancelNext?.();
}
