// What one transaction means to the exchange: its events and its failed calls.
import type { Address } from "../model/address.ts";
import type { Failure } from "../model/failure.ts";
import type { ExchangeEvent } from "../model/ledger-delta.ts";
import { position } from "../model/position.ts";
import { buildCallTree, type CallTree } from "./call-tree.ts";
import { markCrossfills } from "./crossfill.ts";
import { decodeExchangeEvent } from "./exchange-event.ts";
import { type DirectCall, failedCalls, type TransactionContext } from "./failed-call.ts";
import { type HostDiagnostic, type HostEvent, readText } from "./sc-value.ts";

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
  readonly oddities: readonly string[];
};

export function transactionEffects(exchange: Address, input: TransactionInput): TransactionEffects {
  const { context, direct } = input;
  let built: CallTree | undefined;
  const tree = (): CallTree => {
    built ??= buildCallTree(input.diagnostics());
    return built;
  };
  const events: ExchangeEvent[] = [];
  const oddities: string[] = [];
  for (const [operation, indexed] of input.operations.entries()) {
    const decoded = indexed.map(({ index, event }) => {
      const at = {
        ledger: context.ledger,
        transaction: context.order,
        operation: operation + 1,
        index,
      };
      const known = decodeExchangeEvent(event, position(at));
      if (known === undefined) {
        const name = readText(event.topics[0]) ?? "unnamed";
        oddities.push(`event ${index} (${name}) of transaction ${context.hash} cannot be read`);
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
