import type { TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { payloadHash } from "../../src/ingest/transaction-result.ts";

const ENVELOPE_TYPE_TX = Uint8Array.of(0, 0, 0, 2);
const ENVELOPE_TYPE_FEE_BUMP = Uint8Array.of(0, 0, 0, 5);

/** The hash that results name the transaction by, lower-case hex: of a fee bump the outer one. */
export function transactionHash(
  network: Uint8Array,
  envelope: TransactionEnvelope,
): string | undefined {
  switch (envelope.type) {
    case "envelopeTypeTx":
      return payloadHash(network, ENVELOPE_TYPE_TX, envelope.v1.tx.toXdr()).toString("hex");
    case "envelopeTypeTxFeeBump":
      return payloadHash(network, ENVELOPE_TYPE_FEE_BUMP, envelope.feeBump.tx.toXdr()).toString(
        "hex",
      );
    case "envelopeTypeTxV0":
      return undefined;
  }
}
