import type { Address } from "./address.ts";
import type { OrderId } from "./order.ts";
import type { Position } from "./position.ts";

export type FailureReason = "contract" | "transfer" | "resources" | "auth" | "unknown";

/** One failed contract call (api.md, Failure). `timestamp` in UNIX seconds. */
export type Failure = {
  readonly id: Position;
  /** Lower-case hex. */
  readonly txHash: string;
  readonly ledger: number;
  readonly timestamp: number;
  readonly fn: string;
  readonly caller: Address;
  readonly orders: readonly OrderId[];
  readonly takerOrder?: OrderId;
  readonly result: string;
  readonly caught: boolean;
  readonly reason: FailureReason;
  readonly error?: { readonly contract: Address; readonly code: number; readonly name?: string };
  readonly transfer?: {
    readonly token: Address;
    readonly fn: "transfer" | "transfer_from";
    readonly from: Address;
    readonly to: Address;
    readonly amount: bigint;
  };
};
