// Small ledgers (LedgerCloseMeta V2, TransactionMeta V4) for tests, with right hashes throughout.
import { createHash } from "node:crypto";
import { Address as StellarAddress } from "@stellar/stellar-sdk/base";
import {
  ContractEvent,
  ContractEventBody,
  ContractEventType,
  type ContractEventTypeName,
  ContractEventV0,
  ContractId,
  DiagnosticEvent,
  ExtensionPoint,
  FeeBumpTransaction,
  FeeBumpTransactionEnvelope,
  FeeBumpTransactionExt,
  FeeBumpTransactionInnerTx,
  GeneralizedTransactionSet,
  HostFunction,
  InnerTransactionResult,
  InnerTransactionResultExt,
  InnerTransactionResultPair,
  InnerTransactionResultResult,
  InvokeContractArgs,
  InvokeHostFunctionOp,
  InvokeHostFunctionResult,
  LedgerCloseMeta,
  LedgerCloseMetaExt,
  LedgerCloseMetaV2,
  type LedgerEntryChange,
  LedgerHeader,
  LedgerHeaderExt,
  LedgerHeaderHistoryEntry,
  LedgerHeaderHistoryEntryExt,
  type LedgerKey,
  LedgerUpgrade,
  Memo,
  MuxedAccount,
  Operation,
  OperationBody,
  OperationMetaV2,
  OperationResult,
  OperationResultTr,
  Preconditions,
  type ScError,
  ScVal,
  type SorobanAuthorizationEntry,
  SorobanTransactionMetaExt,
  SorobanTransactionMetaV2,
  StellarValue,
  StellarValueExt,
  Transaction,
  TransactionEnvelope,
  TransactionExt,
  TransactionMeta,
  TransactionMetaV4,
  TransactionPhase,
  TransactionResult,
  TransactionResultExt,
  TransactionResultMetaV1,
  TransactionResultPair,
  TransactionResultResult,
  TransactionSetV1,
  TransactionV1Envelope,
  TxSetComponent,
  TxSetComponentTxsMaybeDiscountedFee,
  UpgradeEntryMeta,
} from "@stellar/stellar-sdk/xdr";
import { networkId } from "../../src/ingest/transaction-result.ts";
import { type Address, addressBytes } from "../../src/model/address.ts";
import { transactionHash } from "../support/transaction-hash.ts";
import { scSymbol, scVoid } from "./sc-values.ts";

export const TEST_PASSPHRASE = "Test Network of the Decoder ; 2026";

export type BuiltEvent = {
  readonly contract: Address;
  readonly topics: readonly ScVal[];
  readonly data: ScVal;
  /** Absent: the contract's own. */
  readonly type?: ContractEventTypeName;
};

export type BuiltTransaction = {
  readonly source: Address;
  readonly call: {
    readonly contract: Address;
    readonly fn: string;
    readonly args: readonly ScVal[];
  };
  readonly auth?: readonly SorobanAuthorizationEntry[];
  /** Who pays, of a fee bump. */
  readonly feeSource?: Address;
  readonly returnValue?: ScVal;
  /** Absent: success. */
  readonly failure?: "trapped" | "resourceLimitExceeded" | "entryArchived";
  readonly events?: readonly BuiltEvent[];
  readonly diagnostics?: readonly DiagnosticEvent[];
  readonly feeChanges?: readonly LedgerEntryChange[];
  readonly changes?: readonly LedgerEntryChange[];
  readonly refundChanges?: readonly LedgerEntryChange[];
};

export type BuiltLedger = {
  readonly sequence: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
};

export type LedgerPlan = {
  readonly sequence: number;
  /** Lower-case hex. */
  readonly previousHash: string;
  readonly closeTime?: number;
  readonly transactions?: readonly BuiltTransaction[];
  readonly evicted?: readonly LedgerKey[];
  /** What an upgrade of the base fee would change: any entries do. */
  readonly upgraded?: readonly LedgerEntryChange[];
};

const ZERO_HASH = new Uint8Array(32);

export function buildLedger(plan: LedgerPlan): BuiltLedger {
  const transactions = plan.transactions ?? [];
  const envelopes = transactions.map((transaction, index) => envelope(transaction, index));
  const header = headerEntry(plan);
  const component = new TxSetComponentTxsMaybeDiscountedFee({ baseFee: 100n, txs: envelopes });
  const meta = new LedgerCloseMetaV2({
    ext: LedgerCloseMetaExt.v0(),
    ledgerHeader: header,
    txSet: GeneralizedTransactionSet.v1TxSet(
      new TransactionSetV1({
        previousLedgerHash: Buffer.from(plan.previousHash, "hex"),
        phases: [
          TransactionPhase.v0Components([TxSetComponent.txsetCompTxsMaybeDiscountedFee(component)]),
        ],
      }),
    ),
    txProcessing: transactions.map((transaction, index) =>
      processing(transaction, envelopes[index]),
    ),
    upgradesProcessing: (plan.upgraded === undefined ? [] : [plan.upgraded]).map(
      (changes) =>
        new UpgradeEntryMeta({
          upgrade: LedgerUpgrade.ledgerUpgradeBaseFee(100),
          changes: [...changes],
        }),
    ),
    scpInfo: [],
    totalByteSizeOfLiveSorobanState: 0n,
    evictedKeys: [...(plan.evicted ?? [])],
  });
  return {
    sequence: plan.sequence,
    hash: Buffer.from(header.hash.value).toString("hex"),
    bytes: LedgerCloseMeta.v2(meta).toXdr(),
  };
}

/** `count` empty ledgers in a row. */
export function buildChain(
  from: number,
  count: number,
  previousHash = "00".repeat(32),
  closeTime = 1_700_000_000,
): BuiltLedger[] {
  const chain: BuiltLedger[] = [];
  for (let index = 0; index < count; index += 1) {
    chain.push(
      buildLedger({
        sequence: from + index,
        previousHash: chain.at(-1)?.hash ?? previousHash,
        closeTime: closeTime + index,
      }),
    );
  }
  return chain;
}

function headerEntry(plan: LedgerPlan): LedgerHeaderHistoryEntry {
  const header = new LedgerHeader({
    ledgerVersion: 23,
    previousLedgerHash: Buffer.from(plan.previousHash, "hex"),
    scpValue: new StellarValue({
      txSetHash: ZERO_HASH,
      closeTime: BigInt(plan.closeTime ?? 1_700_000_000 + plan.sequence),
      upgrades: [],
      ext: StellarValueExt.stellarValueBasic(),
    }),
    txSetResultHash: ZERO_HASH,
    bucketListHash: ZERO_HASH,
    ledgerSeq: plan.sequence,
    totalCoins: 1n,
    feePool: 0n,
    inflationSeq: 0,
    idPool: 0n,
    baseFee: 100,
    baseReserve: 5_000_000,
    maxTxSetSize: 100,
    skipList: [ZERO_HASH, ZERO_HASH, ZERO_HASH, ZERO_HASH],
    ext: LedgerHeaderExt.v0(),
  });
  return new LedgerHeaderHistoryEntry({
    hash: createHash("sha256").update(header.toXdr()).digest(),
    header,
    ext: LedgerHeaderHistoryEntryExt.v0(),
  });
}

function envelope(transaction: BuiltTransaction, index: number): TransactionEnvelope {
  const { contract, fn, args } = transaction.call;
  const invoke = new InvokeContractArgs({
    contractAddress: new StellarAddress(contract).toScAddress(),
    functionName: fn,
    args: [...args],
  });
  const body = OperationBody.invokeHostFunction(
    new InvokeHostFunctionOp({
      hostFunction: HostFunction.hostFunctionTypeInvokeContract(invoke),
      auth: [...(transaction.auth ?? [])],
    }),
  );
  const tx = new Transaction({
    sourceAccount: MuxedAccount.keyTypeEd25519(addressBytes(transaction.source)),
    fee: 100,
    seqNum: BigInt(index + 1),
    cond: Preconditions.precondNone(),
    memo: Memo.memoNone(),
    operations: [new Operation({ sourceAccount: null, body })],
    ext: TransactionExt.v0(),
  });
  const inner = new TransactionV1Envelope({ tx, signatures: [] });
  if (transaction.feeSource === undefined) return TransactionEnvelope.envelopeTypeTx(inner);
  const bump = new FeeBumpTransaction({
    feeSource: MuxedAccount.keyTypeEd25519(addressBytes(transaction.feeSource)),
    fee: 200n,
    innerTx: FeeBumpTransactionInnerTx.envelopeTypeTx(inner),
    ext: FeeBumpTransactionExt.v0(),
  });
  return TransactionEnvelope.envelopeTypeTxFeeBump(
    new FeeBumpTransactionEnvelope({ tx: bump, signatures: [] }),
  );
}

function processing(
  transaction: BuiltTransaction,
  signed: TransactionEnvelope | undefined,
): TransactionResultMetaV1 {
  if (signed === undefined) throw new Error("a transaction has no envelope");
  const hash = transactionHash(networkId(TEST_PASSPHRASE), signed);
  const { failure } = transaction;
  const meta = new TransactionMetaV4({
    ext: ExtensionPoint.v0(),
    txChangesBefore: [],
    operations:
      failure === undefined
        ? [
            new OperationMetaV2({
              ext: ExtensionPoint.v0(),
              changes: [...(transaction.changes ?? [])],
              events: (transaction.events ?? []).map((event) => contractEvent(event)),
            }),
          ]
        : [],
    txChangesAfter: [],
    sorobanMeta:
      transaction.returnValue === undefined
        ? null
        : new SorobanTransactionMetaV2({
            ext: SorobanTransactionMetaExt.v0(),
            returnValue: transaction.returnValue,
          }),
    events: [],
    diagnosticEvents: [...(transaction.diagnostics ?? [])],
  });
  return new TransactionResultMetaV1({
    ext: ExtensionPoint.v0(),
    result: new TransactionResultPair({
      transactionHash: Buffer.from(hash ?? "", "hex"),
      result: result(failure, transaction.feeSource !== undefined),
    }),
    feeProcessing: [...(transaction.feeChanges ?? [])],
    txApplyProcessing: TransactionMeta.v4(meta),
    postTxApplyFeeProcessing: [...(transaction.refundChanges ?? [])],
  });
}

function result(failure: BuiltTransaction["failure"], isFeeBump: boolean): TransactionResult {
  const operations = [
    OperationResult.opInner(OperationResultTr.invokeHostFunction(operationResult(failure))),
  ];
  if (isFeeBump) {
    const inner = new InnerTransactionResultPair({
      transactionHash: ZERO_HASH,
      result: new InnerTransactionResult({
        feeCharged: 100n,
        result:
          failure === undefined
            ? InnerTransactionResultResult.txSuccess(operations)
            : InnerTransactionResultResult.txFailed(operations),
        ext: InnerTransactionResultExt.v0(),
      }),
    });
    return new TransactionResult({
      feeCharged: 200n,
      result:
        failure === undefined
          ? TransactionResultResult.txFeeBumpInnerSuccess(inner)
          : TransactionResultResult.txFeeBumpInnerFailed(inner),
      ext: TransactionResultExt.v0(),
    });
  }
  return new TransactionResult({
    feeCharged: 100n,
    result:
      failure === undefined
        ? TransactionResultResult.txSuccess(operations)
        : TransactionResultResult.txFailed(operations),
    ext: TransactionResultExt.v0(),
  });
}

function operationResult(failure: BuiltTransaction["failure"]): InvokeHostFunctionResult {
  switch (failure) {
    case undefined:
      return InvokeHostFunctionResult.invokeHostFunctionSuccess(ZERO_HASH);
    case "trapped":
      return InvokeHostFunctionResult.invokeHostFunctionTrapped();
    case "resourceLimitExceeded":
      return InvokeHostFunctionResult.invokeHostFunctionResourceLimitExceeded();
    case "entryArchived":
      return InvokeHostFunctionResult.invokeHostFunctionEntryArchived();
  }
}

function contractEvent(
  event: Omit<BuiltEvent, "contract"> & { readonly contract?: Address },
  type: ContractEventTypeName = event.type ?? "contract",
): ContractEvent {
  return new ContractEvent({
    ext: ExtensionPoint.v0(),
    contractId: event.contract === undefined ? null : new ContractId(addressBytes(event.contract)),
    type: ContractEventType.fromName(type),
    body: ContractEventBody.v0(
      new ContractEventV0({ topics: [...event.topics], data: event.data }),
    ),
  });
}

function diagnostic(topics: readonly ScVal[], data: ScVal, contract?: Address): DiagnosticEvent {
  return new DiagnosticEvent({
    inSuccessfulContractCall: false,
    event: contractEvent(
      { topics, data, ...(contract === undefined ? {} : { contract }) },
      "diagnostic",
    ),
  });
}

/** Diagnostics as the host writes them (spec of the host's event log). */
export const diagnostics = {
  call: (caller: Address | undefined, callee: Address, fn: string, args: readonly ScVal[]) =>
    diagnostic(
      [scSymbol("fn_call"), ScVal.scvBytes(addressBytes(callee)), scSymbol(fn)],
      args.length === 0
        ? scVoid()
        : args.length === 1
          ? (args[0] ?? scVoid())
          : ScVal.scvVec([...args]),
      caller,
    ),
  returned: (contract: Address, fn: string) =>
    diagnostic([scSymbol("fn_return"), scSymbol(fn)], scVoid(), contract),
  error: (contract: Address | undefined, error: ScError, data: ScVal) =>
    diagnostic([scSymbol("error"), ScVal.scvError(error)], data, contract),
  callFailed: (caller: Address, error: ScError, fn: string, form: "call" | "try_call") =>
    diagnostic(
      [scSymbol("error"), ScVal.scvError(error)],
      ScVal.scvVec([ScVal.scvString(`contract ${form} failed`), scSymbol(fn), ScVal.scvVec([])]),
      caller,
    ),
  hostFailed: (error: ScError) =>
    diagnostic([scSymbol("host_fn_failed"), ScVal.scvError(error)], scVoid()),
  emitted: (event: BuiltEvent, kept: boolean) =>
    new DiagnosticEvent({ inSuccessfulContractCall: kept, event: contractEvent(event) }),
};
