// What the RPC serves from: the port the network gives it.

import type { EntryKey } from "../ledger/key.ts";
import type { LedgerFile } from "../ledger/ledger-file.ts";
import type { StoredEntry } from "../ledger/stored-entry.ts";
import type { Simulated, SimulatedCall } from "./simulate.ts";

export interface RpcSource {
  readonly passphrase: string;
  readonly protocol: number;
  readonly ledgers: LedgerFile;
  /** Ledgers that are served, at most. */
  readonly retention: number;
  /** The entry as of the latest ledger. */
  entry(key: EntryKey): StoredEntry | undefined;
  /** Runs the call on the latest state and forgets what it wrote. */
  simulate(call: SimulatedCall): Simulated;
}
