import type { ContractConfig, RegistryMarket } from "../model/contract-state.ts";
import type { AddressIds } from "./address-ids.ts";
import type { RecordReader, RecordWriter } from "./record-bytes.ts";

/** The contract's state without its markets, which are records of their own. */
export type ContractFlags = { readonly frozen: boolean; readonly config?: ContractConfig };

const FROZEN = 1;
const CONFIG = 2;
/** What an oracle asks for a day is its own choice: nothing keeps a fee from being negative. */
const NEGATIVE_FEE = 4;
const NEGATIVE_SIZE = 8;

export function writeContract(writer: RecordWriter, ids: AddressIds, flags: ContractFlags): Buffer {
  const { frozen, config } = flags;
  if (config === undefined) return writer.byte(frozen ? FROZEN : 0).take();
  const { marketListingFee: fee, minTradeSize: size } = config;
  return writer
    .byte(
      CONFIG |
        (frozen ? FROZEN : 0) |
        (fee < 0n ? NEGATIVE_FEE : 0) |
        (size < 0n ? NEGATIVE_SIZE : 0),
    )
    .uint32(ids.idOf(config.safetyAdmin))
    .uint32(ids.idOf(config.oracle))
    .count(config.listingMinDays)
    .uint(fee < 0n ? -fee : fee)
    .uint(size < 0n ? -size : size)
    .count(config.ledgerTime)
    .take();
}

export function readContract(reader: RecordReader, ids: AddressIds): ContractFlags {
  const flags = reader.byte();
  const frozen = (flags & FROZEN) !== 0;
  if ((flags & CONFIG) === 0) return { frozen };
  const signed = (amount: bigint, flag: number) => ((flags & flag) === 0 ? amount : -amount);
  return {
    frozen,
    config: {
      safetyAdmin: ids.addressOf(reader.uint32()),
      oracle: ids.addressOf(reader.uint32()),
      listingMinDays: reader.count(),
      marketListingFee: signed(reader.uint(), NEGATIVE_FEE),
      minTradeSize: signed(reader.uint(), NEGATIVE_SIZE),
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
