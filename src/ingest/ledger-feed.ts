// Merges all sources into one stream of ledgers: the lake for the past, the RPCs for the present; of the RPCs
// the one is followed that delivers. Only a proven other history ends the stream: a ledger that is missing or
// unreadable is requested again, from every source, with growing pauses.
import { checkChain } from "./chain-check.ts";
import { HistoryProof } from "./history-proof.ts";
import { errorText, IngestError } from "./ingest-error.ts";
import { LakeError } from "./lake/lake-store.ts";
import { LedgerPace } from "./ledger-pace.ts";
import type { LedgerPages, PageAnswer } from "./ledger-pages.ts";
import type {
  ChainLink,
  LedgerRequest,
  Log,
  RawLedger,
  SourceStatus,
  Timer,
} from "./ledger-source.ts";
import { PollRhythm } from "./poll-rhythm.ts";
import type { LedgerRange, LedgersPage } from "./rpc-answers.ts";
import type { SourceSet } from "./source-set.ts";

/** Pauses between requests for ledgers that should exist and are missing: the first and the longest. */
const RETRY_MS = 250;
const RETRY_MAX_MS = 15_000;
/** Retry pause where a server's tip is below ours: it may be one of many behind a balancer. */
const BEHIND_RETRY_MAX_MS = 5_000;
/** Poll interval of a lake at its end: it is written a ledger at a time (5 s on the public networks). */
const LAKE_POLL_MS = 1_000;
/** Interval between searches for later ledgers in a lake; each takes tens of requests. */
const LAKE_HOLE_MS = 30_000;
/** How long a missing first ledger of an empty store may come back. */
const GAP_AT_START_MS = 10_000;
/** Failed reads of a ledger, of all sources together, before the state says so. */
const UNREADABLE_MAX = 2;
/** Further behind the tip than so many ledgers for so many patiences is no longer following. */
const LAG_LEDGERS = 1;
const LAG_PATIENCES = 2;

export type LedgerFeedOptions = {
  readonly pages: LedgerPages;
  readonly timer: Timer;
  readonly log: Log;
  readonly onStatus: (status: SourceStatus) => void;
  /** Milliseconds for which all sources have to show another history before the store is set aside. */
  readonly proofMs: number;
};

type Found = {
  readonly ledgers: readonly RawLedger[];
  /** Pause before the next request. */
  readonly waitMs: number;
};

export class LedgerFeed {
  readonly #options: LedgerFeedOptions;
  readonly #set: SourceSet;
  readonly #pages: LedgerPages;
  readonly #proof: HistoryProof;
  readonly #rhythm = new PollRhythm();
  readonly #pace: LedgerPace;
  #next = 0;
  #previous: ChainLink | undefined;
  #mayBeginLater = false;
  #served = false;
  /** Ledgers come out of the lake, as far as it goes. */
  #inLake = true;
  #lakeAskedAt: number | undefined;
  #lakeComplaint = "";
  #hole: { readonly lookedAt: number; readonly later: number | undefined } | undefined;
  /** Requests in a row that missed a ledger which should exist. */
  #misses = 0;
  #missingSince: number | undefined;
  /** A ledger that could not be read, and how often from whom. */
  #unreadable = { ledger: 0, times: new Map<number, number>() };
  /** Sources that claimed later ledgers and did not deliver them. */
  readonly #doubted = new Set<number>();
  /** The newest answer left it open whether its source has more. */
  #claimed: { readonly source: number; readonly tip: number } | undefined;
  #tip = 0;
  #lagSince: number | undefined;
  #ahead: { readonly ledger: number; readonly at: number } | undefined;
  #peekedAt = 0;
  #peeking = false;
  #peekTurn = 0;
  #lookedElsewhereAt = Number.NEGATIVE_INFINITY;

  constructor(options: LedgerFeedOptions) {
    this.#options = options;
    this.#set = options.pages.set;
    this.#pages = options.pages;
    this.#proof = new HistoryProof(options);
    this.#pace = new LedgerPace(options.timer.now());
  }

  /**
   * Yields every ledger from `from` on, in order and without a hole, in the pieces it got them; waits
   * for those that do not exist yet. Every ledger's hash is the hash of its header, and it names its
   * predecessor's. Returns when the signal aborts. Throws IngestError `reset` where another history is
   * proven; for a start without history also `wrong_network`, and `gap` where it may begin later.
   */
  async *ledgers(request: LedgerRequest): AsyncGenerator<readonly RawLedger[], void, undefined> {
    const { signal, mayBeginLater = false } = request;
    this.#next = request.from;
    this.#previous = request.previous;
    this.#mayBeginLater = mayBeginLater && request.previous === undefined;
    this.#inLake = this.#pages.lake !== undefined;
    this.#pace.begin(this.#next - 1, this.#now());
    while (!signal.aborted) {
      const { ledgers, waitMs } = await this.#look(signal);
      if (signal.aborted) return;
      if (ledgers.length > 0) yield ledgers;
      if (waitMs > 0) await this.#options.timer.sleep(waitMs, signal);
    }
  }

  /** A ledger that was handed out cannot be read: it is damaged there, or of a form not known yet. */
  refuse({ sequence, source }: RawLedger, error: unknown): void {
    this.#damaged(source, sequence, errorText(error));
  }

  #now(): number {
    return this.#options.timer.now();
  }

  async #look(signal: AbortSignal): Promise<Found> {
    if (this.#inLake) {
      const ledgers = await this.#fromLake(signal);
      if (ledgers !== undefined) return { ledgers, waitMs: 0 };
      this.#inLake = false;
    }
    if (this.#set.size === 0) return this.#lookInLake(signal);
    const source = this.#set.pick("ledgers");
    const rest = this.#set.restMs("ledgers", source);
    if (rest > 0) return this.#whileAllRest(rest, signal);
    this.#peek(source, signal);
    this.#rhythm.asked(this.#now());
    const isNearTip = this.#misses > 0 || this.#tip < this.#next + this.#set.pageLimit(source);
    const answer = await this.#pages.fetch({ from: this.#next, source, isNearTip }, signal);
    if (signal.aborted) return { ledgers: [], waitMs: 0 };
    return this.#judge(answer, source, signal);
  }

  async #judge(answer: PageAnswer, source: number, signal: AbortSignal): Promise<Found> {
    switch (answer.kind) {
      case "failed":
        if (answer.smaller) return { ledgers: [], waitMs: 0 };
        this.#rhythm.lost();
        this.#unreachable(answer.message);
        return { ledgers: [], waitMs: 0 };
      case "outside":
        return this.#outside(answer.range, source, signal);
      case "page": {
        const { page, asked } = answer;
        const ledgers = this.#taken(page, source);
        if (ledgers.length > 0) return { ledgers, waitMs: this.#delivered(page, asked, source) };
        return this.#without(page, source, signal);
      }
    }
  }

  /** The ledgers of a page that continue ours; what is wrong with the next one is judged. */
  #taken(page: LedgersPage, source: number): readonly RawLedger[] {
    const ledgers = page.ledgers.filter(({ sequence }) => sequence >= this.#next);
    if (ledgers[0]?.sequence !== this.#next) return [];
    const { good, link, wrong } = checkChain(ledgers, this.#next, this.#previous);
    if (wrong !== undefined && !wrong.foreign && good.length === 0) {
      this.#damaged(source, this.#next, wrong.message);
    }
    if (good.length > 0) this.#advance(good, link);
    return good;
  }

  #advance(ledgers: readonly RawLedger[], link: ChainLink | undefined): void {
    const now = this.#now();
    // Who asks for more has read what came before.
    if (this.#next > this.#unreadable.ledger) this.#unreadable = { ledger: 0, times: new Map() };
    this.#next += ledgers.length;
    this.#previous = link;
    this.#pace.arrived(this.#next - 1, this.#misses === 0 && ledgers.length < 3, now);
    this.#served = true;
    this.#misses = 0;
    this.#missingSince = undefined;
    this.#hole = undefined;
    if (this.#ahead !== undefined && this.#next > this.#ahead.ledger) this.#ahead = undefined;
    this.#proof.clear();
  }

  /** Milliseconds to wait. A tip counts once it is confirmed: by a full page, or by the next ledger. */
  #delivered(page: LedgersPage, asked: number, source: number): number {
    const last = this.#next - 1;
    this.#set.follow("ledgers", source);
    if (this.#claimed?.source === source || page.latest <= last) this.#doubted.delete(source);
    const isBelieved = page.ledgers.length >= asked || !this.#doubted.has(source);
    const claim = isBelieved ? Math.max(page.latest, last) : last;
    this.#claimed = claim > last ? { source, tip: claim } : undefined;
    this.#set.board.set(source, "tip", last);
    const caughtUp = claim === last;
    if (caughtUp) this.#rhythm.arrived(page.ledgers.length);
    else this.#rhythm.lost();
    this.#following(claim);
    return caughtUp ? this.#rhythm.waitMs(this.#now()) : 0;
  }

  /** Handles a page that lacks the ledger requested. */
  async #without(page: LedgersPage, source: number, signal: AbortSignal): Promise<Found> {
    const [first] = page.ledgers.filter(({ sequence }) => sequence >= this.#next);
    if (first === undefined) {
      if (this.#next === page.latest + 1) return this.#atTip(source, signal);
      const isOutside = this.#next < page.oldest || this.#next > page.latest;
      if (isOutside) return this.#outside(page, source, signal);
      if (await this.#hasLedger(page.latest, source, signal)) {
        return this.#gap(page.latest - 1, "the RPC has later ledgers", source, signal);
      }
      this.#doubted.add(source);
      return this.#atTip(source, signal);
    }
    if (first.sequence > this.#next) {
      return this.#gap(first.sequence - 1, "the RPC serves later ledgers", source, signal);
    }
    // Damage is judged already; a sound ledger that does not follow ours is of another history.
    const { wrong } = checkChain([first], this.#next, this.#previous);
    if (wrong?.foreign !== true) return { ledgers: [], waitMs: 0 };
    return this.#otherHistory(wrong.message, this.#next - 1, source, signal);
  }

  async #hasLedger(ledger: number, source: number, signal: AbortSignal): Promise<boolean> {
    if (this.#doubted.has(source)) return false;
    const answer = await this.#pages.fetch(
      { from: ledger, count: 1, source, isNearTip: true },
      signal,
    );
    return answer.kind === "page" && answer.page.ledgers[0]?.sequence === ledger;
  }

  async #outside(range: LedgerRange, source: number, signal: AbortSignal): Promise<Found> {
    if (this.#next < range.oldest) {
      const why = `the oldest ledger that ${this.#set.nameOf(source)} keeps is ${range.oldest}`;
      return this.#gap(range.oldest - 1, why, source, signal);
    }
    if (this.#next === range.latest + 1) return this.#atTip(source, signal);
    this.#misses += 1;
    this.#set.board.set(source, "tip", range.latest);
    // One server of many may answer so while the others work.
    if (this.#misses === 1) return { ledgers: [], waitMs: RETRY_MS };
    const message = `ledger ${this.#next - 1} is ahead of the source, which ends at ${range.latest}`;
    return this.#otherHistory(message, range.latest, source, signal);
  }

  /** Nothing newer than ours, as the source has it. */
  async #atTip(source: number, signal: AbortSignal): Promise<Found> {
    const now = this.#now();
    this.#rhythm.missed(now);
    this.#misses = 0;
    if (this.#claimed?.source === source) {
      // It said that there were more.
      this.#doubted.add(source);
      this.#claimed = undefined;
    }
    const { patienceMs } = this.#pace;
    const isLate = this.#pace.quietMs(now) > patienceMs;
    const isOvertaken = this.#ahead !== undefined && now - this.#ahead.at > patienceMs;
    if ((isLate || isOvertaken) && now - this.#lookedElsewhereAt > patienceMs) {
      this.#lookedElsewhereAt = now;
      this.#ahead = undefined;
      const ledgers = await this.#elsewhere(source, signal);
      if (ledgers !== undefined) return { ledgers, waitMs: 0 };
    }
    if (this.#pace.isSilent(now)) {
      const message = `no source has a ledger after ${this.#next - 1}, for longer than ledgers take`;
      this.#report({ state: "behind", ledger: this.#next - 1, tip: this.#next - 1, message });
    } else this.#following(this.#next - 1);
    return { ledgers: [], waitMs: this.#rhythm.waitMs(this.#now()) };
  }

  /** Ledgers are missing for now: a later one exists, or no source keeps them any more. */
  async #gap(last: number, why: string, source: number, signal: AbortSignal): Promise<Found> {
    const now = this.#now();
    this.#rhythm.lost();
    this.#missingSince ??= now;
    const ledgers = await this.#elsewhere(source, signal);
    if (ledgers !== undefined || signal.aborted) return { ledgers: ledgers ?? [], waitMs: 0 };
    this.#misses += 1;
    const message = `ledgers ${this.#next} to ${last} are missing: ${why}`;
    this.#beginElsewhere(now - this.#missingSince, message);
    this.#report({ state: "gap", ledger: this.#next - 1, first: this.#next, last, message });
    return { ledgers: [], waitMs: this.#retryMs(RETRY_MAX_MS) };
  }

  /** Throws IngestError `gap` where a source's oldest ledger stayed unavailable. */
  #beginElsewhere(missingMs: number, message: string): void {
    if (!this.#mayBeginLater || this.#served || missingMs < GAP_AT_START_MS) return;
    throw new IngestError("gap", message, { ledger: this.#next });
  }

  /** The source ends before ours, or shows a ledger that does not follow it. */
  async #otherHistory(
    what: string,
    tip: number,
    source: number,
    signal: AbortSignal,
  ): Promise<Found> {
    const now = this.#now();
    this.#rhythm.lost();
    this.#missingSince ??= now;
    const ledgers = await this.#elsewhere(source, signal);
    if (ledgers !== undefined || signal.aborted) return { ledgers: ledgers ?? [], waitMs: 0 };
    this.#misses += 1;
    const message = `RPC ${this.#set.nameOf(source)}: ${what}`;
    this.#beginElsewhere(now - this.#missingSince, message);
    this.#report({ state: "behind", ledger: this.#next - 1, tip, message });
    await this.#examine(signal);
    const maxMs = this.#proof.hasEvidence ? this.#examineMs : BEHIND_RETRY_MAX_MS;
    return { ledgers: [], waitMs: this.#retryMs(maxMs) };
  }

  /** Throws IngestError `reset` once another history is proven. */
  async #examine(signal: AbortSignal): Promise<void> {
    if (this.#previous === undefined) return;
    const proven = await this.#proof.examine(this.#previous, signal);
    if (proven === undefined) return;
    throw new IngestError("reset", `the network began anew: ${proven}`, { ledger: this.#next });
  }

  /** Often enough that evidence is found again several times while it has to hold. */
  get #examineMs(): number {
    return Math.max(10, this.#options.proofMs / 10);
  }

  #retryMs(maxMs: number): number {
    return Math.min(maxMs, RETRY_MS * 2 ** Math.min(16, Math.max(0, this.#misses - 1)));
  }

  /** The next ledgers from any other source, the lake last; who has them is followed from then on. */
  async #elsewhere(than: number, signal: AbortSignal): Promise<readonly RawLedger[] | undefined> {
    for (let step = 1; step < this.#set.size; step += 1) {
      const source = (than + step) % this.#set.size;
      if (this.#set.restMs("ledgers", source) > 0) continue;
      const answer = await this.#pages.fetch({ from: this.#next, source, isNearTip: true }, signal);
      if (signal.aborted) return undefined;
      if (answer.kind !== "page") continue;
      const ledgers = this.#taken(answer.page, source);
      if (ledgers.length === 0) continue;
      this.#rhythm.lost();
      this.#delivered(answer.page, answer.asked, source);
      return ledgers;
    }
    return this.#fromLakeAgain(signal);
  }

  /** Every RPC is backing off. */
  async #whileAllRest(restMs: number, signal: AbortSignal): Promise<Found> {
    const ledgers = await this.#fromLakeAgain(signal);
    if (ledgers !== undefined) return { ledgers, waitMs: 0 };
    const { lake } = this.#pages;
    return { ledgers: [], waitMs: lake === undefined ? restMs : Math.min(restMs, LAKE_POLL_MS) };
  }

  #unreachable(message: string): void {
    if (this.#previous === undefined && !this.#served) this.#set.refuseWrongNetwork();
    if (this.#isStopped) return;
    this.#report({ state: "unreachable", ledger: this.#next - 1, message });
  }

  #damaged(source: number, ledger: number, message: string): void {
    const isLake = source === this.#set.lake;
    const text = `${isLake ? "the lake" : `RPC ${this.#set.nameOf(source)}`}: ${message}`;
    if (this.#unreadable.ledger !== ledger) this.#unreadable = { ledger, times: new Map() };
    const { times } = this.#unreadable;
    const before = times.get(source) ?? 0;
    times.set(source, before + 1);
    this.#options.log("warn", text, { ledger });
    this.#set.reject(source, "ledgers", before);
    if (!this.#isStopped) return;
    this.#report({ state: "stopped", ledger: ledger - 1, message: text });
  }

  /** The next ledger was unreadable repeatedly: the state is `stopped` until it is read. */
  get #isStopped(): boolean {
    let all = 0;
    for (const times of this.#unreadable.times.values()) all += times;
    return all >= UNREADABLE_MAX;
  }

  #following(tip: number): void {
    const now = this.#now();
    const ledger = this.#next - 1;
    this.#tip = Math.max(tip, ledger);
    if (this.#tip - ledger <= LAG_LEDGERS) this.#lagSince = undefined;
    else this.#lagSince ??= now;
    if (
      this.#lagSince !== undefined &&
      now - this.#lagSince > LAG_PATIENCES * this.#pace.patienceMs
    ) {
      const message = `ledger ${ledger} is ${this.#tip - ledger} behind the tip, for longer than two ledgers take`;
      this.#report({ state: "behind", ledger, tip: this.#tip, message });
    } else this.#report({ state: "following", ledger, tip: this.#tip });
  }

  #report(status: SourceStatus): void {
    this.#options.onStatus(status);
  }

  // Other RPCs

  /** Checks now and then how far another RPC is, in the background. */
  #peek(current: number, signal: AbortSignal): void {
    const now = this.#now();
    if (this.#set.size < 2 || this.#peeking || now - this.#peekedAt < this.#pace.patienceMs) return;
    this.#peekTurn += 1;
    const source = (current + 1 + (this.#peekTurn % (this.#set.size - 1))) % this.#set.size;
    if (this.#set.restMs("ledgers", source) > 0 || this.#set.isBehind(source)) return;
    this.#peekedAt = now;
    this.#peeking = true;
    void this.#pages
      .health(source, signal)
      .then((range) => {
        if (range !== undefined && !signal.aborted) this.#compare(source, range.latest);
      })
      // An abort ends it; whatever else is wrong the next request finds.
      .catch(() => undefined)
      .finally(() => {
        this.#peeking = false;
      });
  }

  #compare(source: number, tip: number): void {
    const now = this.#now();
    const before = this.#pace.hadBefore(now);
    this.#set.board.set(source, "tip", Math.min(tip, this.#next));
    if (tip < before)
      this.#set.foundBehind(source, `it ends at ${tip}, others had ${before} before`);
    else this.#set.keepsUp(source);
    if (tip >= this.#next) this.#ahead ??= { ledger: tip, at: now };
  }

  // The lake

  /** The next ledgers out of the lake; undefined where it does not have them now. */
  async #fromLake(signal: AbortSignal): Promise<readonly RawLedger[] | undefined> {
    const { lake } = this.#pages;
    const source = this.#set.lake;
    if (lake === undefined || this.#set.restMs("ledgers", source) > 0) return undefined;
    this.#lakeAskedAt = this.#now();
    const answer = await this.#pages.fetch({ from: this.#next, source }, signal);
    if (signal.aborted) return undefined;
    if (answer.kind === "failed") this.#lakeFailed(answer.cause);
    if (answer.kind !== "page") return undefined;
    const { ledgers } = answer.page;
    const { good, link, wrong } = checkChain(ledgers, this.#next, this.#previous);
    if (wrong !== undefined) this.#complain(`the lake ${lake.store.name}: ${wrong.message}`);
    if (good.length === 0) {
      if (wrong === undefined) this.#set.forgive(source, "ledgers");
      else this.#set.lakeFailed();
      if (wrong?.foreign === true) await this.#otherLake(wrong.message, signal);
      return undefined;
    }
    this.#set.forgive(source, "ledgers");
    this.#advance(good, link);
    this.#following(this.#next - 1);
    return good;
  }

  /** Not more often than a lake is written. */
  async #fromLakeAgain(signal: AbortSignal): Promise<readonly RawLedger[] | undefined> {
    if (this.#lakeAskedAt !== undefined && this.#now() - this.#lakeAskedAt < LAKE_POLL_MS) return;
    const ledgers = await this.#fromLake(signal);
    this.#inLake = ledgers !== undefined;
    return ledgers;
  }

  /** Where there is no RPC the lake is all that tells of the network. */
  async #otherLake(message: string, signal: AbortSignal): Promise<void> {
    if (this.#set.size > 0) return;
    const ledger = this.#next - 1;
    this.#report({ state: "behind", ledger, tip: ledger, message: this.#lakeComplaint || message });
    await this.#examine(signal);
  }

  #lakeFailed(thrown: unknown): void {
    const isWrongNetwork = thrown instanceof IngestError && thrown.code === "wrong_network";
    const hasNothing = this.#set.size === 0 && this.#previous === undefined && !this.#served;
    if (isWrongNetwork && hasNothing) throw thrown;
    if (thrown instanceof IngestError && thrown.code === "undecodable") {
      this.#damaged(this.#set.lake, thrown.ledger ?? this.#next, thrown.message);
      return;
    }
    if (!(thrown instanceof LakeError) && !isWrongNetwork) throw thrown;
    this.#set.lakeFailed(thrown instanceof LakeError ? thrown.retryAfterMs : 0);
    this.#complain(errorText(thrown));
  }

  #complain(message: string): void {
    if (message !== this.#lakeComplaint) this.#options.log("warn", message);
    this.#lakeComplaint = message;
  }

  /** There is no RPC: what the lake does not have now is missing, or not written yet. */
  async #lookInLake(signal: AbortSignal): Promise<Found> {
    this.#inLake = true;
    const rest = this.#set.restMs("ledgers", this.#set.lake);
    const ledger = this.#next - 1;
    if (rest > 0) {
      const message = this.#lakeComplaint;
      if (!this.#isStopped) this.#report({ state: "unreachable", ledger, message });
      return { ledgers: [], waitMs: rest };
    }
    const now = this.#now();
    if (this.#hole === undefined || now - this.#hole.lookedAt >= LAKE_HOLE_MS) {
      this.#hole = { lookedAt: now, later: await this.#laterInLake(signal) };
    }
    const { later } = this.#hole;
    if (later === undefined) this.#following(ledger);
    else {
      const name = this.#pages.lake?.store.name;
      const message = `ledgers ${this.#next} to ${later - 1} are missing in the lake ${name}`;
      this.#report({ state: "gap", ledger, first: this.#next, last: later - 1, message });
    }
    return { ledgers: [], waitMs: LAKE_POLL_MS };
  }

  async #laterInLake(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#pages.lake?.firstAfter(this.#next, signal);
    } catch (thrown) {
      if (thrown instanceof LakeError) return undefined;
      throw thrown;
    }
  }
}
