// Finds the ledger that created a contract, where its history begins. No index holds it, but every change of
// the contract's instance entry names the ledger of the change before it: this walks back along those
// changes, from the newest one to the creation.
import { Contract } from "@stellar/stellar-sdk/base";
import { LedgerCloseMeta, type LedgerEntryChange } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../model/address.ts";
import { IngestError } from "./ingest-error.ts";
import { orderedChanges } from "./ledger-changes.ts";
import type { LoadEntries } from "./rpc-entries.ts";
import { entryKey } from "./tracked-entry.ts";

/** Changes of a contract's own entry: of its configuration, mostly (guess, generous). */
const CHANGES_MAX = 10_000;

export type FirstLedgerSources = {
  readonly load: LoadEntries;
  /** The entry that a source gave led nowhere: another source is asked next. */
  readonly stale: (source: number) => void;
  /** The XDR of a ledger, or undefined where no source has it. */
  readonly read: (ledger: number, signal: AbortSignal) => Promise<Uint8Array | undefined>;
};

/** Throws IngestError `wrong_contract` where there is none, `unknown_start` where the way back is broken. */
export async function firstLedgerOf(
  contract: Address,
  sources: FirstLedgerSources,
  signal: AbortSignal,
): Promise<number> {
  const key = new Contract(contract).getFootprint().toXdr("base64");
  const { entries, source } = await sources.load([key], signal);
  try {
    const [entry] = entries;
    if (entry === undefined) {
      throw new IngestError("wrong_contract", `no contract ${contract} exists on the network`);
    }
    return await wayBack(contract, key, entry.modified, sources.read, signal);
  } catch (thrown) {
    if (thrown instanceof IngestError && source !== undefined) sources.stale(source);
    throw thrown;
  }
}

async function wayBack(
  contract: Address,
  key: string,
  modified: number,
  read: FirstLedgerSources["read"],
  signal: AbortSignal,
): Promise<number> {
  let ledger = modified;
  for (let step = 0; step < CHANGES_MAX; step += 1) {
    const bytes = await read(ledger, signal);
    if (bytes === undefined) throw lost(contract, ledger, "no source has that ledger");
    const before = stateBefore(LedgerCloseMeta.fromXdr(bytes), key);
    if (before === "created") return ledger;
    if (before === undefined) throw lost(contract, ledger, "that ledger does not change it");
    ledger = before;
  }
  throw lost(contract, ledger, `after ${CHANGES_MAX} changes`);
}

/** When the entry was last changed before this ledger, if this ledger changes it at all. */
function stateBefore(meta: LedgerCloseMeta, key: string): number | "created" | undefined {
  for (const change of orderedChanges(meta)) {
    if (keyOf(change) !== key) continue;
    if (change.type === "ledgerEntryCreated") return "created";
    if (change.type === "ledgerEntryState") return change.state.lastModifiedLedgerSeq;
    // Restored from the archive: the state before is unknown.
    return undefined;
  }
  return undefined;
}

function keyOf(change: LedgerEntryChange): string | undefined {
  return change.type === "ledgerEntryRemoved"
    ? change.removed.toXdr("base64")
    : entryKey(change.value.data);
}

function lost(contract: Address, ledger: number, why: string): IngestError {
  return new IngestError(
    "unknown_start",
    `the first ledger of ${contract} cannot be found: the way back ends at ledger ${ledger}, ${why}; name it with from-ledger`,
    { ledger },
  );
}
