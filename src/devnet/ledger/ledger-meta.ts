// One closed ledger as XDR: header, transaction set, LedgerCloseMeta, with the hashes that link it.
import {
  GeneralizedTransactionSet,
  type GeneralizedTransactionSetWire,
  LedgerCloseMeta,
  LedgerHeader,
  LedgerHeaderHistoryEntry,
  type LedgerHeaderWire,
  LedgerUpgrade,
  TransactionResultSet,
} from "@stellar/stellar-sdk/xdr";
import type { AppliedTransaction } from "./apply.ts";
import { sha256, ZERO_HASH } from "./hash.ts";
import type { EntryKey } from "./key.ts";
import { encodePlaces, type TransactionPlace } from "./transaction-place.ts";
import { type Encodable, encodeBytes, XdrEncoder } from "./xdr-encoder.ts";

/** What a ledger passes on to the next one. Amounts in stroops, times in UNIX seconds. */
export type ChainTip = {
  readonly ledger: number;
  readonly hash: Uint8Array;
  readonly closeTime: number;
  readonly protocol: number;
  readonly baseFee: number;
  readonly baseReserve: number;
  readonly totalCoins: bigint;
  readonly feePool: bigint;
  /** The last id given to an offer. */
  readonly idPool: bigint;
  /** Stands in for the bucket list: a hash over all entry changes so far. */
  readonly stateHash: Uint8Array;
};

/** The part of an applied transaction that a ledger is made of. */
export type LedgerTransaction = Pick<
  AppliedTransaction,
  "soroban" | "envelope" | "resultPair" | "meta" | "layout" | "feeCharged" | "inclusionFee"
>;

export type ClosedLedger = {
  readonly tip: ChainTip;
  /** XDR of the LedgerHeaderHistoryEntry. */
  readonly header: Uint8Array;
  /** XDR of the LedgerCloseMeta. */
  readonly meta: Buffer;
  /** Where its transactions lie in `meta` (transaction-place.ts). */
  readonly places: Buffer;
};

export type LedgerContents = {
  readonly closeTime: number;
  /** In apply order. */
  readonly transactions: readonly LedgerTransaction[];
  /** Stroops; from this ledger on, applied after its transactions. */
  readonly baseReserve?: number;
  readonly evicted: readonly EntryKey[];
  readonly idPool: bigint;
  readonly stateHash: Uint8Array;
};

const encoder = new XdrEncoder([
  "GeneralizedTransactionSet",
  "TransactionEnvelope",
  "LedgerCloseMetaV2.txProcessing[]",
]);

/** LedgerCloseMetaExt: stroops for writing a kilobyte. */
const META_EXT = { v: 1, v1: { ext: { v: 0 }, sorobanFeeWrite1Kb: 1000n } } as const;

/** The newest LedgerCloseMeta (v2) of the ledger after `previous`. */
export function closeLedger(previous: ChainTip, contents: LedgerContents): ClosedLedger {
  const { transactions, closeTime } = contents;
  const results = encodeBytes(TransactionResultSet, {
    results: transactions.map(({ resultPair }) => resultPair),
  });
  const envelopesAt: number[] = [];
  const phases = sortedPhases(transactions);
  const txSet = encoder.bytes(GeneralizedTransactionSet, txSetWire(previous.hash, phases), {
    TransactionEnvelope: (from) => envelopesAt.push(from),
  });
  const upgrade = contents.baseReserve === undefined ? [] : [reserveUpgrade(contents.baseReserve)];
  const ledgerHeader = encodeBytes(
    LedgerHeader,
    headerWire(previous, contents, {
      txSetHash: sha256(txSet),
      resultHash: sha256(results),
      upgrades: upgrade,
    }),
  );
  const hash = sha256(ledgerHeader);
  const header = encodeBytes(LedgerHeaderHistoryEntry, {
    hash,
    header: ledgerHeader,
    ext: { v: 0 },
  });
  const v2 = {
    ext: META_EXT,
    ledgerHeader: header,
    txSet,
    txProcessing: transactions.map((transaction) => transaction.meta),
    upgradesProcessing: upgrade.map((xdr) => ({ upgrade: xdr, changes: [] })),
    scpInfo: [],
    totalByteSizeOfLiveSorobanState: 0n,
    evictedKeys: contents.evicted,
  };
  let setAt = 0;
  const resultsAt: number[] = [];
  const meta = encoder.bytes(
    LedgerCloseMeta,
    { v: 2, v2 },
    {
      GeneralizedTransactionSet: (from) => {
        setAt = from;
      },
      "LedgerCloseMetaV2.txProcessing[]": (from) => resultsAt.push(from),
    },
  );
  const tip: ChainTip = {
    ...previous,
    ledger: previous.ledger + 1,
    hash,
    closeTime,
    baseReserve: contents.baseReserve ?? previous.baseReserve,
    feePool: feePoolAfter(previous, transactions),
    idPool: contents.idPool,
    stateHash: contents.stateHash,
  };
  const inSet = [...phases.classic, ...phases.soroban];
  const envelopes = new Map(inSet.map((one, at) => [one, setAt + (envelopesAt[at] ?? 0)]));
  const places = transactions.map((one, at) =>
    placeOf(one, envelopes.get(one) ?? 0, resultsAt[at] ?? 0),
  );
  return { tip, header, meta, places: encodePlaces(places) };
}

/** Of a transaction whose envelope and whose TransactionResultMetaV1 begin there. */
function placeOf(
  transaction: LedgerTransaction,
  envelopeAt: number,
  resultAt: number,
): TransactionPlace {
  const { envelope, soroban, inclusionFee, layout, resultPair } = transaction;
  return {
    hash: envelope.hash,
    ...(envelope.innerHash === undefined ? {} : { innerHash: envelope.innerHash }),
    soroban,
    inclusionFee,
    envelope: { at: envelopeAt, bytes: envelope.xdr.length },
    // After the extension and the hash.
    result: { at: resultAt + EXT_BYTES + HASH_BYTES, bytes: resultPair.length - HASH_BYTES },
    meta: { at: resultAt + layout.meta.at, bytes: layout.meta.bytes },
    events: layout.events.map((event) => ({ ...event, at: resultAt + event.at })),
  };
}

const EXT_BYTES = 4;
const HASH_BYTES = 32;

function feePoolAfter(previous: ChainTip, transactions: readonly LedgerTransaction[]): bigint {
  return transactions.reduce((sum, { feeCharged }) => sum + feeCharged, previous.feePool);
}

/** LEDGER_UPGRADE_BASE_RESERVE. */
const BASE_RESERVE = 4;

function reserveUpgrade(baseReserve: number): Uint8Array {
  return encodeBytes(LedgerUpgrade, { type: BASE_RESERVE, newBaseReserve: baseReserve });
}

const MAX_TX_SET_SIZE = 1000;
const NO_SKIPS = [ZERO_HASH, ZERO_HASH, ZERO_HASH, ZERO_HASH];

function headerWire(
  previous: ChainTip,
  contents: LedgerContents,
  of: {
    readonly txSetHash: Uint8Array;
    readonly resultHash: Uint8Array;
    readonly upgrades: Uint8Array[];
  },
): LedgerHeaderWire {
  return {
    ledgerVersion: previous.protocol,
    previousLedgerHash: previous.hash,
    scpValue: {
      txSetHash: of.txSetHash,
      closeTime: BigInt(contents.closeTime),
      upgrades: of.upgrades,
      ext: {
        v: 1,
        lcValueSignature: {
          nodeId: { type: 0, ed25519: sha256("devnet validator") },
          signature: Buffer.concat([of.txSetHash, of.resultHash]),
        },
      },
    },
    txSetResultHash: of.resultHash,
    bucketListHash: contents.stateHash,
    ledgerSeq: previous.ledger + 1,
    totalCoins: previous.totalCoins,
    feePool: feePoolAfter(previous, contents.transactions),
    inflationSeq: 0,
    idPool: contents.idPool,
    baseFee: previous.baseFee,
    baseReserve: contents.baseReserve ?? previous.baseReserve,
    maxTxSetSize: MAX_TX_SET_SIZE,
    skipList: NO_SKIPS,
    ext: { v: 0 },
  };
}

const BASE_FEE = 100n;

type Phases = Readonly<Record<"classic" | "soroban", readonly LedgerTransaction[]>>;

/** The classic phase, then the parallel Soroban phase: each empty where it has no transactions. */
function txSetWire(
  previousLedgerHash: Uint8Array,
  { classic, soroban }: Phases,
): Encodable<GeneralizedTransactionSetWire> {
  const component = {
    type: 0 as const,
    txsMaybeDiscountedFee: { baseFee: BASE_FEE, txs: classic.map(({ envelope }) => envelope.xdr) },
  };
  const parallelTxsComponent = {
    baseFee: soroban.length === 0 ? null : BASE_FEE,
    // One stage of one cluster: the transactions may depend on each other.
    executionStages: soroban.length === 0 ? [] : [[soroban.map(({ envelope }) => envelope.xdr)]],
  };
  const phases = [
    { v: 0 as const, v0Components: classic.length === 0 ? [] : [component] },
    { v: 1 as const, parallelTxsComponent },
  ];
  return { v: 1, v1TxSet: { previousLedgerHash, phases } };
}

/** The set has no apply order: its transactions are sorted by hash. */
function sortedPhases(transactions: readonly LedgerTransaction[]): Phases {
  const sorted = [...transactions].sort((one, other) =>
    Buffer.compare(one.envelope.hash, other.envelope.hash),
  );
  return {
    classic: sorted.filter(({ soroban }) => !soroban),
    soroban: sorted.filter(({ soroban }) => soroban),
  };
}
