// LedgerCloseMeta -> LedgerDelta by way of the SDK's full decode. Simple rather than fast: it is
// what any faster reader has to agree with.
import { createHash } from "node:crypto";
import {
  type ContractEvent,
  type DiagnosticEvent,
  LedgerCloseMeta,
  type LedgerEntry,
  type LedgerEntryChange,
  LedgerHeader,
  type LedgerHeaderHistoryEntry,
  type LedgerKey,
  type TransactionEnvelope,
  type TransactionMeta,
  type TransactionPhase,
} from "@stellar/stellar-sdk/xdr";
import { contractOf } from "../../src/ingest/address-cache.ts";
import type { KeyTable } from "../../src/ingest/key-table.ts";
import { orderedChanges } from "../../src/ingest/ledger-changes.ts";
import type {
  DecodedLedger,
  DecodeLedger,
  DecoderOptions,
  Followed,
  Oddity,
} from "../../src/ingest/ledger-decoder.ts";
import { type LedgerHead, undecodable } from "../../src/ingest/ledger-header.ts";
import type { HostDiagnostic, HostEvent } from "../../src/ingest/sc-value.ts";
import { tokenEventsOf } from "../../src/ingest/token-event.ts";
import { entryChange, entryKey } from "../../src/ingest/tracked-entry.ts";
import { type IndexedEvent, transactionEffects } from "../../src/ingest/transaction-effects.ts";
import {
  directCall,
  innerTransaction,
  networkId,
  outcomeOf,
  sourceOf,
} from "../../src/ingest/transaction-result.ts";
import type { Address } from "../../src/model/address.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { EntryChange, ExchangeEvent, TokenEvent } from "../../src/model/ledger-delta.ts";
import { scValueOf, trackedEntry } from "./sdk-value.ts";
import { transactionHash } from "./transaction-hash.ts";

export function sdkDecoder(options: DecoderOptions): DecodeLedger {
  return (bytes, sequence, followed) => {
    try {
      return decodeMeta(LedgerCloseMeta.fromXdr(bytes), options, followed);
    } catch (cause) {
      throw undecodable(bytes, sequence, cause);
    }
  };
}

/** As `readLedgerHead`, of a header that the SDK decoded. */
export function ledgerHead(entry: LedgerHeaderHistoryEntry): LedgerHead {
  const { header } = entry;
  return {
    sequence: header.ledgerSeq,
    hash: entry.hash.toString(),
    previousHash: header.previousLedgerHash.toString(),
    closeTime: Number(header.scpValue.closeTime),
    protocol: header.ledgerVersion,
    baseReserve: header.baseReserve,
    computedHash: createHash("sha256")
      .update(LedgerHeader.schema.encode(header.toXdrObject()))
      .digest("hex"),
  };
}

export function hostEventOf({ type, contractId, body }: ContractEvent): HostEvent {
  const { topics, data } = body.v0;
  return {
    type: type.name,
    contract: contractId === null ? undefined : contractOf(contractId.value),
    topics: topics.map(scValueOf),
    data: scValueOf(data),
  };
}

export function hostDiagnosticOf(from: DiagnosticEvent): HostDiagnostic {
  return { inSuccessfulCall: from.inSuccessfulContractCall, event: hostEventOf(from.event) };
}

/** A temporary entry is gone once evicted; a persistent one is archived and comes back as it was. */
function isLostByEviction(key: LedgerKey): boolean {
  return key.type === "contractData" && key.contractData.durability.name === "temporary";
}

/** The second half: of a ledger that is decoded already, which takes longest. */
export function decodeMeta(
  meta: LedgerCloseMeta,
  { exchange, passphrase }: DecoderOptions,
  followed: Followed,
): DecodedLedger {
  const head = ledgerHead(meta.value.ledgerHeader);
  const envelopes = new EnvelopesByHash(networkId(passphrase), () => envelopesOf(meta));
  const events: ExchangeEvent[] = [];
  const failures: Failure[] = [];
  const tokenEvents: TokenEvent[] = [];
  const oddities: Oddity[] = [];
  for (const [index, processed] of meta.value.txProcessing.entries()) {
    const hash = Buffer.from(processed.result.transactionHash.value).toString("hex");
    const { succeeded, result } = outcomeOf(processed.result.result);
    const transaction = () => {
      const envelope = envelopes.find(hash);
      return envelope === undefined ? undefined : innerTransaction(envelope);
    };
    const operations = succeeded
      ? operationEvents(processed.txApplyProcessing).map((list) => list.map(hostEventOf))
      : [];
    for (const list of operations) {
      tokenEvents.push(...tokenEventsOf(exchange, followed.tokens, list));
    }
    const effects = transactionEffects(exchange, {
      context: {
        ledger: head.sequence,
        order: index + 1,
        hash,
        closeTime: head.closeTime,
        succeeded,
        result,
        source: () => {
          const inner = transaction();
          if (inner === undefined) throw new Error(`transaction ${hash} has no envelope`);
          return sourceOf(inner);
        },
      },
      operations: operations.map((list) => eventsOf(exchange, list)),
      diagnostics: () => diagnosticEvents(processed.txApplyProcessing).map(hostDiagnosticOf),
      mayHaveFailed: true,
      mayHaveCrossfill: true,
      direct: () => directCall(exchange, transaction()?.operations ?? []),
    });
    events.push(...effects.events);
    failures.push(...effects.failures);
    oddities.push(...effects.oddities);
  }
  const { sequence: ledger, hash, previousHash, closeTime, protocol, baseReserve } = head;
  const entries = followed.keys.size === 0 ? [] : entryChanges(meta, followed.keys, oddities);
  return {
    delta: {
      ledger,
      hash,
      previousHash,
      closeTime,
      protocol,
      baseReserve,
      events,
      failures,
      entries,
      tokenEvents,
    },
    oddities,
  };
}

/** The exchange's own events, each with its index among `events`. */
function eventsOf(exchange: Address, events: readonly HostEvent[]): readonly IndexedEvent[] {
  return events
    .map((event, index) => ({ index, event }))
    .filter(({ event }) => event.type !== "diagnostic" && event.contract === exchange);
}

/** Every operation's events, whoever emitted them. */
function operationEvents(meta: TransactionMeta): readonly (readonly ContractEvent[])[] {
  switch (meta.type) {
    case "v3":
      return [meta.v3.sorobanMeta?.events ?? []];
    case "v4":
      return meta.v4.operations.map(({ events }) => events);
    case "operations":
    case "v1":
    case "v2":
      return [];
  }
}

function diagnosticEvents(meta: TransactionMeta): readonly DiagnosticEvent[] {
  switch (meta.type) {
    case "v3":
      return meta.v3.sorobanMeta?.diagnosticEvents ?? [];
    case "v4":
      return meta.v4.diagnosticEvents;
    case "operations":
    case "v1":
    case "v2":
      return [];
  }
}

/** Hashing every envelope costs more than all else of a small ledger, so it waits for a need. */
class EnvelopesByHash {
  #byHash: Map<string, TransactionEnvelope> | undefined;
  readonly #network: Uint8Array;
  readonly #list: () => readonly TransactionEnvelope[];

  constructor(network: Uint8Array, list: () => readonly TransactionEnvelope[]) {
    this.#network = network;
    this.#list = list;
  }

  find(hash: string): TransactionEnvelope | undefined {
    if (this.#byHash === undefined) {
      this.#byHash = new Map();
      for (const envelope of this.#list()) {
        const own = transactionHash(this.#network, envelope);
        if (own !== undefined) this.#byHash.set(own, envelope);
      }
    }
    return this.#byHash.get(hash);
  }
}

export function envelopesOf(meta: LedgerCloseMeta): readonly TransactionEnvelope[] {
  if (meta.type === "v0") return meta.v0.txSet.txs;
  return meta.value.txSet.v1TxSet.phases.flatMap(phaseEnvelopes);
}

function phaseEnvelopes(phase: TransactionPhase): readonly TransactionEnvelope[] {
  return phase.type === "v0Components"
    ? phase.v0Components.flatMap((component) => component.txsMaybeDiscountedFee.txs)
    : phase.parallelTxsComponent.executionStages.flat(2);
}

/**
 * Chain order: every transaction's fee, then each transaction, then the refunds after all of them,
 * then upgrades, then evictions. The last state of a key is what the ledger left.
 */
function entryChanges(
  meta: LedgerCloseMeta,
  tracked: KeyTable,
  oddities: Oddity[],
): readonly EntryChange[] {
  const last = new Map<string, LedgerEntry | undefined>();
  for (const change of orderedChanges(meta)) noteChange(change, tracked, last);
  if (meta.type !== "v0") {
    for (const key of meta.value.evictedKeys) {
      if (isLostByEviction(key)) noteLast(key.toXdr("base64"), undefined, tracked, last);
    }
  }
  return [...last].map(([key, entry]) =>
    entry === undefined ? { key } : entryChange(key, trackedEntry(entry.data), oddities),
  );
}

function noteChange(
  change: LedgerEntryChange,
  tracked: KeyTable,
  last: Map<string, LedgerEntry | undefined>,
): void {
  switch (change.type) {
    case "ledgerEntryState":
      return; // The value before: the change itself follows.
    case "ledgerEntryRemoved":
      noteLast(change.removed.toXdr("base64"), undefined, tracked, last);
      return;
    case "ledgerEntryCreated":
    case "ledgerEntryUpdated":
    case "ledgerEntryRestored": {
      const key = entryKey(change.value.data);
      if (key !== undefined) noteLast(key, change.value, tracked, last);
    }
  }
}

function noteLast(
  key: string,
  entry: LedgerEntry | undefined,
  tracked: KeyTable,
  last: Map<string, LedgerEntry | undefined>,
): void {
  if (!tracked.has(key)) return;
  last.delete(key); // Ordered by the last change.
  last.set(key, entry);
}
