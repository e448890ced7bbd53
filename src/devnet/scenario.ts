// A scenario: a network's first entries, its contracts' models and its traffic.
import type { Address } from "../model/address.ts";
import type { ContractModel, ExchangeHost } from "./contract/host.ts";
import type { TransactionIntent } from "./intent.ts";
import type { Genesis } from "./ledger/genesis.ts";
import { hex } from "./ledger/hash.ts";
import type { Code, CodeOf } from "./ledger/invocation.ts";
import type { DeployIntent } from "./ledger/work.ts";
import type { FaucetAssets } from "./money/treasury.ts";
import type { Network } from "./network.ts";
import { runPlainToken } from "./tokens/plain-token.ts";
import { runSac } from "./tokens/sac.ts";
import type { ChainView } from "./traffic/view.ts";

export type Scenario = {
  /** `closeTime` of the genesis ledger, UNIX seconds. */
  readonly genesis: (network: Network, closeTime: number) => Genesis;
  readonly models: Models;
  /** What the faucet pays out. */
  readonly faucet: (network: Network) => FaucetAssets;
  /** Transactions of the first ledger. */
  readonly opening: readonly (TransactionIntent | DeployIntent)[];
  /** Ledgers after the genesis one in which the world is made: they close without waiting. */
  readonly preludeLedgers: number;
  /** Whose orders the traffic knows by itself. */
  readonly makers: ReadonlySet<Address>;
  /** Transactions of each further ledger, few of them where `thin`; else the view alone decides. */
  readonly traffic: (view: ChainView, thin?: boolean) => readonly TransactionIntent[];
  /** USD per token, plain decimals, about which the market's prices move. */
  readonly referencePrices: ReadonlyMap<Address, string>;
};

export type Models = readonly {
  readonly hash: Uint8Array;
  readonly run: ContractModel<ExchangeHost>;
}[];

const SAC: Code = { native: true, run: runSac };

/** Which model runs a contract: a Stellar Asset Contract by its executable, others by their code's hash. */
export function codeOf(models: Models, plainToken: Uint8Array): CodeOf {
  const codes = new Map<string, Code>(
    models.map(({ hash, run }) => [hex(hash), { native: false, run }]),
  );
  codes.set(hex(plainToken), { native: false, run: runPlainToken });
  return (executable) => (executable.kind === "token" ? SAC : codes.get(hex(executable.hash)));
}
