import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import type { OrderEntry } from "../contract/host.ts";

/** What the traffic may know of the chain: its state after the last ledger, and the next one. */
export interface ChainView {
  /** The ledger whose transactions are asked for. */
  readonly ledger: number;
  /** Its close time, UNIX seconds. */
  readonly now: number;
  /** The exchange's order entry, expired ones included. */
  order(id: OrderId): OrderEntry | undefined;
  /** What the exchange may take from `owner`; 0 where the allowance lapsed. */
  allowance(token: Address, owner: Address): bigint;
  /** What `holder` can spend; 0 where it holds none. */
  balance(token: Address, holder: Address): bigint;
}
