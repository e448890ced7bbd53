// Entry tracking: the main thread names ledger entries and tokens to follow, the reader thread answers with
// their values and later changes. So every followed entry is known exactly, at every ledger.
import type { Address } from "./address.ts";
import type { EntryChange } from "./ledger-delta.ts";

/** Main thread to reader thread. Keys are LedgerKeys in base64 XDR. */
export type TrackingRequest =
  /**
   * Follow these keys: every ledger decoded from now on carries their changes. With `load`, also
   * read them with getLedgerEntries and answer with `EntriesLoaded` (several, where the keys take
   * several batches). Loads of keys may wait while the reader is far behind the network, and end
   * where the key is no longer followed. A key that is followed already may be asked for again.
   */
  | {
      readonly kind: "track";
      readonly request: number;
      readonly keys: readonly string[];
      readonly load: boolean;
    }
  | { readonly kind: "untrack"; readonly keys: readonly string[] }
  /** Whose events `LedgerDelta.tokenEvents` holds, all of them: replaces the former list. */
  | { readonly kind: "tokens"; readonly tokens: readonly Address[] };

/**
 * Reader thread to main thread: entries as they stood at the end of `ledger`, which may be later
 * than the last ledger handed over. Every key asked for is answered once; an entry that does not
 * exist has no `entry`.
 *
 * Invariant: `ledger` is not below the last ledger that was decoded without following the key, so
 * that this answer and the changes of all later ledgers leave no hole. An RPC that lags behind
 * that ledger is asked again.
 */
export type EntriesLoaded = {
  readonly request: number;
  readonly ledger: number;
  readonly entries: readonly EntryChange[];
};
