// Effects of one transaction on the exchange: its events and its failed calls.
import type { Address } from "../model/address.ts";
import type { Failure } from "../model/failure.ts";
import type { ExchangeEvent } from "../model/ledger-delta.ts";
import { position } from "../model/position.ts";
import { buildCallTree, type CallTree } from "./call-tree.ts";
import { markCrossfills } from "./crossfill.ts";
import { decodeExchangeEvent, eventOddity, nameOf } from "./exchange-event.ts";
import { type DirectCall, failedCalls, type TransactionContext } from "./failed-call.ts";
import type { Oddity } from "./ledger-decoder.ts";
import { type HostDiagnostic, type HostEvent, readVec, type ScValue } from "./sc-value.ts";

/** An event of the exchange and its place among all events of its operation. */
export type IndexedEvent = { readonly index: number; readonly event: HostEvent };

export type TransactionInput = {
  readonly context: TransactionContext;
  /** The exchange's events by operation, each operation in order; empty where it failed. */
  readonly operations: readonly (readonly IndexedEvent[])[];
  /** Asked for at most once, and only where they matter. */
  readonly diagnostics: () => readonly HostDiagnostic[];
  /** False where every call of the exchange is known to have succeeded. */
  readonly mayHaveFailed: boolean;
  /** False where no crossfill is known to have been called. */
  readonly mayHaveCrossfill: boolean;
  readonly direct: () => DirectCall | undefined;
};

export type TransactionEffects = {
  readonly events: readonly ExchangeEvent[];
  readonly failures: readonly Failure[];
  readonly oddities: readonly Oddity[];
};

export function transactionEffects(exchange: Address, input: TransactionInput): TransactionEffects {
  const { context, direct } = input;
  let built: CallTree | undefined;
  const tree = (): CallTree => {
    built ??= buildCallTree(input.diagnostics());
    return built;
  };
  const events: ExchangeEvent[] = [];
  const oddities: Oddity[] = [];
  for (const [operation, indexed] of input.operations.entries()) {
    for (const { event } of indexed) {
      if (event.type === "system") oddities.push(systemOddity(event, context.hash));
    }
    const own = indexed.filter(({ event }) => event.type === "contract");
    const decoded = own.map(({ index, event }) => {
      const at = {
        ledger: context.ledger,
        transaction: context.order,
        operation: operation + 1,
        index,
      };
      const known = decodeExchangeEvent(event, position(at));
      const odd = eventOddity(event, known !== undefined);
      if (odd !== undefined) {
        const message = `event ${index} of transaction ${context.hash}: ${odd}`;
        oddities.push({ kind: odd, message });
      }
      return known;
    });
    const evidence = { mayBeCalled: input.mayHaveCrossfill, tree };
    for (const event of markCrossfills(exchange, decoded, evidence)) {
      if (event !== undefined) events.push(event);
    }
  }
  const failures = input.mayHaveFailed ? failedCalls(exchange, context, tree(), direct) : [];
  return { events, failures, oddities };
}

/** What the host says of the exchange's contract itself: above all that its code changed. */
function systemOddity({ topics, data }: HostEvent, hash: string): Oddity {
  const name = nameOf(topics[0]);
  const codes = [...topics.slice(1), data].flatMap(hashesIn).join(" -> ");
  const message = `transaction ${hash}: ${name} of the exchange's contract ${codes}`.trimEnd();
  return { kind: `system ${name}`, message };
}

/** Hashes in a value such as [Wasm, hash]. */
function hashesIn(value: ScValue): readonly string[] {
  if (value.kind === "bytes") return [Buffer.from(value.bytes).toString("hex")];
  return (readVec(value) ?? []).flatMap((item) =>
    item.kind === "bytes" ? [Buffer.from(item.bytes).toString("hex")] : [],
  );
}
