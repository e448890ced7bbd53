// Ledger entries from Stellar RPC (getLedgerEntries), as of its newest ledger.
import { Contract } from "@stellar/stellar-sdk/base";
import type { Address } from "../model/address.ts";
import { IngestError } from "./ingest-error.ts";
import { RpcError, type RpcLimits } from "./json-rpc.ts";
import type { Timer } from "./ledger-source.ts";
import { type LoadedEntries, parseEntries } from "./rpc-answers.ts";
import type { SourceSet } from "./source-set.ts";

/** Takes no more keys than this (protocol of the RPC). */
export const KEYS_PER_REQUEST = 200;
/** A contract entry may hold 64 KiB, and 200 of them are asked for. */
const ENTRIES_LIMITS: RpcLimits = { timeoutMs: 15_000, idleMs: 6_000, bytesMax: 32 << 20 };

/** Reads entries by their keys (LedgerKey, base64 XDR), KEYS_PER_REQUEST at most. Throws RpcError. */
export type LoadEntries = (keys: readonly string[], signal: AbortSignal) => Promise<LoadedEntries>;

export function rpcEntryLoader(set: SourceSet, timer: Timer): LoadEntries {
  return async (keys, signal) => {
    await timer.sleep(set.restMs("entries"), signal);
    const source = set.pick("entries");
    try {
      const { result } = await set.call(
        "entries",
        "getLedgerEntries",
        { keys },
        ENTRIES_LIMITS,
        signal,
        source,
      );
      const loaded = parseEntries(result);
      set.follow("entries", source);
      return { ...loaded, source };
    } catch (thrown) {
      // Another source may answer for a key that failed alone.
      const isRefused = thrown instanceof RpcError && thrown.failure === "refused";
      const isGarbage = thrown instanceof RpcError && thrown.failure === "garbage";
      if (isGarbage || (isRefused && keys.length === 1)) set.reject(source, "entries");
      throw thrown;
    }
  };
}

/**
 * For a start without history. Throws IngestError `wrong_contract` where the source asked knows no such
 * contract. An RPC that cannot be asked proves nothing.
 */
export async function checkContract(
  exchange: Address,
  load: LoadEntries,
  stale: (source: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const key = new Contract(exchange).getFootprint().toXdr("base64");
  try {
    const { entries, source } = await load([key], signal);
    if (entries.length > 0) return;
    if (source !== undefined) stale(source);
  } catch (thrown) {
    if (thrown instanceof RpcError) return;
    throw thrown;
  }
  throw new IngestError("wrong_contract", `no contract ${exchange} exists on the network`);
}
