// Tracker: the ledger entries that are followed, and how a newly followed one gets its first value.
//
// `#followed` holds the last ledger that was decoded without a key: the decoder follows it from the next one on.
// Its entry is then read with getLedgerEntries, which answers as of some ledger. One below that in `#followed`
// came from a server that lags behind us: changes between the two may be lost, so it is read again. Any other
// leaves no hole: the answer and the changes of all ledgers after it give the entry. One as of a ledger that
// has not come yet waits for it, and for no longer than ledgers take: numbers may be wrong.
//
// A server that fails for one key fails for all that are asked for beside it: batches become smaller
// until the key is alone, and that one is asked for now and then.
import { LedgerEntryData } from "@stellar/stellar-sdk/xdr";
import type { EntriesLoaded, TrackingRequest } from "../model/entry-tracking.ts";
import type { EntryChange } from "../model/ledger-delta.ts";
import { errorText, IngestError } from "./ingest-error.ts";
import { RpcError } from "./json-rpc.ts";
import { KeyTable } from "./key-table.ts";
import type { Oddity } from "./ledger-decoder.ts";
import type { Log, Timer } from "./ledger-source.ts";
import type { LoadedEntries } from "./rpc-answers.ts";
import { KEYS_PER_REQUEST, type LoadEntries } from "./rpc-entries.ts";
import { entryChange, entryKey, trackedEntry } from "./tracked-entry.ts";

/** Loads wait until the reader is this close to the tip: during catch-up most loaded keys would be dropped again. */
const LAG_MAX_LEDGERS = 32;
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 8_000;
/** How long an answer may be ahead of us (ledgers take 5 to 6 s). */
const AHEAD_MS = 6_000;
/** First retry pause of a key that fails alone; it grows with each failure. */
const BAD_KEY_MS = 5_000;
const BAD_KEY_MAX_MS = 60_000;
/** More entries than this cannot be followed: their keys alone are some 1 GB (choice). */
const KEYS_MAX = 4_000_000;

export type TrackerOptions = {
  readonly load: LoadEntries;
  /** The source's answer is garbage, or as of a ledger before those that are known, or of none that came. */
  readonly stale?: (source: number) => void;
  readonly deliver: (loaded: EntriesLoaded) => void;
  /** An entry is not as known. */
  readonly oddity?: (oddity: Oddity, ledger: number) => void;
  /** A fault that is not the RPC's: the reader cannot go on. */
  readonly fail: (thrown: unknown) => void;
  readonly timer: Timer;
  readonly log: Log;
  readonly signal: AbortSignal;
};

type Wanted = {
  readonly request: number;
  readonly key: string;
  /** How often it failed alone, while others did not. */
  readonly failures: number;
};

/** Waits for the ledger that it is as of. */
type Early = {
  readonly batch: readonly Wanted[];
  readonly answer: Answer;
  /** Then it is asked for again. */
  readonly until: number;
};

/** A key that failed alone, and when it is asked for again. */
type Later = { readonly batch: readonly Wanted[]; readonly at: number };

type Answer = {
  readonly ledger: number;
  readonly source: number | undefined;
  readonly found: ReadonlyMap<string, EntryChange>;
};

export class Tracker {
  readonly keys = new KeyTable();
  /** By key the last ledger that was decoded without following it. */
  readonly #followed = new Map<string, number>();
  #queue: Wanted[] = [];
  readonly #options: TrackerOptions;
  #decoded = 0;
  /** Ledgers up to here are being decoded with what was followed when they were handed out. */
  #handedOut = 0;
  #tip = 0;
  #loading = false;
  /** Answers ahead of us. */
  #early: Early[] = [];
  #later: Later[] = [];
  #isWaiting = false;
  /** Keys in the next batch at most: fewer while batches fail. */
  #batchMax = KEYS_PER_REQUEST;
  /** Batches in a row that failed. */
  #failures = 0;
  /** Of them single keys. */
  #failedAlone = 0;
  /** The last failure logged: repetitions are not. */
  #complaint = "";

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  /** Throws IngestError past KEYS_MAX, a RangeError for what is no key. */
  track({ request, keys, load }: Extract<TrackingRequest, { readonly kind: "track" }>): void {
    if (this.#followed.size + keys.length > KEYS_MAX) {
      throw new IngestError("internal", `more than ${KEYS_MAX} ledger entries to follow`);
    }
    for (const key of keys) {
      if (!this.#followed.has(key)) {
        this.keys.add(key);
        this.#followed.set(key, Math.max(this.#decoded, this.#handedOut));
      }
      if (load) this.#queue.push({ request, key, failures: 0 });
    }
    this.#pump();
  }

  untrack(keys: readonly string[]): void {
    for (const key of keys) {
      this.keys.delete(key);
      this.#followed.delete(key);
    }
  }

  /** `ledger` is decoded (or, at the start, the one before the first). */
  passed(ledger: number): void {
    this.#decoded = ledger;
    this.#release();
    this.sawTip(Math.max(ledger, this.#tip));
  }

  /** Ledgers up to `ledger` go out to be decoded elsewhere, with what is followed now. */
  handOut(ledger: number): void {
    this.#handedOut = Math.max(this.#handedOut, ledger);
  }

  /** The newest ledger of the source as it is known now: one that was too high is forgotten. */
  sawTip(tip: number): void {
    this.#tip = Math.max(this.#decoded, tip);
    this.#pump();
  }

  /** One request at a time: the keys of a start are many, and the RPC serves others too. */
  #pump(): void {
    if (this.#loading || this.#queue.length === 0 || this.#options.signal.aborted) return;
    if (this.#tip === 0 || this.#tip - this.#decoded > LAG_MAX_LEDGERS) return;
    this.#loading = true;
    this.#loadBatch(this.#takeBatch()).then(
      () => {
        this.#loading = false;
        this.#pump();
      },
      (thrown: unknown) => this.#options.fail(thrown),
    );
  }

  /** As many of the queue's first as name no more keys than a batch may now. */
  #takeBatch(): readonly Wanted[] {
    const keys = new Set<string>();
    const batch: Wanted[] = [];
    let taken = 0;
    for (const wanted of this.#queue) {
      if (this.#followed.has(wanted.key)) {
        if (keys.size >= this.#batchMax && !keys.has(wanted.key)) break;
        keys.add(wanted.key);
        batch.push(wanted);
      }
      taken += 1;
    }
    this.#queue = this.#queue.slice(taken);
    return batch;
  }

  async #loadBatch(batch: readonly Wanted[]): Promise<void> {
    if (batch.length === 0) return;
    const { load, timer, log, signal } = this.#options;
    const keys = [...new Set(batch.map(({ key }) => key))];
    let waitMs = RETRY_MS;
    try {
      const answer = this.#read(new Set(keys), await load(keys, signal));
      if (signal.aborted) return;
      this.#succeeded();
      if (this.#take(batch, answer)) return;
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      if (signal.aborted) return;
      const complaint = `ledger entries could not be loaded: ${errorText(thrown)}`;
      if (complaint !== this.#complaint) log("warn", complaint);
      this.#complaint = complaint;
      waitMs = this.#failed(batch, keys.length, thrown);
    }
    if (waitMs > 0) await timer.sleep(waitMs, signal);
  }

  #succeeded(): void {
    this.#complaint = "";
    this.#failures = 0;
    this.#failedAlone = 0;
    this.#batchMax = Math.min(KEYS_PER_REQUEST, this.#batchMax * 2);
  }

  /** Puts the batch back; milliseconds to wait. */
  #failed(batch: readonly Wanted[], keys: number, error: RpcError): number {
    const isSplittable =
      error.failure === "refused" || error.failure === "too_large" || error.status === 504;
    if (isSplittable && keys > 1) {
      // At most some eight times in a row: a server that fails altogether is asked no more for it.
      this.#batchMax = keys >> 1;
      this.#queue = [...batch, ...this.#queue];
      return 0;
    }
    if (isSplittable) {
      this.#failedAlone += 1;
      // Where two fail alone with nothing between, it is the server that fails.
      if (this.#failedAlone === 1) {
        this.#askLater(batch);
        return 0;
      }
      this.#queue = [...this.#queue, ...batch];
    } else this.#queue = [...batch, ...this.#queue];
    this.#failures += 1;
    return Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** Math.min(16, this.#failures - 1));
  }

  /** One key: others are not kept waiting for it. */
  #askLater(batch: readonly Wanted[]): void {
    const failures = 1 + Math.max(...batch.map((wanted) => wanted.failures));
    const pause = Math.min(BAD_KEY_MAX_MS, BAD_KEY_MS * 2 ** Math.min(16, failures - 1));
    this.#later.push({
      batch: batch.map((wanted) => ({ ...wanted, failures })),
      at: this.#options.timer.now() + pause,
    });
    void this.#wait();
  }

  /** As long as something is to be asked for again at some time. */
  async #wait(): Promise<void> {
    if (this.#isWaiting) return;
    const { timer, signal } = this.#options;
    this.#isWaiting = true;
    while (this.#early.length + this.#later.length > 0 && !signal.aborted) {
      await timer.sleep(RETRY_MS, signal);
      this.#askAgain(timer.now());
    }
    this.#isWaiting = false;
  }

  #askAgain(now: number): void {
    const due = this.#later.filter(({ at }) => at <= now);
    this.#later = this.#later.filter(({ at }) => at > now);
    const overdue = this.#early.filter(({ until }) => until <= now);
    this.#early = this.#early.filter(({ until }) => until > now);
    for (const { answer } of overdue) {
      if (answer.source !== undefined) this.#options.stale?.(answer.source);
    }
    for (const { batch } of [...due, ...overdue]) this.#queue.push(...batch);
    this.#pump();
  }

  /** Hands an answer on, now or once its ledger is reached. False where some is to be asked for again. */
  #take(batch: readonly Wanted[], answer: Answer): boolean {
    if (answer.ledger <= this.#decoded) return this.#answer(batch, answer);
    this.#early.push({ batch, answer, until: this.#options.timer.now() + AHEAD_MS });
    void this.#wait();
    return true;
  }

  /** Answers whose ledger is reached. */
  #release(): void {
    const due = this.#early.filter(({ answer }) => answer.ledger <= this.#decoded);
    if (due.length === 0) return;
    this.#early = this.#early.filter(({ answer }) => answer.ledger > this.#decoded);
    for (const { batch, answer } of due) this.#answer(batch, answer);
  }

  /** False where some have to be asked for again. */
  #answer(batch: readonly Wanted[], { ledger, found, source }: Answer): boolean {
    const byRequest = new Map<number, EntryChange[]>();
    const late: Wanted[] = [];
    for (const wanted of batch) {
      const since = this.#followed.get(wanted.key);
      if (since === undefined) continue; // Untracked meanwhile.
      if (ledger < since) {
        late.push(wanted);
        continue;
      }
      const changes = byRequest.get(wanted.request) ?? [];
      changes.push(found.get(wanted.key) ?? { key: wanted.key });
      byRequest.set(wanted.request, changes);
    }
    for (const [request, changes] of byRequest) {
      this.#options.deliver({ request, ledger, entries: changes });
    }
    this.#queue = [...late, ...this.#queue];
    if (late.length > 0 && source !== undefined) this.#options.stale?.(source);
    return late.length === 0;
  }

  /** Throws RpcError `garbage` where an entry is none, or not one of those asked for. */
  #read(asked: ReadonlySet<string>, { ledger, entries, source }: LoadedEntries): Answer {
    const found = new Map<string, EntryChange>();
    const oddities: Oddity[] = [];
    for (const { key, data } of entries) {
      try {
        const decoded = LedgerEntryData.fromXdr(data, "base64");
        // Left out it would count as one that the ledger does not have.
        if (!asked.has(key) || entryKey(decoded) !== key) throw new Error("another was asked for");
        found.set(key, entryChange(key, trackedEntry(decoded), oddities));
      } catch (cause) {
        if (source !== undefined) this.#options.stale?.(source);
        throw new RpcError("garbage", `the entry under ${key} is not the one asked for`, { cause });
      }
    }
    for (const oddity of oddities) this.#options.oddity?.(oddity, ledger);
    return { ledger, source, found };
  }
}
