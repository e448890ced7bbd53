// The chain: the ledger's entries and its tip, moved on one closed ledger at a time.
import type { Address } from "../../model/address.ts";
import type { TransactionIntent } from "../intent.ts";
import { assetName, tokenAddress } from "../tokens/sac-address.ts";
import {
  type ApplicableIntent,
  type AppliedTransaction,
  applicable,
  applyIntents,
  type FeeBumpOf,
  type ReceivedIntent,
} from "./apply.ts";
import type { ClassicAsset } from "./asset.ts";
import { sha256 } from "./hash.ts";
import type { CodeOf } from "./invocation.ts";
import type { EntryKey } from "./key.ts";
import {
  type ChainTip,
  type ClosedLedger,
  closeLedger,
  type LedgerTransaction,
} from "./ledger-meta.ts";
import type { LedgerState } from "./state.ts";
import type { StoredEntry } from "./stored-entry.ts";
import type { DeployIntent } from "./work.ts";

export type ChainOptions = {
  readonly passphrase: string;
  readonly codeOf: CodeOf;
  /** The exchange contract, which `approve` intents allow. */
  readonly exchange: Address;
  readonly diagnostics: boolean;
  readonly feeBump?: FeeBumpOf;
};

/** A transaction and its place: application order in the ledger, from 1. */
export type PlacedTransaction = AppliedTransaction & { readonly order: number };

/** Transactions of others for `ledger`, which holds `ownBytes` without them. */
export type Foreign = (ledger: number, ownBytes: number) => readonly LedgerTransaction[];

/** Bytes of a transaction in the ledger: its envelope, and what its application left. */
export function bytesOf(transaction: LedgerTransaction): number {
  return transaction.envelope.xdr.length + transaction.meta.length;
}

/** What closing one ledger did, beside its bytes. */
export type ClosedRecord = ClosedLedger & {
  readonly transactions: readonly PlacedTransaction[];
  readonly rejected: readonly ApplicableIntent[];
  /** Every entry written, with its new value; absent where it is gone. */
  readonly written: readonly (readonly [EntryKey, StoredEntry | undefined])[];
};

export class Chain {
  readonly networkId: Uint8Array;
  readonly state: LedgerState;
  readonly #options: ChainOptions;
  readonly #tokens = new Map<string, Address>();
  #tip: ChainTip;

  /** Takes over `state`, which must hold the entries as of `tip`. */
  constructor(options: ChainOptions, tip: ChainTip, state: LedgerState) {
    this.#options = options;
    this.networkId = sha256(options.passphrase);
    this.#tip = tip;
    this.state = state;
  }

  get tip(): ChainTip {
    return this.#tip;
  }

  tokenOf(asset: ClassicAsset): Address {
    const name = assetName(asset);
    let token = this.#tokens.get(name);
    if (token === undefined) {
      token = tokenAddress(asset, this.networkId);
      this.#tokens.set(name, token);
    }
    return token;
  }

  /** What contract calls see if they run now: in the ledger that comes next. */
  get context() {
    const { ledger, baseFee, baseReserve } = this.#tip;
    const { codeOf, diagnostics, feeBump } = this.#options;
    return {
      ledger: ledger + 1,
      networkId: this.networkId,
      baseFee,
      baseReserve: BigInt(baseReserve),
      codeOf,
      diagnostics,
      tokenOf: (asset: ClassicAsset) => this.tokenOf(asset),
      ...(feeBump === undefined ? {} : { feeBump }),
    };
  }

  /**
   * Closes the next ledger. `closeTime` (UNIX seconds) must not be before the tip's. `foreign` gives
   * transactions of others that fill the ledger, beside so many bytes of its own: they change no
   * entry of this chain.
   */
  close(
    intents: readonly (TransactionIntent | DeployIntent | ReceivedIntent)[],
    closeTime: number,
    foreign: Foreign = () => [],
  ): ClosedRecord {
    const ledger = this.#tip.ledger + 1;
    const applicables = intents.flatMap((intent) => {
      const isReady = intent.kind === "deploy" || intent.kind === "received";
      const one = isReady ? intent : applicable(intent, this.#options.exchange);
      return one === undefined ? [] : [one];
    });
    const ids = { last: this.#tip.idPool };
    const offersOf = (account: Address) => this.state.offers(account);
    const context = { ...this.context, now: closeTime, ids, offersOf };
    const { transactions, rejected } = applyIntents(this.state, applicables, context);
    const baseReserve = intents.findLast((intent) => intent.kind === "upgradeBaseReserve");
    const evicted = this.state.evict(ledger);
    const written = this.state.takeWritten();
    const ownBytes = transactions.reduce((sum, one) => sum + bytesOf(one), 0);
    const ordered = inApplyOrder(transactions, foreign(ledger, ownBytes));
    const closed = closeLedger(this.#tip, {
      closeTime,
      transactions: ordered,
      evicted,
      idPool: ids.last,
      stateHash: stateHashAfter(this.#tip.stateHash, written),
      ...(baseReserve === undefined ? {} : { baseReserve: baseReserve.baseReserve }),
    });
    this.#tip = closed.tip;
    const orders = new Map(ordered.map((transaction, at) => [transaction, at + 1]));
    const placed = transactions.map((one) => ({ ...one, order: orders.get(one) ?? 0 }));
    return { ...closed, transactions: placed, rejected, written };
  }
}

/** Classic transactions first: the chain's own, then the foreign ones; then the calls. */
function inApplyOrder(
  own: readonly LedgerTransaction[],
  foreign: readonly LedgerTransaction[],
): readonly LedgerTransaction[] {
  if (foreign.length === 0) return own;
  const classic = [...own, ...foreign].filter(({ soroban }) => !soroban);
  return [...classic, ...[...own, ...foreign].filter(({ soroban }) => soroban)];
}

function stateHashAfter(before: Uint8Array, written: ClosedRecord["written"]): Uint8Array {
  const changed = written.map(([key, stored]) =>
    stored === undefined ? `${key}${ABSENT}` : `${key}${PRESENT}${stored.xdr}`,
  );
  return sha256(before, Buffer.from(changed.join(""), "latin1"));
}

/** As XDR writes an optional value. */
const ABSENT = "\0\0\0\0";
const PRESENT = "\0\0\0\x01";
