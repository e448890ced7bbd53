// getEvents: contract events of the kept ledgers, in their order, filtered.
import { setImmediate } from "node:timers/promises";
import { ContractEvent, ScVal } from "@stellar/stellar-sdk/xdr";
import { contractAddress } from "../../model/address.ts";
import { hex } from "../ledger/hash.ts";
import type { TransactionPlace } from "../ledger/transaction-place.ts";
import { Stage } from "../ledger/transaction-xdr.ts";
import { readFilters, takesEvent } from "./event-filter.ts";
import { servedRange } from "./get-ledgers.ts";
import {
  integerParam,
  limitWithin,
  type Params,
  pageParams,
  requireBase64Format,
} from "./params.ts";
import { invalidParams, RpcCode, RpcError } from "./rpc-error.ts";
import type { RpcSource } from "./source.ts";
import { OPERATION_MAX, TRANSACTION_MAX, toid, toidParts } from "./toid.ts";

const LIMIT = { otherwise: 100, most: 10_000 } as const;
/** Ledgers that one request looks at. */
const SCAN_MAX = 10_000;
const INDEX_MAX = 0xffff_ffff;

/** The order of events: a TOID whose operation counts from 0, and the event's index in it. */
type Cursor = { readonly toid: bigint; readonly index: number };

export async function getEvents(source: RpcSource, params: Params) {
  requireBase64Format(params);
  const { after, startLedger, endLedger, limit } = readRange(params);
  const filters = readFilters(params);
  const { latest, oldest } = servedRange(source);
  const start = after === undefined ? startLedger : toidParts(after.toid).ledger;
  if (start < oldest.ledger || start > latest.ledger) {
    throw new RpcError(
      RpcCode.invalidRequest,
      `startLedger must be within the ledger range: ${oldest.ledger} - ${latest.ledger}`,
    );
  }
  const end = Math.min(start + SCAN_MAX, latest.ledger + 1, endLedger ?? latest.ledger + 1);
  const events: EventRow[] = [];
  for (let ledger = start; ledger < end && events.length < limit; ledger += 1) {
    // Yields to other requests and to the next ledger.
    await setImmediate();
    const read = source.ledgers.read(ledger);
    const closeTime = source.ledgers.info(ledger)?.closeTime;
    // Trimmed since the range was taken.
    if (read === undefined || closeTime === undefined) continue;
    for (const placed of placedEvents(ledger, source.ledgers.places(ledger))) {
      const event = read.meta.subarray(placed.at, placed.at + placed.bytes);
      if (after !== undefined && !isAfter(placed.cursor, after)) continue;
      if (!takesEvent(filters, event)) continue;
      events.push(eventRow(event, placed, { ledger, closeTime }));
      if (events.length === limit) break;
    }
  }
  const last = events.length === limit ? events.at(-1)?.id : undefined;
  return {
    events,
    cursor: last ?? cursorText(endOf(Math.max(end, start) - 1)),
    latestLedger: latest.ledger,
    oldestLedger: oldest.ledger,
    latestLedgerCloseTime: String(latest.closeTime),
    oldestLedgerCloseTime: String(oldest.closeTime),
  };
}

function endOf(ledger: number): Cursor {
  const last = { ledger, transaction: TRANSACTION_MAX, operation: OPERATION_MAX };
  return { toid: toid(last), index: INDEX_MAX };
}

function isAfter(one: Cursor, other: Cursor): boolean {
  return one.toid > other.toid || (one.toid === other.toid && one.index > other.index);
}

function cursorText({ toid: of, index }: Cursor): string {
  return `${String(of).padStart(19, "0")}-${String(index).padStart(10, "0")}`;
}

type PlacedEvent = {
  readonly cursor: Cursor;
  readonly hash: Uint8Array;
  readonly at: number;
  readonly bytes: number;
};

/**
 * In their order: fees charged before all transactions, which count through the ledger; what each
 * transaction wrote; fees given back after all of them.
 */
function placedEvents(ledger: number, places: readonly TransactionPlace[]): PlacedEvent[] {
  const before: PlacedEvent[] = [];
  const during: PlacedEvent[] = [];
  const after: PlacedEvent[] = [];
  for (const [order, { hash, events }] of places.entries()) {
    let [operation, index] = [-1, 0];
    for (const event of events) {
      const { at, bytes } = event;
      if ("stage" in event) {
        const isBefore = event.stage === Stage.beforeAll;
        const list = isBefore ? before : after;
        const transaction = isBefore ? 0 : TRANSACTION_MAX;
        const cursor = { toid: toid({ ledger, transaction, operation: 0 }), index: list.length };
        list.push({ cursor, hash, at, bytes });
        continue;
      }
      index = event.operation === operation ? index + 1 : 0;
      operation = event.operation;
      const cursor = { toid: toid({ ledger, transaction: order + 1, operation }), index };
      during.push({ cursor, hash, at, bytes });
    }
  }
  return [...before, ...during, ...after];
}

/** ContractEventType. */
const TYPE_NAMES = ["system", "contract"] as const;

type EventRow = ReturnType<typeof eventRow>;

function eventRow(
  xdr: Buffer,
  { cursor, hash }: PlacedEvent,
  at: { readonly ledger: number; readonly closeTime: number },
) {
  const { type, contractId, body } = ContractEvent.schema.decode(xdr);
  const { transaction, operation } = toidParts(cursor.toid);
  const base64 = (value: typeof body.v0.data): string =>
    Buffer.from(ScVal.schema.encode(value)).toString("base64");
  return {
    type: TYPE_NAMES[type] ?? "diagnostic",
    ledger: at.ledger,
    ledgerClosedAt: new Date(at.closeTime * 1000).toISOString().replace(".000Z", "Z"),
    contractId: contractId === null ? "" : contractAddress(contractId),
    id: cursorText(cursor),
    operationIndex: operation,
    transactionIndex: transaction,
    txHash: hex(hash),
    inSuccessfulContractCall: true,
    topic: body.v0.topics.map(base64),
    value: base64(body.v0.data),
  };
}

type Range = {
  readonly after: Cursor | undefined;
  readonly startLedger: number;
  readonly endLedger: number | undefined;
  readonly limit: number;
};

function readRange(params: Params): Range {
  const { startLedger, cursor, limit } = pageParams(params);
  const endLedger = integerParam(params, "endLedger") ?? 0;
  if (cursor !== undefined && (startLedger !== 0 || endLedger !== 0)) {
    throw invalidParams("ledger ranges and cursor cannot both be set");
  }
  if (cursor === undefined && startLedger <= 0) throw invalidParams("startLedger must be positive");
  return {
    after: cursor === undefined ? undefined : readCursor(cursor),
    startLedger,
    endLedger: endLedger === 0 ? undefined : endLedger,
    limit: limitWithin(limit, LIMIT),
  };
}

function readCursor(text: string): Cursor {
  const [, of, index] = /^(\d{1,19})-(\d{1,10})$/.exec(text) ?? [];
  if (of === undefined || index === undefined) throw invalidParams(`invalid event id ${text}`);
  return { toid: BigInt(of), index: Number(index) };
}
