// The operations of a received transaction that this network carries out.
import { OperationType, type OperationWire } from "@stellar/stellar-sdk/xdr";
import { enumNames } from "../../model/xdr-schema.ts";
import type { ClassicOperation } from "./classic-operation.ts";
import { operationSource, type Received } from "./received.ts";

const NAMES = enumNames(OperationType.schema);

export function operationName(operation: OperationWire): string {
  return NAMES[operation.body.type] ?? `operation ${operation.body.type}`;
}

/** OperationType: createAccount, payment, manageSellOffer, setTrustLineFlags, whatever is in them. */
const CARRIED_OUT: readonly number[] = [0, 1, 3, 21];

/** Whether this network carries out a client's classic operation. */
export function isCarriedOut({ body }: OperationWire): boolean {
  if (body.type === 6) return body.changeTrustOp.line.type !== 3;
  if (body.type !== 5) return CARRIED_OUT.includes(body.type);
  // Accounts have one key and neither thresholds nor a domain of their own.
  const { clearFlags, setFlags, ...others } = body.setOptionsOp;
  return Object.values(others).every((value) => value === null);
}

/**
 * Of a transaction that was found valid. Throws a TypeError for an operation that is not carried out for
 * clients: some of those the network's own transactions have.
 */
export function classicOf(of: Received): readonly ClassicOperation[] {
  return of.transaction.operations.map((operation) => {
    if (!isCarriedOut(operation)) {
      throw new TypeError(`not carried out for clients: ${operationName(operation)}`);
    }
    return { source: operationSource(of, operation), body: operation.body };
  });
}
