// The signatures of one envelope: which account signed, and whether any signature is left over.
import type { DecoratedSignatureWire } from "@stellar/stellar-sdk/xdr";
import { type Address, addressBytes } from "../../model/address.ts";
import { isSignedBy } from "../ledger/authorization.ts";

/** The last bytes of a signer's key. */
const HINT_BYTES = 4;

export class Signatures {
  readonly #hash: Uint8Array;
  readonly #signatures: readonly DecoratedSignatureWire[];
  readonly #used = new Set<DecoratedSignatureWire>();
  readonly #known = new Map<Address, boolean>();

  constructor(hash: Uint8Array, signatures: readonly DecoratedSignatureWire[]) {
    this.#hash = hash;
    this.#signatures = signatures;
  }

  /** An account's own key suffices for all it does: there are no other signers. */
  isSignedBy(account: Address): boolean {
    let isSigned = this.#known.get(account);
    if (isSigned === undefined) {
      isSigned = this.#verify(addressBytes(account));
      this.#known.set(account, isSigned);
    }
    return isSigned;
  }

  get areAllUsed(): boolean {
    return this.#used.size === this.#signatures.length;
  }

  #verify(key: Uint8Array): boolean {
    const hint = key.subarray(key.length - HINT_BYTES);
    const found = this.#signatures.find(
      (one) => Buffer.compare(one.hint, hint) === 0 && isSignedBy(key, this.#hash, one.signature),
    );
    if (found !== undefined) this.#used.add(found);
    return found !== undefined;
  }
}
