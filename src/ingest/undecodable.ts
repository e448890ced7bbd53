import { errorText, IngestError } from "./ingest-error.ts";
import { readLedgerHead } from "./ledger-header.ts";

/** Names the protocol as well where at least the header can be read. */
export function undecodable(bytes: Uint8Array, sequence: number, cause: unknown): IngestError {
  const protocol = protocolOf(bytes, sequence);
  const named = protocol === undefined ? "" : ` (protocol ${protocol})`;
  return new IngestError(
    "undecodable",
    `ledger ${sequence}${named} cannot be decoded: ${errorText(cause)}`,
    { ledger: sequence, ...(protocol === undefined ? {} : { protocol }), cause },
  );
}

function protocolOf(bytes: Uint8Array, sequence: number): number | undefined {
  try {
    return readLedgerHead(bytes, sequence).protocol;
  } catch {
    // The error that is being named says it all.
    return undefined;
  }
}
