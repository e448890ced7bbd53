// The reader thread as the backing records see it: decodes ahead, answers late, from any ledger
// that leaves no hole.
import type { EntriesLoaded, TrackingRequest } from "../../src/model/entry-tracking.ts";
import type { EntryChange, LedgerDelta } from "../../src/model/ledger-delta.ts";
import type { Random } from "../support/random-ledgers.ts";
import type { World, WorldChange } from "./backing-world.ts";

type Wanted = { readonly request: number; readonly key: string };

export class LateReader {
  /** Decoded and not yet taken. */
  readonly deltas: LedgerDelta[] = [];
  readonly closed: ReadonlyMap<number, readonly WorldChange[]>;
  readonly #world: World;
  /** By key the last ledger decoded without following it. */
  readonly #followed = new Map<string, number>();
  #wanted: Wanted[] = [];
  #decoded: number;

  constructor(world: World, closed: ReadonlyMap<number, readonly WorldChange[]>, from: number) {
    this.#world = world;
    this.closed = closed;
    this.#decoded = from;
  }

  get isWaitedFor(): boolean {
    return this.#wanted.length > 0;
  }

  get hasMore(): boolean {
    return this.#decoded < this.#world.ledger;
  }

  request(request: TrackingRequest): void {
    if (request.kind === "untrack") for (const key of request.keys) this.#followed.delete(key);
    if (request.kind !== "track") return;
    for (const key of request.keys) {
      if (!this.#followed.has(key)) this.#followed.set(key, this.#decoded);
      if (request.load) this.#wanted.push({ request: request.request, key });
    }
  }

  decode(): void {
    this.#decoded += 1;
    const ledger = this.#decoded;
    const entries = (this.closed.get(ledger) ?? []).filter(({ key }) => this.#followed.has(key));
    this.deltas.push({
      ledger,
      hash: `${ledger}`,
      previousHash: `${ledger - 1}`,
      closeTime: ledger * 5,
      protocol: 23,
      baseReserve: this.#world.at(ledger).baseReserve,
      events: [],
      failures: [],
      entries,
      tokenEvents: [],
    });
  }

  /** Answers some of what is asked for, as of the newest ledger or one a little older. */
  load(random: Random): readonly EntriesLoaded[] {
    const ledger = Math.max(this.#decoded, this.#world.ledger - random(3));
    const batch = this.#wanted.splice(0, 1 + random(8));
    const snapshot = this.#world.at(ledger);
    const loads: EntriesLoaded[] = [];
    for (const { request, key } of batch) {
      const since = this.#followed.get(key);
      if (since === undefined) continue;
      const entry = snapshot.entries.get(key);
      const entries: EntryChange[] = [entry === undefined ? { key } : { key, entry }];
      loads.push({ request, ledger, entries });
    }
    return loads;
  }
}
