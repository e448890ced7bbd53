/**
 * Faults a test puts into the RPC while it runs; an empty object is a healthy server. They apply to
 * every method, or to those named in `methods`.
 */
export type RpcFaults = {
  methods?: readonly string[];
  /** The connection is cut without an answer. */
  down?: boolean;
  /** HTTP status with a body that is no JSON-RPC answer. */
  status?: number;
  /** 200 with bytes that are no JSON. */
  garbage?: boolean;
  /** The answer ends in the middle, as if it were whole. */
  truncated?: boolean;
  /** The answer comes so many milliseconds late. */
  delayMs?: number;
  /** Ledgers that pages leave out, both ends inclusive. */
  missing?: { readonly from: number; readonly to: number };
  /** Pages come last ledger first. */
  unordered?: boolean;
  /** getHealth fails as of a node that lost the network. */
  unhealthy?: boolean;
};

const HEALTHY: RpcFaults = {};

export function faultsOf(faults: RpcFaults, method: string): RpcFaults {
  return faults.methods === undefined || faults.methods.includes(method) ? faults : HEALTHY;
}
