// Chain check: whether ledgers of any source continue the chain held.
import { SHOWN_MAX } from "../model/clock.ts";
import { errorText } from "./ingest-error.ts";
import { type HeaderFields, type LedgerHead, linkOf, readLedgerHead } from "./ledger-header.ts";
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

export function checkChain(
  ledgers: readonly RawLedger[],
  from: number,
  previous: ChainLink | undefined,
): Checked {
  let link = previous;
  for (const [index, { bytes, sequence }] of ledgers.entries()) {
    const wanted = from + index;
    const head = soundHead(bytes, sequence, wanted);
    const message = typeof head === "string" ? head : brokenLink(head, link);
    if (typeof head !== "string" && message === undefined) {
      link = linkOf(head);
      continue;
    }
    const wrong = { message: message ?? "", foreign: typeof head !== "string" };
    return { good: ledgers.slice(0, index), link, wrong };
  }
  return { good: ledgers, link };
}

/** The head of what is to be ledger `wanted` where it is one in itself, else what is wrong. */
export function soundHead(
  bytes: Uint8Array,
  sequence: number,
  wanted: number,
): LedgerHead | string {
  if (sequence !== wanted) return `ledger ${sequence} came where ledger ${wanted} was wanted`;
  let head: LedgerHead;
  try {
    head = readLedgerHead(bytes, sequence);
  } catch (thrown) {
    return errorText(thrown);
  }
  if (head.sequence !== sequence) {
    return `what is served as ledger ${sequence} is ledger ${head.sequence}`;
  }
  if (head.computedHash !== head.hash) {
    return `ledger ${sequence}: its hash is not the hash of its header`;
  }
  // Later ones have no place in keys of the store.
  if (head.closeTime > SHOWN_MAX) return `ledger ${sequence} closed after the year 9999`;
  return head;
}

/** Undefined where `head` follows `previous`, else what is wrong. */
export function brokenLink(
  head: Pick<HeaderFields, "sequence" | "previousHash">,
  previous: Pick<ChainLink, "ledger" | "hash"> | undefined,
): string | undefined {
  if (previous === undefined) return undefined;
  if (head.sequence !== previous.ledger + 1) {
    return `ledger ${head.sequence} came after ledger ${previous.ledger}`;
  }
  if (head.previousHash === previous.hash) return undefined;
  return `ledger ${head.sequence} names ${head.previousHash} as its predecessor, not ${previous.hash}`;
}
