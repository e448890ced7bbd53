// Custom tokens: what can have changed an answer of theirs, and what an answer
// means. A record is `pending` from such an event until an answer asked for well after it.
import type { Address } from "../../model/address.ts";
import type { ExchangeEvent, TokenEvent } from "../../model/ledger-delta.ts";
import type { BackingStep } from "../step.ts";
import { type BackingRecord, isPolled, type Polled, type RecordId, recordId } from "./record.ts";
import type { RecordChange } from "./step-report.ts";
import type { StepView } from "./step-view.ts";

/**
 * Approvals remembered of owners without a record: a guess far above what a token is used for here,
 * that bounds what a token can do to us with events.
 */
const APPROVALS_MAX = 100_000;

/** What a token answered. */
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

/** Events of the tokens, of the exchange, and orders and skips that name a maker. */
export function touchPolled(view: StepView, { deltas, orders, skips }: BackingStep): void {
  for (const { ledger, tokenEvents, events } of deltas) {
    for (const event of tokenEvents) takeTokenEvent(view, event, ledger);
    for (const event of events) {
      for (const [owner, asset] of partiesOf(event)) touchParty(view, owner, asset, ledger);
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
