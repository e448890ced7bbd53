// Hot path: addresses of every event. Encoding 32 bytes as a strkey takes microseconds, and the same few
// accounts and tokens recur.
import { type Address, accountAddress, contractAddress } from "../model/address.ts";

/** Cache bound; past it the cache is cleared. Twice the accounts of a busy day (guess). */
const ADDRESSES_MAX = 20_000;

class AddressCache {
  readonly #known = new Map<string, Address>();
  readonly #make: (bytes: Uint8Array) => Address;

  constructor(make: (bytes: Uint8Array) => Address) {
    this.#make = make;
  }

  of(bytes: Uint8Array): Address {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= ADDRESSES_MAX) this.#known.clear();
    const made = this.#make(bytes);
    this.#known.set(key, made);
    return made;
  }
}

const accounts = new AddressCache(accountAddress);
const contracts = new AddressCache(contractAddress);

export function accountOf(publicKey: Uint8Array): Address {
  return accounts.of(publicKey);
}

export function contractOf(id: Uint8Array): Address {
  return contracts.of(id);
}
