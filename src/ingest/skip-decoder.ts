// LedgerCloseMeta -> LedgerDelta by one pass over the bytes: what matters is found there and only
// that is decoded, by the same functions that the full decode uses.
import {
  ContractEvent,
  DiagnosticEvent,
  decodeArray,
  LedgerEntryData,
  LedgerHeaderHistoryEntry,
  type Transaction,
  TransactionEnvelope,
  TransactionResultPair,
} from "@stellar/stellar-sdk/xdr";
import { type Address, addressBytes } from "../model/address.ts";
import type { TokenEvent } from "../model/entry-tracking.ts";
import type { Failure } from "../model/failure.ts";
import type { EntryChange, ExchangeEvent } from "../model/ledger-delta.ts";
import type { TransactionContext } from "./failed-call.ts";
import type { DecodedLedger, DecodeLedger, DecoderOptions, Followed } from "./ledger-decoder.ts";
import { type LedgerHead, ledgerHead } from "./ledger-header.ts";
import {
  LedgerWalker,
  type Span,
  type WalkedEnvelope,
  type WalkedLedger,
  type WalkedTransaction,
} from "./ledger-walk.ts";
import { tokenEventsOf } from "./token-event.ts";
import { entryChange } from "./tracked-entry.ts";
import { type IndexedEvent, transactionEffects } from "./transaction-effects.ts";
import {
  directCall,
  innerTransaction,
  networkId,
  outcomeOf,
  payloadHash,
  sourceOf,
} from "./transaction-result.ts";
import { undecodable } from "./undecodable.ts";

export function skipDecoder(options: DecoderOptions): DecodeLedger {
  const network = networkId(options.passphrase);
  const exchange = addressBytes(options.exchange);
  const walker = new LedgerWalker();
  let tokens:
    | { readonly of: ReadonlySet<Address>; readonly ids: readonly Uint8Array[] }
    | undefined;
  return (bytes, sequence, followed) => {
    if (tokens?.of !== followed.tokens) {
      tokens = { of: followed.tokens, ids: [...followed.tokens].map(addressBytes) };
    }
    try {
      const envelopes = new Envelopes(bytes, network);
      const walked = walker.walk(bytes, {
        exchange,
        tokens: tokens.ids,
        keys: followed.keys,
        wantsTransaction: (seen, result) => envelopes.invokesExchange(seen, result),
      });
      return new WalkedDecoder(bytes, walked, envelopes, options.exchange).decode(followed);
    } catch (cause) {
      throw undecodable(bytes, sequence, cause);
    }
  };
}

/** The envelopes of a ledger by the hash that results name them by. Hashed only where needed. */
class Envelopes {
  private readonly bytes: Uint8Array;
  private readonly network: Uint8Array;
  private invoking: ReadonlySet<string> | undefined;
  private byHash: ReadonlyMap<string, WalkedEnvelope> | undefined;

  constructor(bytes: Uint8Array, network: Uint8Array) {
    this.bytes = bytes;
    this.network = network;
  }

  /** Whether the transaction of this result names the exchange as the contract to invoke. */
  invokesExchange(envelopes: readonly WalkedEnvelope[], result: Span): boolean {
    this.invoking ??= new Set(
      envelopes.filter((one) => one.invokesExchange).map((one) => this.hashOf(one)),
    );
    return this.invoking.size > 0 && this.invoking.has(this.text(result.from, result.from + 32));
  }

  transaction(envelopes: readonly WalkedEnvelope[], hash: string): Transaction | undefined {
    this.byHash ??= new Map(envelopes.map((one) => [this.hashOf(one), one]));
    const found = this.byHash.get(hash);
    if (found === undefined) return undefined;
    return innerTransaction(TransactionEnvelope.fromXdr(this.bytes.subarray(found.from, found.to)));
  }

  private hashOf({ from, transaction }: WalkedEnvelope): string {
    // The envelope's type, of 4 bytes, is also the type that is hashed.
    const type = this.bytes.subarray(from, from + 4);
    return payloadHash(this.network, type, this.bytes.subarray(transaction.from, transaction.to));
  }

  private text(from: number, to: number): string {
    const { buffer, byteOffset } = this.bytes;
    return Buffer.from(buffer, byteOffset + from, to - from).toString("hex");
  }
}

class WalkedDecoder {
  private readonly bytes: Uint8Array;
  private readonly walked: WalkedLedger;
  private readonly envelopes: Envelopes;
  private readonly exchange: Address;
  private readonly head: LedgerHead;

  constructor(bytes: Uint8Array, walked: WalkedLedger, envelopes: Envelopes, exchange: Address) {
    this.bytes = bytes;
    this.walked = walked;
    this.envelopes = envelopes;
    this.exchange = exchange;
    this.head = ledgerHead(LedgerHeaderHistoryEntry.fromXdr(this.piece(walked.header)));
  }

  decode(followed: Followed): DecodedLedger {
    const events: ExchangeEvent[] = [];
    const failures: Failure[] = [];
    const tokenEvents: TokenEvent[] = [];
    const oddities: string[] = [];
    for (const transaction of this.walked.transactions) {
      const context = this.contextOf(transaction);
      const effects = transactionEffects(this.exchange, {
        context,
        operations: context.succeeded ? this.operationEvents(transaction) : [],
        diagnostics: this.diagnosticsOf(transaction),
        direct: () => directCall(this.exchange, this.transactionOf(context.hash)?.operations ?? []),
      });
      events.push(...effects.events);
      failures.push(...effects.failures);
      oddities.push(...effects.oddities);
      if (context.succeeded) tokenEvents.push(...this.tokenEvents(transaction, followed));
    }
    const entries = this.entryChanges(followed, oddities);
    const { sequence: ledger, hash, previousHash, closeTime, protocol, baseReserve } = this.head;
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

  private contextOf({ order, result }: WalkedTransaction): TransactionContext {
    const pair = TransactionResultPair.fromXdr(this.piece(result));
    const hash = Buffer.from(pair.transactionHash.value).toString("hex");
    return {
      ledger: this.head.sequence,
      order,
      hash,
      closeTime: this.head.closeTime,
      ...outcomeOf(pair.result),
      source: () => {
        const transaction = this.transactionOf(hash);
        if (transaction === undefined) throw new Error(`transaction ${hash} has no envelope`);
        return sourceOf(transaction);
      },
    };
  }

  private transactionOf(hash: string): Transaction | undefined {
    return this.envelopes.transaction(this.walked.envelopes, hash);
  }

  /** By operation, as far as the last one with an event of the exchange. */
  private operationEvents({ exchangeEvents }: WalkedTransaction): readonly IndexedEvent[][] {
    const operations: IndexedEvent[][] = [];
    for (const { operation, index, ...span } of exchangeEvents) {
      while (operations.length <= operation) operations.push([]);
      operations[operation]?.push({ index, event: ContractEvent.fromXdr(this.piece(span)) });
    }
    return operations;
  }

  private tokenEvents(transaction: WalkedTransaction, { tokens }: Followed): readonly TokenEvent[] {
    if (transaction.tokenEvents.length === 0) return [];
    return tokenEventsOf(
      tokens,
      transaction.tokenEvents.map((span) => ContractEvent.fromXdr(this.piece(span))),
    );
  }

  private diagnosticsOf({ diagnostics }: WalkedTransaction): readonly DiagnosticEvent[] {
    return diagnostics === undefined ? [] : decodeArray(DiagnosticEvent, this.piece(diagnostics));
  }

  private entryChanges({ keys }: Followed, oddities: string[]): readonly EntryChange[] {
    return this.walked.changes.map(({ key, ...span }) => {
      const data = span.from === span.to ? undefined : LedgerEntryData.fromXdr(this.piece(span));
      return entryChange(keys.text(key), data, oddities);
    });
  }

  private piece({ from, to }: Span): Uint8Array {
    return this.bytes.subarray(from, to);
  }
}
