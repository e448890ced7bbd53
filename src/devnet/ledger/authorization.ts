// Authorization of contract calls: the port that a running invocation asks (CAP-46-11).
import { createPublicKey, verify } from "node:crypto";
import {
  type SorobanAddressCredentialsWire,
  SorobanAuthorizedFunction,
} from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import { CallFailure } from "../contract/host.ts";
import { type Call, invocationWire } from "./event.ts";
import type { EntryKey } from "./key.ts";
import { addressWire, VOID_WIRE } from "./sc-val.ts";
import type { Scope } from "./state.ts";
import { encode } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

/** The frame that asks: the call it runs and the entries it sees and changes. */
export type AuthorizedFrame = {
  readonly call: Call;
  readonly scope: Scope;
  /** Entries read, which the footprint lists. */
  readonly read: Set<EntryKey>;
};

/** Follows every frame that opens and closes; a failed frame gives back what it used up. */
export interface Authorization {
  enter(): void;
  leave(ok: boolean): void;
  /** Throws a CallFailure of kind `auth` where `address` did not authorize the frame's call. */
  require(address: Address, frame: AuthorizedFrame): void;
}

/** These accounts authorize whatever is called: the network's own traffic. */
export class OpenAuthorization implements Authorization {
  readonly #accounts: readonly Address[];

  constructor(accounts: readonly Address[]) {
    this.#accounts = accounts;
  }

  enter(): void {
    // Nothing depends on the frame.
  }

  leave(): void {
    // Nothing depends on the frame.
  }

  require(address: Address): void {
    if (!this.#accounts.includes(address)) throw new CallFailure({ kind: "auth", address });
  }
}

export function authorizedFunction(call: Call): XdrText {
  return encode(SorobanAuthorizedFunction, { type: 0, contractFn: invocationWire(call) });
}

/** SorobanAddressCredentials without a signature: still to be signed, or never verified. */
export function unsignedWire(signer: Address, nonce: bigint): SorobanAddressCredentialsWire {
  const address = addressWire(signer);
  return { address, nonce, signatureExpirationLedger: 0, signature: VOID_WIRE };
}

/** A SubjectPublicKeyInfo of an Ed25519 key up to the key's 32 bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const SIGNATURE_BYTES = 64;

/** By an account's Ed25519 key, checked with Node's own implementation. */
export function isSignedBy(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const key = Buffer.concat([SPKI_PREFIX, publicKey]);
  return verify(null, message, createPublicKey({ key, format: "der", type: "spki" }), signature);
}

type Matching = { readonly matched: { readonly depth: number }[] };

/** Changes to authorizations, taken back in the reverse order where their frame fails. */
export class Journal {
  readonly #undo: (() => void)[] = [];
  readonly #marks: number[] = [];

  /** Frames that are open. */
  get depth(): number {
    return this.#marks.length;
  }

  enter(): void {
    this.#marks.push(this.#undo.length);
  }

  /** `trackers`: the nodes that each account's authorization matched, of which the frame's go. */
  leave(ok: boolean, trackers: readonly Matching[]): void {
    for (const { matched } of trackers) {
      if (matched.at(-1)?.depth === this.depth) matched.pop();
    }
    const mark = this.#marks.pop() ?? 0;
    while (!ok && this.#undo.length > mark) this.#undo.pop()?.();
  }

  add(undo: () => void): void {
    this.#undo.push(undo);
  }
}
