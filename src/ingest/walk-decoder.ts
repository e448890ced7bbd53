// LedgerCloseMeta -> LedgerDelta by one walk over the bytes (ledger-walk.ts): what matters is found there and only
// that is decoded. Tests hold it to a full decode by the SDK (test/support/sdk-decoder.ts).
import { type Transaction, TransactionResultPair } from "@stellar/stellar-sdk/xdr";
import { type Address, addressBytes } from "../model/address.ts";
import type { Failure } from "../model/failure.ts";
import type { EntryChange, ExchangeEvent, TokenEvent } from "../model/ledger-delta.ts";
import { Envelopes, isSuccess } from "./envelopes.ts";
import type { TransactionContext } from "./failed-call.ts";
import type {
  DecodedLedger,
  DecodeLedger,
  DecoderOptions,
  Followed,
  Oddity,
} from "./ledger-decoder.ts";
import { type HeaderFields, readHeader, undecodable } from "./ledger-header.ts";
import { LedgerWalker } from "./ledger-walk.ts";
import type { HostDiagnostic } from "./sc-value.ts";
import { tokenEventsOf } from "./token-event.ts";
import { entryChange, readTrackedEntry } from "./tracked-entry.ts";
import { type IndexedEvent, transactionEffects } from "./transaction-effects.ts";
import { directCall, networkId, outcomeOf, sourceOf } from "./transaction-result.ts";
import { ValueReader } from "./value-reader.ts";
import type { Span, WalkedLedger, WalkedTransaction } from "./walked-ledger.ts";

const NO_CALLS = { begun: 0, returned: 0, crossfill: false };

export function walkDecoder(options: DecoderOptions): DecodeLedger {
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
        wantsTransaction: (seen, at) => envelopes.failedInvocation(seen, at),
      });
      return new WalkedDecoder(bytes, walked, envelopes, options.exchange).decode(followed);
    } catch (cause) {
      throw undecodable(bytes, sequence, cause);
    }
  };
}

class WalkedDecoder {
  readonly #bytes: Uint8Array;
  readonly #walked: WalkedLedger;
  readonly #envelopes: Envelopes;
  readonly #exchange: Address;
  readonly #view: DataView;
  readonly #values: ValueReader;
  readonly #head: HeaderFields;

  constructor(bytes: Uint8Array, walked: WalkedLedger, envelopes: Envelopes, exchange: Address) {
    this.#bytes = bytes;
    this.#walked = walked;
    this.#envelopes = envelopes;
    this.#exchange = exchange;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#values = new ValueReader(bytes, this.#view);
    this.#head = readHeader(this.#view, walked.header.from);
  }

  decode(followed: Followed): DecodedLedger {
    const events: ExchangeEvent[] = [];
    const failures: Failure[] = [];
    const tokenEvents: TokenEvent[] = [];
    const oddities: Oddity[] = [];
    for (const transaction of this.#walked.transactions) {
      const context = this.#contextOf(transaction);
      const { begun, returned, crossfill } = transaction.calls ?? NO_CALLS;
      const effects = transactionEffects(this.#exchange, {
        context,
        operations: context.succeeded ? this.#operationEvents(transaction) : [],
        diagnostics: () => this.#diagnosticsOf(transaction),
        mayHaveFailed: !context.succeeded || begun !== returned,
        mayHaveCrossfill: crossfill,
        direct: () =>
          directCall(this.#exchange, this.#transactionOf(context.hash)?.operations ?? []),
      });
      events.push(...effects.events);
      failures.push(...effects.failures);
      oddities.push(...effects.oddities);
      if (context.succeeded) tokenEvents.push(...this.#tokenEvents(transaction, followed));
    }
    const entries = this.#entryChanges(followed, oddities);
    const { sequence: ledger, hash, previousHash, closeTime, protocol, baseReserve } = this.#head;
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

  /** The hash and the result's name are made only where something needs them. */
  #contextOf({ order, result }: WalkedTransaction): TransactionContext {
    const { sequence: ledger, closeTime } = this.#head;
    const hash = this.#hexAt(result.from);
    // TransactionResultPair: the hash, the fee charged, the result's code.
    const code = this.#view.getInt32(result.from + 40);
    const nameOf = (): string =>
      outcomeOf(TransactionResultPair.fromXdr(this.#piece(result)).result).result;
    return {
      ledger,
      order,
      hash,
      closeTime,
      succeeded: isSuccess(code),
      get result(): string {
        return nameOf();
      },
      source: () => {
        const transaction = this.#transactionOf(hash);
        if (transaction === undefined) throw new Error(`transaction ${hash} has no envelope`);
        return sourceOf(transaction);
      },
    };
  }

  #transactionOf(hash: string): Transaction | undefined {
    return this.#envelopes.transaction(this.#walked.envelopes, hash);
  }

  /** By operation, as far as the last one with an event of the exchange. */
  #operationEvents({ exchangeEvents }: WalkedTransaction): readonly IndexedEvent[][] {
    const operations: IndexedEvent[][] = [];
    for (const { operation, index, from } of exchangeEvents) {
      while (operations.length <= operation) operations.push([]);
      operations[operation]?.push({ index, event: this.#values.event(from) });
    }
    return operations;
  }

  #tokenEvents(transaction: WalkedTransaction, { tokens }: Followed): readonly TokenEvent[] {
    if (transaction.tokenEvents.length === 0) return [];
    return tokenEventsOf(
      this.#exchange,
      tokens,
      transaction.tokenEvents.map(({ from }) => this.#values.event(from)),
    );
  }

  #diagnosticsOf({ calls }: WalkedTransaction): readonly HostDiagnostic[] {
    return calls === undefined ? [] : this.#values.diagnostics(calls.diagnostics.from);
  }

  #entryChanges({ keys }: Followed, oddities: Oddity[]): readonly EntryChange[] {
    return this.#walked.changes.map(({ key: id, from, to }) => {
      const key = keys.text(id);
      if (from === to) return { key };
      return entryChange(key, readTrackedEntry(this.#bytes, this.#view, from), oddities);
    });
  }

  #hexAt(at: number): string {
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset + at, 32).toString("hex");
  }

  #piece({ from, to }: Span): Uint8Array {
    return this.#bytes.subarray(from, to);
  }
}
