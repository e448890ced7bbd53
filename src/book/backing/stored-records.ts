// What a start shows of the backing records before it has restored them: their rows say what they
// showed, and the shared book needs no more.
import type { Address } from "../../model/address.ts";
import type { Backing } from "../../model/backing.ts";
import type { BackingStart } from "../step.ts";
import { parseRecordRow, RECORD_PREFIX, type RecordRow } from "./backing-rows.ts";
import { inNextLedger, type RecordId, recordId, unloadedBacking } from "./record.ts";

/**
 * The records in the shared book, as they count in the next ledger. Undefined where a row does not
 * say or is missing: then they follow from the ledger entries alone.
 */
export function storedBackings(
  contract: Address,
  { ledger = 0, markets, references, rows }: BackingStart,
): readonly Backing[] | undefined {
  const backings = new Map<RecordId, Backing>();
  for (const row of rows(RECORD_PREFIX)) {
    const backing = shownBacking(parseRecordRow(row));
    if (backing === undefined) return undefined;
    backings.set(recordId(backing.owner, backing.asset), backing);
  }
  const inBook: Backing[] = [];
  const take = (owner: Address, asset: Address): boolean => {
    const backing = backings.get(recordId(owner, asset));
    if (backing === undefined) return false;
    inBook.push(inNextLedger(backing, ledger, backing));
    return true;
  };
  const traded = new Set(markets.flatMap(({ pair }) => [pair.base, pair.quote]));
  for (const { owner, asset } of references) {
    traded.add(asset);
    if (owner !== contract && !take(owner, asset)) return undefined;
  }
  for (const asset of traded) if (!take(contract, asset)) return undefined;
  return inBook;
}

/** As the record will show it once it is restored. */
function shownBacking({ owner, asset, updated, answer, shown }: RecordRow): Backing | undefined {
  if (shown === undefined) return undefined;
  // An answer of a token that keeps its own books has to be confirmed.
  const pending = answer !== undefined;
  if (updated === undefined) {
    return { ...unloadedBacking(owner, asset, shown.skipped), pending };
  }
  return { owner, asset, ...shown, updated, pending };
}
