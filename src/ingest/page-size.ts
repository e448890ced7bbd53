// Page size: how many ledgers one request asks for. The RPC's only limit is on their number, and 200 ledgers
// of a busy network are 250 MB.
import type { RpcError, RpcLimits } from "./json-rpc.ts";
import { parseLedgersJson } from "./ledgers-json.ts";

/** Target size of a page: it keeps a connection busy without holding much memory (choice). */
export const PAGE_BYTES = 16 << 20;
/**
 * Answers longer than this are refused: 20 times the largest ledger seen (2026). A server thinks for
 * 10 s at most (stellar-rpc's default for this method); one that is silent for longer is gone.
 */
export const LEDGERS_LIMITS: RpcLimits = {
  timeoutMs: 30_000,
  idleMs: 12_000,
  bytesMax: 64 << 20,
  parse: parseLedgersJson,
};
export const HEALTH_LIMITS: RpcLimits = { timeoutMs: 5_000, bytesMax: 1 << 20 };
/** The protocol's maximum in one page. */
export const LEDGERS_MAX = 200;

/** JSON-RPC's own range for limits of servers; stellar-rpc's "processing limit threshold". */
const CODE_PROCESSING_LIMIT = -32001;

/**
 * Whether a smaller page may be answered where this error came; `max`: the largest, where the server
 * names it.
 */
export function wantsSmallerPage(error: RpcError): false | { readonly max?: number } {
  if (error.failure === "too_large" || error.failure === "timeout") return {};
  if (error.status === 413 || error.status === 504) return {};
  const named = /limit must not exceed (\d{1,9})/i.exec(error.message);
  if (named !== null) return { max: Number(named[1]) };
  const isLimit =
    error.rpcCode === CODE_PROCESSING_LIMIT || /processing limit|too large/i.test(error.message);
  return isLimit ? {} : false;
}
