// A classic operation: its XDR in the envelope, and what its effect on the ledger depends on.
import type { MemoWire, OperationBodyWire, OperationResultTrWire } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import type { ClassicAsset } from "./asset.ts";
import type { ClassicLedger } from "./classic-ledger.ts";
import type { OfferEntry } from "./entry.ts";
import type { XdrText } from "./xdr-writer.ts";

export type ClassicOperation = {
  /** Where it is not the transaction's. */
  readonly source?: Address;
  readonly body: OperationBodyWire;
};

/** The body of operations of one OperationType. */
export type OperationBody<Type extends number> = Extract<
  OperationBodyWire,
  { readonly type: Type }
>;

export type ClassicOutcome = {
  readonly ok: boolean;
  readonly result: OperationResultTrWire;
  /** XDR of the ContractEvents that classic operations write (CAP-67). */
  readonly events: readonly XdrText[];
};

export type ClassicContext = {
  /** Of the operation. */
  readonly source: Address;
  /** Of the transaction. */
  readonly memo: MemoWire;
  /** Account -> who pays for it: the reserves of what the transaction's next operations create. */
  readonly sponsors: Map<Address, Address>;
  readonly ledger: ClassicLedger;
  readonly tokenOf: (asset: ClassicAsset) => Address;
  /** The last id given to an offer. */
  readonly ids: { last: bigint };
  /** Open offers of an account before the transaction. */
  readonly offersOf: (account: Address) => readonly OfferEntry[];
};
