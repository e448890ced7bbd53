// Ledgers from Stellar RPC (getLedgers), and the judgement of what it means when one is not there:
// not closed yet, missing for now, gone for good, or a network that began anew.
import { errorText, IngestError } from "./ingest-error.ts";
import { RpcError, type RpcLimits } from "./json-rpc.ts";
import { brokenLink, type LedgerHead, linkOf, readLedgerHead } from "./ledger-header.ts";
import type {
  ChainLink,
  LedgerRequest,
  LedgerSource,
  Log,
  RawLedger,
  SourceStatus,
  Timer,
} from "./ledger-source.ts";
import { LEDGERS_LIMITS, PageSize } from "./page-size.ts";
import { PollRhythm } from "./poll-rhythm.ts";
import {
  type LedgerRange,
  type LedgersPage,
  parseHealth,
  parseLedgersPage,
  rangeInRefusal,
} from "./rpc-answers.ts";
import { RpcPool } from "./rpc-pool.ts";

const HEALTH_LIMITS: RpcLimits = { timeoutMs: 10_000, bytesMax: 1 << 20 };
/** From each URL, before a ledger whose head cannot be read stops us. */
const UNREADABLE_MAX = 3;
/** How often a missing ledger is asked for. */
const GAP_RETRY_MS = 1_000;

export type RpcSourceOptions = {
  readonly urls: readonly string[];
  readonly passphrase: string;
  readonly timer: Timer;
  readonly log: Log;
  readonly onStatus: (status: SourceStatus) => void;
  /** Of a page; absent: LEDGERS_LIMITS. */
  readonly limits?: RpcLimits;
  /**
   * How long ledgers that the source no longer keeps may yet come back before we refuse: at the
   * start of a run, and once it has served us.
   */
  readonly gapGraceMs?: { readonly start: number; readonly running: number };
  /**
   * How long a source that calls itself healthy may be behind us before it is taken for a new
   * network. A healthy server is at most 30 s behind (stellar-rpc's default), so one that has not
   * caught up after this never held our ledgers.
   */
  readonly resetGraceMs?: number;
};

/** A healthy server further behind than this is on another chain: 30 s of 50 ms ledgers are 600. */
const RESET_DISTANCE = 1_000;

type Fetched =
  | { readonly kind: "page"; readonly page: LedgersPage; readonly bytes: number }
  /** The ledger asked for is outside of what is held. */
  | { readonly kind: "outside"; readonly range: LedgerRange }
  | { readonly kind: "failed"; readonly message: string };

export class RpcSource implements LedgerSource {
  private readonly options: RpcSourceOptions;
  private readonly pool: RpcPool;
  private readonly pageSize = new PageSize();
  private readonly rhythm = new PollRhythm();
  private next = 0;
  private previous: ChainLink | undefined;
  /** Whether any ledger came in this run. */
  private served = false;
  private missingSince: number | undefined;
  private behindSince: number | undefined;
  /** Ledgers that should be there are not: told by an empty piece, so that others may be asked. */
  private stuck = false;
  /** URLs in a row that say the same of what we lack; all of them have to. */
  private agreeing = 0;
  /** Times in a row that a ledger's head could not be read. */
  private unreadable = 0;

  constructor(options: RpcSourceOptions) {
    this.options = options;
    this.pool = new RpcPool(options);
  }

  async *ledgers(request: LedgerRequest): AsyncGenerator<readonly RawLedger[], void, undefined> {
    const { signal } = request;
    this.next = request.from;
    this.previous = request.previous;
    while (!signal.aborted) {
      const fetched = await this.fetch(signal);
      if (signal.aborted) return;
      const waitMs = yield* this.handle(fetched, signal);
      if (this.stuck) yield [];
      if (waitMs > 0) await this.options.timer.sleep(waitMs, signal);
    }
  }

  /** Yields what came and returns how long to wait before asking again. */
  private async *handle(
    fetched: Fetched,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RawLedger[], number, undefined> {
    const now = this.options.timer.now();
    switch (fetched.kind) {
      case "failed":
        this.rhythm.lost();
        this.report({ state: "unreachable", ledger: this.next - 1, message: fetched.message });
        return this.pool.restMs();
      case "outside":
        return this.judgeAbsence(fetched.range, now, signal);
      case "page":
        return yield* this.deliver(fetched.page, fetched.bytes, now);
    }
  }

  private async fetch(signal: AbortSignal): Promise<Fetched> {
    const { limit } = this.pageSize;
    this.rhythm.asked(this.options.timer.now());
    const params = { startLedger: this.next, pagination: { limit } };
    try {
      const { limits = LEDGERS_LIMITS } = this.options;
      const { result, bytes } = await this.pool.call("getLedgers", params, limits, signal);
      try {
        return { kind: "page", page: parseLedgersPage(result), bytes };
      } catch (thrown) {
        this.pool.reject();
        throw thrown;
      }
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      return this.failure(thrown, signal);
    }
  }

  private async failure(error: RpcError, signal: AbortSignal): Promise<Fetched> {
    if (error.failure === "refused") {
      const range = rangeInRefusal(error.message) ?? (await this.health(signal));
      if (range !== undefined && (this.next < range.oldest || this.next > range.latest)) {
        return { kind: "outside", range };
      }
      this.pool.reject();
    }
    if (error.failure === "too_large" || error.failure === "timeout") {
      const couldShrink = this.pageSize.shrink();
      if (error.failure === "too_large" && !couldShrink && this.pool.size === 1) {
        throw new IngestError("too_large", `ledger ${this.next}: ${error.message}`, {
          ledger: this.next,
        });
      }
    }
    return { kind: "failed", message: error.message };
  }

  private async health(signal: AbortSignal): Promise<LedgerRange | undefined> {
    try {
      this.rhythm.asked(this.options.timer.now());
      const { result } = await this.pool.call("getHealth", undefined, HEALTH_LIMITS, signal);
      return parseHealth(result);
    } catch (thrown) {
      if (thrown instanceof RpcError) return undefined;
      throw thrown;
    }
  }

  private async *deliver(
    page: LedgersPage,
    bytes: number,
    now: number,
  ): AsyncGenerator<readonly RawLedger[], number, undefined> {
    this.pageSize.received(bytes, page.ledgers.length);
    const fresh: RawLedger[] = [];
    let link = this.previous;
    for (const { sequence, metadata } of page.ledgers) {
      if (sequence !== this.next + fresh.length) break;
      const head = this.checked(sequence, metadata, link);
      if (head === undefined) break;
      link = linkOf(head);
      fresh.push({ sequence, bytes: metadata });
    }
    if (fresh.length === 0) return this.missing(page, now);
    this.next += fresh.length;
    this.previous = link;
    this.served = true;
    this.missingSince = undefined;
    this.behindSince = undefined;
    this.agreeing = 0;
    this.unreadable = 0;
    const caughtUp = this.next > page.latest;
    if (caughtUp) this.rhythm.arrived(fresh.length);
    else this.rhythm.lost();
    this.report({
      state: "following",
      ledger: this.next - 1,
      tip: Math.max(page.latest, this.next - 1),
    });
    yield fresh;
    return caughtUp ? this.rhythm.waitMs(this.options.timer.now()) : 0;
  }

  /** Undefined where the ledger cannot be the next of our chain, as this URL has it. */
  private checked(
    sequence: number,
    metadata: Uint8Array,
    link: ChainLink | undefined,
  ): LedgerHead | undefined {
    const head = this.readHead(sequence, metadata);
    if (head === undefined) return undefined;
    const wrong =
      head.sequence === sequence
        ? brokenLink(head, link)
        : `what is served as ledger ${sequence} is ledger ${head.sequence}`;
    if (wrong === undefined) return head;
    // The chain broke at the very point where we stand, and the ledger itself is sound: either
    // this URL or our own past is of another network.
    const foreign =
      sequence === this.next && head.sequence === sequence && head.hash === head.computedHash;
    if (!foreign) {
      this.options.log("warn", `RPC ${this.pool.name}: ${wrong}`);
      this.pool.reject();
      return undefined;
    }
    this.agreeing += 1;
    if (this.agreeing >= this.pool.size) throw this.reset(wrong);
    this.options.log("warn", `RPC ${this.pool.name}: ${wrong}; asking another`);
    this.pool.next();
    return undefined;
  }

  /** Damage on the way is asked for again; what stays unreadable is thrown. */
  private readHead(sequence: number, metadata: Uint8Array): LedgerHead | undefined {
    try {
      return readLedgerHead(metadata, sequence);
    } catch (thrown) {
      this.unreadable += 1;
      if (this.unreadable >= UNREADABLE_MAX * this.pool.size) throw thrown;
      this.options.log("warn", `RPC ${this.pool.name}: ${errorText(thrown)}`);
      this.pool.reject();
      return undefined;
    }
  }

  /** A page without the ledger asked for, although it lies within what is held. */
  private missing(page: LedgersPage, now: number): number {
    const [first] = page.ledgers;
    // Nothing at all at the tip: the page was cut before our ledger.
    if (first === undefined && this.next > page.latest) return this.judgeTip(page.latest, now);
    if (first !== undefined && first.sequence <= this.next) return this.pool.restMs();
    this.reportGap((first?.sequence ?? this.next + 1) - 1, "the RPC serves later ledgers");
    this.pool.next();
    return GAP_RETRY_MS;
  }

  private judgeAbsence(
    range: LedgerRange,
    now: number,
    signal: AbortSignal,
  ): number | Promise<number> {
    if (this.next > range.latest) {
      if (this.next === range.latest + 1) return this.judgeTip(range.latest, now);
      return this.judgeBehind(range, now, signal);
    }
    return this.judgeTrimmed(range, now);
  }

  private judgeTip(latest: number, now: number): number {
    this.rhythm.missed(now);
    this.behindSince = undefined;
    this.report({ state: "following", ledger: this.next - 1, tip: latest });
    return this.rhythm.waitMs(now);
  }

  /** The source ends before ledgers that we already have. */
  private async judgeBehind(range: LedgerRange, now: number, signal: AbortSignal): Promise<number> {
    this.rhythm.lost();
    this.behindSince ??= now;
    const { resetGraceMs = 40_000 } = this.options;
    const message = `ledger ${this.next - 1} is ahead of the source, which ends at ${range.latest}`;
    this.report({ state: "behind", ledger: this.next - 1, tip: range.latest, message });
    const certain =
      (await this.tipIsYounger(range.latest, signal)) ||
      ((await this.isHealthy(signal)) &&
        (this.next - 1 - range.latest > RESET_DISTANCE || now - this.behindSince >= resetGraceMs));
    if (certain) {
      this.agreeing += 1;
      if (this.agreeing >= this.pool.size) throw this.reset(message);
    } else {
      this.agreeing = 0;
    }
    this.pool.next();
    return GAP_RETRY_MS;
  }

  /** A lower ledger that closed later than ours: numbers began anew. */
  private async tipIsYounger(latest: number, signal: AbortSignal): Promise<boolean> {
    const ours = this.previous?.closeTime;
    if (ours === undefined) return false;
    try {
      this.rhythm.asked(this.options.timer.now());
      const params = { startLedger: latest, pagination: { limit: 1 } };
      const { result } = await this.pool.call("getLedgers", params, LEDGERS_LIMITS, signal);
      const [ledger] = parseLedgersPage(result).ledgers;
      return ledger !== undefined && readLedgerHead(ledger.metadata, latest).closeTime > ours;
    } catch (thrown) {
      if (thrown instanceof RpcError) return false;
      throw thrown;
    }
  }

  private async isHealthy(signal: AbortSignal): Promise<boolean> {
    return (await this.health(signal)) !== undefined;
  }

  /** The source begins after what we need: it may come back for a while, then we refuse. */
  private judgeTrimmed(range: LedgerRange, now: number): number {
    this.rhythm.lost();
    this.missingSince ??= now;
    const last = range.oldest - 1;
    this.agreeing += 1;
    const { start, running } = this.options.gapGraceMs ?? { start: 10_000, running: 120_000 };
    const grace = this.served ? running : start;
    if (this.agreeing >= this.pool.size && now - this.missingSince >= grace) {
      throw new IngestError(
        "gap",
        `ledgers ${this.next} to ${last} are no longer served by any source (the oldest one kept is ${range.oldest})`,
        { ledger: this.next },
      );
    }
    this.reportGap(last, `the oldest ledger the RPC keeps is ${range.oldest}`);
    this.pool.next();
    return GAP_RETRY_MS;
  }

  private reset(message: string): IngestError {
    return new IngestError("reset", `the network began anew: ${message}`, { ledger: this.next });
  }

  private reportGap(last: number, why: string): void {
    this.report({
      state: "gap",
      ledger: this.next - 1,
      first: this.next,
      last,
      message: `ledgers ${this.next} to ${last} are missing: ${why}`,
    });
  }

  private report(status: SourceStatus): void {
    this.stuck = status.state !== "following";
    this.options.onStatus(status);
  }
}
