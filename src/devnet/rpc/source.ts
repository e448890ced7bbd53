// The RPC's view of the network: what its methods read and call.
import type { Chain } from "../ledger/chain.ts";
import type { ChainStore } from "../ledger/chain-store.ts";
import type { Received } from "../ledger/received.ts";
import type { Treasury } from "../money/treasury.ts";
import type { Submission } from "../queue/transaction-queue.ts";

export type RpcSource = {
  /** Where it listens. */
  readonly url: () => string;
  readonly passphrase: string;
  /** As of the latest ledger; simulations leave it as it is. */
  readonly chain: Chain;
  readonly ledgers: ChainStore;
  /** Ledgers that are served, at most. */
  readonly retention: number;
  /** Pays for friendbot and the faucet. */
  readonly treasury: Treasury;
  /** To be in the next ledger. */
  readonly submit: (received: Received) => Submission;
};
