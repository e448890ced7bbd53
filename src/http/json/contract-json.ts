// The contract's state as JSON text (api.md, Contract state body).
import type { Address } from "../../model/address.ts";
import { utcText } from "../../model/clock.ts";
import type { ContractState } from "../../model/contract-state.ts";

export function contractJson(address: Address, state: ContractState): string {
  const { frozen, config, markets } = state;
  return JSON.stringify({
    address,
    frozen,
    config:
      config === undefined
        ? undefined
        : {
            safetyAdmin: config.safetyAdmin,
            oracle: config.oracle,
            listingMinDays: config.listingMinDays,
            marketListingFee: String(config.marketListingFee),
            minTradeSize: String(config.minTradeSize),
            ledgerTime: config.ledgerTime,
          },
    markets: markets.map(({ pair, created, refreshed }) => ({
      base: pair.base,
      quote: pair.quote,
      created: utcText(created),
      refreshed: utcText(refreshed),
    })),
  });
}
