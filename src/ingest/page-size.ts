// How many ledgers to ask for at once: the RPC's only limit is on their number, and 200 ledgers of
// a busy network are 250 MB.
import type { RpcLimits } from "./json-rpc.ts";
import { parseLedgersJson } from "./ledgers-json.ts";

/** A page this large keeps a connection busy without holding much memory (choice). */
const PAGE_BYTES = 16 << 20;
/**
 * Answers longer than this are refused: 20 times the largest ledger seen (2026). The server itself
 * gives up after 25 s at most (stellar-rpc's defaults).
 */
export const LEDGERS_LIMITS: RpcLimits = {
  timeoutMs: 30_000,
  bytesMax: 64 << 20,
  parse: parseLedgersJson,
};
/** The protocol's maximum in one page. */
export const LEDGERS_MAX = 200;
const LEDGERS_FIRST = 4;

export class PageSize {
  private ledgerBytes: number | undefined;
  private cap = LEDGERS_MAX;

  get limit(): number {
    const wanted =
      this.ledgerBytes === undefined ? LEDGERS_FIRST : Math.floor(PAGE_BYTES / this.ledgerBytes);
    return Math.max(1, Math.min(this.cap, wanted));
  }

  /** A page of `count` ledgers took `bytes`. Larger ledgers count at once, smaller ones by and by. */
  received(bytes: number, count: number): void {
    if (count === 0) return;
    const each = Math.max(1, bytes / count);
    const known = this.ledgerBytes ?? each;
    this.ledgerBytes = each > known ? each : known + (each - known) / 4;
    this.cap = Math.min(LEDGERS_MAX, this.cap * 2);
  }

  /** A page was too large or took too long. False where it could not have been smaller. */
  shrink(): boolean {
    const { limit } = this;
    this.cap = Math.max(1, limit >> 1);
    return limit > 1;
  }
}
