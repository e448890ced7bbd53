// Ledgers of a range from wherever they can be had at once. It judges nothing: what is not there is
// left to the sources, which know how to wait and when to refuse.
import type { BodyRooms } from "../body-rooms.ts";
import { checkChain } from "../chain-check.ts";
import { errorText } from "../ingest-error.ts";
import type { LakeReader } from "../lake/lake-reader.ts";
import type { RawLedger } from "../ledger-source.ts";
import { LEDGERS_LIMITS, LEDGERS_MAX } from "../page-size.ts";
import { parseLedgersPage } from "../rpc-answers.ts";
import type { RpcPool } from "../rpc-pool.ts";
import type { Range } from "./messages.ts";

export type Fetched = {
  /** From the range's first on, sound and linked. */
  readonly ledgers: readonly RawLedger[];
  /** Why they end before the range does. */
  readonly incomplete?: string;
};

export type RangeSources = {
  readonly lake: LakeReader | undefined;
  readonly pool: RpcPool | undefined;
  /** Where pages of ledgers lie until the caller gives them back. */
  readonly rooms?: BodyRooms;
};

/** Throws only where it is stopped. */
export async function fetchRange(
  { from, to }: Range,
  sources: RangeSources,
  signal: AbortSignal,
): Promise<Fetched> {
  const ledgers: RawLedger[] = [];
  while (from + ledgers.length <= to) {
    const next = from + ledgers.length;
    const found = await fetchFrom(next, to, sources, signal);
    signal.throwIfAborted();
    if (typeof found === "string") {
      return { ...checked(ledgers, from), incomplete: `ledger ${next}: ${found}` };
    }
    ledgers.push(...found.slice(0, to - next + 1));
  }
  return checked(ledgers, from);
}

function checked(ledgers: readonly RawLedger[], from: number): Fetched {
  const { good, wrong } = checkChain(ledgers, from, undefined);
  return wrong === undefined ? { ledgers } : { ledgers: good, incomplete: wrong.message };
}

/** At least one ledger, or why there is none. */
async function fetchFrom(
  next: number,
  to: number,
  { lake, pool, rooms }: RangeSources,
  signal: AbortSignal,
): Promise<readonly RawLedger[] | string> {
  let why = "no source has it";
  try {
    const found = await lake?.read(next, signal);
    if (found !== undefined && found.length > 0) return found;
  } catch (thrown) {
    why = errorText(thrown);
  }
  if (pool === undefined) return why;
  try {
    const params = {
      startLedger: next,
      pagination: { limit: Math.min(LEDGERS_MAX, to - next + 1) },
    };
    const limits = rooms === undefined ? LEDGERS_LIMITS : { ...LEDGERS_LIMITS, rooms };
    const { result } = await pool.call("getLedgers", params, limits, signal);
    const { ledgers } = parseLedgersPage(result);
    if (ledgers.length === 0) return why;
    return ledgers.map(({ sequence, metadata }) => ({ sequence, bytes: metadata }));
  } catch (thrown) {
    return errorText(thrown);
  }
}
