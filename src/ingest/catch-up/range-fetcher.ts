// Fetches the ledgers of a range that any source has at once. It judges nothing: missing ledgers are left to
// the source set, which knows when to wait and when to refuse.
import { checkChain } from "../chain-check.ts";
import { errorText } from "../ingest-error.ts";
import type { LakeReader } from "../lake/lake-reader.ts";
import type { RawLedger } from "../ledger-source.ts";
import type { RpcPages } from "../rpc-pages.ts";
import type { SourceSet } from "../source-set.ts";
import type { Range } from "./messages.ts";

export type Fetched = {
  /** From the range's first on, sound and linked. */
  readonly ledgers: readonly RawLedger[];
  /** Why they end before the range does. */
  readonly incomplete?: string;
  /** Every source was asked and answered: none has the next ledger. */
  readonly isAbsent?: boolean;
};

export type RangeSources = {
  readonly lake: LakeReader | undefined;
  readonly set: SourceSet;
  readonly pages: RpcPages;
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
    if ("why" in found) {
      const { why, isAbsent } = found;
      return { ...checked(ledgers, from), incomplete: `ledger ${next}: ${why}`, isAbsent };
    }
    ledgers.push(...found.slice(0, to - next + 1));
  }
  return checked(ledgers, from);
}

function checked(ledgers: readonly RawLedger[], from: number): Fetched {
  const { good, wrong } = checkChain(ledgers, from, undefined);
  return wrong === undefined ? { ledgers } : { ledgers: good, incomplete: wrong.message };
}

type Missing = { readonly why: string; readonly isAbsent: boolean };

/** At least one ledger, or why there is none. */
async function fetchFrom(
  next: number,
  to: number,
  { lake, set, pages }: RangeSources,
  signal: AbortSignal,
): Promise<readonly RawLedger[] | Missing> {
  let why = "no source has it";
  let isAbsent = lake === undefined || set.lakeRestMs() === 0;
  try {
    const found = isAbsent ? await lake?.read(next, signal) : undefined;
    if (found !== undefined && found.length > 0) return found;
  } catch (thrown) {
    why = errorText(thrown);
    isAbsent = false;
  }
  const source = set.pick("ledgers");
  if (set.size === 0) return { why, isAbsent };
  if (set.restMs("ledgers", source) > 0) return { why, isAbsent: false };
  for (;;) {
    const answer = await pages.fetch({ from: next, count: to - next + 1, source }, signal);
    if (answer.kind === "failed" && answer.smaller) continue;
    if (answer.kind === "failed") return { why: answer.message, isAbsent: false };
    if (answer.kind === "outside") {
      return isAbsent
        ? { why: `${set.nameOf(source)} does not have it`, isAbsent }
        : { why, isAbsent };
    }
    const ledgers = answer.page.ledgers.filter(({ sequence }) => sequence >= next);
    return ledgers[0]?.sequence === next ? ledgers : { why, isAbsent };
  }
}
