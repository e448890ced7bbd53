import type { Address, Pair } from "./address.ts";

/** The contract's configuration as its last `config` event gave it. */
export type ContractConfig = {
  readonly safetyAdmin: Address;
  readonly oracle: Address;
  readonly listingMinDays: number;
  /** Base units of the listing-fee token. */
  readonly marketListingFee: bigint;
  /** USD with 7 decimals. */
  readonly minTradeSize: bigint;
  /** Seconds. */
  readonly ledgerTime: number;
};

/** A market opened on-chain. Times in UNIX seconds. */
export type RegistryMarket = {
  readonly pair: Pair;
  readonly created: number;
  readonly refreshed: number;
};

/** What contract events say of the contract itself. `markets` in the order first seen. */
export type ContractState = {
  readonly frozen: boolean;
  readonly config?: ContractConfig;
  readonly markets: readonly RegistryMarket[];
};
