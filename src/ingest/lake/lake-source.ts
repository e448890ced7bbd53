// Ledgers from a data lake, followed as it grows.
import { checkChain } from "../chain-check.ts";
import { errorText, IngestError } from "../ingest-error.ts";
import type {
  ChainLink,
  LedgerRequest,
  LedgerSource,
  Log,
  RawLedger,
  SourceStatus,
  Timer,
} from "../ledger-source.ts";
import { LakeReader } from "./lake-reader.ts";
import { LakeError } from "./lake-store.ts";

/** A lake is written a ledger at a time (5 s on the public networks): asked so often for the next. */
const POLL_MS = 1_000;
const BACKOFF_MAX_MS = 30_000;
/** Whether later ledgers exist is looked at so often: it takes tens of requests. */
const HOLE_CHECK_MS = 30_000;

export type LakeSourceOptions = {
  readonly lake: string;
  readonly passphrase: string;
  readonly timer: Timer;
  readonly log: Log;
  readonly onStatus: (status: SourceStatus) => void;
  /** How long a hole may last before we refuse: at the start of a run, and once it has served us. */
  readonly gapGraceMs?: { readonly start: number; readonly running: number };
};

export class LakeSource implements LedgerSource {
  readonly reader: LakeReader;
  private readonly options: LakeSourceOptions;
  private next = 0;
  private previous: ChainLink | undefined;
  private served = false;
  private failures = 0;
  private missingSince: number | undefined;
  private lookedForHoleAt: number | undefined;
  private laterLedger: number | undefined;

  constructor(options: LakeSourceOptions) {
    this.options = options;
    this.reader = new LakeReader(options);
  }

  async *ledgers(request: LedgerRequest): AsyncGenerator<readonly RawLedger[], void, undefined> {
    const { signal } = request;
    this.next = request.from;
    this.previous = request.previous;
    while (!signal.aborted) {
      const piece = await this.tryRead(signal);
      if (signal.aborted) return;
      if (piece !== undefined) {
        yield piece;
        continue;
      }
      const waitMs = await this.judgeAbsence(signal);
      yield [];
      await this.options.timer.sleep(waitMs, signal);
    }
  }

  /**
   * The next ledgers after `previous`, checked, or undefined where they cannot be had now. Throws
   * IngestError for what will not pass.
   */
  async readAfter(
    from: number,
    previous: ChainLink | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly ledgers: readonly RawLedger[]; readonly link: ChainLink } | undefined> {
    const found = await this.reader.read(from, signal);
    if (found === undefined) return undefined;
    const { good, link, wrong } = checkChain(found, from, previous);
    if (wrong !== undefined) {
      const message = `the lake ${this.reader.store.name}: ${wrong.message}`;
      if (good.length === 0 && wrong.foreign) {
        throw new IngestError("reset", `the network began anew: ${message}`, { ledger: from });
      }
      if (good.length === 0) throw new LakeError(message);
      this.options.log("warn", message);
    }
    return link === undefined || good.length === 0 ? undefined : { ledgers: good, link };
  }

  private async tryRead(signal: AbortSignal): Promise<readonly RawLedger[] | undefined> {
    try {
      const found = await this.readAfter(this.next, this.previous, signal);
      this.failures = 0;
      if (found === undefined) return undefined;
      this.next += found.ledgers.length;
      this.previous = found.link;
      this.served = true;
      this.missingSince = undefined;
      this.laterLedger = undefined;
      this.options.onStatus({ state: "following", ledger: this.next - 1, tip: this.next - 1 });
      return found.ledgers;
    } catch (thrown) {
      if (!(thrown instanceof LakeError)) throw thrown;
      if (signal.aborted) return undefined;
      this.failures = Math.min(this.failures + 1, 8);
      const message = errorText(thrown);
      this.options.onStatus({ state: "unreachable", ledger: this.next - 1, message });
      return undefined;
    }
  }

  /** Milliseconds to wait. Throws IngestError `gap` once a hole has lasted. */
  private async judgeAbsence(signal: AbortSignal): Promise<number> {
    if (this.failures > 0) return Math.min(BACKOFF_MAX_MS, POLL_MS * 2 ** (this.failures - 1));
    const now = this.options.timer.now();
    if (this.lookedForHoleAt === undefined || now - this.lookedForHoleAt >= HOLE_CHECK_MS) {
      this.lookedForHoleAt = now;
      this.laterLedger = await this.laterThanMissing(signal);
    }
    const later = this.laterLedger;
    if (later === undefined) {
      this.options.onStatus({ state: "following", ledger: this.next - 1, tip: this.next - 1 });
      return POLL_MS;
    }
    this.missingSince ??= now;
    const message = `ledgers ${this.next} to ${later - 1} are missing in the lake ${this.reader.store.name}`;
    const { start, running } = this.options.gapGraceMs ?? { start: 10_000, running: 120_000 };
    if (now - this.missingSince >= (this.served ? running : start)) {
      throw new IngestError("gap", message, { ledger: this.next });
    }
    this.options.onStatus({
      state: "gap",
      ledger: this.next - 1,
      first: this.next,
      last: later - 1,
      message,
    });
    return POLL_MS;
  }

  private async laterThanMissing(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.reader.firstAfter(this.next, signal);
    } catch (thrown) {
      if (thrown instanceof LakeError) return undefined;
      throw thrown;
    }
  }
}
