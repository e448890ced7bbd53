// Recorded authorization, of a simulation: every account authorizes what it is asked for, and the entries that
// have to be signed later are recorded (env auth.rs, recording mode).
import { randomBytes } from "node:crypto";
import {
  SorobanAuthorizationEntry,
  type SorobanAuthorizedInvocationWire,
  type SorobanCredentialsWire,
} from "@stellar/stellar-sdk/xdr";
import { type Address, isContract } from "../../model/address.ts";
import { CallFailure } from "../contract/host.ts";
import { addressValue } from "../contract/value.ts";
import {
  type Authorization,
  type AuthorizedFrame,
  authorizedFunction,
  Journal,
  unsignedWire,
} from "./authorization.ts";
import { DetailedFailure } from "./invocation.ts";
import { accountKey } from "./key.ts";
import { useNonce } from "./nonce.ts";
import { type Encodable, encode } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

type Node = { readonly fn: XdrText; readonly children: Node[] };

type Tracker = {
  readonly address: Address;
  readonly root: Node;
  /** Absent for the source. */
  readonly nonce?: bigint;
  readonly matched: { readonly depth: number; readonly node: Node }[];
};

export class RecordedAuthorization implements Authorization {
  readonly #source: Address;
  readonly #allowNonRoot: boolean;
  readonly #trackers: Tracker[] = [];
  readonly #journal = new Journal();

  /** `allowNonRoot`: calls deeper than the transaction's own may be the first an account signs. */
  constructor(source: Address, allowNonRoot: boolean) {
    this.#source = source;
    this.#allowNonRoot = allowNonRoot;
  }

  enter(): void {
    this.#journal.enter();
  }

  leave(ok: boolean): void {
    this.#journal.leave(ok, this.#trackers);
  }

  require(address: Address, frame: AuthorizedFrame): void {
    const { depth } = this.#journal;
    const node: Node = { fn: authorizedFunction(frame.call), children: [] };
    const active = this.#trackers.find((one) => one.address === address && one.matched.length > 0);
    const last = active?.matched.at(-1);
    if (active !== undefined && last !== undefined) {
      if (last.depth === depth) {
        throw new DetailedFailure(
          { kind: "auth", address, fault: "existingValue" },
          "frame is already authorized",
          [addressValue(address)],
        );
      }
      last.node.children.push(node);
      this.#journal.add(() => void last.node.children.pop());
      active.matched.push({ depth, node });
      return;
    }
    this.#begin(address, node, frame);
  }

  #begin(address: Address, root: Node, { scope, read }: AuthorizedFrame): void {
    const { depth } = this.#journal;
    if (depth > 1 && !this.#allowNonRoot) {
      throw new DetailedFailure(
        { kind: "auth", address },
        "[recording authorization only] encountered authorization not tied to the root contract " +
          "invocation for an address. Use `require_auth()` in the top invocation or enable " +
          "non-root authorization.",
        [addressValue(address)],
      );
    }
    // A contract that did not make the call could only agree by code of its own.
    if (isContract(address)) throw new CallFailure({ kind: "auth", address });
    const nonce = address === this.#source ? undefined : randomBytes(8).readBigInt64BE();
    if (nonce !== undefined) {
      read.add(accountKey(address));
      useNonce(scope, { account: address, nonce, liveUntil: 0 });
    }
    const matched = [{ depth, node: root }];
    this.#trackers.push({ address, root, matched, ...(nonce === undefined ? {} : { nonce }) });
    this.#journal.add(() => void this.#trackers.pop());
  }

  /** XDR of the SorobanAuthorizationEntries; `upgraded`: credentials that name the address (CAP-71). */
  entries(upgraded: boolean): readonly XdrText[] {
    return this.#trackers.map((tracker) =>
      encode(SorobanAuthorizationEntry, {
        credentials: credentialsOf(tracker, upgraded),
        rootInvocation: invocationOf(tracker.root),
      }),
    );
  }
}

function credentialsOf({ address, nonce }: Tracker, upgraded: boolean): SorobanCredentialsWire {
  if (nonce === undefined) return { type: 0 };
  const unsigned = unsignedWire(address, nonce);
  return upgraded ? { type: 2, addressV2: unsigned } : { type: 1, address: unsigned };
}

function invocationOf({ fn, children }: Node): Encodable<SorobanAuthorizedInvocationWire> {
  return { function: fn, subInvocations: children.map(invocationOf) };
}
