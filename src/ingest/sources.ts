// The sources of a reader, put together from its options: an RPC, a lake, or a chain of the two.

import { fetchRange } from "./catch-up/range-fetcher.ts";
import { IngestError } from "./ingest-error.ts";
import { RpcError } from "./json-rpc.ts";
import { ChainedSource } from "./lake/chained-source.ts";
import { LakeSource } from "./lake/lake-source.ts";
import { LakeError } from "./lake/lake-store.ts";
import type { LedgerSource, Log, SourceStatus, Timer } from "./ledger-source.ts";
import type { ReaderOptions } from "./messages.ts";
import { parseHealth } from "./rpc-answers.ts";
import { type LoadEntries, rpcEntryLoader } from "./rpc-entries.ts";
import { RpcPool } from "./rpc-pool.ts";
import { RpcSource } from "./rpc-source.ts";

export type SourceContext = {
  readonly timer: Timer;
  readonly log: Log;
  readonly onStatus: (status: SourceStatus) => void;
  /** A call of an RPC failed. */
  readonly onFailure: () => void;
};

const HEALTH_LIMITS = { timeoutMs: 10_000, bytesMax: 1 << 20 };

export class Sources {
  readonly source: LedgerSource;
  readonly load: LoadEntries;
  private readonly lake: LakeSource | undefined;
  /** For questions beside the following, which has its own. */
  private readonly pool: RpcPool | undefined;

  constructor(options: ReaderOptions, context: SourceContext) {
    const { passphrase, rpcUrls: urls, lake } = options;
    const common = { passphrase, ...context };
    this.lake = lake === undefined ? undefined : new LakeSource({ ...common, lake });
    this.pool = urls.length === 0 ? undefined : new RpcPool({ ...common, urls });
    const rpc = urls.length === 0 ? undefined : new RpcSource({ ...common, urls });
    this.load = urls.length === 0 ? loadNothing : rpcEntryLoader({ ...common, urls });
    this.source = chain(this.lake, rpc, context);
  }

  get hasRpc(): boolean {
    return this.pool !== undefined;
  }

  /** The newest ledger anyone has, or undefined where that cannot be told now. */
  async tip(from: number, signal: AbortSignal): Promise<number | undefined> {
    if (this.pool !== undefined) {
      try {
        const { result } = await this.pool.call("getHealth", undefined, HEALTH_LIMITS, signal);
        return parseHealth(result).latest;
      } catch (thrown) {
        if (!(thrown instanceof RpcError)) throw thrown;
      }
    }
    return this.ofLake((lake) => lake.reader.lastFrom(from, signal));
  }

  /** Ledgers a lake keeps together, else 1. */
  async step(signal: AbortSignal): Promise<number> {
    return (await this.ofLake((lake) => lake.reader.ledgersPerBatch(signal))) ?? 1;
  }

  /** The XDR of one ledger, or undefined where it cannot be had. */
  async ledger(sequence: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const sources = { lake: this.lake?.reader, pool: this.pool };
    const range = { from: sequence, to: sequence };
    return (await fetchRange(range, sources, signal)).ledgers[0]?.bytes;
  }

  private async ofLake<T>(ask: (lake: LakeSource) => Promise<T>): Promise<T | undefined> {
    if (this.lake === undefined) return undefined;
    try {
      return await ask(this.lake);
    } catch (thrown) {
      if (thrown instanceof LakeError) return undefined;
      throw thrown;
    }
  }
}

function chain(
  lake: LakeSource | undefined,
  rpc: RpcSource | undefined,
  context: SourceContext,
): LedgerSource {
  if (lake !== undefined && rpc !== undefined) return new ChainedSource({ ...context, lake, rpc });
  const source = rpc ?? lake;
  if (source === undefined) throw new IngestError("internal", "no source of ledgers is configured");
  return source;
}

async function loadNothing(): ReturnType<LoadEntries> {
  throw new RpcError("unreachable", "no RPC is configured");
}
