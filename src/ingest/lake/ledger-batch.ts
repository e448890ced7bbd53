// An object of a data lake: a LedgerCloseMetaBatch.
import { LedgerCloseMetaBatch } from "@stellar/stellar-sdk/xdr";
import { undecodable } from "../ledger-header.ts";
import { compileWalker, type Walk, XdrWalkError } from "../xdr/compile-walker.ts";

export type LedgerBatch = {
  readonly start: number;
  readonly end: number;
  /** Of each ledger, in order: views into the batch. */
  readonly ledgers: readonly Uint8Array[];
};

type Handlers = { ledger(view: DataView, from: number, to: number): void };

/** Two numbers and the count of ledgers. */
const HEAD_BYTES = 12;

export class BatchReader {
  readonly #walk: Walk<Handlers> = compileWalker(LedgerCloseMetaBatch.schema, [
    { at: "*.ledgerCloseMetas[]", when: "end", call: "ledger" },
  ]);

  /**
   * Throws IngestError `undecodable` for a ledger of unknown form, a RangeError where the bytes are
   * cut short or no batch of as many ledgers as it says.
   */
  read(bytes: Uint8Array): LedgerBatch {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const start = view.getUint32(0);
    const end = view.getUint32(4);
    const ledgers: Uint8Array[] = [];
    let next = HEAD_BYTES;
    try {
      next = this.#walk(view, 0, {
        ledger: (_view, from, to) => {
          ledgers.push(bytes.subarray(from, to));
          next = to;
        },
      });
    } catch (cause) {
      if (!(cause instanceof XdrWalkError)) throw cause;
      throw undecodable(bytes.subarray(next), start + ledgers.length, cause);
    }
    if (next !== bytes.length) {
      throw new RangeError(`the batch ends at byte ${next} of ${bytes.length}`);
    }
    if (end - start + 1 !== ledgers.length) {
      throw new RangeError(`a batch of ${start} to ${end} holds ${ledgers.length} ledgers`);
    }
    return { start, end, ledgers };
  }
}
