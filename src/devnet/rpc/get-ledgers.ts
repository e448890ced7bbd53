// getLedgers: pages of stored ledgers, served as they were stored.
import { setImmediate } from "node:timers/promises";
import { type LedgerInfo, NOT_OPEN } from "../ledger/chain-store.ts";
import { hex } from "../ledger/hash.ts";
import type { RpcFaults } from "./faults.ts";
import { integerParam, objectParam, type Params, stringParam } from "./params.ts";
import { RpcCode, RpcError } from "./rpc-error.ts";
import type { RpcSource } from "./source.ts";

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;

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
export async function* getLedgers(
  source: RpcSource,
  params: Params,
  faults: RpcFaults,
): AsyncGenerator<string> {
  const range = servedRange(source);
  const { start, end } = readPage(params, range.oldest.ledger, range.latest.ledger);
  const wanted = Array.from({ length: Math.max(0, end - start + 1) }, (_, at) => start + at);
  const { missing } = faults;
  const served = wanted.filter(
    (ledger) => missing === undefined || ledger < missing.from || ledger > missing.to,
  );
  yield '{"ledgers":[';
  let separator = "";
  for (const ledger of faults.unordered === true ? served.reverse() : served) {
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
  const startLedger = integerParam(params, "startLedger") ?? 0;
  const pagination = objectParam(params, "pagination");
  const cursor = stringParam(pagination, "cursor");
  const limit = integerParam(pagination, "limit") ?? 0;
  const format = stringParam(params, "xdrFormat") ?? "base64";
  const invalid = (message: string) => new RpcError(RpcCode.invalidParams, message);
  if (format !== "base64") throw invalid(`xdrFormat ${format} is not served by this network`);
  if (limit > LIMIT_MAX) throw invalid(`limit must not exceed ${LIMIT_MAX}`);
  if (cursor !== undefined && startLedger !== 0) {
    throw invalid(`startLedger (${startLedger}) and cursor (${cursor}) cannot both be set`);
  }
  const range =
    `must be between the oldest ledger: ${oldest} and the latest ledger: ${latest} ` +
    "for this rpc instance";
  if (cursor !== undefined && !/^[0-9]{1,10}$/.test(cursor)) {
    throw invalid(`cursor ('${cursor}') is not a ledger sequence`);
  }
  const start = cursor === undefined ? startLedger : Number(cursor) + 1;
  if (start < oldest || start > latest) {
    throw cursor === undefined
      ? new RpcError(RpcCode.invalidRequest, `start ledger (${start}) ${range}`)
      : invalid(`cursor ('${cursor}') ${range}`);
  }
  return { start, end: Math.min(latest, start + (limit === 0 ? LIMIT_DEFAULT : limit) - 1) };
}
