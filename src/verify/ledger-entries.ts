// Ledger entries as a Stellar RPC has them at its newest ledger.
import { z } from "zod";
import { loadJson } from "./json-client.ts";

/** More keys than this a getLedgerEntries call does not take (protocol of the RPC). */
export const KEYS_MAX = 200;

const answerSchema = z.object({
  result: z.object({
    latestLedger: z.number(),
    entries: z
      .array(z.object({ key: z.string(), xdr: z.string(), lastModifiedLedgerSeq: z.number() }))
      .nullable(),
  }),
});

const errorSchema = z.object({ error: z.object({ code: z.number(), message: z.string() }) });

export type LedgerEntries = {
  /** The ledger the entries were read at. */
  readonly ledger: number;
  /** By key; keys without an entry are absent. `xdr` is a LedgerEntryData in base64. */
  readonly entries: ReadonlyMap<string, { readonly xdr: string; readonly modified: number }>;
};

/** At most `KEYS_MAX` keys, base64. Throws an Error that names the URL. */
export async function loadLedgerEntries(
  rpcUrl: string,
  keys: readonly string[],
): Promise<LedgerEntries> {
  const request = { jsonrpc: "2.0", id: 1, method: "getLedgerEntries", params: { keys } };
  const { status, json } = await loadJson(rpcUrl, request);
  const answer = answerSchema.safeParse(json);
  if (!answer.success) {
    const error = errorSchema.safeParse(json);
    const reason = error.success ? error.data.error.message : `HTTP ${status}`;
    throw new Error(`${rpcUrl} does not answer getLedgerEntries: ${reason}`);
  }
  const { latestLedger, entries } = answer.data.result;
  return {
    ledger: latestLedger,
    entries: new Map(
      (entries ?? []).map(({ key, xdr, lastModifiedLedgerSeq }) => [
        key,
        { xdr, modified: lastModifiedLedgerSeq },
      ]),
    ),
  };
}
