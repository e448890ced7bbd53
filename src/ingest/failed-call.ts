// Failed calls of the exchange in one transaction (api.md, Failure: recording rules).
import type { Address } from "../model/address.ts";
import { CONTRACT_ERRORS } from "../model/contract-errors.ts";
import type { Failure, FailureReason } from "../model/failure.ts";
import { position } from "../model/position.ts";
import { readCallArguments } from "./call-arguments.ts";
import type { Call, CallTree } from "./call-tree.ts";
import { readAddress, readI128, type ScValue } from "./sc-value.ts";

/** What a failure record needs of the transaction around the call. */
export type TransactionContext = {
  readonly ledger: number;
  /** Application order, from 1. */
  readonly order: number;
  /** Lower-case hex. */
  readonly hash: string;
  /** UNIX seconds. */
  readonly closeTime: number;
  readonly succeeded: boolean;
  /** Code of the host-function operation, or of the transaction where that never ran. */
  readonly result: string;
  /** The transaction's source account; asked for only where a record needs it. */
  readonly source: () => Address;
};

/** A call as a transaction's envelope has it. */
export type DirectCall = { readonly fn: string; readonly args: readonly ScValue[] };

/** Result codes that mean a lack of resources, whatever the diagnostics show. */
const RESOURCE_RESULTS: ReadonlySet<string> = new Set([
  "invokeHostFunctionResourceLimitExceeded",
  "invokeHostFunctionEntryArchived",
  "invokeHostFunctionInsufficientRefundableFee",
]);

/** The index of a failure in its position has 16 bits. */
const FAILURES_MAX = 0xffff;

/**
 * `direct` is the transaction's own call of the exchange, if it made one: it stands in where a
 * failed transaction's call tree shows no failed call of the exchange.
 */
export function failedCalls(
  exchange: Address,
  transaction: TransactionContext,
  tree: CallTree,
  direct: () => DirectCall | undefined,
): readonly Failure[] {
  const failed = tree.calls.filter(
    (call) => call.contract === exchange && hasFailed(call, transaction),
  );
  if (failed.length > 0) {
    return failed
      .slice(0, FAILURES_MAX)
      .map((call, index) => fromCall(exchange, transaction, call, index));
  }
  if (transaction.succeeded) return [];
  const call = direct();
  if (call === undefined) return [];
  const reason = RESOURCE_RESULTS.has(transaction.result) ? "resources" : "unknown";
  return [{ ...record(transaction, call, 0), reason }];
}

/** A call left open failed with its transaction; in one that succeeded nothing is known of it. */
function hasFailed(call: Call, transaction: TransactionContext): boolean {
  return call.outcome === "failed" || (call.outcome === "open" && !transaction.succeeded);
}

function record(
  transaction: TransactionContext,
  call: DirectCall,
  index: number,
): Omit<Failure, "reason"> {
  const { caller, orders, takerOrder } = readCallArguments(call.fn, call.args);
  return {
    id: position({
      ledger: transaction.ledger,
      transaction: transaction.order,
      operation: 0,
      index,
    }),
    txHash: transaction.hash,
    ledger: transaction.ledger,
    timestamp: transaction.closeTime,
    fn: call.fn,
    caller: caller ?? transaction.source(),
    orders,
    ...(takerOrder === undefined ? {} : { takerOrder }),
    result: transaction.result,
    caught: transaction.succeeded,
  };
}

function fromCall(
  exchange: Address,
  transaction: TransactionContext,
  call: Call,
  index: number,
): Failure {
  const chain = failingChain(call, transaction);
  const transfer = firstTransfer(chain);
  const error = contractError(exchange, chain);
  return {
    ...record(transaction, call, index),
    reason: reasonOf(transaction, call, chain, transfer !== undefined, error !== undefined),
    ...(error === undefined ? {} : { error }),
    ...(transfer === undefined ? {} : { transfer }),
  };
}

/**
 * The call, then the inner call whose failure made it fail, and so on inwards. An inner failure that its
 * caller caught (`try_call`) is not the caller's.
 */
function failingChain(call: Call, transaction: TransactionContext): readonly Call[] {
  const chain = [call];
  for (let at = call.children.at(-1); at !== undefined; at = at.children.at(-1)) {
    const fatal = at.outcome === "failed" ? at.escalated : hasFailed(at, transaction);
    if (!fatal) break;
    chain.push(at);
  }
  return chain;
}

function firstTransfer(chain: readonly Call[]): Failure["transfer"] | undefined {
  for (const { contract: token, fn, args } of chain.slice(1)) {
    if (fn !== "transfer" && fn !== "transfer_from") continue;
    const first = fn === "transfer" ? 0 : 1; // transfer_from names the spender first
    const from = readAddress(args[first]);
    const to = readAddress(args[first + 1]);
    const amount = readI128(args[first + 2]);
    if (from === undefined || to === undefined || amount === undefined) continue;
    return { token, fn, from, to, amount };
  }
  return undefined;
}

/** Of the innermost call that failed with a contract's code: there it was raised. */
function contractError(exchange: Address, chain: readonly Call[]): Failure["error"] | undefined {
  for (const { contract, error } of chain.toReversed()) {
    if (error?.kind !== "contract") continue;
    const { code } = error;
    const name = contract === exchange ? CONTRACT_ERRORS[code]?.name : undefined;
    return { contract, code, ...(name === undefined ? {} : { name }) };
  }
  return undefined;
}

function reasonOf(
  transaction: TransactionContext,
  call: Call,
  chain: readonly Call[],
  transferred: boolean,
  coded: boolean,
): FailureReason {
  // A call that its caller caught did not fail of what the transaction failed of later.
  const fatal = call.escalated || call.parent === undefined || call.outcome === "open";
  if (!transaction.succeeded && fatal && RESOURCE_RESULTS.has(transaction.result)) {
    return "resources";
  }
  const errors = chain.map((at) => at.error).filter((error) => error !== undefined);
  if (errors.some(({ kind }) => kind === "resources")) return "resources";
  if (errors.some((error) => error.kind === "auth")) return "auth";
  if (chain.some((at) => at.fn === "__check_auth" && at !== call)) return "auth";
  if (transferred) return "transfer";
  return coded ? "contract" : "unknown";
}
