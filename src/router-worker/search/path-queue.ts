// Hot path: asset paths waiting to be solved, the most promising first. A binary heap over columns;
// no path is allocated before it is taken.
import { HOPS_MAX } from "../quote.ts";

export class PathQueue {
  count = 0;

  // Columns, by path id, which counts from 0 in order of addition.
  /** Larger is better. */
  readonly #key: Float64Array;
  readonly #hopCount: Uint8Array;
  readonly #sides: Int32Array;
  /** Orders that the path would list if their number did not matter; 0 once its key was capped. */
  readonly #orders: Int32Array;
  /** Ids as a heap once `arrange` was called, in order of addition before. */
  readonly #heap: Int32Array;

  /**
   * `sides`: the capacity of the book. There are no more paths between two assets than sides: the first
   * side of one or two hops, and the middle one of three, tell which path it is.
   */
  constructor(sides: number) {
    this.#key = new Float64Array(sides);
    this.#hopCount = new Uint8Array(sides);
    this.#sides = new Int32Array(HOPS_MAX * sides);
    this.#orders = new Int32Array(sides);
    this.#heap = new Int32Array(sides);
  }

  clear(): void {
    this.count = 0;
  }

  /** A path of `hopCount` sides in execution order; sides beyond it are ignored. Before `arrange`. */
  add(
    key: number,
    orders: number,
    hopCount: number,
    one: number,
    two: number,
    three: number,
  ): void {
    const id = this.count;
    this.#key[id] = key;
    this.#orders[id] = orders;
    this.#hopCount[id] = hopCount;
    this.#sides[HOPS_MAX * id] = one;
    this.#sides[HOPS_MAX * id + 1] = two;
    this.#sides[HOPS_MAX * id + 2] = three;
    this.#heap[id] = id;
    this.count += 1;
  }

  /** To be called once after the last `add`. Throws a RangeError where they exceed the capacity. */
  arrange(): void {
    // Asked once a search: what `add` writes beyond a column is lost.
    if (this.count > this.#heap.length) throw new RangeError("more paths than the book has sides");
    for (let at = (this.count >>> 1) - 1; at >= 0; at -= 1) this.#sink(at);
  }

  /** Id of the most promising path; only while `count` > 0. */
  get top(): number {
    return this.#heap[0]!;
  }

  key(id: number): number {
    return this.#key[id]!;
  }

  orders(id: number): number {
    return this.#orders[id]!;
  }

  /** In execution order. */
  sides(id: number): readonly number[] {
    const one = this.#sides[HOPS_MAX * id]!;
    const two = this.#sides[HOPS_MAX * id + 1]!;
    const three = this.#sides[HOPS_MAX * id + 2]!;
    const hopCount = this.#hopCount[id]!;
    return hopCount === 1 ? [one] : hopCount === 2 ? [one, two] : [one, two, three];
  }

  removeTop(): void {
    this.count -= 1;
    this.#heap[0] = this.#heap[this.count]!;
    this.#sink(0);
  }

  /** Gives the top path a key that takes the cap on orders into account, if that is lower. Once for a path. */
  capTop(key: number): void {
    // Capped: no number of orders exceeds the cap any more.
    this.#orders[this.top] = 0;
    if (key < this.#key[this.top]!) this.#key[this.top] = key;
    this.#sink(0);
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const id = heap[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.count) break;
      if (child + 1 < this.count && this.#isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!this.#isBefore(heap[child]!, id)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = id;
  }

  #isBefore(one: number, other: number): boolean {
    const oneKey = this.#key[one]!;
    const otherKey = this.#key[other]!;
    return oneKey === otherKey ? one < other : oneKey > otherKey;
  }
}
