// The sources of a reader, built from its options: the source set, the lake, and the feed over both.
import { fetchRange } from "./catch-up/range-fetcher.ts";
import { IngestError } from "./ingest-error.ts";
import type { LakeReader } from "./lake/lake-reader.ts";
import { LakeError } from "./lake/lake-store.ts";
import { LedgerFeed } from "./ledger-feed.ts";
import { type LedgerPages, pagesOf } from "./ledger-pages.ts";
import type { Log, SourceStatus, Timer } from "./ledger-source.ts";
import type { ReaderOptions } from "./messages.ts";
import { type LoadEntries, rpcEntryLoader } from "./rpc-entries.ts";
import type { SourceSet } from "./source-set.ts";

export type SourceContext = {
  readonly timer: Timer;
  readonly log: Log;
  readonly onStatus: (status: SourceStatus) => void;
  /** A call of an RPC failed. */
  readonly onFailure: () => void;
};

export class Sources {
  readonly set: SourceSet;
  readonly feed: LedgerFeed;
  readonly load: LoadEntries;
  readonly #pages: LedgerPages;
  readonly #timer: Timer;

  constructor(options: ReaderOptions, context: SourceContext) {
    const { rpcUrls, lake, proofMs } = options;
    if (rpcUrls.length === 0 && lake === undefined) {
      throw new IngestError("internal", "no source of ledgers is configured");
    }
    this.#timer = context.timer;
    this.#pages = pagesOf(options, context);
    this.set = this.#pages.set;
    this.load = rpcEntryLoader(this.set, context.timer);
    this.feed = new LedgerFeed({ ...context, pages: this.#pages, proofMs });
  }

  get hasRpc(): boolean {
    return this.set.size > 0;
  }

  /** The source's entries are of an unusable ledger: another source is asked next. */
  stale(source: number): void {
    this.set.reject(source, "entries");
  }

  /**
   * The newest ledger anyone has, or undefined while that is unknown. One that is far ahead of
   * `from` counts only where it can be had.
   */
  async tip(from: number, far: number, signal: AbortSignal): Promise<number | undefined> {
    if (this.hasRpc && this.set.restMs("ledgers") === 0) {
      const source = this.set.pick("ledgers");
      const latest = (await this.#pages.health(source, signal))?.latest;
      if (latest !== undefined && latest - from < far) return latest;
      if (latest !== undefined) {
        const request = { from: latest, count: 1, source, isNearTip: true };
        const answer = await this.#pages.fetch(request, signal);
        const isThere = answer.kind === "page" && answer.page.ledgers[0]?.sequence === latest;
        if (isThere) return latest;
      }
    }
    return this.#ofLake((lake) => lake.lastFrom(from, signal));
  }

  /** Ledgers a lake keeps together, else 1. */
  async step(signal: AbortSignal): Promise<number> {
    return (await this.#ofLake((lake) => lake.ledgersPerBatch(signal))) ?? 1;
  }

  /** The XDR of one ledger, or undefined where no source has it. Throws an Error where it cannot be had now. */
  async ledger(sequence: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    await this.#timer.sleep(this.set.restMs("ledgers"), signal);
    const found = await fetchRange({ from: sequence, to: sequence }, this.#pages, signal);
    const [first] = found.ledgers;
    if (first !== undefined || found.isAbsent === true) return first?.bytes;
    throw new Error(found.incomplete);
  }

  async #ofLake<T>(ask: (lake: LakeReader) => Promise<T>): Promise<T | undefined> {
    const { set, lake } = this.#pages;
    if (lake === undefined || set.restMs("ledgers", set.lake) > 0) return undefined;
    try {
      return await ask(lake);
    } catch (thrown) {
      // The feed comes upon the same and judges it.
      if (thrown instanceof LakeError || thrown instanceof IngestError) return undefined;
      throw thrown;
    }
  }
}
