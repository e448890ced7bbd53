// The backing records at a start: what is shown at once, by their rows alone, and the state made of all that
// the store holds, in portions.
import type { Address } from "../../model/address.ts";
import type { Backing } from "../../model/backing.ts";
import { inTurns } from "../../model/slice-turns.ts";
import { EVENTS_MAX_DEFAULT } from "../shared-layout.ts";
import type { BackingRow, BackingStart } from "../step.ts";
import {
  entryRowKey,
  parseRow,
  RECORD_PREFIX,
  recordRowKey,
  shownBacking,
} from "./backing-rows.ts";
import { type BackingState, EVENTS_SETTING, eventsMaxOf } from "./backing-state.ts";
import { BackingBatch } from "./backing-step.ts";
import { type Token, tokenOf } from "./ledger-keys.ts";
import { inNextLedger, recordId } from "./record.ts";

/** Rows and records of one portion (a guess: half a millisecond). */
const PORTION = 100;

type Restoring = {
  readonly state: BackingState;
  readonly start: BackingStart;
  /** Takes a batch, and the keys that entries of the store are followed under. */
  readonly perform: (batch: BackingBatch) => void;
  readonly follow: (keys: readonly string[]) => void;
  /** Rows that no record was found for. */
  readonly stale: (rows: readonly BackingRow[]) => void;
};

/** In portions, that leave the state unusable until finished. */
export function* restoreRecords(restoring: Restoring): Generator<void> {
  const { state, start, perform, follow, stale } = restoring;
  let rows = 0;
  for (const row of start.rows("")) {
    restoreRow(state, row);
    rows += 1;
    if (rows % PORTION === 0) yield;
  }
  follow([...state.entries.entries.keys()]);
  const markets = start.markets.map(({ pair }) => pair);
  perform(BackingBatch.ofStart(state, markets, []));
  for (let at = 0; at < start.references.length; at += PORTION) {
    yield;
    const references = start.references.slice(at, at + PORTION);
    perform(BackingBatch.ofStart(state, [], references));
  }
  stale(
    [...state.restored.values()]
      .filter(({ owner, asset }) => !state.records.has(recordId(owner, asset)))
      .map(({ owner, asset }) => ({ key: recordRowKey(owner, asset) })),
  );
  state.restored.clear();
}

function restoreRow(
  state: BackingState,
  row: { readonly key: string; readonly value: Uint8Array },
) {
  const parsed = parseRow(row);
  switch (parsed.kind) {
    case "network":
      state.baseReserve = parsed.baseReserve;
      break;
    case "entry": {
      const { key, entry } = parsed;
      state.entries.entries.set(
        key,
        entry === undefined ? { known: true } : { known: true, entry },
      );
      state.entries.idle.set(key, state.ledger);
      break;
    }
    case "approval": {
      const { owner, asset, liveUntil } = parsed;
      state.approvals.set(recordId(owner, asset), liveUntil);
      state.approvalEnds.change(recordId(owner, asset), 0, liveUntil);
      break;
    }
    case "record":
      state.restored.set(recordId(parsed.record.owner, parsed.record.asset), parsed.record);
      break;
  }
}

// What a start shows of the backing records before it has restored them: their rows say what they
// showed, and the shared book needs no more.

/**
 * The records in the shared book, as they count in the next ledger. Undefined where a row does not
 * say or is missing: then they follow from the ledger entries alone.
 */
export function storedBackings(
  contract: Address,
  start: BackingStart,
): readonly Backing[] | undefined {
  const { ledger = 0, rows } = start;
  const wanted = wantedRecords(contract, start);
  let missing = 0;
  for (const assets of wanted.values()) missing += assets.size;
  const backings: Backing[] = [];
  for (const row of rows(RECORD_PREFIX)) {
    const { backing, short } = shownBacking(row) ?? {};
    if (backing === undefined || short === undefined) return undefined;
    if (wanted.get(backing.owner)?.has(backing.asset) !== true) continue;
    backings.push(inNextLedger(backing, { ledger, short }, backing));
    missing -= 1;
  }
  return missing === 0 ? backings : undefined;
}

/** The kinds of the records' tokens, as far as the rows of their instances say. */
export function storedTokens(
  backings: readonly Backing[],
  { rows }: BackingStart,
  instanceKey: (asset: Address) => string,
): ReadonlyMap<Address, Token> {
  const tokens = new Map<Address, Token>();
  for (const asset of new Set(backings.map((backing) => backing.asset))) {
    const prefix = entryRowKey(instanceKey(asset));
    for (const row of rows(prefix)) {
      const parsed = parseRow(row);
      if (row.key === prefix && parsed.kind === "entry") tokens.set(asset, tokenOf(parsed.entry));
    }
  }
  return tokens;
}

/** Owners of live orders with the assets of those, and the contract with every asset traded. */
function wantedRecords(
  contract: Address,
  { markets, references }: BackingStart,
): ReadonlyMap<Address, ReadonlySet<Address>> {
  const traded = new Set(markets.flatMap(({ pair }) => [pair.base, pair.quote]));
  const wanted = new Map([[contract, traded]]);
  for (const { owner, asset } of references) {
    traded.add(asset);
    const assets = wanted.get(owner);
    if (assets === undefined) wanted.set(owner, new Set([asset]));
    else assets.add(asset);
  }
  return wanted;
}

/** As of the last committed ledger. */
export function storedEventsMax({ rows }: Pick<BackingStart, "rows">): number {
  const key = entryRowKey(EVENTS_SETTING);
  for (const row of rows(key)) {
    const parsed = parseRow(row);
    if (row.key === key && parsed.kind === "entry") return eventsMaxOf(parsed.entry);
  }
  return EVENTS_MAX_DEFAULT;
}

/**
 * Work that can wait, in turns of the loop, or at once when somebody needs its result. `portions` yields after each
 * portion, of less than a millisecond. Main thread.
 */
export class Slices {
  #portions: Iterator<void> | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(portions: Iterator<void>) {
    this.#portions = portions;
  }

  /** Does what is left now. Throws what a portion threw, each time: the rest can never be done. */
  finish(): void {
    while (this.#next());
  }

  /** Resolves once all is done, or nothing will be done any more because of the signal. */
  finishInTurns(signal: AbortSignal): Promise<void> {
    return inTurns(this.#rest(), signal);
  }

  *#rest(): Generator<void, void> {
    while (this.#next()) yield;
  }

  /** False when nothing is left. */
  #next(): boolean {
    if (this.#failure !== undefined) throw this.#failure.cause;
    if (this.#portions === undefined) return false;
    try {
      if (this.#portions.next().done === true) this.#portions = undefined;
      return this.#portions !== undefined;
    } catch (cause) {
      this.#failure = { cause };
      throw cause;
    }
  }
}
