// Failed contract calls as JSON text (api.md, Failure). Rare enough for JSON.stringify, which also
// escapes: function names and result codes come from the chain.
import { utcText } from "../../model/clock.ts";
import type { Failure } from "../../model/failure.ts";

export function failureJson(failure: Failure): string {
  const { id, txHash, ledger, fn, caller, takerOrder, result, caught, reason, error, transfer } =
    failure;
  return JSON.stringify({
    type: "failure",
    id: String(id),
    txHash,
    ledger,
    timestamp: utcText(failure.timestamp),
    fn,
    caller,
    orders: failure.orders.map(String),
    takerOrder: takerOrder === undefined ? undefined : String(takerOrder),
    result,
    caught: caught ? true : undefined,
    reason,
    error,
    transfer:
      transfer === undefined
        ? undefined
        : {
            token: transfer.token,
            fn: transfer.fn,
            from: transfer.from,
            to: transfer.to,
            amount: String(transfer.amount),
          },
    cursor: String(id),
  });
}
