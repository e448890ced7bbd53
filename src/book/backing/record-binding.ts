// From the reasons to track a record to the entries that decide it, and from those to its values.
import assert from "node:assert/strict";
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import { restoredPolled } from "./polled-tokens.ts";
import {
  type BackingRecord,
  FREE_HOLDER,
  isShown,
  polledValues,
  type RecordId,
  recordId,
  unloadedBacking,
} from "./record.ts";
import type { RecordKeys } from "./record-keys.ts";
import { type RecordValues, recordValues } from "./record-values.ts";
import type { Reference } from "./references.ts";
import type { StepView } from "./step-view.ts";
import type { Token } from "./token.ts";

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
