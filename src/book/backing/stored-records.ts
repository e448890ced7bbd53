// What a start shows of the backing records before it has restored them: their rows say what they
// showed, and the shared book needs no more.
import type { Address } from "../../model/address.ts";
import type { Backing } from "../../model/backing.ts";
import type { BackingStart } from "../step.ts";
import { entryRowKey, parseRow, RECORD_PREFIX, shownBacking } from "./backing-rows.ts";
import { inNextLedger } from "./record.ts";
import { type Token, tokenOf } from "./token.ts";

/**
 * The records in the shared book, as they count in the next ledger. Undefined where a row does not
 * say or is missing: then they follow from the ledger entries alone.
 */
export function storedBackings(
  contract: Address,
  start: BackingStart,
): readonly Backing[] | undefined {
  const { ledger = 0, rows } = start;
  const wanted = wantedRecords(contract, start);
  let missing = 0;
  for (const assets of wanted.values()) missing += assets.size;
  const backings: Backing[] = [];
  for (const row of rows(RECORD_PREFIX)) {
    const { backing, short } = shownBacking(row) ?? {};
    if (backing === undefined || short === undefined) return undefined;
    if (wanted.get(backing.owner)?.has(backing.asset) !== true) continue;
    backings.push(inNextLedger(backing, { ledger, short }, backing));
    missing -= 1;
  }
  return missing === 0 ? backings : undefined;
}

/** The kinds of the records' tokens, as far as the rows of their instances say. */
export function storedTokens(
  backings: readonly Backing[],
  { rows }: BackingStart,
  instanceKey: (asset: Address) => string,
): ReadonlyMap<Address, Token> {
  const tokens = new Map<Address, Token>();
  for (const asset of new Set(backings.map((backing) => backing.asset))) {
    const prefix = entryRowKey(instanceKey(asset));
    for (const row of rows(prefix)) {
      const parsed = parseRow(row);
      if (row.key === prefix && parsed.kind === "entry") tokens.set(asset, tokenOf(parsed.entry));
    }
  }
  return tokens;
}

/** Owners of live orders with the assets of those, and the contract with every asset traded. */
function wantedRecords(
  contract: Address,
  { markets, references }: BackingStart,
): ReadonlyMap<Address, ReadonlySet<Address>> {
  const traded = new Set(markets.flatMap(({ pair }) => [pair.base, pair.quote]));
  const wanted = new Map([[contract, traded]]);
  for (const { owner, asset } of references) {
    traded.add(asset);
    const assets = wanted.get(owner);
    if (assets === undefined) wanted.set(owner, new Set([asset]));
    else assets.add(asset);
  }
  return wanted;
}
