// Who authorized a contract call: the port a running invocation asks (CAP-46-11).
import type { Address } from "../../model/address.ts";
import { CallFailure } from "../contract/host.ts";
import type { Call } from "./event.ts";
import type { EntryKey } from "./key.ts";
import { addressWire, xdrString } from "./sc-val.ts";
import type { Scope } from "./state.ts";
import { writeAddress, writeValue } from "./write-value.ts";
import { encode, type XdrText } from "./xdr-writer.ts";

/** The frame that asks: the call it runs and the entries it sees and changes. */
export type AuthorizedFrame = {
  readonly call: Call;
  readonly scope: Scope;
  /** Entries read, which the footprint lists. */
  readonly read: Set<EntryKey>;
};

/** Told of every frame that opens and closes; what a frame that failed used up is given back. */
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

/** XDR of the SorobanAuthorizedFunction of a call. */
export function authorizedFunction({ contract, fn, args }: Call): XdrText {
  return encode((to) => {
    to.uint32(0); // a contract's function
    writeAddress(to, addressWire(contract));
    to.opaque(xdrString(fn).bytes);
    to.list(args, (arg) => writeValue(to, arg));
  });
}

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

  leave(ok: boolean): void {
    const mark = this.#marks.pop() ?? 0;
    while (!ok && this.#undo.length > mark) this.#undo.pop()?.();
  }

  add(undo: () => void): void {
    this.#undo.push(undo);
  }
}
