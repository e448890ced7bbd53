// Which ledger entries are followed, and how a newly followed one gets its first value.
//
// A key is followed by the decoder from the ledger after `since` on. Its entry is then read with
// getLedgerEntries, which answers as of some ledger. One below `since` came from a server that lags
// behind us: changes between the two may be lost, so it is read again. Any other leaves no hole:
// whoever has the answer and applies the changes of all ledgers after it knows the entry.
import { LedgerEntryData } from "@stellar/stellar-sdk/xdr";
import type { EntriesLoaded, TrackingRequest } from "../model/entry-tracking.ts";
import type { EntryChange } from "../model/ledger-delta.ts";
import { errorText, IngestError } from "./ingest-error.ts";
import { RpcError } from "./json-rpc.ts";
import { KeyTable } from "./key-table.ts";
import type { Log, Timer } from "./ledger-source.ts";
import { KEYS_PER_REQUEST, type LoadEntries } from "./rpc-entries.ts";
import { entryChange, trackedEntry } from "./tracked-entry.ts";

/** Loads wait until the reader is this close to the tip: while it catches up, makers come and go. */
const LAG_MAX_LEDGERS = 32;
const RETRY_MS = 1_000;
/** More entries than this cannot be followed: their keys alone are some 1 GB (choice). */
export const KEYS_MAX = 4_000_000;

export type TrackerOptions = {
  readonly load: LoadEntries;
  readonly deliver: (loaded: EntriesLoaded) => void;
  /** A fault that is not the RPC's: the reader cannot go on. */
  readonly fail: (thrown: unknown) => void;
  readonly timer: Timer;
  readonly log: Log;
  readonly signal: AbortSignal;
};

type Wanted = { readonly request: number; readonly key: string };

export class Tracker {
  readonly keys = new KeyTable();
  /** By key the last ledger that was decoded without following it. */
  private readonly followed = new Map<string, number>();
  private queue: Wanted[] = [];
  private readonly options: TrackerOptions;
  private decoded = 0;
  /** Ledgers up to here are being decoded with what was followed when they were handed out. */
  private handedOut = 0;
  private tip = 0;
  private loading = false;
  /** The last one, told once. */
  private complaint = "";

  constructor(options: TrackerOptions) {
    this.options = options;
  }

  /** Throws IngestError past KEYS_MAX, a RangeError for what is no key. */
  track({ request, keys, load }: Extract<TrackingRequest, { readonly kind: "track" }>): void {
    if (this.followed.size + keys.length > KEYS_MAX) {
      throw new IngestError("internal", `more than ${KEYS_MAX} ledger entries to follow`);
    }
    for (const key of keys) {
      if (!this.followed.has(key)) {
        this.keys.add(key);
        this.followed.set(key, Math.max(this.decoded, this.handedOut));
      }
      if (load) this.queue.push({ request, key });
    }
    this.pump();
  }

  untrack(keys: readonly string[]): void {
    for (const key of keys) {
      this.keys.delete(key);
      this.followed.delete(key);
    }
  }

  /** `ledger` is decoded (or, at the start, the one before the first). */
  passed(ledger: number): void {
    this.decoded = ledger;
    this.sawTip(ledger);
  }

  /** Ledgers up to `ledger` go out to be decoded elsewhere, with what is followed now. */
  handOut(ledger: number): void {
    this.handedOut = Math.max(this.handedOut, ledger);
  }

  /** The newest ledger of the source, as far as known. */
  sawTip(tip: number): void {
    this.tip = Math.max(this.tip, tip);
    this.pump();
  }

  /** One request at a time: the keys of a start are many, and the RPC serves others too. */
  private pump(): void {
    if (this.loading || this.queue.length === 0 || this.options.signal.aborted) return;
    if (this.tip === 0 || this.tip - this.decoded > LAG_MAX_LEDGERS) return;
    this.loading = true;
    this.loadBatch(this.takeBatch()).then(
      () => {
        this.loading = false;
        this.pump();
      },
      (thrown: unknown) => this.options.fail(thrown),
    );
  }

  /** As many of the queue's first as name no more than KEYS_PER_REQUEST keys. */
  private takeBatch(): readonly Wanted[] {
    const keys = new Set<string>();
    const batch: Wanted[] = [];
    let taken = 0;
    for (const wanted of this.queue) {
      if (this.followed.has(wanted.key)) {
        if (keys.size === KEYS_PER_REQUEST && !keys.has(wanted.key)) break;
        keys.add(wanted.key);
        batch.push(wanted);
      }
      taken += 1;
    }
    this.queue = this.queue.slice(taken);
    return batch;
  }

  private async loadBatch(batch: readonly Wanted[]): Promise<void> {
    if (batch.length === 0) return;
    const { load, timer, log, signal } = this.options;
    try {
      const answer = await load([...new Set(batch.map(({ key }) => key))], signal);
      if (signal.aborted) return;
      this.complaint = "";
      const found = new Map(answer.entries.map(({ key, data }) => [key, data]));
      if (this.answer(batch, answer.ledger, found)) return;
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      if (signal.aborted) return;
      const complaint = `ledger entries could not be loaded: ${errorText(thrown)}`;
      if (complaint !== this.complaint) log("warn", complaint);
      this.complaint = complaint;
      this.queue = [...batch, ...this.queue];
    }
    await timer.sleep(RETRY_MS, signal);
  }

  /** False where some have to be asked for again. */
  private answer(
    batch: readonly Wanted[],
    ledger: number,
    found: ReadonlyMap<string, string>,
  ): boolean {
    const byRequest = new Map<number, EntryChange[]>();
    const early: Wanted[] = [];
    for (const wanted of batch) {
      const since = this.followed.get(wanted.key);
      if (since === undefined) continue; // Untracked meanwhile.
      if (ledger < since) {
        early.push(wanted);
        continue;
      }
      const entries = byRequest.get(wanted.request) ?? [];
      entries.push(this.entryOf(wanted.key, found.get(wanted.key)));
      byRequest.set(wanted.request, entries);
    }
    for (const [request, entries] of byRequest) this.options.deliver({ request, ledger, entries });
    this.queue = [...early, ...this.queue];
    return early.length === 0;
  }

  private entryOf(key: string, data: string | undefined): EntryChange {
    if (data === undefined) return { key };
    const entry = trackedEntry(LedgerEntryData.fromXdr(data, "base64"));
    const oddities: string[] = [];
    const change = entryChange(key, entry, oddities);
    for (const message of oddities) this.options.log("warn", message);
    return change;
  }
}
