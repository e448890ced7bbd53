// Ledgers made of events, each following the one before.
import { createHash } from "node:crypto";
import type { Failure } from "../../src/model/failure.ts";
import type { ExchangeEvent, LedgerDelta } from "../../src/model/ledger-delta.ts";
import { type Position, position } from "../../src/model/position.ts";

type WithoutPosition<E> = E extends ExchangeEvent ? Omit<E, "position"> : never;
/** An event as it happens in a ledger that gives it its position. */
export type NewEvent = WithoutPosition<ExchangeEvent>;
export type NewFailure = Omit<Failure, "id" | "ledger" | "timestamp" | "txHash">;

export type Follows = { readonly ledger: number; readonly hash: string };

export function ledgerHash(ledger: number, fork = ""): string {
  return createHash("sha256").update(`ledger ${ledger} ${fork}`).digest("hex");
}

/** The ledger after `last`. Every event and failure is a transaction of its own. */
export function nextLedger(
  last: Follows,
  closeTime: number,
  events: readonly NewEvent[],
  failures: readonly NewFailure[] = [],
): LedgerDelta {
  const ledger = last.ledger + 1;
  return {
    ledger,
    hash: ledgerHash(ledger),
    previousHash: last.hash,
    closeTime,
    protocol: 27,
    baseReserve: 5_000_000,
    events: events.map((event, at) => ({ ...event, position: eventPosition(ledger, at) })),
    failures: failures.map((failure, at) => {
      const id = position({ ledger, transaction: 100_000 + at, operation: 0, index: 0 });
      const txHash = createHash("sha256").update(`${id}`).digest("hex");
      return { ...failure, id, txHash, ledger, timestamp: closeTime };
    }),
    entries: [],
    tokenEvents: [],
  };
}

export function eventPosition(ledger: number, at: number): Position {
  return position({ ledger, transaction: at + 1, operation: 1, index: 0 });
}
