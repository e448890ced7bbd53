// Walked ledger, the result of one pass over a ledger: offsets of the parts that matter.
import type { KeyTable } from "./key-table.ts";

/** Bytes `from` to `to` of the ledger. */
export type Span = { readonly from: number; readonly to: number };

export type WalkedEvent = Span & {
  /** From 0. */
  readonly operation: number;
  /** Among the operation's events, from 0. */
  readonly index: number;
};

export type WalkedTransaction = {
  /** Application order, from 1. */
  readonly order: number;
  /** A TransactionResultPair. */
  readonly result: Span;
  /** ContractEvents of the exchange, those of the host about it included, in order. */
  readonly exchangeEvents: readonly WalkedEvent[];
  /** ContractEvents of followed tokens and approvals of any, in order. */
  readonly tokenEvents: readonly WalkedEvent[];
  /** Of the exchange, as the diagnostics have them; absent where there are none. */
  readonly calls: WalkedCalls | undefined;
};

export type WalkedCalls = {
  readonly begun: number;
  readonly returned: number;
  /** A crossfill is among them. */
  readonly crossfill: boolean;
  /** The array of DiagnosticEvents. */
  readonly diagnostics: Span;
};

export type WalkedEnvelope = Span & {
  /** What its hash is made of: of a fee bump the outer transaction. Empty for the oldest form. */
  readonly transaction: Span;
};

/** Of every transaction of the ledger, in the order of the bytes. */
export type WalkedEnvelopes = {
  readonly count: number;
  at(index: number): WalkedEnvelope;
  /** Of those in which an invocation names the exchange. */
  readonly invoking: readonly number[];
};

/** `from` to `to` is the LedgerEntryData; empty where the entry is gone. */
export type WalkedChange = Span & {
  /** Id in the table of followed keys. */
  readonly key: number;
  readonly phase: number;
};

export type WalkedLedger = {
  /** A LedgerHeaderHistoryEntry. */
  readonly header: Span;
  readonly envelopes: WalkedEnvelopes;
  readonly transactions: readonly WalkedTransaction[];
  /** The last one of each followed entry, in the order they came about. */
  readonly changes: readonly WalkedChange[];
};

export type WalkTargets = {
  /** The contract's id, 32 bytes. */
  readonly exchange: Uint8Array;
  readonly tokens: readonly Uint8Array[];
  readonly keys: KeyTable;
  /** Whether a transaction without any of it is wanted too. `at`: of its TransactionResultPair. */
  readonly wantsTransaction: (envelopes: WalkedEnvelopes, at: number) => boolean;
};
