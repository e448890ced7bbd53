// Hot path: asset paths waiting to be solved, the most promising first. A binary heap over columns;
// nothing is allocated.

/** Paths kept at once; the least promising are dropped. 60 assets in all pairs make 3,365. */
const PATHS_MAX = 1 << 15;

export class PathQueue {
  count = 0;
  /** The highest key among the paths that were dropped for want of space. */
  droppedKey = Number.NEGATIVE_INFINITY;

  // Columns, by path id.
  /** Larger is better. */
  readonly #key = new Float64Array(PATHS_MAX);
  readonly #hopCount = new Uint8Array(PATHS_MAX);
  readonly #sides = new Int32Array(3 * PATHS_MAX);
  /** Orders that the path would list if their number did not matter. */
  readonly #orders = new Int32Array(PATHS_MAX);
  /** Ids as a heap once `arrange` was called, in order of addition before. */
  readonly #heap = new Int32Array(PATHS_MAX);
  #ids = 0;

  clear(): void {
    this.count = 0;
    this.#ids = 0;
    this.droppedKey = Number.NEGATIVE_INFINITY;
  }

  /** A path of `hopCount` sides in execution order; sides beyond it are ignored. */
  add(
    key: number,
    orders: number,
    hopCount: number,
    one: number,
    two: number,
    three: number,
  ): void {
    if (this.#ids === PATHS_MAX) this.#dropHalf();
    if (key <= this.droppedKey) return;
    const id = this.#ids;
    this.#key[id] = key;
    this.#orders[id] = orders;
    this.#hopCount[id] = hopCount;
    this.#sides[3 * id] = one;
    this.#sides[3 * id + 1] = two;
    this.#sides[3 * id + 2] = three;
    this.#heap[this.count] = id;
    this.#ids += 1;
    this.count += 1;
  }

  /** To be called once after the last `add`. */
  arrange(): void {
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

  hopCount(id: number): number {
    return this.#hopCount[id]!;
  }

  side(id: number, hop: number): number {
    return this.#sides[3 * id + hop]!;
  }

  removeTop(): void {
    this.count -= 1;
    this.#heap[0] = this.#heap[this.count]!;
    this.#sink(0);
  }

  /** Gives the top path a key that takes the cap on orders into account, if that is lower. */
  capTop(key: number): void {
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

  #dropHalf(): void {
    const sorted = this.#key.slice(0, this.#ids).sort();
    const dropped = this.#ids >>> 1;
    const droppedKey = sorted[dropped - 1]!;
    // Of those with the same key, the first ones stay.
    let equalLeft = sorted.lastIndexOf(droppedKey) + 1 - dropped;
    const ids = this.#ids;
    this.#ids = 0;
    this.count = 0;
    for (let id = 0; id < ids; id += 1) {
      const key = this.#key[id]!;
      if (key < droppedKey) continue;
      if (key === droppedKey) {
        if (equalLeft === 0) continue;
        equalLeft -= 1;
      }
      this.add(
        key,
        this.#orders[id]!,
        this.#hopCount[id]!,
        this.#sides[3 * id]!,
        this.#sides[3 * id + 1]!,
        this.#sides[3 * id + 2]!,
      );
    }
    this.droppedKey = droppedKey;
  }
}
