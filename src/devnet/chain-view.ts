// Reading the chain's latest state as its contracts would: for the traffic and for comparisons.
import type { Address } from "../model/address.ts";
import { u128 } from "./contract/value.ts";
import { allowanceOf, isAuthorized, spendableOf } from "./holding.ts";
import type { Chain } from "./ledger/chain.ts";
import { orderEntry } from "./ledger/exchange-storage.ts";
import { dataKey } from "./ledger/key.ts";
import type { OrderIndex } from "./order-index.ts";
import type { ChainView } from "./traffic/view.ts";

/** `others`: order entries of all but the scenario's makers. */
export function chainView(
  chain: Chain,
  { exchange, now, others }: { exchange: Address; now: number; others: OrderIndex },
): ChainView {
  return {
    ledger: chain.tip.ledger + 1,
    now,
    order: (id) => {
      const entry = chain.state.get(dataKey(exchange, u128(id), "persistent"))?.entry;
      return entry?.kind === "data" ? orderEntry(entry.value) : undefined;
    },
    offers: (account) => chain.state.offers(account).map(({ id }) => id),
    allowance: (token, owner) => allowanceOf(chain, { token, holder: owner, spender: exchange }),
    balance: (token, holder) => spendableOf(chain, token, holder),
    canReceive: (token, holder) => isAuthorized(chain, token, holder),
    otherOrders: (selling, buying) => others.orders(selling, buying),
  };
}
