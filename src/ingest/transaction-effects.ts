// What one transaction means to the exchange: its events and its failed calls.
import type { ContractEvent, DiagnosticEvent } from "@stellar/stellar-sdk/xdr";
import { type Address, contractAddress } from "../model/address.ts";
import type { Failure } from "../model/failure.ts";
import type { ExchangeEvent } from "../model/ledger-delta.ts";
import { position } from "../model/position.ts";
import { buildCallTree } from "./call-tree.ts";
import { markCrossfills } from "./crossfill.ts";
import { decodeExchangeEvent } from "./exchange-event.ts";
import { type DirectCall, failedCalls, type TransactionContext } from "./failed-call.ts";
import { readText } from "./sc-value.ts";

/** An event of the exchange and its place among all events of its operation. */
export type IndexedEvent = { readonly index: number; readonly event: ContractEvent };

export type TransactionInput = {
  readonly context: TransactionContext;
  /** The exchange's events by operation, each operation in order; empty where it failed. */
  readonly operations: readonly (readonly IndexedEvent[])[];
  readonly diagnostics: readonly DiagnosticEvent[];
  readonly direct: () => DirectCall | undefined;
};

export type TransactionEffects = {
  readonly events: readonly ExchangeEvent[];
  readonly failures: readonly Failure[];
  readonly oddities: readonly string[];
};

export function transactionEffects(exchange: Address, input: TransactionInput): TransactionEffects {
  const { context, diagnostics, direct } = input;
  const tree = buildCallTree(diagnostics);
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
        const name = readText(event.body.v0.topics[0]) ?? "unnamed";
        oddities.push(`event ${index} (${name}) of transaction ${context.hash} cannot be read`);
      }
      return known;
    });
    for (const event of markCrossfills(exchange, decoded, tree)) {
      if (event !== undefined) events.push(event);
    }
  }
  return { events, failures: failedCalls(exchange, context, tree, direct), oddities };
}

/** The exchange's own contract events, each with its index among `events`. */
export function eventsOf(
  exchange: Address,
  events: readonly ContractEvent[],
): readonly IndexedEvent[] {
  const found: IndexedEvent[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type.name !== "contract" || event.contractId === null) continue;
    if (contractAddress(event.contractId.value) === exchange) found.push({ index, event });
  }
  return found;
}
