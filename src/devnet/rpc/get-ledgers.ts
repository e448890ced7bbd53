// getLedgers: pages of stored ledgers, served as they were stored.
import { setImmediate } from "node:timers/promises";
import { type LedgerInfo, NOT_OPEN } from "../ledger/chain-store.ts";
import { hex } from "../ledger/hash.ts";
import { limitWithin, type Params, pageParams, requireBase64Format } from "./params.ts";
import { invalidParams, RpcCode, RpcError } from "./rpc-error.ts";
import type { RpcSource } from "./source.ts";

/** Of getTransactions too. */
export const LIMIT = { otherwise: 50, most: 200 } as const;

/** The ledgers an RPC answers for. Throws -32603 before the first one is closed. */
export function servedRange(source: RpcSource): { oldest: LedgerInfo; latest: LedgerInfo } {
  const { latest, oldest } = source.ledgers;
  if (latest === undefined || oldest === undefined) {
    throw new RpcError(RpcCode.internal, NOT_OPEN);
  }
  const from = Math.max(oldest.ledger, latest.ledger - source.retention + 1);
  return { oldest: source.ledgers.info(from) ?? oldest, latest };
}

type Page = { readonly start: number; readonly end: number };

/** The parts of the JSON result, one ledger each, so that a page is never held whole. */
export async function* getLedgers(source: RpcSource, params: Params): AsyncGenerator<string> {
  const range = servedRange(source);
  const { start, end } = readPage(params, range.oldest.ledger, range.latest.ledger);
  yield '{"ledgers":[';
  let separator = "";
  for (let ledger = start; ledger <= end; ledger += 1) {
    // Yields to other requests and to the next ledger.
    await setImmediate();
    const json = ledgerJson(source, ledger);
    // Trimmed since the page was planned: left out, as a server does whose retention window moved.
    if (json === undefined) continue;
    yield separator + json;
    separator = ",";
  }
  yield `],${closeTimes(range)},"cursor":"${Math.max(end, start - 1)}"}`;
}

function closeTimes({ oldest, latest }: { oldest: LedgerInfo; latest: LedgerInfo }): string {
  return (
    `"latestLedger":${latest.ledger},"latestLedgerCloseTime":${latest.closeTime},` +
    `"oldestLedger":${oldest.ledger},"oldestLedgerCloseTime":${oldest.closeTime}`
  );
}

function ledgerJson(source: RpcSource, ledger: number): string | undefined {
  const info = source.ledgers.info(ledger);
  const xdr = source.ledgers.read(ledger);
  if (info === undefined || xdr === undefined) return undefined;
  return (
    `{"hash":"${hex(info.hash)}","sequence":${ledger},"ledgerCloseTime":"${info.closeTime}",` +
    `"headerXdr":"${xdr.header.toString("base64")}",` +
    `"metadataXdr":"${xdr.meta.toString("base64")}"}`
  );
}

function readPage(params: Params, oldest: number, latest: number): Page {
  const { startLedger, cursor, limit } = pageParams(params);
  requireBase64Format(params);
  const ledgers = limitWithin(limit, LIMIT);
  if (cursor !== undefined && startLedger !== 0) {
    throw invalidParams(`startLedger (${startLedger}) and cursor (${cursor}) cannot both be set`);
  }
  const range =
    `must be between the oldest ledger: ${oldest} and the latest ledger: ${latest} ` +
    "for this rpc instance";
  if (cursor !== undefined && !/^[0-9]{1,10}$/.test(cursor)) {
    throw invalidParams(`cursor ('${cursor}') is not a ledger sequence`);
  }
  const start = cursor === undefined ? startLedger : Number(cursor) + 1;
  if (start < oldest || start > latest) {
    throw cursor === undefined
      ? new RpcError(RpcCode.invalidRequest, `start ledger (${start}) ${range}`)
      : invalidParams(`cursor ('${cursor}') ${range}`);
  }
  return { start, end: Math.min(latest, start + ledgers - 1) };
}
