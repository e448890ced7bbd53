// The RPC's view of the network: what its methods read and call.

import type { ChainStore } from "../ledger/chain-store.ts";
import type { EntryKey } from "../ledger/key.ts";
import type { Received } from "../ledger/received.ts";
import type { Simulated, SimulationRequest } from "../ledger/simulate-call.ts";
import type { StoredEntry } from "../ledger/stored-entry.ts";
import type { Treasury } from "../money/treasury.ts";
import type { Submission } from "../queue/transaction-queue.ts";

export interface RpcSource {
  /** Where it listens. */
  readonly url: string;
  readonly passphrase: string;
  readonly networkId: Uint8Array;
  readonly protocol: number;
  readonly ledgers: ChainStore;
  /** Ledgers that are served, at most. */
  readonly retention: number;
  /** The entry as of the latest ledger. */
  entry(key: EntryKey): StoredEntry | undefined;
  /** Pays for friendbot and the faucet; another object where the network began anew. */
  readonly treasury: Treasury;
  /** To be in the next ledger. */
  submit(received: Received): Submission;
  /** Runs the call on the latest state and forgets what it wrote. */
  simulate(request: SimulationRequest): Simulated;
}
