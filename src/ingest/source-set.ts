// The sources of the process and the one judgement of each, for all uses: ledgers, entries and
// simulations, in whatever thread (docs/decisions/sources.md).
import { IngestError } from "./ingest-error.ts";
import { JsonRpc, type RpcAnswer, RpcError, type RpcLimits } from "./json-rpc.ts";
import type { Log, Timer } from "./ledger-source.ts";
import { LEDGERS_MAX, PAGE_BYTES } from "./page-size.ts";
import { parsePassphrase } from "./rpc-answers.ts";
import { SourceBoard, type SourceUse, sourceNames } from "./source-board.ts";

/** Retry pauses (guesses): short enough for a server's restart, long enough to spare a dead one. */
const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 30_000;
/** Of entries and simulations, shorter: the book lacks what they ask for meanwhile. */
const BACKOFF_OTHERS_MAX_MS = 8_000;
/** The longest Retry-After that is obeyed (choice). */
const RETRY_AFTER_MAX_MS = 600_000;
const RETRY_AFTER_ABSURD_MS = 60_000;
/** Pause after an overload response without Retry-After (choice). */
const OVERLOAD_MS = 2_000;
/** First pause before a source that was behind is checked again; it grows. */
const BEHIND_MS = 15_000;
const BEHIND_MAX_MS = 600_000;
/** Times that a source must show another network before an empty store believes it. */
const WRONG_NETWORK_MAX = 3;
/** After so many pages at a server's page limit a larger page is tried. */
const PAGES_BEFORE_GROWTH = 16;
const NETWORK_LIMITS: RpcLimits = { timeoutMs: 5_000, bytesMax: 1 << 20 };

export type SourceSetOptions = {
  readonly urls: readonly string[];
  readonly passphrase: string;
  readonly timer: Timer;
  readonly log: Log;
  /** The board that the threads of the process share; absent: one of this set alone. */
  readonly board?: SharedArrayBuffer;
  /** In [0, 1): spreads the retries of many engines. */
  readonly random?: () => number;
  /** A call failed. */
  readonly onFailure?: () => void;
};

export type SourceAnswer = RpcAnswer & {
  readonly source: number;
};

export class SourceSet {
  readonly board: SourceBoard;
  readonly names: readonly string[];
  /** The lake's row on the board. */
  readonly lake: number;
  readonly #rpcs: readonly JsonRpc[];
  readonly #options: SourceSetOptions;
  /** The source that answered last, by use: preferred while it answers. */
  readonly #current = new Map<SourceUse, number>();
  /** Failures in a row before the last answer, which may yet be rejected. */
  readonly #before: Readonly<Record<SourceUse, Map<number, number>>> = {
    ledgers: new Map(),
    entries: new Map(),
    simulations: new Map(),
  };
  readonly #wrongNetwork: number[];
  #complaint = "";

  constructor(options: SourceSetOptions) {
    this.#options = options;
    const { urls, board } = options;
    this.names = sourceNames(urls, "lake");
    this.lake = urls.length;
    this.board = new SourceBoard(urls.length + 1, board);
    this.#rpcs = urls.map((url, at) => new JsonRpc(url, this.names[at]));
    this.#wrongNetwork = urls.map(() => 0);
  }

  /** How many RPC URLs there are. */
  get size(): number {
    return this.#rpcs.length;
  }

  nameOf(source: number): string {
    return this.names[source] ?? "no source";
  }

  /**
   * The RPC to ask now: one that may be asked, is not behind others and failed least since it last
   * answered, the one that answered last among equals; else the one that may be asked soonest.
   */
  pick(use: SourceUse): number {
    const now = this.#options.timer.now();
    let best = this.#current.get(use) ?? 0;
    let least = this.#reluctance(best, use, now);
    for (let source = 0; source < this.#rpcs.length; source += 1) {
      const reluctance = this.#reluctance(source, use, now);
      if (reluctance < least) {
        best = source;
        least = reluctance;
      }
    }
    return best;
  }

  /** Milliseconds until `source` may be asked. */
  restMs(use: SourceUse, source = this.pick(use)): number {
    const { board } = this;
    const until = Math.max(board.get(source, "restUntil"), board.get(source, `${use}Rest`));
    return Math.max(0, until - this.#options.timer.now());
  }

  /**
   * Asks `source`, by default the best one, and updates its row on the board by the outcome.
   * Throws RpcError; what a refusal means is the caller's to judge.
   */
  async call(
    use: SourceUse,
    method: string,
    params: unknown,
    limits: RpcLimits,
    signal: AbortSignal,
    wanted?: number,
  ): Promise<SourceAnswer> {
    const source = wanted ?? this.pick(use);
    const rpc = this.#rpcs[source];
    if (rpc === undefined) throw new RpcError("unreachable", "no RPC is configured");
    try {
      if (this.board.get(source, "networkAt") <= 0) await this.#checkNetwork(source, signal);
      const answer = await rpc.call(method, params, limits, signal);
      this.#answered(source, use);
      if (wanted === undefined) this.follow(use, source);
      return { ...answer, source };
    } catch (thrown) {
      if (thrown instanceof RpcError && !signal.aborted) this.#failed(source, use, thrown);
      throw thrown;
    }
  }

  /** Asks for the network anew. False where it is another one, or unknown. */
  async isOurs(source: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#checkNetwork(source, signal);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      if (!signal.aborted) this.#failed(source, "ledgers", thrown);
      return false;
    }
  }

  /**
   * An answer that parsed as JSON and yet made no sense, or is too old: another source is asked.
   * `failures`: how often before, where the last answer does not tell that by itself.
   */
  reject(source: number, use: SourceUse, failures = this.failuresBefore(source, use)): void {
    this.board.set(source, `${use}Failures`, failures);
    this.#rest(source, use);
    const isCurrent = (this.#current.get(use) ?? 0) === source;
    if (isCurrent) this.follow(use, (source + 1) % Math.max(1, this.size));
  }

  /** Failures in a row before the last answer. */
  failuresBefore(source: number, use: SourceUse): number {
    return this.#before[use].get(source) ?? 0;
  }

  /** Takes back a failure whose cause was the request and not the source. */
  forgive(source: number, use: SourceUse): void {
    this.board.set(source, `${use}Failures`, 0);
    this.board.set(source, `${use}Rest`, 0);
  }

  /** The lake failed, or gave what cannot be read. */
  lakeFailed(retryAfterMs = 0): void {
    this.#rest(this.lake, "ledgers");
    const until = this.#options.timer.now() + bounded(retryAfterMs);
    const { board, lake } = this;
    board.set(lake, "ledgersRest", Math.max(board.get(lake, "ledgersRest"), until));
  }

  /** The source lacks ledgers that others have had for longer than two ledger times. */
  foundBehind(source: number, message: string): void {
    const { board } = this;
    const count = board.get(source, "behindCount");
    const pause = Math.min(BEHIND_MAX_MS, BEHIND_MS * 2 ** Math.min(count, 10));
    board.set(source, "behindCount", count + 1);
    board.set(source, "behindUntil", this.#options.timer.now() + pause);
    if (count === 0) this.#options.log("warn", `RPC ${this.nameOf(source)} is behind: ${message}`);
  }

  /** The source is not behind the others. */
  keepsUp(source: number): void {
    if (this.board.get(source, "behindCount") === 0) return;
    this.board.set(source, "behindCount", 0);
    this.board.set(source, "behindUntil", 0);
    this.#options.log("info", `RPC ${this.nameOf(source)} is no longer behind`);
  }

  isBehind(source: number): boolean {
    return this.board.get(source, "behindUntil") > this.#options.timer.now();
  }

  /** Prefers `source` for this use from now on. */
  follow(use: SourceUse, source: number): void {
    this.#current.set(use, source);
  }

  /** Ledgers to ask for in one page. */
  pageLimit(source: number): number {
    const bytes = this.board.get(source, "ledgerBytes");
    const max = this.board.get(source, "pageMax");
    const wanted = bytes === 0 ? LEDGERS_FIRST : Math.floor(PAGE_BYTES / bytes);
    return Math.max(1, Math.min(max === 0 ? LEDGERS_MAX : max, wanted));
  }

  /** A page of `count` ledgers took `bytes`. Larger ledgers count at once, smaller ones gradually. */
  pageReceived(source: number, bytes: number, count: number): void {
    if (count === 0) return;
    const { board } = this;
    const each = Math.max(1, bytes / count);
    const known = board.get(source, "ledgerBytes") || each;
    board.set(source, "ledgerBytes", each > known ? each : known + (each - known) / 4);
    const max = board.get(source, "pageMax");
    if (max === 0 || count < max) return;
    const good = board.get(source, "pageGood") + 1;
    board.set(source, "pageGood", good % PAGES_BEFORE_GROWTH);
    if (good < PAGES_BEFORE_GROWTH) return;
    board.set(source, "pageMax", max * 2 >= LEDGERS_MAX ? 0 : max * 2);
  }

  /** A page of `asked` was too large or took too long. False where it could not be smaller. */
  pageRefused(source: number, asked: number, named?: number): boolean {
    if (asked <= 1) return false;
    const max = Math.max(1, Math.min(named ?? asked >> 1, asked - 1));
    this.board.set(source, "pageMax", max);
    this.board.set(source, "pageGood", 0);
    return true;
  }

  /**
   * Throws IngestError `wrong_network` where every URL says so again and again: for a start without
   * history, where that is a wrong setting.
   */
  refuseWrongNetwork(): void {
    const all = this.#wrongNetwork.every((times) => times >= WRONG_NETWORK_MAX);
    if (this.size > 0 && all) throw new IngestError("wrong_network", this.#complaint);
  }

  #reluctance(source: number, use: SourceUse, now: number): number {
    const { board } = this;
    const until = Math.max(board.get(source, "restUntil"), board.get(source, `${use}Rest`));
    if (until > now) return 2 + until - now;
    if (board.get(source, "behindUntil") > now) return 1;
    // Below 1: a source that has backed off ranks after those that did not fail.
    const failures = board.get(source, "failures") + board.get(source, `${use}Failures`);
    return failures / (failures + 1);
  }

  #answered(source: number, use: SourceUse): void {
    const { board } = this;
    board.set(source, "failures", 0);
    this.#before[use].set(source, board.get(source, `${use}Failures`));
    this.forgive(source, use);
  }

  #failed(source: number, use: SourceUse, error: RpcError): void {
    if (error.retryAfterMs !== undefined || error.failure === "overloaded") {
      this.#restAll(source, bounded(error.retryAfterMs ?? OVERLOAD_MS));
      return;
    }
    if (error.failure === "refused") {
      // The server works; it refuses this request alone.
      this.#answered(source, use);
      return;
    }
    if (error.failure === "disconnected") {
      this.#restAll(source);
      return;
    }
    this.#rest(source, use);
  }

  #rest(source: number, use: SourceUse): void {
    this.#options.onFailure?.();
    const failures = this.board.get(source, `${use}Failures`);
    const max = use === "ledgers" ? BACKOFF_MAX_MS : BACKOFF_OTHERS_MAX_MS;
    this.board.set(source, `${use}Failures`, failures + 1);
    this.board.set(source, `${use}Rest`, this.#options.timer.now() + this.#pause(failures, max));
  }

  /**
   * Backs off for every use, for `wantedMs` at least; without a wanted pause the backoff grows all the same.
   */
  #restAll(source: number, wantedMs = 0): void {
    this.#options.onFailure?.();
    const { board } = this;
    const failures = board.get(source, "failures");
    board.set(source, "failures", failures + 1);
    const pause = Math.max(wantedMs, this.#pause(failures, BACKOFF_MAX_MS));
    const until = this.#options.timer.now() + pause;
    board.set(source, "restUntil", Math.max(board.get(source, "restUntil"), until));
  }

  #pause(failures: number, maxMs: number): number {
    const random = this.#options.random ?? Math.random;
    const full = Math.min(maxMs, BACKOFF_MIN_MS * 2 ** Math.min(failures, 16));
    return full * (0.5 + random() / 2);
  }

  async #checkNetwork(source: number, signal: AbortSignal): Promise<void> {
    const rpc = this.#rpcs[source];
    if (rpc === undefined) throw new RpcError("unreachable", "no RPC is configured");
    const passphrase = await this.#passphraseOf(rpc, signal);
    if (passphrase === this.#options.passphrase) {
      this.board.set(source, "networkAt", Math.max(1, this.#options.timer.now()));
      this.#wrongNetwork[source] = 0;
      return;
    }
    const message = `RPC ${rpc.name} serves the network "${passphrase}", not "${this.#options.passphrase}"`;
    this.board.set(source, "networkAt", -1);
    this.#wrongNetwork[source] = (this.#wrongNetwork[source] ?? 0) + 1;
    if (this.#wrongNetwork[source] === 1) this.#options.log("error", message);
    this.#complaint = message;
    throw new RpcError("disconnected", message);
  }

  /** A server that does not say it is asked for nothing else: that concerns all uses. */
  async #passphraseOf(rpc: JsonRpc, signal: AbortSignal): Promise<string> {
    try {
      const { result } = await rpc.call("getNetwork", undefined, NETWORK_LIMITS, signal);
      return parsePassphrase(result);
    } catch (thrown) {
      if (!(thrown instanceof RpcError) || thrown.failure === "overloaded") throw thrown;
      throw new RpcError("disconnected", thrown.message, thrown);
    }
  }
}

function bounded(retryAfterMs: number): number {
  return retryAfterMs > RETRY_AFTER_MAX_MS ? RETRY_AFTER_ABSURD_MS : retryAfterMs;
}

/** Before the size of a ledger is known. */
const LEDGERS_FIRST = 4;
