// Counts connections, in all and by address. The binding reports the address of a connection that opens, but
// not of one that closes: so each address's count is known between two bounds, and read from the system when
// the upper bound passes the limit. Main thread.
import type { Clock } from "../../model/clock.ts";

/** Least time between two reads of the system's list of sockets, which can be long (choice). */
const LOOK_MS = 1000;
/** Addresses counted since the last read (choice); past it the counts restart. */
const ADDRESSES_MAX = 100_000;

export type ConnectionCountOptions = {
  /** 0: no limit. */
  readonly max: number;
  readonly perAddressMax: number;
  /** Open connections of each address by the system; undefined where it does not tell. */
  readonly look: () => ReadonlyMap<string, number> | undefined;
  /** Milliseconds of any origin. */
  readonly clock: Clock;
};

export type Refusal = "connections" | "connections_per_address";

export class ConnectionCount {
  readonly #options: ConnectionCountOptions;
  #open = 0;
  /** Connections of each address at the last read, and opened since. */
  #held = new Map<string, number>();
  /** Connections of any address closed since the last read. */
  #closed = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionCountOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#open;
  }

  /**
   * Counts a connection; returns the refusal where it is one too many. A refused one is `closed` like any other.
   * `address`: undefined for one that may hold as many as it likes.
   */
  opened(address: () => string | undefined): Refusal | undefined {
    const { max, perAddressMax } = this.#options;
    this.#open += 1;
    const limited = perAddressMax > 0 ? address() : undefined;
    if (limited !== undefined && this.#isTooMany(limited, perAddressMax)) {
      return "connections_per_address";
    }
    return max > 0 && this.#open > max ? "connections" : undefined;
  }

  closed(): void {
    this.#open -= 1;
    this.#closed += 1;
    // No connection is left: nothing needs to be read.
    if (this.#open === 0) this.#begin(new Map());
  }

  #isTooMany(address: string, max: number): boolean {
    const most = (this.#held.get(address) ?? 0) + 1;
    this.#held.set(address, most);
    if (this.#held.size > ADDRESSES_MAX) this.#begin(new Map(this.#options.look() ?? []));
    if (most <= max) return false;
    const nowMs = this.#options.clock();
    if (nowMs - this.#lookedMs >= LOOK_MS) {
      this.#lookedMs = nowMs;
      const found = this.#options.look();
      if (found !== undefined) {
        this.#begin(new Map(found));
        return (found.get(address) ?? 0) > max;
      }
    }
    // All that closed may have been of this address: it is refused for what it surely holds.
    return most - this.#closed > max;
  }

  #begin(held: Map<string, number>): void {
    this.#held = held;
    this.#closed = 0;
  }
}
