// Hot path: makers who cannot fill all of their orders are classes of a multiple-choice knapsack
// (Kellerer, Pferschy, Pisinger, Knapsack Problems, 2004): which of a maker's largest orders are filled
// whole is one choice, a bit mask. Lists all choices that the makers' backing allows; 2 ns each. Their
// other orders are classes by themselves, at a shadow price of the backing (relaxation.ts).
import { ENTRIES_MAX, type HopTask } from "./hop-task.ts";
import { exceeds } from "./rounding.ts";

/** Orders of one maker that are chosen from together: 2^7 choices at most (measured). */
const LARGE_MAX = 7;
/** Choices of all makers of a hop together. */
export const CHOICES_MAX = Math.ceil(ENTRIES_MAX / LARGE_MAX) * 2 ** LARGE_MAX;

export class MakerChoices {
  /** By maker: its first choice, which is none of its orders. Then come the next maker's. */
  readonly first = new Int32Array(ENTRIES_MAX + 1);
  // By choice: the bits of its orders, how many they are, what they get and cost.
  readonly mask = new Uint8Array(CHOICES_MAX);
  readonly size = new Uint8Array(CHOICES_MAX);
  readonly got = new Float64Array(CHOICES_MAX);
  readonly paid = new Float64Array(CHOICES_MAX);

  /** By maker: its largest orders; and by entry the bit of such an order in the masks, 0 of any other. */
  readonly large: (readonly number[])[] = [];
  readonly bit = new Uint8Array(ENTRIES_MAX);
  /** Makers with further orders that can be whole. */
  priced: readonly number[] = [];
  /** Choices looked at. */
  looked = 0;

  /** Lists the choices of each maker that hold up to so many orders. */
  begin(task: HopTask, slots: number): void {
    const { candidates, groups } = task;
    const { amount, budget, cost, groupTop, headroom, previous } = task.orders.columns;
    const { first, got, mask, paid, size } = this;
    const priced: number[] = [];
    this.bit.fill(0, 0, candidates);
    let end = 0;
    for (let maker = 0; maker < groups; maker += 1) {
      const top = groupTop[maker]!;
      const own: number[] = [];
      for (let entry = top; entry >= 0; entry = previous[entry]!) {
        if (task.canBeWhole(entry)) own.push(entry);
      }
      own.sort((one, other) => amount[other]! - amount[one]!);
      if (own.length > LARGE_MAX) priced.push(maker);
      const large = own.slice(0, LARGE_MAX);
      this.large[maker] = large;
      first[maker] = end;
      [mask[end], size[end], got[end], paid[end]] = [0, 0, 0, 0];
      end += 1;
      for (const [place, entry] of large.entries()) {
        this.bit[entry] = 1 << place;
        // Each choice of those before it, and this one beside them.
        for (let at = first[maker]!, others = end; at < others; at += 1) {
          const gets = got[at]! + amount[entry]!;
          const pays = paid[at]! + cost[entry]!;
          if (size[at] === slots || exceeds(gets, budget[top]!)) continue;
          if (exceeds(pays, headroom[top]!)) continue;
          [mask[end], size[end]] = [mask[at]! | this.bit[entry]!, size[at]! + 1];
          [got[end], paid[end]] = [gets, pays];
          end += 1;
        }
      }
    }
    first[groups] = end;
    this.priced = priced;
  }

  /** Reduced profit of a choice. `lambda`: less the price of the maker's backing. */
  profit(choice: number, lambda: number, mu: number): number {
    return this.got[choice]! * lambda - this.paid[choice]! - this.size[choice]! * mu;
  }

  /** The choice of a maker that profits most. */
  best(maker: number, lambda: number, mu: number): number {
    const end = this.first[maker + 1]!;
    let best = this.first[maker]!;
    let highest = 0;
    this.looked += end - best;
    for (let choice = best + 1; choice < end; choice += 1) {
      const profit = this.profit(choice, lambda, mu);
      if (profit <= highest) continue;
      highest = profit;
      best = choice;
    }
    return best;
  }
}
