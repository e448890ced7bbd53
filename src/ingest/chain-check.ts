// Whether ledgers as a source gave them continue the chain that we hold.
import { brokenLink, type LedgerHead, linkOf, readLedgerHead } from "./ledger-header.ts";
import type { ChainLink, RawLedger } from "./ledger-source.ts";

export type Checked = {
  /** The ledgers that do, from the first one on. */
  readonly good: readonly RawLedger[];
  /** The last of them, or what they were to follow. */
  readonly link: ChainLink | undefined;
  /** What is wrong with the next one. */
  readonly wrong?: {
    readonly message: string;
    /** It is a sound ledger of the number wanted: of another chain than ours. */
    readonly foreign: boolean;
  };
};

/** Throws IngestError `undecodable` where a ledger's head cannot be read. */
export function checkChain(
  ledgers: readonly RawLedger[],
  from: number,
  previous: ChainLink | undefined,
): Checked {
  let link = previous;
  for (const [index, { bytes, sequence }] of ledgers.entries()) {
    const head = readLedgerHead(bytes, sequence);
    const message = wrongWith(head, sequence, from + index, link);
    if (message !== undefined) {
      const foreign = head.sequence === from + index && head.hash === head.computedHash;
      return { good: ledgers.slice(0, index), link, wrong: { message, foreign } };
    }
    link = linkOf(head);
  }
  return { good: ledgers, link };
}

function wrongWith(
  head: LedgerHead,
  sequence: number,
  wanted: number,
  link: ChainLink | undefined,
): string | undefined {
  if (sequence !== wanted) return `ledger ${sequence} came where ledger ${wanted} was wanted`;
  if (head.sequence !== sequence) {
    return `what is served as ledger ${sequence} is ledger ${head.sequence}`;
  }
  return brokenLink(head, link);
}
