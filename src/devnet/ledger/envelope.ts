// Transaction envelopes and their hashes.
import { createHash } from "node:crypto";
import type { Address } from "../../model/address.ts";
import { sha256 } from "./hash.ts";
import { publicKeyWire } from "./sc-val.ts";
import { join, list, uint32, uint64, ZERO } from "./xdr-frame.ts";
import { encodeBytes, type XdrText } from "./xdr-writer.ts";

/** EnvelopeType: what an envelope, and what the hash of its transaction, starts with. */
const TX = uint32(2);
const FEE_BUMP = uint32(5);
/** MuxedAccount of a plain account. */
const ED25519 = uint32(0);

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
  const transaction = transactionXdr(parts);
  const hash = sha256(networkId, TX, transaction);
  const inner = join([TX, transaction, list([signature(parts.source, hash)])]);
  const { feeBump } = parts;
  if (feeBump === undefined) return { xdr: inner, hash };
  const bump = join([
    ED25519,
    publicKeyWire(feeBump.source).ed25519,
    uint64(feeBump.fee),
    inner,
    ZERO,
  ]);
  const outerHash = sha256(networkId, FEE_BUMP, bump);
  const xdr = join([FEE_BUMP, bump, list([signature(feeBump.source, outerHash)])]);
  return { xdr, hash: outerHash, innerHash: hash };
}

function transactionXdr(parts: EnvelopeParts): Buffer {
  return encodeBytes((to) => {
    to.bytes(ED25519);
    to.bytes(publicKeyWire(parts.source).ed25519);
    to.uint32(parts.fee);
    to.int64(parts.sequence);
    to.uint32(0); // no preconditions
    to.uint32(0); // no memo
    to.list(parts.operations, (operation) => to.xdr(operation));
    to.option(parts.soroban, (data) => to.xdr(data));
  });
}

const SIGNATURE_BYTES = uint32(64);

/**
 * XDR of a DecoratedSignature with the size and the hint of a real one. It signs nothing: the
 * devnet's accounts have no secret keys, and no reader of ledgers verifies signatures.
 */
function signature(signer: Address, hash: Uint8Array): Uint8Array {
  const key = publicKeyWire(signer).ed25519;
  const bytes = createHash("sha512").update(key).update(hash).digest();
  return join([key.subarray(28), SIGNATURE_BYTES, bytes]);
}
