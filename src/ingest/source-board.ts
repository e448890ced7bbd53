// Source board: the state of each source, in memory that all threads of the process share. A dead URL, a
// limit or a lagging server that one thread meets is known to the others.
//
// A row of float64 for each source, in the order of configuration, the lake last. Rows are advice:
// each number is written whole, and of two writes at once either may stay; what is lost is at
// most one request to a source that wanted none.

/** What a source is asked for. Each backs off alone; what concerns the whole server is shared. */
export const SOURCE_USES = ["ledgers", "entries", "simulations"] as const;
export type SourceUse = (typeof SOURCE_USES)[number];

export type SourceState = "good" | "failing" | "behind" | "wrong-network";

/** Places in a row. Moments are those of the timer, which counts alike in all threads. */
const FIELDS = {
  /** Backs off until this moment. */
  restUntil: 0,
  /** The same for one use. */
  ledgersRest: 1,
  entriesRest: 2,
  simulationsRest: 3,
  /** Failures in a row. */
  failures: 4,
  ledgersFailures: 5,
  entriesFailures: 6,
  simulationsFailures: 7,
  /** When its network was last asked for: 0 never; negative where it was another one. */
  networkAt: 8,
  /** Behind others until this moment; then it is looked at again. */
  behindUntil: 9,
  /** Times in a row that it was found behind. */
  behindCount: 10,
  /** Newest ledger it was seen to have. */
  tip: 11,
  /** Most ledgers in a page; 0: the protocol's maximum. */
  pageMax: 12,
  /** Pages of that size that came well. */
  pageGood: 13,
  /** Smoothed size of a ledger in an answer, in bytes; 0: unknown. */
  ledgerBytes: 14,
} as const;
export type SourceField = keyof typeof FIELDS;
const ROW = 16;

export class SourceBoard {
  readonly memory: SharedArrayBuffer;
  readonly #rows: Float64Array;

  /** With `memory`: the board of another thread. */
  constructor(sources: number, memory = new SharedArrayBuffer(sources * ROW * 8)) {
    this.memory = memory;
    this.#rows = new Float64Array(memory);
  }

  get(source: number, field: SourceField): number {
    return this.#rows[source * ROW + FIELDS[field]] ?? 0;
  }

  set(source: number, field: SourceField, value: number): void {
    this.#rows[source * ROW + FIELDS[field]] = value;
  }

  state(source: number, now: number): SourceState {
    if (this.get(source, "networkAt") < 0) return "wrong-network";
    if (this.get(source, "behindCount") > 0) return "behind";
    const isFailing =
      this.get(source, "restUntil") > now ||
      this.get(source, "failures") > 0 ||
      SOURCE_USES.some((use) => this.get(source, `${use}Failures`) > 1);
    return isFailing ? "failing" : "good";
  }
}

/** Sources as they may be shown: host and port, and a number where two are alike. */
export function sourceNames(
  rpcUrls: readonly string[],
  lake: string | undefined,
): readonly string[] {
  const names: string[] = [];
  for (const url of rpcUrls) {
    const { host } = new URL(url);
    const same = names.filter((name) => name === host || name.startsWith(`${host}#`)).length;
    names.push(same === 0 ? host : `${host}#${same + 1}`);
  }
  return lake === undefined ? names : [...names, "lake"];
}
