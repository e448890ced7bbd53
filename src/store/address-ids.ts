// Addresses are stored once and named by a number of four bytes everywhere else: records and the
// keys of indexes are a third of the size they would be with the 33 bytes of an address.
import {
  type Address,
  accountAddress,
  addressBytes,
  contractAddress,
  isContract,
} from "../model/address.ts";
import { indexPrefix } from "./keys.ts";
import { RecentMap } from "./recent-map.ts";
import type { Snapshot } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";
import type { Tables } from "./tables.ts";

/** Addresses kept at hand; measured as enough for every maker of a 100,000-order book. */
const CACHED_MAX = 50_000;
/** Of four bytes. */
const NUMBER_MAX = 0xffff_ffff;

/** Where the numbering is kept. */
export interface AddressTable {
  idOf(bytes: Buffer): number | undefined;
  bytesOf(id: number): Buffer | undefined;
}

/**
 * The numbering. Numbers are given out while a commit is prepared (`startCommit`), stored with it,
 * and taken back when it fails. Main thread.
 */
export class AddressIds {
  readonly #table: AddressTable;
  #next: number;
  readonly #given = new Map<Address, number>();
  #giving = false;
  readonly #ids = new RecentMap<Address, number>(CACHED_MAX);
  readonly #addresses = new RecentMap<number, Address>(CACHED_MAX);

  /** `next` is the first number that is not in the table. */
  constructor(table: AddressTable, next: number) {
    this.#table = table;
    this.#next = next;
  }

  /** The number of an address, or undefined where it was never stored. */
  find(address: Address): number | undefined {
    const known = this.#ids.get(address);
    if (known !== undefined) return known;
    const id = this.#table.idOf(addressKey(address));
    if (id !== undefined) this.#remember(address, id);
    return id;
  }

  /** As `find`, giving out a number where there is none. Only while a commit is prepared. */
  idOf(address: Address): number {
    const id = this.#given.get(address) ?? this.find(address);
    if (id !== undefined) return id;
    if (!this.#giving) throw new Error(`no commit is prepared that could name ${address}`);
    const given = this.#next + this.#given.size;
    this.#given.set(address, given);
    return given;
  }

  /** Throws a StoreError where nothing has that number. */
  addressOf(id: number): Address {
    const known = this.#addresses.get(id);
    if (known !== undefined) return known;
    const bytes = this.#table.bytesOf(id);
    if (bytes === undefined) {
      throw new StoreError("damaged", `the store is damaged: it names no address ${id}`);
    }
    const address =
      bytes[0] === 1 ? contractAddress(bytes.subarray(1)) : accountAddress(bytes.subarray(1));
    this.#remember(address, id);
    return address;
  }

  startCommit(): void {
    this.#giving = true;
  }

  /** The numbers given out since `startCommit`, to be stored with the commit. */
  given(): readonly { readonly key: Buffer; readonly id: number }[] {
    return Array.from(this.#given, ([address, id]) => ({ key: addressKey(address), id }));
  }

  endCommit(stored: boolean): void {
    if (stored) {
      this.#next += this.#given.size;
      for (const [address, id] of this.#given) this.#remember(address, id);
    }
    this.#given.clear();
    this.#giving = false;
  }

  #remember(address: Address, id: number): void {
    this.#ids.set(address, id);
    this.#addresses.set(id, address);
  }
}

/** The numbering of a store, in the state of the snapshot. */
export function storedIds({ addresses, addressIds }: Tables, snapshot: Snapshot): AddressIds {
  const range = { start: indexPrefix(0, NUMBER_MAX), end: indexPrefix(0, 0), limit: 1 };
  const [last] = snapshot.entries(addresses, range);
  const table = {
    idOf: (bytes: Buffer) => snapshot.get(addressIds, bytes)?.readUInt32BE(1),
    bytesOf: (id: number) => snapshot.get(addresses, indexPrefix(0, id)),
  };
  return new AddressIds(table, (last?.key.readUInt32BE(1) ?? 0) + 1);
}

/** 33 bytes: 0 account or 1 contract, then the key or hash. */
function addressKey(address: Address): Buffer {
  const key = Buffer.allocUnsafe(33);
  key[0] = isContract(address) ? 1 : 0;
  key.set(addressBytes(address), 1);
  return key;
}
