// Fetches the ledgers of a range that any source has at once. It judges nothing: missing ledgers are left to
// the source set, which knows when to wait and when to refuse.
import { checkChain } from "../chain-check.ts";
import type { LedgerPages } from "../ledger-pages.ts";
import type { RawLedger } from "../ledger-source.ts";
import type { Range } from "./messages.ts";

export type Fetched = {
  /** From the range's first on, sound and linked. */
  readonly ledgers: readonly RawLedger[];
  /** Why they end before the range does. */
  readonly incomplete?: string;
  /** Every source was asked and answered: none has the next ledger. */
  readonly isAbsent?: boolean;
};

/** Throws only where it is stopped. */
export async function fetchRange(
  { from, to }: Range,
  pages: LedgerPages,
  signal: AbortSignal,
): Promise<Fetched> {
  const ledgers: RawLedger[] = [];
  while (from + ledgers.length <= to) {
    const next = from + ledgers.length;
    const found = await fetchFrom(next, to, pages, signal);
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

/** At least one ledger, of the lake where it has them, or why there is none. */
async function fetchFrom(
  next: number,
  to: number,
  pages: LedgerPages,
  signal: AbortSignal,
): Promise<readonly RawLedger[] | Missing> {
  const { set } = pages;
  let why = "no source has it";
  let isAbsent = true;
  const rpcs = set.size === 0 ? [] : [set.pick("ledgers")];
  for (const source of pages.lake === undefined ? rpcs : [set.lake, ...rpcs]) {
    if (set.restMs("ledgers", source) > 0) {
      isAbsent = false;
      continue;
    }
    const request = { from: next, count: to - next + 1, source };
    let answer = await pages.fetch(request, signal);
    while (answer.kind === "failed" && answer.smaller) answer = await pages.fetch(request, signal);
    if (answer.kind === "page") {
      const ledgers = answer.page.ledgers.filter(({ sequence }) => sequence >= next);
      if (ledgers[0]?.sequence === next) return ledgers;
    } else if (answer.kind === "failed") {
      why = answer.message;
      isAbsent = false;
    } else if (isAbsent) why = `${set.nameOf(source)} does not have it`;
  }
  return { why, isAbsent };
}
