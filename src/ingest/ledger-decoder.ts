// Types of a ledger decoder: its result, and the context that it needs.
import type { Address } from "../model/address.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { KeyTable } from "./key-table.ts";

export type DecoderOptions = {
  readonly exchange: Address;
  /** Names the network in the hashes that join envelopes with their results. */
  readonly passphrase: string;
};

/** What the main thread follows beside the exchange itself. */
export type Followed = {
  readonly keys: KeyTable;
  /** Tokens that are no Stellar Asset Contracts. */
  readonly tokens: ReadonlySet<Address>;
};

export type DecodedLedger = {
  readonly delta: LedgerDelta;
  readonly oddities: readonly Oddity[];
};

/** Something in a ledger that concerns the exchange or what is followed, and is not as known. */
export type Oddity = {
  /** Of few: it is counted by it, and logged once for each. */
  readonly kind: string;
  readonly message: string;
};

/**
 * Throws IngestError `undecodable` naming the ledger, and its protocol where the header can be
 * read. `sequence` is what the source says the bytes are.
 */
export type DecodeLedger = (
  bytes: Uint8Array,
  sequence: number,
  followed: Followed,
) => DecodedLedger;
