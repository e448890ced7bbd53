// References: why each record is tracked (live orders, traded tokens, watched accounts) and how a step changes
// that; then the entries that decide a record, and its values.
import assert from "node:assert/strict";
import type { Address, Pair } from "../../model/address.ts";
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import type { Order } from "../../model/order.ts";
import type { OrderCount } from "../live-tally.ts";
import type { BackingStep } from "../step.ts";
import type { BackingState, StepView } from "./backing-state.ts";
import { restoredPolled } from "./custom-tokens.ts";
import type { RecordKeys, Token } from "./ledger-keys.ts";
import {
  type BackingRecord,
  FREE_HOLDER,
  isShown,
  polledValues,
  type RecordId,
  type RecordValues,
  recordId,
  recordValues,
  unloadedBacking,
} from "./record.ts";

/** What changes of one record; absent: stays. */
export type Reference = {
  readonly owner: Address;
  readonly asset: Address;
  /** Orders more (or fewer, when negative). */
  orders: number;
  watched?: boolean;
  market?: boolean;
};

type OrderEdit = {
  /** The record whose budget backs it. */
  readonly record: RecordId;
  readonly before?: Order;
  readonly after?: Order;
};

/** Reads the visible state alone; collects what a batch has to change. */
export class ReferenceChanges {
  readonly references = new Map<RecordId, Reference>();
  /** In the order of the step. */
  readonly orderEdits: OrderEdit[] = [];
  readonly newMarketTokens = new Set<Address>();
  /** Accounts that become watched (true) or are no longer (false). */
  readonly watchChanges: ReadonlyMap<Address, boolean>;
  readonly #state: BackingState;

  constructor(state: BackingState, watchChanges: ReadonlyMap<Address, boolean>) {
    this.#state = state;
    this.watchChanges = watchChanges;
    for (const [owner, watched] of watchChanges) {
      const assets = watched ? state.marketTokens : (state.owners.get(owner)?.keys() ?? []);
      for (const asset of assets) this.#reference(owner, asset).watched = watched;
    }
  }

  /** Absent `before` or `after`: the order was or is not live. */
  order({ before, after }: BackingStep["orders"][number]): void {
    const order = after ?? before;
    if (order === undefined) return;
    const { owner, selling, buying } = order;
    const record = recordId(owner, selling);
    this.orderEdits.push({ record, ...(before && { before }), ...(after && { after }) });
    if (before !== undefined && after !== undefined) return;
    const more = after === undefined ? -1 : 1;
    this.#reference(owner, selling).orders += more;
    this.#reference(owner, buying).orders += more;
    if (after !== undefined) this.market({ base: selling, quote: buying });
  }

  /** All live orders at start: no order is an edit, since nobody sees anything yet. */
  loadOrders(counts: Iterable<OrderCount>): void {
    for (const { owner, asset, orders } of counts) {
      this.#marketToken(asset);
      this.#reference(owner, asset).orders += orders;
    }
  }

  market({ base, quote }: Pair): void {
    this.#marketToken(base);
    this.#marketToken(quote);
  }

  #marketToken(asset: Address): void {
    if (this.#state.marketTokens.has(asset) || this.newMarketTokens.has(asset)) return;
    this.newMarketTokens.add(asset);
    this.#reference(this.#state.contract, asset).market = true;
    for (const owner of this.#state.watched) {
      if (this.watchChanges.get(owner) !== false) this.#reference(owner, asset).watched = true;
    }
    for (const [owner, watched] of this.watchChanges) {
      if (watched) this.#reference(owner, asset).watched = true;
    }
  }

  #reference(owner: Address, asset: Address): Reference {
    const id = recordId(owner, asset);
    const present = this.references.get(id);
    if (present !== undefined) return present;
    const reference: Reference = { owner, asset, orders: 0 };
    this.references.set(id, reference);
    return reference;
  }
}

// From the reasons to track a record to the entries that decide it, and from those to its values.

/** Starts, changes or ends the tracking of one record. */
export function refer(view: StepView, id: RecordId, reference: Reference): void {
  const { asset, orders, watched, market } = reference;
  const former = view.records.get(id);
  const count = (former?.orders ?? 0) + orders;
  assert(count >= 0, `fewer than no orders refer to ${id}`);
  const next: BackingRecord = {
    ...(former ?? newRecord(view, reference)),
    orders: count,
    watched: watched ?? former?.watched ?? false,
    market: market ?? former?.market ?? false,
  };
  view.touched.add(id);
  if (next.orders === 0 && !next.watched && !next.market) {
    if (former !== undefined) forget(view, id, former);
    return;
  }
  view.records.set(id, next);
  if (former !== undefined) return;
  view.entries.follow(view.state.keys.instance(asset), id);
  const token = view.tokenOf(asset);
  if (token !== undefined) bind(view, id, next, token);
}

function newRecord({ state }: StepView, { owner, asset }: Reference) {
  const backing = unloadedBacking(owner, asset, state.skipped(owner, asset));
  return { owner, asset, backing, next: backing };
}

function forget(view: StepView, id: RecordId, record: BackingRecord): void {
  view.records.delete(id);
  view.entries.release(view.state.keys.instance(record.asset), id);
  for (const key of keysOf(record.keys)) view.entries.release(key, id);
}

/** Starts to follow what decides a record of a token whose kind is known. */
function bind(view: StepView, id: RecordId, record: BackingRecord, token: Token): void {
  const { owner, asset } = record;
  const keys = view.state.keys.record(owner, asset, token);
  if (keys === undefined) {
    view.records.set(id, { ...record, polled: restoredPolled(view, id) });
    return;
  }
  const { polled: _, ...unbound } = record;
  view.records.set(id, { ...unbound, keys });
  for (const key of keysOf(keys)) view.entries.follow(key, id);
}

/** The entry under `key` changed or became known; the kind of its token may depend on it. */
export function touchEntry(view: StepView, id: RecordId, key: string): void {
  const record = view.records.get(id);
  if (record === undefined) return;
  view.touched.add(id);
  if (record.keys !== undefined || key !== view.state.keys.instance(record.asset)) return;
  const token = view.readToken(record.asset);
  if (token === undefined || (token.kind === "other" && record.polled !== undefined)) return;
  bind(view, id, record, token);
}

/** Undefined until everything that decides them is known. */
export function valuesOf(view: StepView, record: BackingRecord): RecordValues | undefined {
  if (record.polled !== undefined) {
    if (!isShown(record)) return FREE_HOLDER;
    return polledValues(record.polled, view.approvals.get(recordId(record.owner, record.asset)));
  }
  const token = view.tokens.get(record.asset);
  if (record.keys === undefined || token === undefined || token.kind === "other") return undefined;
  const holding = entryOf(view, record.keys.holding);
  const allowance = entryOf(view, record.keys.allowance);
  const issuer = entryOf(view, record.keys.issuer);
  if (holding === UNKNOWN || allowance === UNKNOWN || issuer === UNKNOWN) return undefined;
  return recordValues(record.owner, token, { holding, allowance, issuer }, view);
}

const UNKNOWN = Symbol("not known yet");

function entryOf(
  { entries }: StepView,
  key: string | undefined,
): TrackedEntry | undefined | typeof UNKNOWN {
  if (key === undefined) return undefined;
  const followed = entries.get(key);
  return followed?.known === true ? followed.entry : UNKNOWN;
}

function keysOf(keys: RecordKeys | undefined): readonly string[] {
  const all = [keys?.holding, keys?.allowance, keys?.issuer];
  return all.filter((key) => key !== undefined);
}
