import type { ContractConfig, RegistryMarket } from "../model/contract-state.ts";
import type { AddressIds } from "./address-ids.ts";
import type { RecordReader, RecordWriter } from "./record-bytes.ts";

/** The contract's state without its markets, which are records of their own. */
export type ContractFlags = { readonly frozen: boolean; readonly config?: ContractConfig };

const FROZEN = 1;
const CONFIG = 2;

export function writeContract(writer: RecordWriter, ids: AddressIds, flags: ContractFlags): Buffer {
  const { frozen, config } = flags;
  writer.byte((frozen ? FROZEN : 0) | (config === undefined ? 0 : CONFIG));
  if (config !== undefined) {
    writer
      .uint32(ids.idOf(config.safetyAdmin))
      .uint32(ids.idOf(config.oracle))
      .count(config.listingMinDays)
      .uint(config.marketListingFee)
      .uint(config.minTradeSize)
      .count(config.ledgerTime);
  }
  return writer.take();
}

export function readContract(reader: RecordReader, ids: AddressIds): ContractFlags {
  const flags = reader.byte();
  const frozen = (flags & FROZEN) !== 0;
  if ((flags & CONFIG) === 0) return { frozen };
  return {
    frozen,
    config: {
      safetyAdmin: ids.addressOf(reader.uint32()),
      oracle: ids.addressOf(reader.uint32()),
      listingMinDays: reader.count(),
      marketListingFee: reader.uint(),
      minTradeSize: reader.uint(),
      ledgerTime: reader.count(),
    },
  };
}

export function writeMarket(writer: RecordWriter, ids: AddressIds, market: RegistryMarket): Buffer {
  return writer
    .uint32(ids.idOf(market.pair.base))
    .uint32(ids.idOf(market.pair.quote))
    .count(market.created)
    .count(market.refreshed)
    .take();
}

export function readMarket(reader: RecordReader, ids: AddressIds): RegistryMarket {
  return {
    pair: { base: ids.addressOf(reader.uint32()), quote: ids.addressOf(reader.uint32()) },
    created: reader.count(),
    refreshed: reader.count(),
  };
}
