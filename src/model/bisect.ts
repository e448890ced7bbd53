/**
 * Binary search: the lowest integer from `low` on and below `high` for which it holds, as it does for all above; `high`
 * where there is none.
 */
export function lowestWhere(low: number, high: number, holds: (at: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
