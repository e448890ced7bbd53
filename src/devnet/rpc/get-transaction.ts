// getTransaction and getTransactions: transactions of the kept ledgers, as the ledgers hold them.
import { setImmediate } from "node:timers/promises";
import {
  ContractEvent,
  DiagnosticEvent,
  TransactionEvent,
  TransactionMeta,
  type TransactionMetaWire,
  TransactionResult,
} from "@stellar/stellar-sdk/xdr";
import type { StoredTransaction } from "../ledger/chain-store.ts";
import { hex } from "../ledger/hash.ts";
import type { Span } from "../ledger/transaction-place.ts";
import { LIMIT, servedRange } from "./get-ledgers.ts";
import {
  limitWithin,
  type Params,
  pageParams,
  requireBase64Format,
  stringParam,
} from "./params.ts";
import { invalidParams, RpcCode, RpcError } from "./rpc-error.ts";
import type { RpcSource } from "./source.ts";
import { TRANSACTION_MAX, toid, toidParts } from "./toid.ts";

const HASH_DIGITS = 64;

export function getTransaction(source: RpcSource, params: Params) {
  requireBase64Format(params);
  const text = stringParam(params, "hash") ?? "";
  if (text.length !== HASH_DIGITS) throw invalidParams(`unexpected hash length (${text.length})`);
  if (!/^[0-9a-fA-F]*$/.test(text)) throw invalidParams(`incorrect hash: ${text}`);
  const { latest, oldest } = servedRange(source);
  const found = source.ledgers.find(Buffer.from(text, "hex"));
  const [row] = found === undefined ? [] : transactionRows(source, found.ledger, [found]);
  return {
    ...(row === undefined ? { status: "NOT_FOUND" } : { ...row, createdAt: String(row.createdAt) }),
    txHash: text.toLowerCase(),
    latestLedger: latest.ledger,
    latestLedgerCloseTime: String(latest.closeTime),
    oldestLedger: oldest.ledger,
    oldestLedgerCloseTime: String(oldest.closeTime),
  };
}

/** Ledgers looked at before other requests get their turn. */
const SLICE_LEDGERS = 500;

export async function getTransactions(source: RpcSource, params: Params) {
  requireBase64Format(params);
  const { latest, oldest } = servedRange(source);
  const { after, limit } = readPage(params, oldest.ledger, latest.ledger);
  const transactions: TransactionRow[] = [];
  let { ledger } = toidParts(after);
  for (; ledger <= latest.ledger && transactions.length < limit; ledger += 1) {
    const next = archived(source, ledger).filter((one) => cursorOf(one) > after);
    transactions.push(
      ...transactionRows(source, ledger, next.slice(0, limit - transactions.length)),
    );
    if (ledger % SLICE_LEDGERS === 0) await setImmediate();
  }
  const last = transactions.at(-1);
  const cursor =
    last === undefined
      ? endOf(latest.ledger)
      : cursorOf({ ledger: last.ledger, order: last.applicationOrder });
  return {
    transactions,
    latestLedger: latest.ledger,
    latestLedgerCloseTimestamp: latest.closeTime,
    oldestLedger: oldest.ledger,
    oldestLedgerCloseTimestamp: oldest.closeTime,
    cursor: String(cursor),
  };
}

function archived(source: RpcSource, ledger: number): readonly StoredTransaction[] {
  return source.ledgers.places(ledger).map((place, at) => ({ ledger, order: at + 1, place }));
}

/** The operation in it counts from 1 here. */
function cursorOf({ ledger, order }: { readonly ledger: number; readonly order: number }): bigint {
  return toid({ ledger, transaction: order, operation: 1 });
}

function endOf(ledger: number): bigint {
  return toid({ ledger, transaction: TRANSACTION_MAX, operation: 1 });
}

type Page = { readonly after: bigint; readonly limit: number };

function readPage(params: Params, oldest: number, latest: number): Page {
  const { startLedger, cursor, limit: asked } = pageParams(params);
  const limit = limitWithin(asked, LIMIT);
  if (cursor !== undefined && startLedger !== 0) {
    throw invalidParams("startLedger and cursor cannot both be set");
  }
  if (cursor !== undefined && !/^[0-9]{1,19}$/.test(cursor)) {
    throw invalidParams(`cursor ('${cursor}') is not a TOID`);
  }
  const after =
    cursor === undefined
      ? toid({ ledger: startLedger, transaction: 0, operation: 0 })
      : BigInt(cursor);
  const { ledger } = toidParts(after);
  if (ledger < oldest || ledger > latest) {
    throw new RpcError(
      RpcCode.invalidRequest,
      `start ledger must be between the oldest ledger: ${oldest} and the latest ledger: ` +
        `${latest} for this rpc instance`,
    );
  }
  return { after, limit };
}

type TransactionRow = ReturnType<typeof transactionRows>[number];

/** Of one ledger; none where it was trimmed meanwhile. */
function transactionRows(
  source: RpcSource,
  ledger: number,
  transactions: readonly StoredTransaction[],
) {
  const info = source.ledgers.info(ledger);
  const read = transactions.length === 0 ? undefined : source.ledgers.read(ledger);
  if (info === undefined || read === undefined) return [];
  return transactions.map(({ order, place }) => {
    const part = ({ at, bytes }: Span): Buffer => read.meta.subarray(at, at + bytes);
    const result = part(place.result);
    const meta = part(place.meta);
    return {
      status: isSuccess(result) ? "SUCCESS" : "FAILED",
      txHash: hex(place.hash),
      ledger,
      createdAt: info.closeTime,
      applicationOrder: order,
      feeBump: place.innerHash !== undefined,
      envelopeXdr: part(place.envelope).toString("base64"),
      resultXdr: result.toString("base64"),
      resultMetaXdr: meta.toString("base64"),
      ...eventsOf(meta),
    };
  });
}

/** TransactionResultCode: txSUCCESS and txFEE_BUMP_INNER_SUCCESS. */
function isSuccess(result: Buffer): boolean {
  const { code } = TransactionResult.schema.decode(result).result;
  return code === 0 || code === 1;
}

function eventsOf(xdr: Buffer) {
  const meta: TransactionMetaWire = TransactionMeta.schema.decode(xdr);
  if (meta.v !== 4) throw new TypeError(`a TransactionMeta of version ${meta.v}`);
  const { diagnosticEvents, events, operations } = meta.v4;
  return {
    diagnosticEventsXdr: diagnosticEvents.map((one) => text(DiagnosticEvent.schema.encode(one))),
    events: {
      transactionEventsXdr: events.map((one) => text(TransactionEvent.schema.encode(one))),
      contractEventsXdr: operations.map((operation) =>
        operation.events.map((one) => text(ContractEvent.schema.encode(one))),
      ),
    },
  };
}

function text(xdr: Uint8Array): string {
  return Buffer.from(xdr).toString("base64");
}
