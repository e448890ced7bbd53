// Ledger keys that differ in one address alone: the SDK builds the first of them, and the bytes of
// the address are put in place for all others (1 us instead of 50).
import {
  type Address,
  accountAddress,
  addressBytes,
  contractAddress,
  isContract,
} from "../../model/address.ts";

/** Thirty-two bytes that occur nowhere else in a key. */
const PLACE = Uint8Array.from({ length: 32 }, (_, at) => (at * 37 + 201) & 0xff);
const ACCOUNT = accountAddress(PLACE);
const CONTRACT = contractAddress(PLACE);

type Template = { readonly bytes: Buffer; readonly at: number };

/** Keys of a kind, by the address in them. `build` gives a key in base64 XDR. */
export class KeyTemplate {
  readonly #build: (owner: Address) => string;
  #account: Template | undefined;
  #contract: Template | undefined;

  constructor(build: (owner: Address) => string) {
    this.#build = build;
  }

  keyOf(owner: Address): string {
    const { bytes, at } = this.#templateFor(owner);
    bytes.set(addressBytes(owner), at);
    return bytes.toString("base64");
  }

  /** Accounts and contracts are written in different lengths. */
  #templateFor(owner: Address): Template {
    if (isContract(owner)) {
      this.#contract ??= template(this.#build(CONTRACT));
      return this.#contract;
    }
    this.#account ??= template(this.#build(ACCOUNT));
    return this.#account;
  }
}

function template(key: string): Template {
  const bytes = Buffer.from(key, "base64");
  const at = bytes.indexOf(PLACE);
  if (at < 0 || bytes.indexOf(PLACE, at + 1) >= 0) {
    throw new TypeError(`not a key with one address of an owner: ${key}`);
  }
  return { bytes, at };
}
