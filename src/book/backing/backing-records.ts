// Backing records as of the visible ledger, the steps that bring them to the next one, and their start: what is shown
// at once, by the rows of the records alone, and the state made of all that the store holds, in portions.
import assert from "node:assert/strict";
import type { Address } from "../../model/address.ts";
import type { Backing, OrderBacking, SharesBlock } from "../../model/backing.ts";
import type { EntriesLoaded, TrackingRequest } from "../../model/entry-tracking.ts";
import type { Order } from "../../model/order.ts";
import { portions, Slices } from "../../model/slice-turns.ts";
import { RecordWriter } from "../../store/record-bytes.ts";
import type { BookChange } from "../book-change.ts";
import { KEPT_ORDERS } from "../order-shares.ts";
import type { BackingRow, BackingStart, BackingStep, PreparedBacking } from "../step.ts";
import {
  entryRowKey,
  parseRow,
  RECORD_PREFIX,
  recordRow,
  recordRowKey,
  shownBacking,
} from "./backing-rows.ts";
import {
  BackingState,
  EVENTS_SETTING,
  eventsMaxOf,
  IDLE_LEDGERS_MAX,
  type OwnedRecord,
} from "./backing-state.ts";
import {
  type BackingBatch,
  backingChange,
  type Committed,
  commitBatch,
  type PendingUpdates,
  reportOf,
  startBatch,
  stepBatch,
} from "./backing-step.ts";
import type { PollAnswer, TokenPoller } from "./custom-tokens.ts";
import { type RecordKeyBuilder, type Token, tokenOf } from "./ledger-keys.ts";
import { inNextLedger, isInBook, isShown, type RecordId, recordId } from "./record.ts";

/** Owners and assets that a portion of a start refers to (a guess: half a millisecond). */
const REFERENCES_AT_ONCE = 100;

type TokenPolls = Pick<TokenPoller, "reached" | "work" | "stop">;

export type BackingOptions = {
  /** The exchange. */
  readonly contract: Address;
  /** Most accounts watched at a time, however many watch each. */
  readonly watchedAccountsMax: number;
  readonly idleLedgersMax?: number;
  /** To the reader thread. Requests are in force in the order sent. */
  readonly track: (request: TrackingRequest) => void;
  /**
   * Makes, once, what asks custom tokens; it hands its answers to `answered`. Absent: records of such
   * tokens stay unloaded.
   */
  readonly polls?: (answered: (answer: PollAnswer) => void) => TokenPolls;
};

type Waiter = { readonly owner: Address; readonly done: () => void };

/** Main thread. */
export class BackingRecords {
  readonly #state: BackingState;
  readonly #options: BackingOptions;
  readonly #polls: TokenPolls | undefined;
  /** Answers of the reader that no applied step has taken; some are of ledgers still to come. */
  readonly #loads = new Set<EntriesLoaded>();
  /** The newest of each record that is not shown yet. */
  readonly #answers = new Map<RecordId, PollAnswer>();
  /** How many watch each account. */
  readonly #watchers = new Map<Address, number>();
  readonly #waiters = new Set<Waiter>();
  #requestStep: () => void = () => {};
  #restoring = new Slices([][Symbol.iterator]());
  /** Reads the orders of makers with many: their shares follow from then on. */
  #keeping = new Slices([][Symbol.iterator]());
  /** What the start found to write: rows that no record was found for go, and such as say too little. */
  #dueRows: readonly BackingRow[] = [];
  #tokensKnown = 0;

  constructor(options: BackingOptions) {
    this.#options = options;
    const { contract, idleLedgersMax = IDLE_LEDGERS_MAX, polls } = options;
    this.#state = new BackingState(contract, idleLedgersMax);
    this.#polls = polls?.((answer) => this.tokenAnswered(answer));
  }

  /** Custom tokens are asked no more. */
  stop(): void {
    this.#polls?.stop();
  }

  /**
   * Returns the records for the shared book, whose orders are loaded already. Most of the rest waits
   * for `restored`, or for the first who asks for it.
   */
  load(start: BackingStart): readonly BookChange[] {
    const state = this.#state;
    assert(state.records.size === 0, "backing records are loaded once");
    state.ledger = start.ledger ?? 0;
    state.closeTime = start.closeTime;
    state.skipped = start.skipped;
    state.shares.ordersSelling = start.ordersSelling;
    if (start.eachSelling !== undefined) state.shares.eachSelling = start.eachSelling;
    this.#keeping = new Slices(
      state.keepShares(start.references.filter(({ orders }) => orders >= KEPT_ORDERS)),
    );
    this.#restoring = new Slices(this.#restore(start));
    const bytes = eventsMaxOf(storedEntry(start, EVENTS_SETTING)?.entry);
    const network: BookChange = { kind: "eventsMax", bytes };
    const stored = storedBackings(state.contract, start);
    if (stored !== undefined) {
      const tokens = storedTokens(stored, start, state.keys);
      const changes = stored.map((backing) => backingChange(backing, tokens.get(backing.asset)));
      return [network, ...changes];
    }
    const records = [...this.#restored().records.values()];
    const writer = new RecordWriter();
    const rows = records.map((record) => recordRow(writer, record));
    this.#dueRows = [...this.#dueRows, ...rows];
    const changes = records
      .filter(isInBook)
      .map(({ next }) => backingChange(next, this.#state.tokens.get(next.asset)));
    return [network, ...changes];
  }

  /**
   * Resolves once everything is as it was before the restart, or has been given up because of the
   * signal. Takes some of the loop's turns. Rejects where a row cannot be read: fatal.
   */
  async restored(signal: AbortSignal): Promise<void> {
    await this.#restoring.finishInTurns(signal);
    await this.#keeping.finishInTurns(signal);
  }

  /**
   * Called with the function that asks for a step without ledgers, soon: entries were loaded or
   * accounts to watch changed. Asking again before that step does nothing more.
   */
  onUpdates(requestStep: () => void): void {
    this.#requestStep = requestStep;
    this.#askForStep();
  }

  /** An answer of the reader thread. */
  entriesLoaded(load: EntriesLoaded): void {
    this.#loads.add(load);
    if (load.ledger <= this.#state.ledger) this.#requestStep();
  }

  /** An answer of a custom token. It counts from the ledger that it is as of. */
  tokenAnswered(answer: PollAnswer): void {
    const id = recordId(answer.owner, answer.asset);
    // Of two that wait the newer says more, and confirms what the older did.
    const { confirms } = this.#answers.get(id) ?? {};
    this.#answers.set(id, confirms === undefined ? answer : { confirms, ...answer });
    if (answer.ledger <= this.#state.ledger) this.#requestStep();
  }

  /** Computes a step, in portions, and touches nothing that is visible. No step is applied meanwhile. */
  *preparing(step: BackingStep): Generator<void, PreparedBacking> {
    const state = this.#restored();
    const ledger = step.deltas.at(-1)?.ledger ?? state.ledger;
    const updates: PendingUpdates = {
      loads: [...this.#loads].filter((load) => load.ledger <= ledger),
      answers: [...this.#answers.values()].filter((answer) => answer.ledger <= ledger),
      watchChanges: this.#watchChanges(),
    };
    const batch = yield* stepBatch(state, step, updates);
    const { rows, ...report } = yield* reportOf(batch);
    const apply = (): void => this.#apply(batch, updates);
    return { ...report, rows: [...this.#dueRows, ...rows], apply };
  }

  /** Records of the book, as far as they are restored, that are not loaded: their orders count as not backed. */
  get unloaded(): number {
    return this.#state.unloaded;
  }

  /** Undefined where the owner and asset are not tracked. */
  backing(owner: Address, asset: Address): Backing | undefined {
    return this.#shown(owner, asset)?.record.backing;
  }

  /** Undefined without tracked backing. An order that is not live gets 0. */
  orderBacking(order: Order): OrderBacking | undefined {
    const shown = this.#shown(order.owner, order.selling);
    if (shown === undefined) return undefined;
    const { backing } = shown.record;
    return { backing, backed: this.#state.shares.share(shown.id, backing.budget, order) };
  }

  /** `CODE:ISSUER` or `native` of every token seen so far that is a classic asset's. */
  *assetNames(): Generator<readonly [Address, string]> {
    for (const [address, token] of this.#restored().tokens) {
      if (token.kind === "native") yield [address, "native"];
      else if (token.kind === "issued") yield [address, `${token.code}:${token.issuer}`];
    }
  }

  /** Loaded records of an owner, by asset; none where nothing is tracked. */
  accountBacking(owner: Address): readonly Backing[] {
    const loaded: Backing[] = [];
    for (const asset of [...(this.#restored().owners.get(owner)?.keys() ?? [])].sort()) {
      const backing = this.backing(owner, asset);
      if (backing?.updated !== undefined) loaded.push(backing);
    }
    return loaded;
  }

  /**
   * What each live order of the owner that sells the asset gets of the budget, oldest first, in blocks: one that is
   * the same object as before says the same.
   */
  ordersBacked(owner: Address, asset: Address): readonly SharesBlock[] {
    const budget = this.backing(owner, asset)?.budget ?? 0n;
    return this.#state.shares.shares(recordId(owner, asset), budget, { owner, asset });
  }

  /**
   * The account's records in every market token are tracked while someone watches. False at the configured limit of
   * accounts: then it is not watched.
   */
  watch(owner: Address): boolean {
    const count = this.#watchers.get(owner) ?? 0;
    if (count === 0 && this.#watchers.size >= this.#options.watchedAccountsMax) return false;
    this.#watchers.set(owner, count + 1);
    if (count === 0) this.#requestStep();
    return true;
  }

  /** Once for each successful `watch`. */
  unwatch(owner: Address): void {
    const count = this.#watchers.get(owner);
    assert(count !== undefined, `nobody watches ${owner}`);
    if (count > 1) {
      this.#watchers.set(owner, count - 1);
      return;
    }
    this.#watchers.delete(owner);
    this.#requestStep();
  }

  /** Resolves once all records of the account are loaded, or after the time. */
  async loaded(owner: Address, timeoutMs: number): Promise<void> {
    if (this.#isLoaded(owner)) return;
    await new Promise<void>((resolve) => {
      const waiter: Waiter = {
        owner,
        done: () => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      const timer = setTimeout(waiter.done, timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  /** The visible state, of which a start leaves the most for later. */
  #restored(): BackingState {
    this.#restoring.finish();
    return this.#state;
  }

  /** In portions, that leave the state unusable until finished. */
  *#restore({ rows, markets, references }: BackingStart): Generator<void> {
    const state = this.#state;
    yield* portions(rows(""), (row) => state.restore(parseRow(row)));
    const keys = [...state.entries.entries.keys()];
    if (keys.length > 0) this.#options.track({ kind: "track", request: 0, keys, load: false });
    const pairs = markets.map(({ pair }) => pair);
    this.#perform(commitBatch(startBatch(state, pairs, [])));
    for (let at = 0; at < references.length; at += REFERENCES_AT_ONCE) {
      yield;
      const some = references.slice(at, at + REFERENCES_AT_ONCE);
      this.#perform(commitBatch(startBatch(state, [], some)));
    }
    // Rows that no record was found for.
    this.#dueRows = [...state.restored.values()]
      .filter(({ owner, asset }) => !state.records.has(recordId(owner, asset)))
      .map(({ owner, asset }) => ({ key: recordRowKey(owner, asset) }));
    state.restored.clear();
  }

  #apply(batch: BackingBatch, updates: PendingUpdates): void {
    const committed = commitBatch(batch);
    this.#dueRows = [];
    for (const load of updates.loads) this.#loads.delete(load);
    for (const answer of updates.answers) {
      const id = recordId(answer.owner, answer.asset);
      if (this.#answers.get(id) === answer) this.#answers.delete(id);
    }
    this.#perform(committed);
    for (const { owner, done } of this.#waiters) if (this.#isLoaded(owner)) done();
    this.#askForStep();
  }

  #perform({ request, keys, polls }: Committed): void {
    const { track } = this.#options;
    if (keys.untrack.length > 0) track({ kind: "untrack", keys: keys.untrack });
    if (keys.track.length > 0) track({ kind: "track", request, keys: keys.track, load: true });
    const { tokens } = this.#state;
    if (tokens.size !== this.#tokensKnown) {
      this.#tokensKnown = tokens.size;
      const others = [...tokens].filter(([, { kind }]) => kind === "other").map(([token]) => token);
      if (others.length > 0) track({ kind: "tokens", tokens: others });
    }
    this.#polls?.reached(this.#state.ledger);
    this.#polls?.work(polls);
  }

  /** What came in while a step was in progress, or belongs to the ledger just reached. */
  #askForStep(): void {
    const { ledger } = this.#state;
    const reached = [...this.#loads, ...this.#answers.values()].some(
      (load) => load.ledger <= ledger,
    );
    if (reached || this.#watchChanges().size > 0) this.#requestStep();
  }

  /** Accounts whose watching the visible state does not show yet. */
  #watchChanges(): ReadonlyMap<Address, boolean> {
    const changes = new Map<Address, boolean>();
    const { watched } = this.#state;
    for (const owner of this.#watchers.keys()) if (!watched.has(owner)) changes.set(owner, true);
    for (const owner of watched) if (!this.#watchers.has(owner)) changes.set(owner, false);
    return changes;
  }

  #isLoaded(owner: Address): boolean {
    const { owners, watched } = this.#restored();
    if (this.#watchers.has(owner) && !watched.has(owner)) return false;
    for (const { record } of owners.get(owner)?.values() ?? []) {
      if (isShown(record) && record.backing.updated === undefined) return false;
    }
    return true;
  }

  #shown(owner: Address, asset: Address): OwnedRecord | undefined {
    const owned = this.#restored().owners.get(owner)?.get(asset);
    return owned !== undefined && isShown(owned.record) ? owned : undefined;
  }
}

/**
 * The records in the shared book, as they count in the next ledger: their rows say what they showed, and it needs no
 * more. Undefined where a row does not say or is missing: then they follow from the ledger entries alone.
 */
function storedBackings(contract: Address, start: BackingStart): readonly Backing[] | undefined {
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

/** The kinds of the records' tokens, as far as the rows of their instances say. */
function storedTokens(
  backings: readonly Backing[],
  start: BackingStart,
  keys: RecordKeyBuilder,
): ReadonlyMap<Address, Token> {
  const tokens = new Map<Address, Token>();
  for (const asset of new Set(backings.map((backing) => backing.asset))) {
    const instance = storedEntry(start, keys.instance(asset));
    if (instance !== undefined) tokens.set(asset, tokenOf(instance.entry));
  }
  return tokens;
}

/** As of the last committed ledger; undefined where the key is not followed. */
function storedEntry({ rows }: BackingStart, key: string) {
  const rowKey = entryRowKey(key);
  for (const row of rows(rowKey)) {
    const parsed = parseRow(row);
    if (row.key === rowKey && parsed.kind === "entry") return parsed;
  }
  return undefined;
}
