// One closed ledger as XDR: header, transaction set, LedgerCloseMeta, with the hashes that link it.
import { LedgerHeader, type LedgerHeaderWire, LedgerUpgrade } from "@stellar/stellar-sdk/xdr";
import type { AppliedTransaction } from "./apply.ts";
import { sha256, ZERO_HASH } from "./hash.ts";
import type { EntryKey } from "./key.ts";
import { encodePlaces, type TransactionPlace } from "./transaction-place.ts";
import { join, list, ONE, option, uint32, uint64, ZERO } from "./xdr-frame.ts";
import { xdrBytes } from "./xdr-writer.ts";

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
  readonly meta: Uint8Array;
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

/** The newest LedgerCloseMeta (v2) of the ledger after `previous`. */
export function closeLedger(previous: ChainTip, contents: LedgerContents): ClosedLedger {
  const { transactions, closeTime } = contents;
  const results = list(transactions.map(({ resultPair }) => resultPair));
  const txSet = transactionSet(previous.hash, transactions);
  const upgrade = contents.baseReserve === undefined ? [] : [reserveUpgrade(contents.baseReserve)];
  const header = LedgerHeader.schema.encode(
    headerWire(previous, contents, {
      txSetHash: sha256(txSet),
      resultHash: sha256(results),
      upgrades: upgrade,
    }),
  );
  const hash = sha256(header);
  const entry = join([hash, header, ZERO]);
  const before = join([META_V2, META_EXT, entry]);
  const meta = join([
    before,
    txSet,
    list(transactions.map((transaction) => transaction.meta)),
    list(upgrade.map((xdr) => join([xdr, list([])]))),
    list([]),
    uint64(0n),
    list(contents.evicted.map(xdrBytes)),
  ]);
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
  const places = encodePlaces(placesOf(transactions, before.length, before.length + txSet.length));
  return { tip, header: entry, meta, places };
}

/** Of `transactions`, whose set begins at `setAt` and their results at `resultsAt`. */
function placesOf(
  transactions: readonly LedgerTransaction[],
  setAt: number,
  resultsAt: number,
): readonly TransactionPlace[] {
  const envelopes = envelopePlaces(transactions, setAt);
  let at = resultsAt + LENGTH_BYTES;
  return transactions.map((transaction) => {
    const { envelope, soroban, inclusionFee, layout, resultPair, meta } = transaction;
    const start = at;
    at += meta.length;
    return {
      hash: envelope.hash,
      ...(envelope.innerHash === undefined ? {} : { innerHash: envelope.innerHash }),
      soroban,
      inclusionFee,
      envelope: { at: envelopes.get(transaction) ?? 0, bytes: envelope.xdr.length },
      // After the extension and the hash.
      result: { at: start + EXT_BYTES + HASH_BYTES, bytes: resultPair.length - HASH_BYTES },
      meta: { at: start + layout.meta.at, bytes: layout.meta.bytes },
      events: layout.events.map((event) => ({ ...event, at: start + event.at })),
    };
  });
}

const LENGTH_BYTES = 4;
const EXT_BYTES = 4;
const HASH_BYTES = 32;

const META_V2 = uint32(2);
/** LedgerCloseMetaExtV1: stroops for writing a kilobyte (sorobanFeeWrite1KB). */
const META_EXT = join([ONE, ZERO, uint64(1000n)]);

function feePoolAfter(previous: ChainTip, transactions: readonly LedgerTransaction[]): bigint {
  return transactions.reduce((sum, { feeCharged }) => sum + feeCharged, previous.feePool);
}

/** LEDGER_UPGRADE_BASE_RESERVE. */
const BASE_RESERVE = 4;

function reserveUpgrade(baseReserve: number): Uint8Array {
  return LedgerUpgrade.schema.encode({ type: BASE_RESERVE, newBaseReserve: baseReserve });
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
          signature: join([of.txSetHash, of.resultHash]),
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

const V0 = ZERO;
const V1 = ONE;
const BASE_FEE = option(uint64(100n));

/** GeneralizedTransactionSet: the classic phase, then the parallel Soroban phase. */
function transactionSet(
  previousHash: Uint8Array,
  transactions: readonly LedgerTransaction[],
): Uint8Array {
  const phases = sortedPhases(transactions);
  const classic = phases.classic.map(({ envelope }) => envelope.xdr);
  const soroban = phases.soroban.map(({ envelope }) => envelope.xdr);
  const components = classic.length === 0 ? [] : [join([ZERO, BASE_FEE, list(classic)])];
  // One stage of one cluster: the transactions may depend on each other.
  const stages = soroban.length === 0 ? [] : [list([list(soroban)])];
  return join([
    V1,
    previousHash,
    list([
      join([V0, list(components)]),
      join([V1, soroban.length === 0 ? option(undefined) : BASE_FEE, list(stages)]),
    ]),
  ]);
}

/** Where each envelope begins in a set that begins at `at`: see `transactionSet`. */
function envelopePlaces(
  transactions: readonly LedgerTransaction[],
  at: number,
): ReadonlyMap<LedgerTransaction, number> {
  const { classic, soroban } = sortedPhases(transactions);
  const places = new Map<LedgerTransaction, number>();
  const place = (phase: readonly LedgerTransaction[], from: number): number =>
    phase.reduce((next, transaction) => {
      places.set(transaction, next);
      return next + transaction.envelope.xdr.length;
    }, from);
  // The set's version, the hash before it, the number of phases; a version and a list of components.
  const components = at + V1.length + HASH_BYTES + LENGTH_BYTES + V0.length + LENGTH_BYTES;
  const component = classic.length === 0 ? 0 : ZERO.length + BASE_FEE.length + LENGTH_BYTES;
  const phase = place(classic, components + component);
  // A version, a base fee, and the lists of stages, of clusters and of the cluster's transactions.
  place(soroban, phase + V1.length + BASE_FEE.length + 3 * LENGTH_BYTES);
  return places;
}

/** The set has no apply order: its transactions are sorted by hash. */
function sortedPhases(transactions: readonly LedgerTransaction[]) {
  const sorted = [...transactions].sort((one, other) =>
    Buffer.compare(one.envelope.hash, other.envelope.hash),
  );
  return {
    classic: sorted.filter(({ soroban }) => !soroban),
    soroban: sorted.filter(({ soroban }) => soroban),
  };
}
