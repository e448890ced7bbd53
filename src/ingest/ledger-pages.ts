// Pages of ledgers of any source: from an RPC as large as its server can deliver, from the lake the rest of a batch.
import { errorText, IngestError } from "./ingest-error.ts";
import { RpcError, type RpcLimits } from "./json-rpc.ts";
import { LakeReader } from "./lake/lake-reader.ts";
import { LakeError } from "./lake/lake-store.ts";
import type { Timer } from "./ledger-source.ts";
import type { ReaderOptions } from "./messages.ts";
import { HEALTH_LIMITS, LEDGERS_LIMITS, wantsSmallerPage } from "./page-size.ts";
import {
  type LedgerRange,
  type LedgersPage,
  parseHealth,
  parseLedgersPage,
  rangeInRefusal,
} from "./rpc-answers.ts";
import { SourceSet, type SourceSetOptions } from "./source-set.ts";

/** Timeout of a page of few ledgers, which takes a fraction of it; a slow server gets more (`patience`). */
const FEW_MS = 7_000;
const FEW_MAX_MS = 20_000;

export type PageAnswer =
  | {
      readonly kind: "page";
      readonly page: LedgersPage;
      readonly asked: number;
    }
  /** The ledger asked for is outside of what is held. */
  | { readonly kind: "outside"; readonly range: LedgerRange }
  /** `smaller`: a smaller page can be asked for at once. `cause`: a LakeError, or an IngestError of the lake. */
  | {
      readonly kind: "failed";
      readonly message: string;
      readonly smaller: boolean;
      readonly cause?: unknown;
    };

export type PageRequest = {
  readonly from: number;
  /** Most ledgers wanted; absent: as many as fit in a page. */
  readonly count?: number;
  readonly source: number;
  /** Only a few ledgers are to come: their answer is waited for not as long. */
  readonly isNearTip?: boolean;
};

export type LedgerPagesOptions = {
  readonly set: SourceSet;
  readonly lake?: LakeReader | undefined;
  readonly timer: Timer;
  /** Of an RPC's page; absent: LEDGERS_LIMITS. */
  readonly limits?: RpcLimits;
};

/** Of the sources of a reader; `limits`: of an RPC's page. */
export function pagesOf(
  { passphrase, rpcUrls: urls, lake: url, board }: ReaderOptions,
  context: Pick<SourceSetOptions, "timer" | "log" | "onFailure">,
  limits?: RpcLimits,
): LedgerPages {
  const set = new SourceSet({ ...context, urls, passphrase, board });
  const lake =
    url === undefined ? undefined : new LakeReader({ ...context, lake: url, passphrase });
  return new LedgerPages({ set, lake, timer: context.timer, ...(limits && { limits }) });
}

export class LedgerPages {
  readonly set: SourceSet;
  readonly lake: LakeReader | undefined;
  readonly #limits: RpcLimits;
  readonly #now: () => number;
  /** By source how long a few ledgers may take. */
  readonly #patience = new Map<number, number>();

  constructor({ set, lake, timer, limits = LEDGERS_LIMITS }: LedgerPagesOptions) {
    this.set = set;
    this.lake = lake;
    this.#now = timer.now;
    this.#limits = limits;
  }

  /** Throws nothing but an abort's error. Of an RPC the set is told the outcome; who asks judges the lake. */
  fetch(request: PageRequest, signal: AbortSignal): Promise<PageAnswer> {
    const isOfLake = request.source === this.set.lake;
    return isOfLake ? this.#fromLake(request.from, signal) : this.#fromRpc(request, signal);
  }

  /** A page without ledgers where the batch is not there. */
  async #fromLake(from: number, signal: AbortSignal): Promise<PageAnswer> {
    const { lake: source } = this.set;
    try {
      const found = (await this.lake?.read(from, signal)) ?? [];
      const ledgers = found.map((ledger) => ({ ...ledger, source }));
      const page = { ledgers, oldest: from, latest: from + ledgers.length - 1 };
      return { kind: "page", page, asked: ledgers.length };
    } catch (cause) {
      const isKnown = cause instanceof LakeError || cause instanceof IngestError || signal.aborted;
      if (!isKnown) throw cause;
      return { kind: "failed", message: errorText(cause), smaller: false, cause };
    }
  }

  async #fromRpc(request: PageRequest, signal: AbortSignal): Promise<PageAnswer> {
    const { from, source, isNearTip = false } = request;
    const limit = Math.min(this.set.pageLimit(source), request.count ?? Number.POSITIVE_INFINITY);
    const params = { startLedger: from, pagination: { limit } };
    const fewMs = this.#patience.get(source) ?? FEW_MS;
    const limits = isNearTip
      ? { ...this.#limits, timeoutMs: Math.min(this.#limits.timeoutMs, fewMs) }
      : this.#limits;
    const askedAt = this.#now();
    try {
      const answer = await this.set.call("ledgers", "getLedgers", params, limits, signal, source);
      const page = this.#parsed(answer.result, source);
      this.set.pageReceived(source, answer.bytes, page.ledgers.length);
      // Three times what it took: a server that is slow but answers is not given up.
      const took = 3 * (this.#now() - askedAt);
      if (isNearTip) this.#patience.set(source, Math.min(FEW_MAX_MS, Math.max(FEW_MS, took)));
      return { kind: "page", page, asked: limit };
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      if (thrown.failure === "timeout" && isNearTip) {
        this.#patience.set(source, Math.min(FEW_MAX_MS, 2 * fewMs));
      }
      return this.#failure(thrown, request, limit, signal);
    }
  }

  /** What the source says it holds; undefined where it does not say. */
  async health(source: number, signal: AbortSignal): Promise<LedgerRange | undefined> {
    try {
      const { result } = await this.set.call(
        "ledgers",
        "getHealth",
        undefined,
        HEALTH_LIMITS,
        signal,
        source,
      );
      return parseHealth(result);
    } catch (thrown) {
      if (thrown instanceof RpcError) return undefined;
      throw thrown;
    }
  }

  #parsed(result: unknown, source: number): LedgersPage {
    try {
      return parseLedgersPage(result, source);
    } catch (cause) {
      this.set.reject(source, "ledgers");
      throw new RpcError("garbage", `${this.set.nameOf(source)}: ${errorText(cause)}`);
    }
  }

  async #failure(
    error: RpcError,
    { from, source }: PageRequest,
    asked: number,
    signal: AbortSignal,
  ): Promise<PageAnswer> {
    const { message } = error;
    const wanted = wantsSmallerPage(error);
    if (wanted !== false && this.set.pageRefused(source, asked, wanted.max)) {
      // A server that timed out may be unhealthy: another is asked first.
      const smaller = error.failure !== "timeout";
      if (smaller) this.set.forgive(source, "ledgers");
      return { kind: "failed", message, smaller };
    }
    if (error.failure === "refused") {
      // Its health is an answer too, after which a refusal would seem the first one.
      const failures = this.set.failuresBefore(source, "ledgers");
      const range = rangeInRefusal(message) ?? (await this.health(source, signal));
      if (range !== undefined && (from < range.oldest || from > range.latest)) {
        return { kind: "outside", range };
      }
      this.set.reject(source, "ledgers", failures);
    }
    return { kind: "failed", message, smaller: false };
  }
}
