// Ledger entries from Stellar RPC (getLedgerEntries), as of its newest ledger.
import { Contract } from "@stellar/stellar-sdk/base";
import type { Address } from "../model/address.ts";
import { IngestError } from "./ingest-error.ts";
import { RpcError, type RpcLimits } from "./json-rpc.ts";
import { type LoadedEntries, parseEntries } from "./rpc-answers.ts";
import { RpcPool, type RpcPoolOptions } from "./rpc-pool.ts";

/** Takes no more keys than this (protocol of the RPC). */
export const KEYS_PER_REQUEST = 200;
/** A contract entry may hold 64 KiB, and 200 of them are asked for. */
const ENTRIES_LIMITS: RpcLimits = { timeoutMs: 15_000, bytesMax: 32 << 20 };

/** Reads entries by their keys (LedgerKey, base64 XDR), KEYS_PER_REQUEST at most. Throws RpcError. */
export type LoadEntries = (keys: readonly string[], signal: AbortSignal) => Promise<LoadedEntries>;

/** Has its own pool: the URL that serves ledgers best need not be the one that serves entries. */
export function rpcEntryLoader(options: RpcPoolOptions): LoadEntries {
  const pool = new RpcPool(options);
  return async (keys, signal) => {
    await options.timer.sleep(pool.restMs(), signal);
    const { result } = await pool.call("getLedgerEntries", { keys }, ENTRIES_LIMITS, signal);
    try {
      return parseEntries(result);
    } catch (thrown) {
      pool.reject();
      throw thrown;
    }
  };
}

/**
 * Throws IngestError `wrong_contract` where the network has no such contract. An RPC that cannot be
 * asked proves nothing.
 */
export async function checkContract(
  exchange: Address,
  load: LoadEntries,
  signal: AbortSignal,
): Promise<void> {
  const key = new Contract(exchange).getFootprint().toXdr("base64");
  let found: LoadedEntries;
  try {
    found = await load([key], signal);
  } catch (thrown) {
    if (thrown instanceof RpcError) return;
    throw thrown;
  }
  if (found.entries.length === 0) {
    throw new IngestError("wrong_contract", `no contract ${exchange} exists on the network`);
  }
}
