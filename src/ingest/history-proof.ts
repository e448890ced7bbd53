// History proof: whether the network has another history than the store, the only reason to set the store
// aside.
//
// A source is evidence where it has another hash for the store's last ledger, where its next ledger names
// another predecessor, or where it ends before the store's last ledger with one that closed later. The proof
// needs that evidence, under the right passphrase, from every source that answers, repeatedly over time. A
// source that has the store's ledger, or merely lags behind it, refutes it.
import { brokenLink, soundHead } from "./chain-check.ts";
import type { LedgerPages } from "./ledger-pages.ts";
import type { ChainLink, RawLedger, Timer } from "./ledger-source.ts";

/** Answers of each source at least, however short the time. */
const ANSWERS_MIN = 3;

type Finding =
  | { readonly kind: "other"; readonly message: string }
  | { readonly kind: "ours" }
  | { readonly kind: "silent" };

type Evidence = { since: number; answers: number; lastAt: number; message: string };

export type HistoryProofOptions = {
  readonly pages: LedgerPages;
  readonly timer: Timer;
  /** Milliseconds for which all sources have to agree. */
  readonly proofMs: number;
};

export class HistoryProof {
  readonly #options: HistoryProofOptions;
  readonly #evidence = new Map<number, Evidence>();
  #contraryAt: number | undefined;

  constructor(options: HistoryProofOptions) {
    this.#options = options;
  }

  /** Our chain goes on. */
  clear(): void {
    this.#evidence.clear();
    this.#contraryAt = undefined;
  }

  get hasEvidence(): boolean {
    return this.#evidence.size > 0;
  }

  /**
   * Asks every RPC that may be asked; the lake where there is none, as an archive may keep what the network left.
   * What is proven, in words, or undefined.
   */
  async examine(ours: ChainLink, signal: AbortSignal): Promise<string | undefined> {
    const { pages, timer } = this.#options;
    const { set } = pages;
    const sources = Array.from({ length: Math.max(1, set.size) }, (_, source) => source);
    await Promise.all(
      sources.map(async (source) => {
        if (source !== set.lake && set.restMs("ledgers", source) > 0) return;
        const finding = await this.#ask(source, ours, signal);
        if (!signal.aborted) this.#note(source, finding, timer.now());
      }),
    );
    return signal.aborted ? undefined : this.#verdict(timer.now());
  }

  #note(source: number, finding: Finding, now: number): void {
    switch (finding.kind) {
      case "silent":
        return;
      case "ours":
        this.#evidence.delete(source);
        this.#contraryAt = now;
        return;
      case "other": {
        const { message } = finding;
        const known = this.#evidence.get(source) ?? {
          since: now,
          answers: 0,
          lastAt: now,
          message,
        };
        this.#evidence.set(source, { ...known, answers: known.answers + 1, lastAt: now, message });
      }
    }
  }

  #verdict(now: number): string | undefined {
    const { proofMs } = this.#options;
    if (this.#contraryAt !== undefined && now - this.#contraryAt < proofMs) return undefined;
    let message: string | undefined;
    for (const [source, evidence] of this.#evidence) {
      // A source that no longer answers proves nothing.
      if (now - evidence.lastAt >= proofMs) this.#evidence.delete(source);
      else if (now - evidence.since < proofMs || evidence.answers < ANSWERS_MIN) return undefined;
      else ({ message } = evidence);
    }
    return message;
  }

  async #ask(source: number, ours: ChainLink, signal: AbortSignal): Promise<Finding> {
    const { pages } = this.#options;
    const { set } = pages;
    if (source !== set.lake && !(await set.isOurs(source, signal))) return { kind: "silent" };
    const answer = await pages.fetch(
      { from: ours.ledger, count: 1, source, isNearTip: true },
      signal,
    );
    switch (answer.kind) {
      case "failed":
        return { kind: "silent" };
      case "page": {
        const [first] = answer.page.ledgers;
        if (first === undefined) return { kind: "silent" };
        return compared(first, ours);
      }
      case "outside":
        return answer.range.latest < ours.ledger
          ? this.#endsBefore(source, answer.range.latest, ours, signal)
          : this.#beginsAfter(source, answer.range.oldest, ours, signal);
    }
  }

  /** A lower ledger that closed later than ours: numbers began anew. */
  async #endsBefore(
    source: number,
    latest: number,
    ours: ChainLink,
    signal: AbortSignal,
  ): Promise<Finding> {
    const head = await this.#headOf(source, latest, signal);
    if (head === undefined || ours.closeTime === undefined) return { kind: "silent" };
    if (head.closeTime <= ours.closeTime) return { kind: "ours" };
    const message = `ledger ${ours.ledger} is ahead of the source, which ends at ${latest}, closed later`;
    return { kind: "other", message };
  }

  /** Our ledger is no longer kept; the one after it may be, and names it. */
  async #beginsAfter(
    source: number,
    oldest: number,
    ours: ChainLink,
    signal: AbortSignal,
  ): Promise<Finding> {
    if (oldest !== ours.ledger + 1) return { kind: "silent" };
    const head = await this.#headOf(source, oldest, signal);
    if (head === undefined) return { kind: "silent" };
    const message = brokenLink(head, ours);
    return message === undefined ? { kind: "ours" } : { kind: "other", message };
  }

  async #headOf(source: number, ledger: number, signal: AbortSignal) {
    const { pages } = this.#options;
    const answer = await pages.fetch({ from: ledger, count: 1, source, isNearTip: true }, signal);
    const [first] = answer.kind === "page" ? answer.page.ledgers : [];
    if (first === undefined) return undefined;
    const head = soundHead(first.bytes, first.sequence, ledger);
    return typeof head === "string" ? undefined : head;
  }
}

/** A ledger that is to be our last one. */
function compared({ bytes, sequence }: RawLedger, ours: ChainLink): Finding {
  const head = soundHead(bytes, sequence, ours.ledger);
  if (typeof head === "string") return { kind: "silent" };
  if (head.hash === ours.hash) return { kind: "ours" };
  const message = `ledger ${ours.ledger} is ${head.hash} there, and was ${ours.hash}`;
  return { kind: "other", message };
}
