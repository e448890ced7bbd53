// Parses the answers of Stellar RPC and validates every field.
import { isRecord, RpcError } from "./json-rpc.ts";
import type { RawLedger } from "./ledger-source.ts";

const NOTHING = new Uint8Array(0);

export type LedgersPage = {
  /** In order, each once, however the server had them. Empty where it came as no base64: damage of that one alone. */
  readonly ledgers: readonly RawLedger[];
  readonly oldest: number;
  readonly latest: number;
};

/** The ledgers an RPC says it holds. */
export type LedgerRange = { readonly oldest: number; readonly latest: number };

export type LoadedEntry = {
  /** LedgerKey, base64 XDR. */
  readonly key: string;
  /** LedgerEntryData, base64 XDR. */
  readonly data: string;
  /** The ledger that last changed it. */
  readonly modified: number;
};

export type LoadedEntries = {
  /** The ledger that left the entries so. */
  readonly ledger: number;
  readonly entries: readonly LoadedEntry[];
  /** The source that answered; absent where it does not matter. */
  readonly source?: number;
};

export function parseLedgersPage(result: unknown, source: number): LedgersPage {
  const page = record(result, "getLedgers");
  const ledgers = list(page.ledgers, "ledgers").map((item) => {
    const ledger = record(item, "ledgers[]");
    return {
      sequence: parseInteger(ledger.sequence, "sequence"),
      bytes: xdr(ledger.metadataXdr) ?? NOTHING,
      source,
    };
  });
  const inOrder = ledgers.sort((a, b) => a.sequence - b.sequence);
  return {
    ledgers: inOrder.filter(({ sequence }, at) => inOrder[at - 1]?.sequence !== sequence),
    oldest: parseInteger(page.oldestLedger, "oldestLedger"),
    latest: parseInteger(page.latestLedger, "latestLedger"),
  };
}

export function parseHealth(result: unknown): LedgerRange {
  const health = record(result, "getHealth");
  const latest = parseInteger(health.latestLedger, "latestLedger");
  const oldest = parseInteger(health.oldestLedger, "oldestLedger");
  if (oldest > latest) throw garbage("oldestLedger");
  return { oldest, latest };
}

export function parsePassphrase(result: unknown): string {
  return text(record(result, "getNetwork").passphrase, "passphrase");
}

export function parseEntries(result: unknown): LoadedEntries {
  const answer = record(result, "getLedgerEntries");
  return {
    ledger: parseInteger(answer.latestLedger, "latestLedger"),
    // Absent altogether where none of the keys exists.
    entries: list(answer.entries ?? [], "entries").map((item) => {
      const entry = record(item, "entries[]");
      return {
        key: text(entry.key, "key"),
        data: text(entry.xdr, "xdr"),
        modified: parseInteger(entry.lastModifiedLedgerSeq, "lastModifiedLedgerSeq"),
      };
    }),
  };
}

/**
 * The range in a refusal to serve a ledger outside of it. "Not closed yet" and "no longer kept"
 * carry the same code and words: only these numbers tell them apart.
 */
export function rangeInRefusal(message: string): LedgerRange | undefined {
  const found = /oldest ledger: (\d{1,10}) and the latest ledger: (\d{1,10})/.exec(message);
  if (found === null) return undefined;
  return { oldest: Number(found[1]), latest: Number(found[2]) };
}

function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw garbage(name);
  return value;
}

function list(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw garbage(name);
  return value;
}

function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw garbage(name);
  return value;
}

/** Servers differ in writing ledger numbers as numbers or as strings. Throws RpcError `garbage`. */
export function parseInteger(value: unknown, name: string): number {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (
    typeof number !== "number" ||
    !Number.isInteger(number) ||
    number < 0 ||
    number > 0xffff_ffff
  ) {
    throw garbage(name);
  }
  return number;
}

/** Bytes that were decoded with the page, or base64. */
function xdr(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value, "base64");
  // Buffer skips what is no base64: a shorter result is damage, not data.
  const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
  const isWhole = value.length % 4 === 0 && bytes.length === (value.length / 4) * 3 - padding;
  return isWhole ? bytes : undefined;
}

function garbage(name: string): RpcError {
  return new RpcError("garbage", `the RPC's answer has no valid ${name}`);
}
