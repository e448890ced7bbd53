// The transactions of the kept ledgers, by hash. Ledgers themselves are on disk; only where a hash
// leads is in memory, read back from the ledgers' records at a start.
import type { LedgerFile } from "./ledger-file.ts";
import { TransactionFinder } from "./transaction-finder.ts";
import { decodePlaces, forEachHash, type TransactionPlace } from "./transaction-place.ts";

export type ArchivedTransaction = {
  readonly ledger: number;
  /** Application order, from 1. */
  readonly order: number;
  readonly place: TransactionPlace;
};

export class TransactionArchive {
  readonly #ledgers: LedgerFile;
  readonly #retention: number;
  readonly #finder = new TransactionFinder();

  /** Reads the hashes of the last `retention` ledgers. */
  constructor(ledgers: LedgerFile, retention: number) {
    this.#ledgers = ledgers;
    this.#retention = retention;
    const { oldest, latest } = ledgers;
    if (oldest === undefined || latest === undefined) return;
    const from = Math.max(oldest.ledger, latest.ledger - retention + 1);
    for (let ledger = from; ledger <= latest.ledger; ledger += 1) this.add(ledger);
  }

  /** A ledger that was appended to the file. */
  add(ledger: number): void {
    const places = this.#ledgers.readPlaces(ledger);
    if (places === undefined) return;
    this.#finder.trim(ledger - this.#retention + 1);
    forEachHash(places, (hash, order) => this.#finder.add(hash, ledger, order));
  }

  /** By its own hash, or by that of the transaction that it is a fee bump of. */
  find(hash: Uint8Array): ArchivedTransaction | undefined {
    for (const { ledger, order } of this.#finder.candidates(hash)) {
      const place = this.places(ledger)[order - 1];
      if (place === undefined) continue;
      const { hash: own, innerHash } = place;
      const isIt = Buffer.compare(own, hash) === 0;
      if (isIt || (innerHash !== undefined && Buffer.compare(innerHash, hash) === 0)) {
        return { ledger, order, place };
      }
    }
    return undefined;
  }

  /** Of the ledger's transactions in apply order; none where it is not kept. */
  places(ledger: number): readonly TransactionPlace[] {
    const bytes = this.#ledgers.readPlaces(ledger);
    return bytes === undefined ? [] : decodePlaces(bytes);
  }
}
