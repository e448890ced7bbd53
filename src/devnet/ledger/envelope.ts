// Transaction envelopes and their hashes.
import { hash as hashOnce } from "node:crypto";
import {
  type DecoratedSignatureWire,
  FeeBumpTransaction,
  type FeeBumpTransactionWire,
  Transaction,
  TransactionEnvelope,
  TransactionSignaturePayload,
  type TransactionSignaturePayloadTaggedTransactionWire,
  type TransactionWire,
} from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import { sha256 } from "./hash.ts";
import { publicKeyWire } from "./sc-val.ts";
import { type Encodable, encode, encodeBytes } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

export type Envelope = {
  readonly xdr: Uint8Array;
  /** Of the outer transaction, which the ledger's results name. */
  readonly hash: Uint8Array;
  /** Of the transaction inside a fee bump. */
  readonly innerHash?: Uint8Array;
};

export type FeeBump = {
  readonly source: Address;
  /** Stroops; the most it pays. */
  readonly fee: bigint;
};

export type EnvelopeParts = {
  readonly source: Address;
  readonly sequence: bigint;
  /** Stroops; the most the source pays. */
  readonly fee: number;
  /** XDR of the Operations. */
  readonly operations: readonly XdrText[];
  /** XDR of the SorobanTransactionData. */
  readonly soroban?: XdrText;
  /** Pays in place of the source: a fee-bump transaction around this one. */
  readonly feeBump?: FeeBump;
};

export function envelope(parts: EnvelopeParts, networkId: Uint8Array): Envelope {
  const tx = encode(Transaction, transactionWire(parts));
  const hash = transactionHash(networkId, { type: 2, tx });
  const signatures = [signature(parts.source, hash)];
  const { feeBump } = parts;
  if (feeBump === undefined) {
    return { xdr: encodeBytes(TransactionEnvelope, { type: 2, v1: { tx, signatures } }), hash };
  }
  const outer: Encodable<FeeBumpTransactionWire> = {
    feeSource: publicKeyWire(feeBump.source),
    fee: feeBump.fee,
    innerTx: { type: 2, v1: { tx, signatures } },
    ext: { v: 0 },
  };
  const outerTx = encode(FeeBumpTransaction, outer);
  const outerHash = transactionHash(networkId, { type: 5, feeBump: outerTx });
  const outerSignatures = [signature(feeBump.source, outerHash)];
  const xdr = encodeBytes(TransactionEnvelope, {
    type: 5,
    feeBump: { tx: outerTx, signatures: outerSignatures },
  });
  return { xdr, hash: outerHash, innerHash: hash };
}

/** What is signed. */
export function transactionHash(
  networkId: Uint8Array,
  taggedTransaction: Encodable<TransactionSignaturePayloadTaggedTransactionWire>,
): Uint8Array {
  return sha256(encodeBytes(TransactionSignaturePayload, { networkId, taggedTransaction }));
}

function transactionWire(parts: EnvelopeParts): Encodable<TransactionWire> {
  const { source, sequence, fee, operations, soroban } = parts;
  return {
    sourceAccount: publicKeyWire(source),
    fee,
    seqNum: sequence,
    cond: { type: 0 },
    memo: { type: 0 },
    operations,
    ext: soroban === undefined ? { v: 0 } : { v: 1, sorobanData: soroban },
  };
}

/**
 * A DecoratedSignature with the size and the hint of a real one. It signs nothing: the devnet's accounts
 * have no secret keys, and no reader of ledgers verifies signatures.
 */
function signature(signer: Address, hash: Uint8Array): DecoratedSignatureWire {
  const key = publicKeyWire(signer).ed25519;
  const bytes = hashOnce("sha512", Buffer.concat([key, hash]), "buffer");
  return { hint: key.subarray(28), signature: bytes };
}
