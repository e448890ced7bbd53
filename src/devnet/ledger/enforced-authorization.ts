// Enforced authorization: calls must match the operation's entries, each a tree of calls that one account
// signed (CAP-46-11, CAP-71; env auth.rs).
import {
  HashIdPreimage,
  type HashIdPreimageWire,
  type ScValWire,
  type SorobanAuthorizationEntryWire,
  SorobanAuthorizedFunction,
  type SorobanAuthorizedInvocationWire,
} from "@stellar/stellar-sdk/xdr";
import { type Address, addressBytes, isContract } from "../../model/address.ts";
import { CallFailure } from "../contract/host.ts";
import { addressValue, u32 } from "../contract/value.ts";
import {
  type Authorization,
  type AuthorizedFrame,
  authorizedFunction,
  isSignedBy,
  Journal,
} from "./authorization.ts";
import { sha256 } from "./hash.ts";
import { DetailedFailure } from "./invocation.ts";
import { accountKey } from "./key.ts";
import { useNonce } from "./nonce.ts";
import { addressFromWire } from "./sc-val.ts";
import { TTL_MAX } from "./state.ts";
import { encode } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

/** What an authorization entry of one account may hold at most (env: MAX_ACCOUNT_SIGNATURES). */
const SIGNATURES_MAX = 20;

type Node = { readonly fn: XdrText; readonly children: readonly Node[]; used: boolean };

/** What an account that is not the source has signed. */
type Signed = {
  readonly nonce: bigint;
  readonly expiration: number;
  readonly signature: ScValWire;
  /** The hash that is signed. */
  readonly payload: Uint8Array;
};

class Tracker {
  readonly address: Address;
  readonly root: Node;
  /** Absent for the source, whose signature is the transaction's. */
  readonly signed: Signed | undefined;
  isVerified: boolean;
  isValid = true;
  /** Nodes of the calls that are running, with the depth of their frames. */
  readonly matched: { readonly depth: number; readonly node: Node }[] = [];

  constructor(address: Address, root: Node, signed: Signed | undefined) {
    this.address = address;
    this.root = root;
    this.signed = signed;
    this.isVerified = signed === undefined;
  }
}

export class EnforcedAuthorization implements Authorization {
  readonly #trackers: readonly Tracker[];
  readonly #journal = new Journal();

  /** Throws a TypeError for credentials that this network does not take. */
  constructor(
    entries: readonly SorobanAuthorizationEntryWire[],
    of: { readonly source: Address; readonly networkId: Uint8Array },
  ) {
    this.#trackers = entries.map((entry) => trackerOf(entry, of));
  }

  enter(): void {
    this.#journal.enter();
  }

  leave(ok: boolean): void {
    this.#journal.leave(ok, this.#trackers);
  }

  require(address: Address, frame: AuthorizedFrame): void {
    const fn = authorizedFunction(frame.call);
    const own = this.#trackers.filter((tracker) => tracker.address === address);
    const isActive = own.some(({ matched }) => matched.length > 0);
    for (const tracker of own) {
      if (tracker.isValid && this.#matches(tracker, fn, !isActive)) {
        this.#verify(tracker, frame);
        return;
      }
    }
    throw new CallFailure({ kind: "auth", address });
  }

  /** Below the call matched last, or as a root that was not used yet. */
  #matches(tracker: Tracker, fn: XdrText, allowRoot: boolean): boolean {
    const last = tracker.matched.at(-1)?.node;
    const candidates = last?.children ?? (allowRoot ? [tracker.root] : []);
    const node = candidates.find((one) => !one.used && one.fn === fn);
    if (node === undefined) return false;
    node.used = true;
    this.#journal.add(() => {
      node.used = false;
    });
    tracker.matched.push({ depth: this.#journal.depth, node });
    return true;
  }

  #verify(tracker: Tracker, frame: AuthorizedFrame): void {
    const { address, signed } = tracker;
    if (tracker.isVerified || signed === undefined) return;
    tracker.isVerified = true;
    this.#journal.add(() => {
      tracker.isVerified = false;
    });
    try {
      authenticate(address, signed, frame);
      consumeNonce(address, signed, frame);
    } catch (error) {
      tracker.isValid = false;
      throw error;
    }
  }
}

function trackerOf(
  { credentials, rootInvocation }: SorobanAuthorizationEntryWire,
  { source, networkId }: { readonly source: Address; readonly networkId: Uint8Array },
): Tracker {
  const root = nodeOf(rootInvocation);
  if (credentials.type === 0) return new Tracker(source, root, undefined);
  if (credentials.type === 3) throw new TypeError("credentials with delegates are not supported");
  const given = credentials.type === 1 ? credentials.address : credentials.addressV2;
  const { address, nonce, signatureExpirationLedger, signature } = given;
  const account = addressFromWire(address);
  if (isContract(account)) throw new TypeError("contract accounts are not supported");
  const signing = { networkId, nonce, signatureExpirationLedger, invocation: rootInvocation };
  const preimage: HashIdPreimageWire =
    credentials.type === 1
      ? { type: 9, sorobanAuthorization: signing }
      : { type: 10, sorobanAuthorizationWithAddress: { ...signing, address } };
  const payload = sha256(HashIdPreimage.schema.encode(preimage));
  const expiration = signatureExpirationLedger;
  return new Tracker(account, root, { nonce, expiration, signature, payload });
}

function nodeOf(invocation: SorobanAuthorizedInvocationWire): Node {
  return {
    fn: encode(SorobanAuthorizedFunction, invocation.function),
    children: invocation.subInvocations.map(nodeOf),
    used: false,
  };
}

/** Throws "failed account authentication with error", whatever is wrong with the signatures. */
function authenticate(account: Address, signed: Signed, { scope, read }: AuthorizedFrame): void {
  const key = accountKey(account);
  read.add(key);
  const fault =
    scope.get(key) === undefined ? "the account does not exist" : signatureFault(account, signed);
  if (fault === undefined) return;
  throw new DetailedFailure(
    { kind: "auth", address: account },
    "failed account authentication with error",
    [addressValue(account), { type: "string", value: fault }],
  );
}

/** The account's own key is the only signer it has, with more weight than its thresholds ask for. */
function signatureFault(account: Address, { signature, payload }: Signed): string | undefined {
  const items = signature.type === 16 ? signature.vec : null;
  if (items === null || items.length === 0) return "the authorization is not signed";
  if (items.length > SIGNATURES_MAX) return "too many account signers";
  const key = addressBytes(account);
  let before: Uint8Array | undefined;
  for (const item of items) {
    const [publicKey, bytes] = signatureOf(item);
    if (publicKey === undefined || bytes === undefined) return "the signature has another form";
    if (before !== undefined && Buffer.compare(before, publicKey) >= 0) {
      return "public keys are not ordered";
    }
    if (!isSignedBy(publicKey, payload, bytes)) return "the signature does not verify";
    if (Buffer.compare(key, publicKey) !== 0) return "signature doesn't belong to account";
    before = publicKey;
  }
  return undefined;
}

/** Of a map of `public_key` and `signature`. */
function signatureOf(item: ScValWire): readonly [Uint8Array?, Uint8Array?] {
  const [key, signature, ...more] = item.type === 17 ? (item.map ?? []) : [];
  if (key?.key.type !== 15 || key.key.sym.toString() !== "public_key") return [];
  if (signature?.key.type !== 15 || signature.key.sym.toString() !== "signature") return [];
  if (key.val.type !== 13 || signature.val.type !== 13 || more.length > 0) return [];
  if (key.val.bytes.length !== 32) return [];
  return [key.val.bytes, signature.val.bytes];
}

function consumeNonce(account: Address, signed: Signed, { scope }: AuthorizedFrame): void {
  const { nonce, expiration } = signed;
  const refuse = (text: string, fault: "invalidInput" | "existingValue"): never => {
    throw new DetailedFailure({ kind: "auth", address: account, fault }, text, [
      addressValue(account),
      u32(expiration),
    ]);
  };
  if (expiration < scope.ledger) refuse("signature has expired", "invalidInput");
  if (expiration > scope.ledger + TTL_MAX - 1) {
    refuse("signature expiration is too late", "invalidInput");
  }
  if (!useNonce(scope, { account, nonce, liveUntil: expiration })) {
    refuse("nonce already exists for address", "existingValue");
  }
}
