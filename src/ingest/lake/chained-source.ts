// A data lake and an RPC as one source: the lake has the past, the RPC the present. Where the one
// has nothing for us the other is asked, so that a hole in either is no hole in ours.
import { errorText, IngestError } from "../ingest-error.ts";
import { linkOf, readLedgerHead } from "../ledger-header.ts";
import type {
  ChainLink,
  LedgerRequest,
  LedgerSource,
  Log,
  RawLedger,
  SourceStatus,
} from "../ledger-source.ts";
import type { LakeSource } from "./lake-source.ts";
import { LakeError } from "./lake-store.ts";

export type ChainedSourceOptions = {
  readonly lake: LakeSource;
  readonly rpc: LedgerSource;
  readonly log: Log;
  readonly onStatus: (status: SourceStatus) => void;
};

export class ChainedSource implements LedgerSource {
  private readonly options: ChainedSourceOptions;
  private next = 0;
  private previous: ChainLink | undefined;
  /** The lake's last complaint, told once. */
  private complaint = "";

  constructor(options: ChainedSourceOptions) {
    this.options = options;
  }

  async *ledgers(request: LedgerRequest): AsyncGenerator<readonly RawLedger[], void, undefined> {
    const { signal } = request;
    this.next = request.from;
    this.previous = request.previous;
    while (!signal.aborted) {
      yield* this.fromLake(signal);
      yield* this.fromRpc(signal);
    }
  }

  /** As far as the lake goes. */
  private async *fromLake(
    signal: AbortSignal,
  ): AsyncGenerator<readonly RawLedger[], void, undefined> {
    for (;;) {
      const piece = await this.tryLake(signal);
      if (piece === undefined || signal.aborted) return;
      this.options.onStatus({ state: "following", ledger: this.next - 1, tip: this.next - 1 });
      yield piece;
    }
  }

  /** Until the RPC cannot go on but the lake can. */
  private async *fromRpc(
    signal: AbortSignal,
  ): AsyncGenerator<readonly RawLedger[], void, undefined> {
    const stream = this.options.rpc.ledgers({
      from: this.next,
      ...(this.previous === undefined ? {} : { previous: this.previous }),
      signal,
    });
    for await (const piece of stream) {
      const last = piece.at(-1);
      if (last !== undefined) {
        this.next = last.sequence + 1;
        this.previous = linkOf(readLedgerHead(last.bytes, last.sequence));
        yield piece;
        continue;
      }
      const other = await this.tryLake(signal);
      if (other !== undefined) {
        yield other;
        return;
      }
      yield [];
    }
  }

  private async tryLake(signal: AbortSignal): Promise<readonly RawLedger[] | undefined> {
    try {
      const found = await this.options.lake.readAfter(this.next, this.previous, signal);
      if (found === undefined) return undefined;
      this.next += found.ledgers.length;
      this.previous = found.link;
      return found.ledgers;
    } catch (thrown) {
      // A lake of another history than ours is no reason to begin anew while the RPC may still
      // continue it; that one is left to judge.
      const passes =
        thrown instanceof LakeError || (thrown instanceof IngestError && thrown.code === "reset");
      if (!passes) throw thrown;
      const message = errorText(thrown);
      if (message !== this.complaint && !signal.aborted) this.options.log("warn", message);
      this.complaint = message;
      return undefined;
    }
  }
}
