// What a holder has in a token, as the network itself would decide it: for comparison with what an
// indexer derives from ledger entries.
import type { Devnet } from "../../../src/devnet/devnet.ts";
import {
  allowanceOf,
  type Grant,
  instanceOf,
  isAuthorized,
  spendableOf,
} from "../../../src/devnet/holding.ts";
import type { Chain } from "../../../src/devnet/ledger/chain.ts";
import { dataKey } from "../../../src/devnet/ledger/key.ts";
import { trustlineIn } from "../../../src/devnet/ledger/state.ts";
import { trustlineRange } from "../../../src/devnet/tokens/reserve.ts";
import { allowanceKey } from "../../../src/devnet/tokens/sac-allowance.ts";
import { assetOf } from "../../../src/devnet/tokens/sac-instance.ts";
import { type Address, isContract } from "../../../src/model/address.ts";

/** Amounts in base units. */
export type TokenHolding = {
  /** What a transfer can take: without reserve and selling liabilities. */
  readonly spendable: bigint;
  /** What the spender can take now, and the last ledger it can: 0 without allowance. */
  readonly allowance: bigint;
  readonly liveUntil: number;
  /** Can send and receive. */
  readonly authorized: boolean;
  /** Of trustlines alone. */
  readonly headroom?: bigint;
};

/** What `holder` has in `token`, and what it allows the exchange, after the latest ledger. */
export function holdingIn(devnet: Devnet, token: Address, holder: Address): TokenHolding {
  return holdingOf(devnet.chain, { token, holder, spender: devnet.network.exchange });
}

/** After the latest ledger. Throws a TypeError where there is no such token. */
export function holdingOf(chain: Chain, of: Grant): TokenHolding {
  const { token, holder } = of;
  const allowance = allowanceOf(chain, of);
  const headroom = headroomOf(chain, token, holder);
  return {
    spendable: spendableOf(chain, token, holder),
    allowance,
    liveUntil: allowance === 0n ? 0 : liveUntilOf(chain, of),
    authorized: isAuthorized(chain, token, holder),
    ...(headroom !== undefined && { headroom }),
  };
}

function headroomOf(chain: Chain, token: Address, holder: Address): bigint | undefined {
  const instance = instanceOf(chain, token);
  if (isContract(holder) || instance.executable.kind !== "token") return undefined;
  const asset = assetOf(instance);
  if (asset.kind === "native" || asset.issuer === holder) return undefined;
  const trustline = trustlineIn(chain.state, holder, asset);
  if (trustline === undefined) return 0n;
  const left = trustlineRange(trustline).max - trustline.balance;
  return left < 0n ? 0n : left;
}

function liveUntilOf(chain: Chain, of: Grant): number {
  const key = allowanceKey({ from: of.holder, spender: of.spender });
  const entry = chain.state.get(dataKey(of.token, key, "temporary"))?.entry;
  const fields = entry?.kind === "data" && entry.value.type === "map" ? entry.value.value : [];
  const last = fields[1]?.[1];
  return last?.type === "u32" ? last.value : 0;
}
