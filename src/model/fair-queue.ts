// Fair queue (round robin): every client has a queue of its own, and clients are served in turn, one piece
// each, so that a client with many pieces delays itself alone.

export class FairQueue<T> {
  /** In the order of turns; no queue is empty. */
  #waiting = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(client: string): number {
    return this.#waiting.get(client)?.length ?? 0;
  }

  /** Behind all else of the client. */
  add(client: string, piece: T): void {
    const own = this.#waiting.get(client);
    if (own === undefined) this.#waiting.set(client, [piece]);
    else own.push(piece);
    this.#size += 1;
  }

  /** At most so many, in turn. */
  take(max: number): readonly T[] {
    const taken: T[] = [];
    for (const [client, own] of this.#waiting) {
      if (taken.length >= max) break;
      const piece = own.shift();
      // A client that was served goes to the end, which this very loop reaches again.
      this.#waiting.delete(client);
      if (own.length > 0) this.#waiting.set(client, own);
      if (piece !== undefined) taken.push(piece);
    }
    this.#size -= taken.length;
    return taken;
  }

  /**
   * What was taken and could not be served: each before all else of its client. The clients in `served`
   * had their turn, the others are next.
   */
  putBack(
    pieces: readonly (readonly [client: string, piece: T])[],
    served: ReadonlySet<string>,
  ): void {
    const back = new Map<string, T[]>();
    for (const [client, piece] of pieces) {
      const own = back.get(client);
      if (own === undefined) back.set(client, [piece]);
      else own.push(piece);
    }
    const waiting = this.#waiting;
    const next = new Map<string, T[]>();
    const add = (wasServed: boolean): void => {
      for (const [client, own] of back) {
        if (served.has(client) !== wasServed) continue;
        next.set(client, own.concat(waiting.get(client) ?? []));
      }
    };
    add(false);
    for (const [client, own] of waiting) if (!back.has(client)) next.set(client, own);
    add(true);
    this.#waiting = next;
    this.#size += pieces.length;
  }

  /** Drops the pieces that are no longer wanted. */
  keep(isWanted: (piece: T) => boolean): void {
    this.#size = 0;
    for (const [client, own] of this.#waiting) {
      const kept = own.filter(isWanted);
      if (kept.length === 0) this.#waiting.delete(client);
      else this.#waiting.set(client, kept);
      this.#size += kept.length;
    }
  }
}
