// The transaction envelopes of a walked ledger by the hash that results name them by. Hashing all
// of them takes longer than the walk: only those are hashed that something needs.
import { type Transaction, TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { innerTransaction, payloadHash } from "./transaction-result.ts";
import type { WalkedEnvelopes } from "./walked-ledger.ts";

/** TransactionResultCode. */
const TX_SUCCESS = 0;
const TX_FEE_BUMP_INNER_SUCCESS = 1;

export function isSuccess(resultCode: number): boolean {
  return resultCode === TX_SUCCESS || resultCode === TX_FEE_BUMP_INNER_SUCCESS;
}

export class Envelopes {
  readonly #bytes: Buffer;
  readonly #network: Uint8Array;
  /** Hashes of those that invoke the exchange, and where the envelopes are. */
  #invoking: readonly { readonly hash: Buffer; readonly index: number }[] | undefined;
  #byHash: ReadonlyMap<string, number> | undefined;

  constructor(bytes: Uint8Array, network: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#network = network;
  }

  /** Whether the TransactionResultPair at `at` is of a failed transaction that invokes the exchange. */
  failedInvocation(envelopes: WalkedEnvelopes, at: number): boolean {
    if (envelopes.invoking.length === 0 || isSuccess(this.#bytes.readInt32BE(at + 40)))
      return false;
    return this.#invokingOf(envelopes).some(
      ({ hash }) => hash.compare(this.#bytes, at, at + 32) === 0,
    );
  }

  /** `hash` in lower-case hex. Undefined for the oldest form of envelopes, which has no contracts. */
  transaction(envelopes: WalkedEnvelopes, hash: string): Transaction | undefined {
    const index = this.#indexOf(envelopes, hash);
    if (index === undefined) return undefined;
    const { from, to } = envelopes.at(index);
    return innerTransaction(TransactionEnvelope.fromXdr(this.#bytes.subarray(from, to)));
  }

  #indexOf(envelopes: WalkedEnvelopes, hash: string): number | undefined {
    const bytes = Buffer.from(hash, "hex");
    const direct = this.#invokingOf(envelopes).find((one) => one.hash.equals(bytes));
    if (direct !== undefined) return direct.index;
    if (this.#byHash === undefined) {
      const all = Array.from({ length: envelopes.count }, (_, index) => index);
      this.#byHash = new Map(
        all.map((index) => [this.#hashOf(envelopes, index).toString("hex"), index]),
      );
    }
    return this.#byHash.get(hash);
  }

  #invokingOf(envelopes: WalkedEnvelopes) {
    this.#invoking ??= envelopes.invoking.map((index) => ({
      hash: this.#hashOf(envelopes, index),
      index,
    }));
    return this.#invoking;
  }

  #hashOf(envelopes: WalkedEnvelopes, index: number): Buffer {
    const { from, transaction } = envelopes.at(index);
    // The envelope's type, of 4 bytes, is also the type that is hashed.
    const type = this.#bytes.subarray(from, from + 4);
    return payloadHash(this.#network, type, this.#bytes.subarray(transaction.from, transaction.to));
  }
}
