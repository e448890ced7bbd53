// Positions: the place on the chain of a trade, a swap or an order's creation; the API's ids and cursors.
import { type PositionParts, parsePosition, positionParts } from "../model/position.ts";

/**
 * Of a trade's, swap's, failure's or order's `id` or `cursor` that is a position. Throws a RangeError where
 * it is none; order ids are none, they are hashes.
 */
export function partsOfPosition(text: string): PositionParts {
  const position = parsePosition(text);
  if (position === undefined) throw new RangeError(`no position: ${text.slice(0, 80)}`);
  return positionParts(position);
}

export function ledgerOfPosition(text: string): number {
  return partsOfPosition(text).ledger;
}
